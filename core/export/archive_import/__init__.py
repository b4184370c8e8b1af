"""Archives of others: every path, row and pixel checked before any of it is taken."""
