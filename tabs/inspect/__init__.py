"""Inspect: an image, a mask, an asked color, a verdict and how it came about."""
