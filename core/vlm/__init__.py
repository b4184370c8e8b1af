"""Vision-language models and color: questions about images, answers, and scores."""
