"""Distributions of one or two bins, whose distances one can write out."""

from __future__ import annotations

import numpy as np

from truehue.core.concepts.records import EXTRACTED, ConceptCell

# Neutral bins: they differ in L* alone, 25 and 50 apart.
DARK, MIDDLE, LIGHT = 25, 26, 27
MANGO, ROTTEN, FRESH, UNRIPE = (
    f"concept-0060{rest}" for rest in ("", "-rotten", "-fresh", "-unripe")
)
APPLE, ROTTEN_APPLE = "concept-0041", "concept-0041-rotten"
CABIN, LONELY = "concept-0202", "concept-0202-lonely"


def bins(**shares: float) -> np.ndarray:
    """``bins(b3=0.25, b9=0.75)``."""
    out = np.zeros(71)
    for name, share in shares.items():
        out[int(name[1:])] = share
    return out


def only(index: int) -> np.ndarray:
    return bins(**{f"b{index}": 1.0})


def cell(
    run_id: str,
    concept_id: str,
    weights: np.ndarray | None,
    style: str = "photo",
    guidance: float | None = None,
    method: str = EXTRACTED,
) -> ConceptCell:
    images = 0 if weights is None else 5
    return ConceptCell(run_id, concept_id, style, guidance, method, images, 5 - images, weights)
