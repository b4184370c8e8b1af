"""Results of runs as files, and archives of others."""
