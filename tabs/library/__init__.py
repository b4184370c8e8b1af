"""The prompt sets at hand, and what has been drawn of each prompt."""
