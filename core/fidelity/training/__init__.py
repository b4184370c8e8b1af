"""Training of CFM from groups: what is learned from, the steps, and the files that come out."""
