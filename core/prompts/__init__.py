"""Prompts: what is asked of a generator, and what an image of it has to show."""
