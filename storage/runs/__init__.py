"""The index of runs: shards and their files become rows."""
