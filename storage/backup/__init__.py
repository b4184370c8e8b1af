"""Backup and restore: a data folder as one file that is checked, and a folder made of it again."""
