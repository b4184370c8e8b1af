"""Sentences in a person's own words: which objects and colors they ask for."""
