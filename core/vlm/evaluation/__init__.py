"""Evaluation of a model on a question set: long work that resumes, one row per question."""
