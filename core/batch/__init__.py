"""Long work that resumes: a plan of many items, done by one worker or many, free of pictures."""
