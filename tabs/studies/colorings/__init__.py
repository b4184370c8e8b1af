"""Colorings of a study for researchers: gallery, reviews, quality, distributions, live progress."""
