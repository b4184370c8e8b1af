"""Backups from the page: made by a job, listed, and sent."""
