"""Weights of models as files: where they are, whether they are whole, how to get them."""
