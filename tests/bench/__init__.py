"""Speed of the color core as ratios: ``python -m tests.bench``."""
