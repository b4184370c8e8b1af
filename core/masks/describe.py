"""How a mask came about, in words: the one place that says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.masks.marks import STROKES
from core.masks.registry import MASKERS


def describe(maker: str, parameters: Mapping[str, Any]) -> str:
    """``GrabCut · box, 2 strokes`` or ``Exact mask from the renderer``: maker, then marks.

    Both are those of a :class:`core.masks.mask.Mask`; an unknown maker stands as it is. The area
    is not said.
    """
    name = next((known.name for known in MASKERS if known.id == maker), maker)
    marks = parameters.get("marks")
    listed = marks if isinstance(marks, (list, tuple)) else ()
    types = [mark.get("type") for mark in listed if isinstance(mark, Mapping)]
    made = ["box"] if "box" in types else []
    counted = (
        (types.count("override"), "step by hand", "steps by hand"),
        (types.count("point"), "point", "points"),
        (sum(kind in STROKES for kind in types), "stroke", "strokes"),
    )
    made += [f"{n} {one if n == 1 else more}" for n, one, more in counted if n]
    return f"{name} · {', '.join(made)}" if made else name
