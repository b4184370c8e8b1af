"""The reason of a fail in a few words, for cards that have little room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from truehue.core.color.systems import nearest_names
from truehue.core.verdict.reasons import SMALL

SHOWN_HUE_DEG = 15.0
"""From here on the hue is said; below it, lightness and vividness."""


def color_name(lab: Sequence[float], system: str = "l1") -> str:
    """The nearest name of a color, in lower case: of level 1 one of thirteen."""
    return _color_name(tuple(lab), system)


@lru_cache(maxsize=4096)
def _color_name(lab: tuple[float, ...], system: str) -> str:
    return nearest_names(np.array(lab), system, 1)[0][0].name.lower()


def short_reason(
    lab: Sequence[float],
    target_lab: Sequence[float],
    offset: Mapping[str, float | None],
    target_name: str = "",
) -> str:
    """What distinguishes a measured color from its target: ``"yellow, not purple; hue 137° off"``.

    Both are CIELAB. ``offset`` has ``lightness``, ``chroma`` and ``hue_deg`` of
    :class:`truehue.core.verdict.judge.Offset`. A target with a name is called by it: the nearest
    other name of CSS red is orange. Names that are equal at levels 1 and 2 are not said.
    """
    parts = []
    for system in ("l1", "l2"):
        measured, nearest = color_name(lab, system), color_name(target_lab, system)
        target = target_name.lower() or nearest
        if measured not in (nearest, target):
            parts.append(f"{measured}, not {target}")
            break
    hue = abs(offset.get("hue_deg") or 0.0)
    directions = _directions(offset.get("lightness") or 0.0, offset.get("chroma") or 0.0)
    if hue >= SHOWN_HUE_DEG:
        parts.append(f"hue {hue:.0f}° off")
    elif directions:
        parts.append(" and ".join(directions))
    return "; ".join(parts)


def _directions(lightness: float, chroma: float) -> list[str]:
    words = []
    if abs(lightness) >= SMALL:
        words.append("lighter" if lightness > 0 else "darker")
    if abs(chroma) >= SMALL:
        words.append("more vivid" if chroma > 0 else "less vivid")
    return words
