"""Explore: the leaderboard, the wall of failures, linked figures, runs side by side."""
