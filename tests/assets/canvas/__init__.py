"""The canvas of colorings: what it does to pixels, and its colors."""
