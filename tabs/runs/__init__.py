"""Whole runs: asked for, executed in the background, taken in as they go; images drawn elsewhere.
Whole runs: asked for, executed in the background, taken in as they go; images drawn elsewhere."""
