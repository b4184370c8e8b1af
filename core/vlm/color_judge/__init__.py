"""The color judge of appendix E of ColorBench: its questions, the rules that answer, the report."""
