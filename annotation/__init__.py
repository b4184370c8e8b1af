"""The science of human judgment. It imports neither Gradio, DuckDB nor torch."""
