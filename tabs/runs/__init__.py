"""Whole runs: asked for, executed in the background, taken in as they go; images from elsewhere."""
