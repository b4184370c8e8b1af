"""The command that compares two distributions of color: images, folders of them, or numbers."""
