"""Model weights as files: their location, completeness, and download."""
