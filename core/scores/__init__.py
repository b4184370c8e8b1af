"""Measures of images beside the rules: their list, and their scores."""
