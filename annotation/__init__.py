"""The science of human judgment. Knows neither Gradio, DuckDB nor torch."""
