"""Color, exactly: spaces, differences, naming systems, dominant colors."""
