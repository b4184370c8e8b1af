"""Figures that several features show: charts of results with their numbers, and their parts."""
