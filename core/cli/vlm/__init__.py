"""``truehue ask``: questions about images asked of vision-language models."""
