"""Colorings: those that people keep for themselves, and what is stored of those of studies."""
