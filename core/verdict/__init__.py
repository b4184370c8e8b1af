"""From a dominant color to a verdict with its reasons."""
