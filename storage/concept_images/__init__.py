"""Images and masks as files and rows, sets of them, and what was measured of them."""
