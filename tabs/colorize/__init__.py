"""Colorize: line drawings are colored, compared with what others gave, and prepared as sketches."""
