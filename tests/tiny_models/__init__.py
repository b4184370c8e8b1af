"""Tiny models of the real architectures: real classes, random weights, the hub's layout."""
