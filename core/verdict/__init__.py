"""Verdicts on measured colors, with their reasons."""
