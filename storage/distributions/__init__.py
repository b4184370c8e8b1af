"""Distributions of colors as files gave them."""
