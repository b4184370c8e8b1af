"""Computation and models. Knows neither Gradio nor DuckDB; importing it does nothing visible."""
