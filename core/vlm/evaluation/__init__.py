"""A set of questions asked of a model: long work that resumes, a row a question."""
