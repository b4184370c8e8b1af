"""Measures of images beside the rules: a list of them, and the scores that they give."""
