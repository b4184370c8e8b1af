"""Exact color computation: spaces, differences, naming systems, dominant colors."""
