"""Training of CFM from groups of images: the data, the steps, and the resulting files."""
