"""Which colorings a result is of: a rule that is applied at analysis and can be taken back.

Nothing is deleted or changed by it: another level gives the other colorings again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from truehue.annotation.quality.colorings import Coloring, Key, by_case, series_of
from truehue.annotation.quality.consensus import pairs_of, pairwise_emd
from truehue.annotation.quality.reviews import Outcome, Votes
from truehue.annotation.quality.second import Stability, Threshold, stability, threshold_of


class Level(StrEnum):
    """How much of quality control a result goes through."""

    ALL = "all"
    """The first coloring of everybody of every concept."""
    MAJORITY = "majority"
    """Without those that experts found inconsistent, as published."""
    MARKS = "marks"
    """Also without participants who are left out and colorings that were not repeated
    consistently; what a researcher marked to keep or to discard counts before all of that."""


LEVELS: Mapping[Level, str] = {
    Level.ALL: "every first coloring, none left out",
    Level.MAJORITY: "without what the majority of experts found inconsistent",
    Level.MARKS: "without that, without participants who are left out and without colorings that "
    "were not repeated consistently; as researchers marked them",
}


@dataclass(frozen=True)
class Mark:
    """What a researcher decided of one coloring, and why."""

    keep: bool
    reason: str = ""


@dataclass(frozen=True)
class Evidence:
    """What is known of colorings: ``votes`` of experts, ``marks`` of researchers, and the
    participants who are left out, each with a reason (``people_out``)."""

    votes: Mapping[Key, Votes] = field(default_factory=dict)
    marks: Mapping[Key, Mark] = field(default_factory=dict)
    people_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ColoringStatus:
    """What becomes of one coloring at one level: ``reasons`` say why it is left out; a second
    coloring that the first stands for is left out, too."""

    coloring: Coloring
    kept: bool
    reasons: tuple[str, ...] = ()


STANDS_FOR = "another coloring by the same person stands for it"
UNSTABLE = "the person's colorings do not agree with each other"
VOTED_OUT = "the majority of experts found it inconsistent"


def thresholds(colorings: Iterable[Coloring]) -> dict[str, Threshold]:
    """The limit of consistency for every concept, from first colorings of different people."""
    firsts = by_case(series[0] for series in series_of(colorings).values())
    pairs = {
        case_id: pairs_of(pairwise_emd(np.array([coloring.weights for coloring in group])))
        for case_id, group in firsts.items()
    }
    pooled = np.concatenate([*pairs.values(), np.zeros(0)])
    return {case_id: threshold_of(own, pooled) for case_id, own in pairs.items()}


def stabilities(
    colorings: Collection[Coloring], limits: Mapping[str, Threshold]
) -> dict[Key, Stability]:
    """Whether each series of colorings agrees with itself, by the key of its first."""
    return {
        key: stability(series, limits[series[0].case_id])
        for key, series in series_of(colorings).items()
    }


def saved_of(
    colorings: Collection[Coloring],
    level: Level,
    evidence: Evidence,
    limits: Mapping[str, Threshold],
) -> tuple[ColoringStatus, ...]:
    """What becomes of every coloring, by participant and position. Of one person at most one
    coloring of a concept is kept, so that everybody counts once.

    What a researcher discarded is in no series at :data:`Level.MARKS`: of the rest it is asked
    whether they agree, within ``limits`` by case, and which one counts.
    """
    decisions: list[ColoringStatus] = []
    rest: list[Coloring] = []
    for coloring in colorings:
        mark = evidence.marks.get(coloring.key) if level is Level.MARKS else None
        if mark is None or mark.keep:
            rest.append(coloring)
        else:
            text = f": {mark.reason}" if mark.reason else ""
            decisions.append(ColoringStatus(coloring, False, (f"discarded by a researcher{text}",)))
    for series in series_of(rest).values():
        decisions += _of_series(series, level, evidence, limits)
    return tuple(sorted(decisions, key=lambda coloring_status: coloring_status.coloring.key))


def _of_series(
    series: Sequence[Coloring],
    level: Level,
    evidence: Evidence,
    limits: Mapping[str, Threshold],
) -> list[ColoringStatus]:
    chosen = series[0]
    why: tuple[str, ...] = ()
    if level is Level.MARKS:
        stable = stability(series, limits[chosen.case_id]).stable
        if stable is None:
            why = (UNSTABLE,)
        else:
            chosen = stable
        # The last that a researcher wants to keep counts before what was found by rule.
        wanted = [item for item in series if item.key in evidence.marks]
        if wanted:
            chosen, why = wanted[-1], ()
    decisions = []
    for coloring in series:
        if coloring is not chosen:
            decisions.append(ColoringStatus(coloring, False, why or (STANDS_FOR,)))
            continue
        reasons = (*why, *_reasons(coloring, level, evidence))
        decisions.append(ColoringStatus(coloring, not reasons, reasons))
    return decisions


def _reasons(coloring: Coloring, level: Level, evidence: Evidence) -> tuple[str, ...]:
    """Why a coloring is left out that stands for its person, none where it is kept."""
    if level is Level.MARKS and coloring.key in evidence.marks:
        return ()
    reasons = []
    votes = evidence.votes.get(coloring.key)
    if level is not Level.ALL and votes is not None and votes.outcome is Outcome.INCONSISTENT:
        reasons.append(f"{VOTED_OUT} ({votes.yes} yes, {votes.no} no)")
    if level is Level.MARKS and (out := evidence.people_out.get(coloring.participant)):
        reasons.append(f"the participant is left out: {out}")
    return tuple(reasons)
