"""Vision-language models: local ones through transformers, served ones by their URL."""
