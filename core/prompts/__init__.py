"""Prompts: the text for a generator, and the targets that its image must show."""
