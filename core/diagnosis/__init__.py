"""Accuracy of the rules themselves, on rendered objects whose color is known exactly."""
