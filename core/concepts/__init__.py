"""Concepts and their color distributions: extraction, people's data, analyses."""
