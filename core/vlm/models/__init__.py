"""Models that are asked about images: local ones through transformers, served ones by their URL."""
