"""Vision-language models and color: questions about images, the answers, and what they score."""
