"""Questions about the results of runs."""
