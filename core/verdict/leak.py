"""Whose color an object has that has not its own: taken, exchanged, or taken in part."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from truehue.core.color.difference import delta_e00
from truehue.core.verdict import reasons
from truehue.core.verdict.expectations import Expectation
from truehue.core.verdict.rules import DIFFERS, MATCHES

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
    expectations: Sequence[Expectation],
    has: Callable[[Expectation, Expectation], bool],
) -> dict[int, LeakFinding]:
    """A story of each object of ``wrong`` whose color is found to be another one's.

    ``wrong`` are the measured colors of the objects that fail, by position of their target, and
    ``right`` the positions of those that pass: only a color that is there can have leaked in part.
    ``has(one, other)`` says whether the first object would pass with the color asked of the second.
    Where nothing of the kind is seen, there is no story.
    """
    by_position = {expectation.position: expectation for expectation in expectations}
    colored = [expectation for expectation in expectations if expectation.relation == MATCHES]
    used: dict[int, Expectation] = {}
    for position in wrong:
        expectation = by_position[position]
        if expectation.relation == DIFFERS:
            used[position] = next(c for c in colored if c.color.hex == expectation.color.hex)
            continue
        others = [other for other in colored if other.color.hex != expectation.color.hex]
        donor = next((other for other in others if has(expectation, other)), None)
        if donor is not None:
            used[position] = donor
    findings = {}
    for position, lab in wrong.items():
        expectation = by_position[position]
        if position in used:
            findings[position] = _leak_finding(expectation, used[position], used)
            continue
        near = [
            (float(delta_e00(np.array(lab), np.array(other.color.lab))), index)
            for index, other in enumerate(colored)
            if other.position in right and part_of(lab, expectation.color.lab, other.color.lab)
        ]
        if near:
            findings[position] = LeakFinding(
                LEANS, reasons.leans(expectation, colored[min(near)[1]])
            )
    return findings


def _leak_finding(
    expectation: Expectation, other: Expectation, expectations: Mapping[int, Expectation]
) -> LeakFinding:
    back = expectations.get(other.position)
    if back is not None and back.position == expectation.position:
        # The same words for both, so that the picture says it once.
        first, second = sorted((expectation, other), key=lambda item: item.position)
        return LeakFinding(EXCHANGED, reasons.exchanged(first, second))
    return LeakFinding(LEAKED, reasons.took(expectation, other))


def part_of(lab: Lab, own_lab: Lab, other_lab: Lab) -> bool:
    """Whether a color lies, in the a*b* plane, on the way from its own color to another one.

    Lightness is left out: shading moves it. False for colors that are too near to each other.
    """
    own, other, ab = (np.array(color[1:]) for color in (own_lab, other_lab, lab))
    way = other - own
    length = float(np.hypot(*way))
    if length < LEAST_APART:
        return False
    share = float((ab - own) @ way) / length**2
    aside = float(np.hypot(*(ab - own - share * way))) / length
    return LEAST_SHARE <= share <= MOST_SHARE and aside <= MOST_ASIDE
