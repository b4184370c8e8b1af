"""Images and masks as files and rows, image sets, and their measurements."""
