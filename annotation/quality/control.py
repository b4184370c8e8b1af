"""Quality control of colorings: experts' reviews, second colorings, and which colorings count.

ColorConceptBench, Appendix B.4: three independent experts vote yes or no on each coloring of the
concepts with the least consensus; colorings without a majority are excluded. Equation 7 is the
observed agreement, Table 5 the votes. The paper has three votes on every image; this module decides
for other numbers.

A person who colored a concept twice stays included if both colorings have consistent patterns, even
if they differ from everybody else's. Otherwise they color again until two colorings agree. The
paper gives no limit for "consistent"; ours is :func:`threshold_of`.

Quality control deletes and changes nothing: another level brings the other colorings back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations, pairwise

import numpy as np

from truehue.annotation.agreement import Agreement, Fleiss, alpha, fleiss
from truehue.annotation.judgments.resampling import REPLICATES
from truehue.annotation.quality.consensus import (
    Coloring,
    Key,
    by_case,
    pairs_of,
    pairwise_emd,
    series_of,
)
from truehue.core.color.distances import emd

REVIEWERS = 3
"""Experts who look at a coloring, as published."""
_MAX_ALPHA = 200
QUANTILE = 0.5
"""Two colorings of one person are consistent where they are no farther apart than this share of
pairs of different people."""
MIN_LAB = 10.0
"""CIELAB units that never count as inconsistent: else, where people agree closely, a step from one
bin to the next (25 units) of a few pixels would."""
MIN_PAIRS = 3
"""Pairs of a concept, of three people, from which its own distribution is taken."""


@dataclass(frozen=True)
class Review:
    """One expert's review of one coloring."""

    coloring: Key
    reviewer: str
    consistent: bool


class Outcome(StrEnum):
    """What the votes on a coloring give."""

    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    OPEN = "open"


@dataclass(frozen=True)
class Votes:
    """The votes on one coloring and what they give."""

    yes: int
    no: int
    outcome: Outcome

    @property
    def count(self) -> int:
        """How many experts looked at it."""
        return self.yes + self.no


@dataclass(frozen=True)
class ReviewAgreement:
    """How far experts agree. ``patterns`` counts colorings by yes and no, ``by_reviewer`` the
    reviews and how many of them said yes, in the order of reviewers. ``fleiss`` has the observed
    agreement P̄ and κ, ``alpha`` is Krippendorff's. ``notes`` say what was left out and how unequal
    numbers of votes were taken."""

    patterns: Mapping[tuple[int, int], int]
    by_reviewer: Mapping[str, tuple[int, int]]
    fleiss: Fleiss
    alpha: Agreement
    notes: tuple[str, ...]


def last_reviews(reviews: Iterable[Review]) -> dict[tuple[Key, str], Review]:
    """The last review of every coloring by every expert; ``reviews`` are in the order in which
    they were given, and an expert may take another view."""
    return {(review.coloring, review.reviewer): review for review in reviews}


def outcome_of(yes: int, no: int, needed: int = REVIEWERS) -> Outcome:
    """What votes give where ``needed`` are asked for.

    A coloring stays with more yes than no, and it goes where yes cannot be more any longer; a tie
    of all votes secures no majority, so it goes as well. Before that it is open: further votes
    decide. More votes than needed count all.
    """
    total = max(needed, yes + no)
    if 2 * yes > total:
        return Outcome.CONSISTENT
    return Outcome.INCONSISTENT if 2 * no >= total else Outcome.OPEN


def votes_of(reviews: Iterable[Review], needed: int = REVIEWERS) -> dict[Key, Votes]:
    """The votes on every coloring that has any, in the order of the first on each."""
    yes: Counter[Key] = Counter()
    count: Counter[Key] = Counter()
    for review in last_reviews(reviews).values():
        count[review.coloring] += 1
        yes[review.coloring] += review.consistent
    return {
        key: Votes(yes[key], total - yes[key], outcome_of(yes[key], total - yes[key], needed))
        for key, total in count.items()
    }


def agreement(
    reviews: Iterable[Review], seed: int = 0, replicates: int = REPLICATES
) -> ReviewAgreement:
    """Agreement of experts, with intervals over resampled colorings."""
    last = last_reviews(reviews)
    votes = votes_of(last.values())
    keys, reviewers = sorted(votes), sorted({review.reviewer for review in last.values()})
    counts = np.array([[votes[key].yes, votes[key].no] for key in keys]).reshape(-1, 2)
    ratings = np.full((len(reviewers), len(keys)), np.nan)
    rows = {name: row for row, name in enumerate(reviewers)}
    columns = {key: column for column, key in enumerate(keys)}
    for item in last.values():
        ratings[rows[item.reviewer], columns[item.coloring]] = item.consistent
    rng = np.random.default_rng([seed, 31])
    kappa = fleiss(counts, rng, replicates)
    nominal = alpha(ratings, "nominal", rng, min(replicates, _MAX_ALPHA))
    return ReviewAgreement(
        dict(sorted(Counter((vote.yes, vote.no) for vote in votes.values()).items(), reverse=True)),
        {
            name: (int(np.isfinite(row).sum()), int(np.nansum(row)))
            for name, row in zip(reviewers, ratings, strict=True)
        },
        kappa,
        nominal,
        _notes(votes),
    )


@dataclass(frozen=True)
class PairAgreement:
    """How far two experts agree over the ``colorings`` that both reviewed: ``equal`` is the share
    of equal answers, 0 to 1, ``kappa`` Cohen's, NaN where both gave one and the same answer to
    all."""

    first: str
    second: str
    colorings: int
    equal: float
    kappa: float


def pair_agreements(reviews: Iterable[Review]) -> tuple[PairAgreement, ...]:
    """The agreement of every two experts with a coloring in common, by their names.

    κ is that of J. Cohen, "A Coefficient of Agreement for Nominal Scales", Educational and
    Psychological Measurement 20 (1960), 37–46.
    """
    answers: dict[str, dict[Key, bool]] = {}
    for review in last_reviews(reviews).values():
        answers.setdefault(review.reviewer, {})[review.coloring] = review.consistent
    pairs = []
    for first, second in combinations(sorted(answers), 2):
        common = sorted(answers[first].keys() & answers[second].keys())
        if not common:
            continue
        yes = np.array([[answers[name][key] for key in common] for name in (first, second)])
        equal = float((yes[0] == yes[1]).mean())
        shares = yes.mean(axis=1)
        chance = float(shares.prod() + (1 - shares).prod())
        kappa = (equal - chance) / (1 - chance) if chance < 1 else float("nan")
        pairs.append(PairAgreement(first, second, len(common), equal, kappa))
    return tuple(pairs)


def _notes(votes: Mapping[Key, Votes]) -> tuple[str, ...]:
    numbers = Counter(vote.count for vote in votes.values())
    notes = []
    if single := numbers.pop(1, 0):
        notes.append(
            f"{single:,} of {len(votes):,} colorings {'has' if single == 1 else 'have'} one review "
            f"and {'says' if single == 1 else 'say'} nothing of agreement."
        )
    if len(numbers) > 1:
        notes.append(
            f"Colorings have {min(numbers)} to {max(numbers)} reviews: the observed agreement is "
            "the mean over colorings, chance in κ is of mean shares a coloring, and α weighs a "
            "coloring by its reviews."
        )
    return tuple(notes)


@dataclass(frozen=True)
class Threshold:
    """``lab`` is the EMD up to which two colorings of one person are consistent, ``pairs`` are
    what it is of: EMDs between different people, ``(P,)``. ``why`` says it in words."""

    lab: float
    pairs: np.ndarray
    why: str


@dataclass(frozen=True)
class SecondCheck:
    """A coloring against the one before it by the same person.

    ``farther`` is the share, 0 to 1, of pairs of different people that are at least as far apart,
    None without a pair. ``consistent`` is decided by ``threshold_lab`` alone.
    """

    first: Coloring
    second: Coloring
    emd_lab: float
    threshold_lab: float
    farther: float | None
    consistent: bool
    why: str


@dataclass(frozen=True)
class Stability:
    """What a series of colorings by one person gives: ``checks`` of each against the one before,
    and ``stable``, the earlier of the first two in a row that are consistent. A single coloring is
    taken as it is. None where no two agree: another one has to decide."""

    checks: tuple[SecondCheck, ...]
    stable: Coloring | None


def threshold_of(own: np.ndarray, pooled: np.ndarray, quantile: float = QUANTILE) -> Threshold:
    """The limit for a concept: the ``quantile`` of the EMDs between different people's colorings of
    it (``own`` ``(P,)``); of all concepts together (``pooled``) where fewer than
    :data:`MIN_PAIRS` are known; at least :data:`MIN_LAB`."""
    pairs, whose = own, "of this concept"
    if len(own) < MIN_PAIRS:
        pairs, whose = pooled, "of all concepts, for too few people colored this one"
    if not len(pairs):
        return Threshold(
            MIN_LAB, pairs, f"No two people to compare with: the limit is {MIN_LAB:g}."
        )
    value = float(np.quantile(pairs, quantile))
    text = (
        f"{100 * quantile:.0f}% of the {len(pairs)} pairs of different people {whose} are at most "
        f"{value:.1f} apart"
    )
    if value < MIN_LAB:
        return Threshold(MIN_LAB, pairs, f"{text}; the limit is never below {MIN_LAB:g}.")
    return Threshold(value, pairs, f"{text}: that is the limit.")


def stability(series: Sequence[Coloring], threshold: Threshold) -> Stability:
    """Whether a person's colorings of one concept, in their order, agree with each other."""
    checks = tuple(_check(first, second, threshold) for first, second in pairwise(series))
    if not checks:
        return Stability((), series[0] if series else None)
    stable = next((check.first for check in checks if check.consistent), None)
    return Stability(checks, stable)


def _check(first: Coloring, second: Coloring, threshold: Threshold) -> SecondCheck:
    apart = emd(first.weights, second.weights)
    farther = float((threshold.pairs >= apart).mean()) if len(threshold.pairs) else None
    return SecondCheck(
        first, second, apart, threshold.lab, farther, apart <= threshold.lab, threshold.why
    )


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
    Level.ALL: "every first coloring; nothing is excluded",
    Level.MAJORITY: "excludes colorings that most experts found inconsistent",
    Level.MARKS: "also excludes excluded participants and colorings that were not repeated "
    "consistently; researchers' decisions come first",
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
