"""One concept: distributions beside each other."""
