"""How much the colorings of a concept differ from each other, and which concepts to look at.

ColorConceptBench, Appendix B.4, equation 6: the mean EMD over all pairs of a concept's colorings.
The paper has five colorings and ten pairs; here it is over all pairs that there are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from truehue.core.color.distances import emd
from truehue.core.errors import BadInput

FLAGGED_SHARE = 0.10
"""Of the concepts, those with the least consensus, as published."""
EQUAL_LAB = 1e-9
"""Mean EMDs that are nearer are equal: rounding must not choose a concept."""
TOO_FEW = "fewer than two colorings: there is no pair to compare"


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
