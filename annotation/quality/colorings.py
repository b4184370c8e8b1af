"""Colorings as quality control takes them: who colored what, and with which colors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from truehue.core.concepts.distribution import Distribution, of_pictures
from truehue.core.concepts.extraction import ExtractionSettings, ProfileArrays, weights_of_draws
from truehue.core.concepts.records import EXTRACTED, ColorProfile, ImageProfile

Key = tuple[str, int]
"""A coloring of a study: its participant and the position of its trial."""


@dataclass(frozen=True)
class Coloring:
    """One coloring that stands.

    ``participant`` is the same for all colorings of one person, and sorts as people came.
    ``original`` is the position of the coloring that it repeats, None for a first one.
    ``weights`` float64 ``(71,)`` is its own distribution over UW-71 (:func:`own_weights`).
    """

    participant: str
    position: int
    case_id: str
    profile: ColorProfile = field(repr=False)
    weights: np.ndarray = field(repr=False)
    original: int | None = None

    @property
    def key(self) -> Key:
        """Participant and position."""
        return self.participant, self.position


def own_weights(profiles: Sequence[ColorProfile]) -> np.ndarray:
    """The distribution of each coloring by itself, by the extraction that pictures of models go
    through: float64 ``(N, 71)``, rows sum to 1; ``(0, 71)`` for none."""
    if not profiles:
        return np.zeros((0, 71))
    alone = np.eye(len(profiles), dtype=np.int64)
    return weights_of_draws(ProfileArrays(profiles), alone, ExtractionSettings())


def distribution_of(
    label: str, colorings: Iterable[Coloring], method: str = EXTRACTED
) -> Distribution:
    """P_H(x | concept): the distribution of these colorings of one concept, by the same extraction
    as for models; designers are what is counted and drawn again.

    The order in which colorings come changes nothing. Raises BadInput for none.
    """
    ordered = sorted(colorings, key=lambda coloring: coloring.key)
    profiles = [
        ImageProfile(
            f"{coloring.participant}/{coloring.position}",
            "",
            coloring.profile,
            contributor=coloring.participant,
        )
        for coloring in ordered
    ]
    return of_pictures(label, profiles, method, of_people=True)


def by_case(colorings: Iterable[Coloring]) -> dict[str, list[Coloring]]:
    """Colorings by what they are of, each list by participant and position."""
    cases: dict[str, list[Coloring]] = {}
    for coloring in sorted(colorings, key=lambda item: item.key):
        cases.setdefault(coloring.case_id, []).append(coloring)
    return cases


def series_of(colorings: Iterable[Coloring]) -> dict[Key, list[Coloring]]:
    """First colorings with those that repeat them, in their order, by the key of the first.

    A repeat of a repeat belongs to the first, too; one whose first coloring does not stand begins
    a series itself, so that nothing is lost.
    """
    ordered = sorted(colorings, key=lambda coloring: coloring.key)
    firsts: dict[Key, Key] = {}
    series: dict[Key, list[Coloring]] = {}
    for item in ordered:
        before = None if item.original is None else (item.participant, item.original)
        first = item.key if before is None else firsts.get(before, item.key)
        firsts[item.key] = first
        if before is not None:
            # An original that does not stand still says what belongs together.
            firsts.setdefault(before, first)
        series.setdefault(first, []).append(item)
    return series
