"""Two runs or two rules on the same prompts: McNemar's test, Cohen's kappa, drift."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from truehue.core.analysis.names import l2_names, nearest_l2
from truehue.core.analysis.records import Drift, RuleAgreement
from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import hex_of, lab_to_srgb8, srgb1_to_lab, triple

CELLS = ("both", "only_a", "only_b", "neither")
"""Both pass, the first alone passes, the second alone passes, both fail."""


@dataclass(frozen=True)
class PairCounts:
    """Images of two runs by the same prompt and number, counted by who passes.

    ``unscored`` are pairs of which one has no score or the other; they are in no other count.
    """

    both: int = 0
    only_a: int = 0
    only_b: int = 0
    neither: int = 0
    unscored: int = 0

    @property
    def scored(self) -> int:
        """The pairs of two scores."""
        return self.both + self.only_a + self.only_b + self.neither

    @property
    def percent_a(self) -> float | None:
        """The pass rate of the first run over the scored pairs; None without any."""
        return 100.0 * (self.both + self.only_a) / self.scored if self.scored else None

    @property
    def percent_b(self) -> float | None:
        """The pass rate of the second run over the scored pairs; None without any."""
        return 100.0 * (self.both + self.only_b) / self.scored if self.scored else None

    @property
    def p_value(self) -> float | None:
        """McNemar's exact test, two-sided (McNemar 1947; the binomial of the pairs that differ).

        The probability of a split at least as uneven as that of ``only_a`` and ``only_b`` if either
        were as likely. None where no pair differs. Pairs count as independent, though images of
        one prompt are often right or wrong together: then p is smaller than it should be.
        """
        from scipy.stats import binomtest

        apart = self.only_a + self.only_b
        return float(binomtest(self.only_a, apart, 0.5).pvalue) if apart else None


def scored_by_both(pair: RuleAgreement) -> int:
    """The images that both rules scored; an unscored one can neither agree nor disagree."""
    return pair.both + pair.only_a + pair.only_b + pair.neither


def agree_percent(pair: RuleAgreement) -> float | None:
    """The share on which both say the same; None where nothing is scored by both."""
    scored = scored_by_both(pair)
    return 100.0 * (pair.both + pair.neither) / scored if scored else None


def kappa(pair: RuleAgreement) -> float | None:
    """Cohen's kappa (Cohen 1960): agreement beyond chance.

    None where it is not defined: without scores, or when both rules always say the same one word.
    """
    n = scored_by_both(pair)
    if not n:
        return None
    observed = (pair.both + pair.neither) / n
    a, b = (pair.both + pair.only_a) / n, (pair.both + pair.only_b) / n
    chance = a * b + (1 - a) * (1 - b)
    return None if chance == 1.0 else (observed - chance) / (1 - chance)


def nominal_kappa(pairs: Iterable[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's kappa (Cohen 1960) of two who answer with any of several words: agreement beyond what
    their shares of each word would give by chance.

    None without pairs, or where both say the same one word throughout.
    """
    both = list(pairs)
    if not both:
        return None
    observed = sum(hashable == other for hashable, other in both) / len(both)
    first, second = (Counter(pair[side] for pair in both) for side in (0, 1))
    chance = sum(count * second[word] for word, count in first.items()) / len(both) ** 2
    return None if chance == 1.0 else (observed - chance) / (1 - chance)


def swap_rules(pair: RuleAgreement) -> RuleAgreement:
    """The same with the rules in the other order."""
    return RuleAgreement(
        pair.rule_b, pair.rule_a, pair.both, pair.only_b, pair.only_a, pair.neither, pair.unscored
    )


Lab = tuple[float, float, float]
_CORNERS = ((1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1), (1, 0, 1), (1, 0, 0))
_STEPS = 12


@dataclass(frozen=True)
class Arrow:
    """From a target color to the mean found one. ``value`` is what a slice is narrowed by: the
    target color, or, where ``grouped``, the level 2 name that ``colors`` target colors share.

    ``heading_deg`` turns clockwise from up in the a*b* plane; ``delta_e00`` is that of the two
    ends, not the mean distance of the images.
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
    """One arrow for each target color, or for each level 2 name (the nearest by CIEDE2000).

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
            asked_lab=triple(asked_lab[index]),
            found_lab=triple(found_lab[index]),
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


def holm(p_values: Iterable[float]) -> list[float]:
    """The p-values adjusted for their number, in the same order; NaN is no test, and stays NaN.

    Source: Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian
    Journal of Statistics 6: 65-70.
    """
    values = list(p_values)
    tests = sorted((i for i, p in enumerate(values) if not np.isnan(p)), key=values.__getitem__)
    adjusted, running = [float("nan")] * len(values), 0.0
    for step, index in enumerate(tests):
        running = max(running, min(1.0, (len(tests) - step) * values[index]))
        adjusted[index] = running
    return adjusted
