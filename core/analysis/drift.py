"""Where asked colors go: from each one to the mean of what was found for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from core.analysis.names import l2_names, nearest_l2
from core.analysis.records import Drift
from core.color.difference import delta_e00
from core.color.spaces import hex_of, lab_to_srgb8, srgb1_to_lab

Lab = tuple[float, float, float]
_CORNERS = ((1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1), (1, 0, 1), (1, 0, 0))
_STEPS = 12


@dataclass(frozen=True)
class Arrow:
    """From an asked color to the mean found one. ``value`` is what a slice is narrowed by: the
    asked color, or, where ``grouped``, the level 2 name that ``colors`` asked colors share.

    ``heading_deg`` turns clockwise from up in the a*b* plane; ``delta_e00`` is that of the two
    ends, not the mean distance of the pictures.
    """

    value: str
    name: str
    grouped: bool
    colors: int
    asked_lab: Lab
    found_lab: Lab
    asked_hex: str
    found_hex: str
    count: int
    passes: int
    heading_deg: float
    length_ab: float
    delta_e00: float

    @property
    def percent(self) -> float:
        """Passes among the measured verdicts; an arrow has at least one."""
        return 100.0 * self.passes / self.count


def arrows(drifts: Iterable[Drift], grouped: bool) -> tuple[Arrow, ...]:
    """One arrow for each asked color, or for each level 2 name (the nearest by CIEDE2000).

    Means are over verdicts. Those of the most verdicts first, then by name.
    """
    parts: dict[str, list[Drift]] = {}
    measured = [one for one in drifts if one.count]
    keys = [one.color for one in measured]
    if grouped and measured:
        names = l2_names()
        keys = [names[at] for at in nearest_l2(np.array([one.asked_lab for one in measured]))]
    for key, one in zip(keys, measured, strict=True):
        parts.setdefault(key, []).append(one)
    made = [_arrow(key, found, grouped) for key, found in parts.items()]
    return tuple(sorted(made, key=lambda arrow: (-arrow.count, arrow.name)))


def _arrow(value: str, parts: Sequence[Drift], grouped: bool) -> Arrow:
    asked, found = _mean(parts, "asked_lab"), _mean(parts, "found_lab")
    step = np.array(found) - np.array(asked)
    return Arrow(
        value=value, name=value if grouped else parts[0].name or parts[0].hex, grouped=grouped,
        colors=len(parts), asked_lab=asked, found_lab=found,
        asked_hex=parts[0].hex if len(parts) == 1 else hex_of(lab_to_srgb8(np.array(asked))),
        found_hex=hex_of(lab_to_srgb8(np.array(found))),
        count=sum(one.count for one in parts), passes=sum(one.passes for one in parts),
        heading_deg=float(np.degrees(np.arctan2(step[1], step[2])) % 360.0),
        length_ab=float(np.hypot(step[1], step[2])),
        delta_e00=float(delta_e00(np.array(asked), np.array(found))),
    )  # fmt: skip


def _mean(parts: Sequence[Drift], field: str) -> Lab:
    weights = np.array([one.count for one in parts], dtype=np.float64)
    mean = weights @ np.array([getattr(one, field) for one in parts]) / weights.sum()
    return float(mean[0]), float(mean[1]), float(mean[2])


@cache
def most_colorful() -> np.ndarray:
    """The a*b* of sRGB's most colorful colors, float64 ``(N, 2)``, a closed line.

    Along the edges from red over yellow, green, cyan, blue and magenta back to red.
    """
    corners = np.array(_CORNERS, dtype=np.float64)
    share = np.linspace(0.0, 1.0, _STEPS, endpoint=False)[:, None]
    edges = [low + (high - low) * share for low, high in pairwise(corners)]
    line = np.asarray(srgb1_to_lab(np.concatenate([*edges, corners[:1]])))[:, 1:]
    line.setflags(write=False)
    return line
