"""Concepts and the distributions of their colors: extraction, people's data, analyses."""
