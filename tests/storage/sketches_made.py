"""A sketch to store: two boxes drawn with a line of three pixels."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Warned:
    code: str
    words: str


@dataclass(frozen=True)
class Drawn:
    """What a sketch has that is stored: see ``truehue.core.sketches.records.Sketch``."""

    ink: np.ndarray
    id: str = ""
    warnings: tuple[Warned, ...] = field(default=())
    closing: int = 1


def boxes(side: int = 64, seed: int = 0) -> np.ndarray:
    """The ink of two boxes beside each other, uint8 ``(side, side)``; ``seed`` moves them."""
    ink = np.full((side, side), 255, np.uint8)
    top = 4 + seed % 8
    for left in (4, side // 2 + 2):
        right = left + side // 2 - 8
        ink[top : side - 4, left:right] = 0
        ink[top + 3 : side - 7, left + 3 : right - 3] = 255
    return ink


def sketch(side: int = 64, seed: int = 0) -> Drawn:
    ink = boxes(side, seed)
    name = hashlib.sha256(ink.tobytes()).hexdigest()[:32]
    return Drawn(ink, name, (Warned("few", "It has two regions."),))
