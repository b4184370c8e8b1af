"""``truehue vlm``: questions about images asked of vision-language models."""
