"""Computation and models. It imports neither Gradio nor DuckDB, and has no import side effects."""
