"""Sketches: line drawings cleaned for coloring, the regions that a click fills, their pictures."""
