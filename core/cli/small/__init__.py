"""The command of the small model: its scenes, its training, pictures of it, and its report."""
