"""Results of runs by SQL: the leaderboard, failures, rule disagreements, and what was left out."""
