"""Where the small model lies: in the assets, beside its README."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "models" / "small"
"""The exported pipeline."""
