"""Runs and question sets as dataset folders for the Hugging Face hub: Parquet, a card with its YAML
header, and ``croissant.json``.

``folder`` writes the folder of any tables, ``question_set`` and ``run`` say what is in them.
"""
