"""VLMs: questions about color put to vision-language models, and what came of them."""
