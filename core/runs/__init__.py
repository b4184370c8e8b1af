"""Whole runs: a plan of many pictures, drawn and judged by one worker or many, resumable."""
