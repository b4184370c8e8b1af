"""Tables of the papers, made again: what is needed, what is run, ours beside the printed row."""
