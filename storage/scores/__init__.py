"""Scores of items by measures: added, never overwritten."""
