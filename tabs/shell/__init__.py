"""The page around the tabs."""
