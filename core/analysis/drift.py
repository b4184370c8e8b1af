"""Where asked colors go: from each one to the mean of what was found for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from truehue.core.analysis.names import l2_names, nearest_l2
from truehue.core.analysis.records import Drift
from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import hex_of, lab_to_srgb8, srgb1_to_lab

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
    measured = [drift for drift in drifts if drift.count]
    if not measured:
        return ()
    asked_lab = np.array([drift.asked_lab for drift in measured])
    keys = [drift.color for drift in measured]
    if grouped:
        names = l2_names()
        keys = [names[index] for index in nearest_l2(asked_lab)]
    positions = {key: index for index, key in enumerate(dict.fromkeys(keys))}
    group = np.array([positions[key] for key in keys])
    # All sums at once: there may be many thousand colors.
    weights = np.array([drift.count for drift in measured], dtype=np.float64)
    sums = np.bincount(group, weights)
    passes = np.bincount(group, [drift.passes for drift in measured])
    sizes = np.bincount(group)
    found_lab = np.array([drift.found_lab for drift in measured])
    asked_lab, found_lab = (
        np.stack([np.bincount(group, weights * lab[:, index]) / sums for index in range(3)], axis=1)
        for lab in (asked_lab, found_lab)
    )
    step = found_lab - asked_lab
    heading = np.degrees(np.arctan2(step[:, 1], step[:, 2])) % 360.0
    length, distance = np.hypot(step[:, 1], step[:, 2]), np.asarray(delta_e00(asked_lab, found_lab))
    asked_srgb8, found_srgb8 = lab_to_srgb8(asked_lab), lab_to_srgb8(found_lab)
    first = dict(zip(reversed(keys), reversed(measured), strict=True))
    arrow_list = [
        Arrow(
            value=key,
            name=key if grouped else first[key].name or first[key].hex,
            grouped=grouped,
            colors=int(sizes[index]),
            asked_lab=_lab(asked_lab[index]),
            found_lab=_lab(found_lab[index]),
            asked_hex=first[key].hex if sizes[index] == 1 else hex_of(asked_srgb8[index]),
            found_hex=hex_of(found_srgb8[index]),
            count=int(sums[index]),
            passes=int(passes[index]),
            heading_deg=float(heading[index]),
            length_ab=float(length[index]),
            delta_e00=float(distance[index]),
        )
        for key, index in positions.items()
    ]
    return tuple(sorted(arrow_list, key=lambda arrow: (-arrow.count, arrow.name)))


def _lab(point: np.ndarray) -> Lab:
    return float(point[0]), float(point[1]), float(point[2])


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
