"""Files of distributions to read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truehue.core.color.uw71 import uw71

HEX = tuple(bin.hex for bin in uw71())
LAB = tuple(",".join(f"{value:.4f}" for value in bin.lab) for bin in uw71())


def distribution(seed: int, count: int = 71) -> np.ndarray:
    """float64 (count,), sum 1, a third of it zeros."""
    rng = np.random.default_rng(seed)
    weights = rng.random(count) * (rng.random(count) > 1 / 3)
    return weights / weights.sum()


def wide(
    rows: Sequence[tuple[str, Sequence[float] | np.ndarray]],
    header: Sequence[str],
    first: str = "concept",
) -> bytes:
    """A CSV file; what has a comma is quoted."""
    lines = [[first, *header], *([text, *map(repr, map(float, row))] for text, row in rows)]
    return written(lines)


def written(lines: Sequence[Sequence[str]], delimiter: str = ",") -> bytes:
    """Cells as a CSV file."""

    def cell(text: str) -> str:
        return f'"{text}"' if delimiter in text else text

    return "\n".join(delimiter.join(map(cell, line)) for line in lines).encode()
