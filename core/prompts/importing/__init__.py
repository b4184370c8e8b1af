"""Prompt sets from files: text, tables, JSON Lines and the published forms; and writing them."""
