"""Shared parts of the five tasks: colors, objects as targets, and the numbers of prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np

from truehue.core.color.difference import delta_e00
from truehue.core.color.systems import ColorTarget, parse_target, system
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.prompts.tables import ObjectRow, object_called

SOURCE = "gencolorbench"
BUILD_ORDER = ("l1", "l2", "l3", "css")
"""The color systems in the order of a set, the coarsest first."""

APART_DELTA_E00 = 20.0
"""The colors of one scene are at least this far apart, so that a swap can be seen: our choice."""

LEAK_DELTA_E00 = 10.0
"""A second object that has a color nearer than this anyway cannot show that none leaked: ours."""


@cache
def colors(system_id: str) -> tuple[ColorTarget, ...]:
    """The colors of a system in the publisher's order, one shared instance each."""
    return tuple(parse_target(f"{system_id}:{color.name}") for color in system(system_id).colors)


@cache
def row_target(row: ObjectRow, color: ColorTarget | None, role: str) -> ObjectTarget:
    """The target of a row itself: the two rows called ``sink`` have their own labels."""
    return ObjectTarget(row.name, color, row.negative_labels, role, row.category)


@cache
def object_target(name: str, color: ColorTarget | None, role: str = "main") -> ObjectTarget:
    """A target by its name, with labels and category where the object tables have it."""
    row = object_called(name)
    if row is None:
        return ObjectTarget(name, color, role=role)
    return row_target(row, color, role)


@cache
def can_show_a_leak(system_id: str, own: tuple[ColorTarget, ...]) -> list[bool]:
    """Of each color of a system, by its place: whether it is at least :data:`LEAK_DELTA_E00` from
    all colors an object has anyway."""
    lab = np.array([color.lab for color in own]).reshape(-1, 3)
    apart = delta_e00(system(system_id).lab[:, None], lab[None]) >= LEAK_DELTA_E00
    visible: list[bool] = np.asarray(apart.all(axis=1)).tolist()
    return visible


@cache
def apart_within(system_id: str) -> Callable[[int, int], bool]:
    """Whether two colors of a system, by their places, are :data:`APART_DELTA_E00` apart."""
    lab = system(system_id).lab
    table: list[list[bool]] = (delta_e00(lab[:, None], lab[None]) >= APART_DELTA_E00).tolist()
    return lambda first, second: table[first][second]


class Numbers:
    """Counts prompts by prefix: ``cna-l2`` gives ``cna-l2-00001``, ``cna-l2-00002``."""

    def __init__(self, digits: int) -> None:
        self._digits = digits
        self._counts: Counter[str] = Counter()

    def next(self, prefix: str) -> str:
        """The next id of a prefix."""
        self._counts[prefix] += 1
        return f"{prefix}-{self._counts[prefix]:0{self._digits}d}"
