"""Imported prompt sets and saved selections."""
