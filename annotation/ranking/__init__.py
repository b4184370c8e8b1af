"""Strengths of models from votes, with intervals."""
