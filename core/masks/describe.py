"""How a mask came about, in words: the one place that says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truehue.core.masks.marks import STROKES
from truehue.core.masks.registry import MASKERS

GROUNDED = "grounded_sam"
FILE, TRANSPARENCY = "file", "transparency"


def describe(maker: str, parameters: Mapping[str, Any]) -> str:
    """``GrabCut · box, 2 strokes`` or ``Exact mask from the renderer``: maker, then marks.

    Both are those of a :class:`truehue.core.images.mask.Mask`; an unknown maker stands as it is.
    The area is not said.
    """
    base = parameters.get("base")
    if isinstance(base, Mapping) and base.get("maker") == GROUNDED:
        maker = GROUNDED  # strokes and points on it are counted
    name = next((entry.name for entry in MASKERS if entry.id == maker), maker)
    others = parameters.get("from", TRANSPARENCY)
    if maker == FILE and others != TRANSPARENCY:
        name = f"From the mask file {others}"
    marks = parameters.get("marks")
    listed = marks if isinstance(marks, (list, tuple)) else ()
    types = [mark.get("type") for mark in listed if isinstance(mark, Mapping)]
    parts = ["box"] if "box" in types else []
    if maker == GROUNDED:
        parts += _grounding_text(parameters)
    counted = (
        (types.count("override") or _overridden(parameters), "step by hand", "steps by hand"),
        (types.count("point"), "point", "points"),
        (sum(kind in STROKES for kind in types), "stroke", "strokes"),
    )
    parts += [f"{n} {singular if n == 1 else more}" for n, singular, more in counted if n]
    return f"{name} · {', '.join(parts)}" if parts else name


def _grounding_text(parameters: Mapping[str, Any]) -> list[str]:
    """``apple``, ``2 boxes``, ``1 part taken away``: what an automatic mask was made of."""
    boxes, negatives = parameters.get("boxes") or (), parameters.get("negatives") or ()
    count = sum(1 for negative in negatives if negative.get("taken_px"))
    parts = [str(parameters["object"])] if parameters.get("object") else []
    if boxes:
        parts.append("1 box" if len(boxes) == 1 else f"{len(boxes)} boxes")
    if count:
        parts.append("1 part taken away" if count == 1 else f"{count} parts taken away")
    return parts


def _overridden(parameters: Mapping[str, Any]) -> int:
    """How many steps of an automatic mask a person overrode, where no marks say so."""
    overrides = parameters.get("overrides")
    return sum(map(len, overrides.values())) if isinstance(overrides, Mapping) else 0
