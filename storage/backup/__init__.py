"""Backup and restore: a data folder as one verified file, and the data folder from that file."""
