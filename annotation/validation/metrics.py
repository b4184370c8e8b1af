"""Metrics against people's votes: agreement and correlation, and differences between metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from truehue.annotation.judgments.answers import TIE, Vote
from truehue.annotation.judgments.rates import Sizes
from truehue.annotation.judgments.resampling import LEVEL, REPLICATES, weights

Pair = tuple[str, str, str]
"""A case and its two models, sorted."""

Quality = Mapping[tuple[str, str], float]
"""A metric by case and model: more is better."""
LEAST_PAIRS = 20
"""Pairs of models, images or sets with votes, below which metrics are not told apart."""
_PEARSON = 0


@dataclass(frozen=True)
class Interval:
    """``value`` between ``low`` and ``high``; NaN where it is not defined."""

    value: float
    low: float
    high: float


class Compared(Protocol):
    """A metric against people: the number by which metrics are ranked, and over how many pairs,
    images or sets it is."""

    @property
    def metric(self) -> str: ...
    @property
    def ranked_by(self) -> Interval: ...
    @property
    def items(self) -> int: ...


@dataclass(frozen=True)
class Validation:
    """How a metric stands to people.

    ``pearson`` and ``spearman``, −1 to 1, are of the metric's difference between the two models
    and the share of votes for the first, over pairs; ties of people are half a vote for each. Every
    pair is taken in both orders: which model is the first one is nobody's choice, and another
    choice would give another correlation. (The paper does not say which order it took.)
    ``agreement``, 0 to 1, is the share of all pairs in which the metric prefers what most votes
    prefer: a tie of either is no agreement, as the 13.56% of DCA in Table 3 imply.
    ``agreement_decided`` leaves out pairs in which people or the metric are tied. ``pairs`` were
    compared, ``unscored`` had no value of the metric.
    """

    metric: str
    pearson: Interval
    spearman: Interval
    agreement: Interval
    agreement_decided: Interval
    pairs: int
    metric_ties: int
    vote_ties: int
    unscored: int

    @property
    def ranked_by(self) -> Interval:
        """Pearson's correlation."""
        return self.pearson

    @property
    def items(self) -> int:
        """The pairs."""
        return self.pairs


@dataclass(frozen=True)
class PairVotes:
    """Votes counted by pair. ``for_first`` and ``all_votes`` are float ``(pairs,)``, a tie half a
    vote; ``case_of`` is int ``(pairs,)``, ``cases`` how many there are. ``weight`` is float
    ``(pairs,)``: what each pair counts, 1 for all where they were not chosen adaptively."""

    pairs: tuple[Pair, ...]
    case_of: np.ndarray
    for_first: np.ndarray
    all_votes: np.ndarray
    cases: int
    weight: np.ndarray

    @classmethod
    def of(cls, votes: Sequence[Vote], sizes: Sizes | None = None) -> PairVotes:
        """Counts the votes. With ``sizes`` a pair stands for as many of its two models as the study
        asks about for each with votes. Raises ValueError without any vote."""
        if not votes:
            raise ValueError("There are no votes to compare a metric with.")
        of_vote = [
            (vote.case_id, min(vote.left, vote.right), max(vote.left, vote.right)) for vote in votes
        ]
        pairs = tuple(sorted(set(of_vote)))
        column = {pair: i for i, pair in enumerate(pairs)}
        cases = {name: i for i, name in enumerate(sorted({case for case, *_ in pairs}))}
        for_first = np.zeros(len(pairs))
        all_votes = np.zeros_like(for_first)
        for vote, pair in zip(votes, of_vote, strict=True):
            index = column[pair]
            all_votes[index] += 1
            for_first[index] += 0.5 if vote.winner == TIE else float(vote.winner == pair[1])
        case_of = np.array([cases[case] for case, *_ in pairs])
        weight = np.ones(len(pairs))
        if sizes is not None:
            seen = Counter((first, second) for _, first, second in pairs)
            weight = np.array([sizes.get((a, b), 0) / seen[a, b] for _, a, b in pairs])
        return cls(pairs, case_of, for_first, all_votes, len(cases), weight)

    @property
    def preference(self) -> np.ndarray:
        """float ``(pairs,)``: the share of votes for the first model less a half."""
        return self.for_first / self.all_votes - 0.5

    def differences(self, quality: Quality) -> np.ndarray:
        """float ``(pairs,)``: a metric of the first model less that of the second, else NaN."""
        nothing = float("nan")
        return np.array(
            [
                quality.get((case, first), nothing) - quality.get((case, second), nothing)
                for case, first, second in self.pairs
            ]
        )


def validate(
    metric: str,
    quality: Quality,
    votes: Sequence[Vote],
    rng: np.random.Generator,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    sizes: Sizes | None = None,
) -> Validation:
    """A metric against the votes.

    ``quality`` is the metric by case and model, turned so that more is better; what it lacks, or
    has as NaN, is counted as unscored and left out. Intervals resample cases, with all pairs of
    a case together, and are of these participants: resampling them too would take votes from pairs
    that have few, which weakens every correlation. ``sizes`` weight pairs that were chosen
    adaptively (:mod:`truehue.annotation.judgments.rates`). Raises ValueError without votes.
    """
    table = PairVotes.of(votes, sizes)
    difference = table.differences(quality)
    scored = np.isfinite(difference)
    x, y = difference[scored], table.preference[scored]
    (values,) = measures(x, y, table.weight[None, scored])
    sample = weights(table.cases, replicates, rng)[:, table.case_of[scored]]
    sample = sample * table.weight[scored]
    sampled = measures(x, y, sample)
    pearson, spearman, agreement, decided = (
        interval_of(float(value), sampled[:, i], level) for i, value in enumerate(values)
    )
    return Validation(
        metric,
        pearson,
        spearman,
        agreement,
        decided,
        pairs=len(x),
        metric_ties=int((x == 0).sum()),
        vote_ties=int((y == 0).sum()),
        unscored=int((~scored).sum()),
    )


def measures(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """float ``(R, 4)``: Pearson, Spearman, agreement, and agreement of what is decided.

    ``x`` and ``y`` are float ``(P,)``, a metric's differences and people's preferences; ``counts``
    is int or float ``(R, P)``: how often each pair is in each sample. NaN where not defined.
    """
    # With every pair in both orders all means are 0, so that a correlation needs no centering.
    counted = counts.sum(axis=1) > 2
    with np.errstate(invalid="ignore", divide="ignore"):
        pearson = _cosine(x[None, :], y[None, :], counts)
        spearman = _cosine(_centered_ranks(x, counts), _centered_ranks(y, counts), counts)
        same = (np.sign(x) == np.sign(y)) & (y != 0)
        both = (x != 0) & (y != 0)
        agreement = (counts @ same) / counts.sum(axis=1)
        decided = (counts @ same) / (counts @ both)
    nothing = np.nan
    return np.column_stack(
        [
            np.where(counted, pearson, nothing),
            np.where(counted, spearman, nothing),
            agreement,
            decided,
        ]
    )


def _cosine(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
    products = (counts * x * y).sum(axis=1)
    return np.asarray(products / np.sqrt((counts * x * x).sum(1) * (counts * y * y).sum(1)))


def _centered_ranks(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """float ``(R, P)``: the mean rank of each value in a sample that holds every value with its
    negative, less the mean of all ranks: what is nearer to 0, and half of what is equal."""
    if not len(values):
        return np.zeros(counts.shape)
    sizes, group = np.unique(np.abs(values), return_inverse=True)
    of_group = np.zeros((len(counts), len(sizes)))
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(sizes)))
    of_group[:] = np.add.reduceat(counts[:, order], starts, axis=1)
    below = np.cumsum(of_group, axis=1) - of_group / 2
    return np.asarray(np.sign(values) * below[:, group])


def interval_of(value: float, sampled: np.ndarray, level: float = LEVEL) -> Interval:
    """A percentile interval of the samples that are defined, NaN where fewer than two are."""
    sampled = sampled[np.isfinite(sampled)]
    if len(sampled) < 2:
        return Interval(value, float("nan"), float("nan"))
    low, high = np.quantile(sampled, ((1 - level) / 2, (1 + level) / 2))
    return Interval(value, float(low), float(high))


@dataclass(frozen=True)
class Difference:
    """How much nearer to people the ``best`` metric is than an ``other``.

    ``gap`` is the difference of what they are ranked by (of pairs the correlation, of ratings that
    of ranks, of the best of four the agreement) over the ``items`` that both have a value for, with
    an interval from the same resamples for both. ``apart`` is whether that interval lies above 0.
    ``votes_needed`` is how many votes on items of this kind would tell them apart if the difference
    is what it seems, by the width of the interval falling with the root of the number of cases;
    None where they are apart, and where the other is as good or better.
    """

    best: str
    other: str
    gap: Interval
    items: int
    apart: bool
    votes_needed: int | None


Row = TypeVar("Row", bound=Compared)


def candidates(rows: Sequence[Row]) -> list[Row]:
    """The metrics that can be compared: those that have a number, of enough items of their own."""
    return [row for row in rows if np.isfinite(row.ranked_by.value) and row.items >= LEAST_PAIRS]


def nearest(rows: Sequence[Row]) -> Row | None:
    """The metric that is nearest to people among the :func:`candidates`; None without any."""
    return max(candidates(rows), key=lambda candidate: candidate.ranked_by.value, default=None)


def differences(
    metrics: Mapping[str, Quality],
    best: str,
    votes: Sequence[Vote],
    seed: int,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    sizes: Sizes | None = None,
) -> tuple[Difference, ...]:
    """The ``best`` metric against each other one that has a correlation, in their order; those with
    fewer than :data:`LEAST_PAIRS` pairs in common with it are left out.

    Cases are resampled with all their pairs, as in
    :func:`truehue.annotation.validation.metrics.validate`. Raises ValueError without votes.
    """
    table = PairVotes.of(votes, sizes)
    values = {name: table.differences(quality) for name, quality in metrics.items()}
    sample = weights(table.cases, replicates, np.random.default_rng([seed, 3]))[:, table.case_of]
    sample = np.concatenate([np.ones((1, sample.shape[1])), sample]) * table.weight
    rows: list[Difference] = []
    for name, other in values.items():
        both = np.isfinite(values[best]) & np.isfinite(other)
        if name == best or both.sum() < LEAST_PAIRS:
            continue
        counts = sample[:, both]
        y = table.preference[both]
        first, second = (measures(x[both], y, counts)[:, _PEARSON] for x in (values[best], other))
        gaps = first - second
        if np.isfinite(gaps[0]):
            number = float(table.all_votes[both].sum())
            rows.append(difference_of((best, name), gaps, int(both.sum()), number, level))
    return tuple(rows)


def difference_of(
    names: tuple[str, str], gaps: np.ndarray, items: int, votes: float, level: float = LEVEL
) -> Difference:
    """The difference of two metrics, the best first. ``gaps`` is float ``(R + 1,)``: that of all
    cases, then those of resamples."""
    gap = interval_of(float(gaps[0]), gaps[1:], level)
    apart = bool(gap.low > 0)
    return Difference(*names, gap, items, apart, None if apart else _needed(gap, float(votes)))


def _needed(difference: Interval, votes: float) -> int | None:
    below = difference.value - difference.low
    if difference.value <= 0 or not np.isfinite(below):
        return None
    return int(np.ceil(votes * (below / difference.value) ** 2))
