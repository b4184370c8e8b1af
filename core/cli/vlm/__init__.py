"""``truehue vlm``: evaluate vision-language models on questions about images."""
