"""The ink of the starter set as digests: ``python -m tests.core.sketches.starter_ink`` writes them.

Write them again only for a drawing that is meant to change. Its sketch then has another id, and
colorings stored of the former one do not belong to it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from truehue.core.sketches.records import sketch_id
from truehue.core.sketches.starter import Drawing, starter

SILVER = Path(__file__).parent / "starter_ink_SILVER.csv"


def rows(ink_of: Callable[[Drawing], np.ndarray] = Drawing.ink) -> list[str]:
    """A header, then a row for each drawing: its words, sketch id and SHA-256 of its ink."""
    results = ["words,sketch_id,ink_sha256"]
    for text, drawing in sorted(starter().items()):
        ink = ink_of(drawing)
        results.append(f"{text},{sketch_id(ink)},{hashlib.sha256(ink.tobytes()).hexdigest()}")
    return results


if __name__ == "__main__":
    SILVER.write_text("".join(f"{row}\n" for row in rows()), encoding="utf-8")
