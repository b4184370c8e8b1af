"""Analysis of the results of runs: accuracies, intervals, groups of colors, drift."""
