"""What the results of runs say together: accuracies, intervals, groups of colors, drift."""
