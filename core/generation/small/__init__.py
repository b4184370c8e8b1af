"""The small model in the box: its scenes, its captions, its parts and its training."""
