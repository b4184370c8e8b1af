"""Whose color an object has that has not its own: taken, exchanged, or taken in part."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.color.difference import delta_e00
from core.verdict import reasons
from core.verdict.expectations import Expectation
from core.verdict.rules import DIFFERS, MATCHES

LEAST_SHARE, MOST_SHARE = 0.4, 1.2
"""How far on the straight way in the a*b* plane, own color to the other's, a color has leaked."""

MOST_ASIDE = 0.25
"""How far it may lie beside that way, as a share of its length."""

LEAST_APART = 15.0
"""Colors nearer than this in the a*b* plane say too little of who took from whom."""

Lab = tuple[float, float, float]

LEAKED, EXCHANGED, LEANS = "leaked", "exchanged", "leans"


class LeakFinding(NamedTuple):
    """What happened to an object's color: ``kind`` (leaked, exchanged, leans) and a sentence."""

    kind: str
    told: str


def stories(
    wrong: Mapping[int, Lab],
    right: Collection[int],
    asked: Sequence[Expectation],
    has: Callable[[Expectation, Expectation], bool],
) -> dict[int, LeakFinding]:
    """A story of each object of ``wrong`` whose color is found to be another one's.

    ``wrong`` are the measured colors of the objects that fail, by position of their target, and
    ``right`` the positions of those that pass: only a color that is there can have leaked in part.
    ``has(one, other)`` says whether the first object would pass with the color asked of the second.
    Where nothing of the kind is seen, there is no story.
    """
    by_position = {one.position: one for one in asked}
    colored = [one for one in asked if one.relation == MATCHES]
    taken: dict[int, Expectation] = {}
    for position in wrong:
        one = by_position[position]
        if one.relation == DIFFERS:
            taken[position] = next(c for c in colored if c.color.hex == one.color.hex)
            continue
        others = [other for other in colored if other.color.hex != one.color.hex]
        found = next((other for other in others if has(one, other)), None)
        if found is not None:
            taken[position] = found
    out = {}
    for position, lab in wrong.items():
        one = by_position[position]
        if position in taken:
            out[position] = _taken(one, taken[position], taken)
            continue
        near = [
            (float(delta_e00(np.array(lab), np.array(other.color.lab))), at)
            for at, other in enumerate(colored)
            if other.position in right and part_of(lab, one.color.lab, other.color.lab)
        ]
        if near:
            out[position] = LeakFinding(LEANS, reasons.leans(one, colored[min(near)[1]]))
    return out


def _taken(one: Expectation, other: Expectation, taken: Mapping[int, Expectation]) -> LeakFinding:
    back = taken.get(other.position)
    if back is not None and back.position == one.position:
        # The same words for both, so that the picture says it once.
        first, second = sorted((one, other), key=lambda asked: asked.position)
        return LeakFinding(EXCHANGED, reasons.exchanged(first, second))
    return LeakFinding(LEAKED, reasons.took(one, other))


def part_of(lab: Lab, own_lab: Lab, other_lab: Lab) -> bool:
    """Whether a color lies, in the a*b* plane, on the way from its own color to another one.

    Lightness is left out: shading moves it. False for colors that are too near to each other.
    """
    own, other, found = (np.array(one[1:]) for one in (own_lab, other_lab, lab))
    way = other - own
    length = float(np.hypot(*way))
    if length < LEAST_APART:
        return False
    share = float((found - own) @ way) / length**2
    aside = float(np.hypot(*(found - own - share * way))) / length
    return LEAST_SHARE <= share <= MOST_SHARE and aside <= MOST_ASIDE
