"""Studies with people for those who make them: what they are made of, running, results, files."""
