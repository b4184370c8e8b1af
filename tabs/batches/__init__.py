"""Long work that waits in a queue and resumes from its folder, of any kind: runs, evaluations."""
