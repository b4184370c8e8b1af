"""Sketches: line art cleaned for coloring, regions that a click fills, and their images."""
