"""The color judge of appendix E of ColorBench: its questions, the pixel rules, the report."""
