"""Ring test: one sealed set of renders, answered by any scorer, and what its answers are worth."""
