"""Imported distributions, and image sets of one concept."""
