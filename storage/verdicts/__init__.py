"""Generations, their verdicts, people's judgments of verdicts, and agreement of rules."""
