"""Sketches: line drawings prepared for coloring, as files and rows."""
