"""Stored images to stored verdicts, and what people say of those."""
