"""Commands: ``truehue``, the page that it serves, and the commands without a page."""
