"""Imported distributions, and sets of images of one concept."""
