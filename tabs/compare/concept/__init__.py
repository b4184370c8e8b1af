"""One concept: its distributions, compared."""
