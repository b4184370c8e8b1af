"""Colorings of a study for those who run it: gallery, reviews, quality, what they give, live."""
