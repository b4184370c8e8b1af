"""How a hue sector is shown: one color in the middle of it."""

from __future__ import annotations

import math

import numpy as np

from core.analysis.records import NEUTRAL, SECTORS
from core.color.spaces import hex_of, lab_to_srgb8
from core.errors import BadInput

LIGHTNESS, CHROMA = 68.0, 38.0
"""The lightness and about the largest chroma at which sRGB shows every hue."""
WIDTH_DEG = 30


def sector_hex(sector: str) -> str:
    """sRGB of the middle of a sector of :data:`SECTORS`; all have one lightness and, but for the
    gray of ``neutral``, one chroma. Raises BadInput for any other word."""
    if sector not in SECTORS:
        raise BadInput(f"There is no hue sector {sector!r}: {', '.join(SECTORS)}.")
    chroma = 0.0 if sector == NEUTRAL else CHROMA
    angle = 0.0 if sector == NEUTRAL else math.radians(int(sector) + WIDTH_DEG / 2)
    lab = np.array([LIGHTNESS, chroma * math.cos(angle), chroma * math.sin(angle)])
    return hex_of(lab_to_srgb8(lab))


def sector_label(sector: str) -> str:
    """``30–60°``, or ``neutral``."""
    return sector if sector == NEUTRAL else f"{sector}–{int(sector) + WIDTH_DEG}°"
