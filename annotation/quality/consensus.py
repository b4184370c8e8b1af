"""Consensus of a concept's colorings, and the uncertainty of their distribution.

ColorConceptBench, Appendix B.4, equation 6: the mean EMD over all pairs of a concept's colorings.
The paper has five colorings and ten pairs; TrueHue takes all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event

import numpy as np

from truehue.core.color.distances import emd
from truehue.core.color.uw71 import distances71
from truehue.core.concepts.distribution import Distribution, of_pictures, resampled
from truehue.core.concepts.extraction import ExtractionSettings, ProfileArrays, weights_of_draws
from truehue.core.concepts.records import EXTRACTED, ColorProfile, ImageProfile
from truehue.core.errors import BadInput

Key = tuple[str, int]
"""A coloring of a study: its participant and the position of its trial."""
FLAGGED_SHARE = 0.10
"""Of the concepts, those with the least consensus, as published."""
EQUAL_LAB = 1e-9
"""Mean EMDs that are nearer are equal: rounding must not choose a concept."""
TOO_FEW = "fewer than two colorings: there is no pair to compare"
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
MIN_COLORINGS = 5
"""Colorings of a concept from which its radius says anything: of two or three it is wider than the
gamut as often as not, which is a sign that nothing is known."""


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
    """The distribution of each coloring by itself, by the extraction that images of models go
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


@dataclass(frozen=True)
class Consensus:
    """``emd_lab`` is the mean EMD in CIELAB units over ``pairs`` of ``colorings``, None with a
    reason (``why``) where there is no pair. ``place`` counts from 1, the least consensus first;
    equal ones share it, and 0 stands where there is no number. ``flagged``: among the share of
    concepts that experts look at."""

    case_id: str
    colorings: int
    pairs: int
    emd_lab: float | None
    why: str = ""
    place: int = 0
    flagged: bool = False


def pairwise_emd(weights: np.ndarray) -> np.ndarray:
    """EMDs in CIELAB units between distributions ``(N, 71)``: float64 ``(N, N)``, symmetric."""
    count = len(weights)
    apart = np.zeros((count, count))
    for first in range(count):
        for second in range(first + 1, count):
            apart[first, second] = apart[second, first] = emd(weights[first], weights[second])
    return apart


def pairs_of(apart: np.ndarray) -> np.ndarray:
    """The EMDs ``(N (N - 1) / 2,)`` of all pairs of a matrix ``(N, N)``."""
    return apart[np.triu_indices(len(apart), 1)]


def consensus(
    apart_by_case: Mapping[str, np.ndarray], share: float = FLAGGED_SHARE
) -> tuple[Consensus, ...]:
    """The consensus of every concept, the least first; those without a number come last.

    ``apart_by_case`` are EMDs ``(N, N)`` between the colorings of each case
    (:func:`pairwise_emd`). Flagged is the top ``share``, 0 to 1, of the concepts that have a
    number: rounded up, and at least one. Concepts that tie with the last of them are flagged with
    it, and one whose colorings are all equal never is. Raises BadInput for another share.
    """
    if not 0.0 <= share <= 1.0:
        raise BadInput(f"The share of concepts to flag is 0 to 1, not {share}.", "share")
    consensuses = [_consensus(case_id, apart) for case_id, apart in apart_by_case.items()]
    defined = sorted(
        (entry for entry in consensuses if entry.emd_lab is not None),
        key=lambda entry: (-(entry.emd_lab or 0.0), entry.case_id),
    )
    undefined = sorted(
        (entry for entry in consensuses if entry.emd_lab is None), key=lambda entry: entry.case_id
    )
    if not defined:
        return tuple(undefined)
    # 0.1 × 70 is a hair above 7: what rounding adds is no concept.
    wanted = max(1, math.ceil(share * len(defined) - 1e-9)) if share else 0
    limit = (defined[wanted - 1].emd_lab or 0.0) if wanted else math.inf
    placed: list[Consensus] = []
    for number, item in enumerate(defined, 1):
        value = item.emd_lab or 0.0
        tied = bool(placed) and (placed[-1].emd_lab or 0.0) - value <= EQUAL_LAB
        placed.append(
            replace(
                item,
                place=placed[-1].place if tied else number,
                flagged=value >= limit - EQUAL_LAB and value > EQUAL_LAB,
            )
        )
    return (*placed, *undefined)


def _consensus(case_id: str, apart: np.ndarray) -> Consensus:
    pairs = pairs_of(apart)
    if not len(pairs):
        return Consensus(case_id, len(apart), 0, None, TOO_FEW)
    return Consensus(case_id, len(apart), len(pairs), float(pairs.mean()))


@dataclass(frozen=True)
class ConceptUncertainty:
    """``width_lab`` is the radius in CIELAB units (EMD) around P_H within which the distribution of
    all designers lies with 95% (:func:`radius`), None if it is unknown (``why``). If all colorings
    agree, resampling cannot show the uncertainty about people who did not color: the spread is then
    the one behind ``narrowing_lab``.
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
        return self.width_lab is not None and self.colorings < MIN_COLORINGS


def width_of(
    distribution: Distribution, draws: int = DRAWS, seed: int = 0, stop: Event | None = None
) -> float | None:
    """The expected distance of a distribution of colorings from that of other people, in CIELAB
    units.

    Designers are resampled (:func:`truehue.core.concepts.distribution.resampled`), and all later
    steps are repeated; the result is the 95% quantile of the EMD to the distribution itself.
    Resampling n of n people underestimates the spread by √((n − 1) / n), which is corrected. None
    for fewer than two people. ``stop`` as there; None if it ends the work before the first
    resample.
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
    if width > EQUAL_LAB:
        return ConceptUncertainty(case_id, count, radius(width, count), narrowing)
    if spread <= EQUAL_LAB:
        return ConceptUncertainty(case_id, count, None, narrowing, why=SAME)
    return ConceptUncertainty(
        case_id, count, radius(spread / np.sqrt(count), count), narrowing, why=ALIKE
    )
