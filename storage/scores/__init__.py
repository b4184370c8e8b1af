"""Scores of items by measure: added, never overwritten."""
