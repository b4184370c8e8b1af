"""Commands: ``truehue``, the page that it serves, and what needs no page."""
