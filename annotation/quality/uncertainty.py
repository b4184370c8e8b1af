"""How sure each concept's distribution is, and where one more coloring is worth most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Event

import numpy as np

from truehue.core.color.distances import emd
from truehue.core.color.uw71 import distances71
from truehue.core.concepts.distribution import Distribution, resampled

DRAWS = 200
LEVEL = 0.95
PRIOR = 2.0
"""Designers that the spread of the whole study counts for beside a concept's own: two who happen
to agree do not make a concept certain."""
NOTHING = "no coloring yet"
ONE = "one coloring: its spread is taken from the other concepts"
ALONE = "one coloring, and no concept has two: nothing is known of how people differ"
ALIKE = "colorings that are all alike: its spread is taken together with that of other concepts"
SAME = "all colorings of every concept are alike: nothing is known of how people differ"
LEAST_TOLD = 5
"""Colorings of a concept from which its radius says anything: of two or three it is wider than the
gamut as often as not, which is a sign that nothing is known."""
_EQUAL_LAB = 1e-9


@dataclass(frozen=True)
class ConceptUncertainty:
    """``width_lab`` is the radius in CIELAB units (EMD) around P_H within which the distribution of
    all designers lies with 95% (:func:`radius`), None where it cannot be told (``why``). Of
    colorings that are all alike nothing can be drawn that differs, which makes nobody certain of
    those who did not color: the spread is then that of which ``narrowing_lab`` is made.
    ``narrowing_lab`` is what one more coloring is expected to take off the spread of the mean;
    ``place`` counts from 1 where that is most."""

    case_id: str
    colorings: int
    width_lab: float | None
    narrowing_lab: float | None
    place: int = 0
    why: str = ""

    @property
    def few(self) -> bool:
        """Whether its colorings are too few for the radius to be told."""
        return self.width_lab is not None and self.colorings < LEAST_TOLD


def width_of(
    distribution: Distribution, draws: int = DRAWS, seed: int = 0, stop: Event | None = None
) -> float | None:
    """How far from a distribution of people's colorings it would lie with other people, in CIELAB
    units.

    Designers are drawn again (:func:`truehue.core.concepts.distribution.resampled`), and everything
    after that is done again; this is the 95% quantile of the EMD to the distribution itself.
    Drawing n of n people shows the spread too small by √((n − 1) / n), which is put right. None for
    fewer than two people. ``stop`` as there; None where nothing was drawn until then.
    """
    if distribution.fixed:
        return None
    sample = resampled(distribution, draws, seed, stop)
    if sample is None or not len(sample):
        return None
    people = distribution.count
    # Of five people many draws are the same: each is measured once.
    different, times = np.unique(sample.round(12), axis=0, return_counts=True)
    apart = np.array([emd(row / row.sum(), distribution.weights) for row in different])
    width = float(np.quantile(np.repeat(apart, times), LEVEL))
    return width * float(np.sqrt(people / (people - 1)))


def radius(width: float, people: int) -> float:
    """The width as a radius that holds for few people, too: times t(n − 1) / z, as the expanded
    percentile interval has it (:func:`truehue.annotation.judgments.resampling.tail`), and never
    more than the farthest bins are apart."""
    from scipy.stats import norm, t

    tail = (1 + LEVEL) / 2
    return min(width * float(t.ppf(tail, people - 1) / norm.ppf(tail)), float(distances71().max()))


def expected_gains(
    widths: Mapping[str, tuple[int, float | None]],
) -> tuple[ConceptUncertainty, ...]:
    """Concepts by what one more coloring is worth, the most first.

    ``widths`` are the colorings of each case, by as many people, and :func:`width_of`. It falls
    with the root of their number, so one more takes w (1 − √(n / (n + 1))) off it, where w √n, the
    spread of single colorings, is the concept's own together with the study's median, which counts
    for :data:`PRIOR` designers. Concepts without a coloring come first, equal ones with the fewer
    colorings first, then by case.
    """
    spreads = [w * np.sqrt(n) for n, w in widths.values() if w is not None and n >= 2]
    pooled = float(np.median(spreads)) if spreads else None
    estimates = [
        _uncertainty(case_id, count, width, pooled) for case_id, (count, width) in widths.items()
    ]

    def order(concept_uncertainty: ConceptUncertainty) -> tuple[bool, float, int, str]:
        gain = concept_uncertainty.narrowing_lab
        return (
            concept_uncertainty.colorings > 0,
            0.0 if gain is None else -gain,
            concept_uncertainty.colorings,
            concept_uncertainty.case_id,
        )

    return tuple(
        replace(estimate, place=index)
        for index, estimate in enumerate(sorted(estimates, key=order), 1)
    )


def _uncertainty(
    case_id: str, count: int, width: float | None, pooled: float | None
) -> ConceptUncertainty:
    if not count:
        return ConceptUncertainty(case_id, 0, None, None, why=NOTHING)
    if pooled is None:
        return ConceptUncertainty(case_id, count, None, None, why=ALONE)
    own = 0.0 if width is None else width * np.sqrt(count)
    people = 0 if width is None else count - 1
    spread = float(np.sqrt((people * own**2 + PRIOR * pooled**2) / (people + PRIOR)))
    narrowing = spread * float(1 / np.sqrt(count) - 1 / np.sqrt(count + 1))
    if width is None:
        return ConceptUncertainty(case_id, count, None, narrowing, why=ONE)
    if width > _EQUAL_LAB:
        return ConceptUncertainty(case_id, count, radius(width, count), narrowing)
    if spread <= _EQUAL_LAB:
        return ConceptUncertainty(case_id, count, None, narrowing, why=SAME)
    return ConceptUncertainty(
        case_id, count, radius(spread / np.sqrt(count), count), narrowing, why=ALIKE
    )
