"""Whole runs: a plan of many images, generated and scored by one or many workers, resumable."""
