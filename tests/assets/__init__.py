"""The page's scripts that need no page."""
