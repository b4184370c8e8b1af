"""Validation of metrics against people's preferences, and the best metric."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from truehue.annotation.judgments.answers import TIE, AnswerKind, Vote
from truehue.annotation.judgments.rates import Given, Sizes
from truehue.annotation.judgments.resampling import LEVEL, REPLICATES, weights
from truehue.annotation.studies.cases import Stimulus
from truehue.annotation.studies.plan import StudyPlan

Pair = tuple[str, str, str]
"""A case and its two models, sorted."""

Quality = Mapping[tuple[str, str], float]
"""A metric by case and model: more is better."""
MIN_PAIRS = 20
"""Pairs of models, images or sets with votes, below which metrics are not told apart."""
_PEARSON = 0
KENDALL_REPLICATES = 100
"""Kendall's τ of thousands of images takes a hundredth of a second each time."""


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
    """Agreement of a metric with people.

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
    """A percentile interval of the ``sampled`` values, float64 ``(replicates,)``, that are finite;
    NaN at both ends where fewer than two are."""
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
    return [row for row in rows if np.isfinite(row.ranked_by.value) and row.items >= MIN_PAIRS]


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
    fewer than :data:`MIN_PAIRS` pairs in common with it are left out.

    Cases are resampled with all their pairs, as in
    :func:`truehue.annotation.validation.validate`. Raises ValueError without votes.
    """
    table = PairVotes.of(votes, sizes)
    values = {name: table.differences(quality) for name, quality in metrics.items()}
    sample = weights(table.cases, replicates, np.random.default_rng([seed, 3]))[:, table.case_of]
    sample = np.concatenate([np.ones((1, sample.shape[1])), sample]) * table.weight
    rows: list[Difference] = []
    for name, other in values.items():
        both = np.isfinite(values[best]) & np.isfinite(other)
        if name == best or both.sum() < MIN_PAIRS:
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


@dataclass(frozen=True)
class RatingValidation:
    """How a metric stands to the mean ratings of ``images``: Pearson's and Spearman's correlation
    and Kendall's τ-b, −1 to 1, as "Too Vivid to Be Real?" tells them. ``unscored`` images had no
    value of the metric. Intervals resample cases with all their images."""

    metric: str
    pearson: Interval
    spearman: Interval
    kendall: Interval
    images: int
    unscored: int

    @property
    def ranked_by(self) -> Interval:
        """The correlation of ranks, which asks for no straight line."""
        return self.spearman

    @property
    def items(self) -> int:
        """The images."""
        return self.images


@dataclass(frozen=True)
class ChoiceValidation:
    """``agreement``, 0 to 1, is the share of ``sets`` in which the metric's best model is the one
    that most people chose; several best of either are no agreement. ``chance`` is what a metric
    without sense would have. ``unscored`` sets lack a value of the metric."""

    metric: str
    agreement: Interval
    chance: float
    sets: int
    unscored: int

    @property
    def ranked_by(self) -> Interval:
        """The agreement."""
        return self.agreement

    @property
    def items(self) -> int:
        """The sets."""
        return self.sets


def validate_ratings(
    plan: StudyPlan,
    metric: str,
    quality: Quality,
    provided: Given,
    seed: int,
    replicates: int = REPLICATES,
) -> RatingValidation:
    """A metric, of which more is better, against the mean rating of each image."""
    values = _rated(plan, provided)
    images = list(values)
    x = np.array([quality.get(image, np.nan) for image in images])
    y = np.array([np.mean(values[image]) for image in images])
    scored = np.isfinite(x)
    rows = [image for image, usable in zip(images, scored, strict=True) if usable]
    sample = _draw_resamples([case for case, _ in rows], replicates, seed)
    x, y = x[scored], y[scored]

    def interval(
        correlation: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray], limit: int
    ) -> Interval:
        if len(rows) < 3:
            return Interval(float("nan"), float("nan"), float("nan"))
        counts = np.concatenate([np.ones((1, len(rows)), dtype=np.int64), sample[:limit]])
        values = correlation(x, y, counts)
        return interval_of(float(values[0]), values[1:])

    return RatingValidation(
        metric,
        interval(_pearson, replicates),
        interval(weighted_spearman, replicates),
        interval(_kendall, min(replicates, KENDALL_REPLICATES)),
        len(rows),
        len(images) - len(rows),
    )


def validate_choices(
    plan: StudyPlan,
    metric: str,
    quality: Quality,
    values: Given,
    seed: int,
    replicates: int = REPLICATES,
) -> ChoiceValidation:
    """A metric, of which more is better, against what most people chose of each set."""
    chosen = _chosen(plan, values)
    cases: list[str] = []
    same: list[float] = []
    chance: list[float] = []
    for stimulus_id, counts in chosen.items():
        stimulus = plan.by_id[stimulus_id]
        hit = _hit(stimulus, quality, counts)
        if not np.isfinite(hit):
            continue
        cases.append(stimulus.case_id)
        same.append(hit)
        chance.append(1 / len(stimulus.models) if len(_leaders(counts)) == 1 else 0.0)
    if not cases:
        nothing = float("nan")
        return ChoiceValidation(
            metric, Interval(nothing, nothing, nothing), nothing, 0, len(chosen)
        )
    sample = _draw_resamples(cases, replicates, seed)
    sampled = (sample @ np.array(same)) / np.maximum(sample.sum(axis=1), 1)
    agreement = interval_of(float(np.mean(same)), sampled)
    return ChoiceValidation(
        metric, agreement, float(np.mean(chance)), len(cases), len(chosen) - len(cases)
    )


def rating_differences(
    plan: StudyPlan,
    metrics: Mapping[str, Quality],
    best: str,
    provided: Given,
    seed: int,
    replicates: int = REPLICATES,
) -> tuple[Difference, ...]:
    """By how much the correlation of ranks of the ``best`` metric is above each other one's, over
    the images that both have a value for, where these are enough; in the order of the metrics."""
    ratings = _rated(plan, provided)
    y = np.array([np.mean(rating) for rating in ratings.values()])
    number = np.array([len(rating) for rating in ratings.values()])
    values = {
        name: np.array([quality.get(image, np.nan) for image in ratings])
        for name, quality in metrics.items()
    }
    rows = []
    for name, other in values.items():
        both = np.isfinite(values[best]) & np.isfinite(other)
        if name == best or both.sum() < MIN_PAIRS:
            continue
        cases = [case for (case, _), usable in zip(ratings, both, strict=True) if usable]
        whole = _with_whole(_draw_resamples(cases, replicates, seed))
        gaps = weighted_spearman(values[best][both], y[both], whole) - weighted_spearman(
            other[both], y[both], whole
        )
        if np.isfinite(gaps[0]):
            rows.append(difference_of((best, name), gaps, int(both.sum()), number[both].sum()))
    return tuple(rows)


def choice_differences(
    plan: StudyPlan,
    metrics: Mapping[str, Quality],
    best: str,
    values: Given,
    seed: int,
    replicates: int = REPLICATES,
) -> tuple[Difference, ...]:
    """By how much the agreement of the ``best`` metric with most people is above each other one's,
    over the sets that both have all values for, where these are enough."""
    chosen = _chosen(plan, values)
    stimuli = [plan.by_id[stimulus_id] for stimulus_id in chosen]
    number = np.array([sum(counts.values()) for counts in chosen.values()])
    hits = {
        name: np.array([_hit(stimulus, quality, chosen[stimulus.id]) for stimulus in stimuli])
        for name, quality in metrics.items()
    }
    rows = []
    for name, other in hits.items():
        both = np.isfinite(hits[best]) & np.isfinite(other)
        if name == best or both.sum() < MIN_PAIRS:
            continue
        cases = [stimulus.case_id for stimulus, usable in zip(stimuli, both, strict=True) if usable]
        whole = _with_whole(_draw_resamples(cases, replicates, seed))
        gaps = (whole @ (hits[best] - other)[both]) / np.maximum(whole.sum(axis=1), 1)
        rows.append(difference_of((best, name), gaps, int(both.sum()), number[both].sum()))
    return tuple(rows)


def _rated(plan: StudyPlan, provided: Given) -> dict[tuple[str, str], list[int]]:
    """The ratings of each image, by case and model, in their order."""
    values: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for _, trial, answer in provided:
        if answer.kind is AnswerKind.RATING:
            case_id = plan.by_id[trial.stimulus_id].case_id
            values[case_id, trial.order[0]].append(int(answer.value or 0))
    return dict(sorted(values.items()))


def _chosen(plan: StudyPlan, values: Given) -> dict[str, Counter[str]]:
    """Counts of choices of each model, by stimulus, in their order."""
    chosen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for _, trial, answer in values:
        if answer.kind is AnswerKind.PLACE and answer.value is not None:
            chosen[trial.stimulus_id][trial.order[answer.value]] += 1
    return dict(sorted(chosen.items()))


def _leaders(counts: Mapping[str, float]) -> list[str]:
    """The models of the highest count, or score."""
    return [model for model, count in counts.items() if count == max(counts.values())]


def _hit(stimulus: Stimulus, quality: Quality, counts: Mapping[str, int]) -> float:
    """1 where the metric's best model of a set is the one that most people chose, 0 where it is
    not, NaN where a value is missing."""
    scores = {model: quality.get((stimulus.case_id, model), np.nan) for model in stimulus.models}
    if not all(np.isfinite(score) for score in scores.values()):
        return float("nan")
    best, liked = _leaders(scores), _leaders(counts)
    return float(len(best) == len(liked) == 1 and best == liked)


def _with_whole(sample: np.ndarray) -> np.ndarray:
    """The resamples after the whole, which counts every row once."""
    return np.concatenate([np.ones((1, sample.shape[1]), dtype=sample.dtype), sample])


def _draw_resamples(cases: Sequence[str], replicates: int, seed: int) -> np.ndarray:
    """int ``(replicates, rows)``: how often each row is in a resample of cases."""
    if not cases:
        return np.zeros((replicates, 0), dtype=np.int64)
    names, case_of = np.unique(cases, return_inverse=True)
    return weights(len(names), replicates, np.random.default_rng([seed, 5]))[:, case_of]


def _pearson(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """float ``(R,)``: the correlation of float ``(P,)`` or ``(R, P)`` in each weighted sample."""
    total = counts.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        x = x - (counts * x).sum(axis=1, keepdims=True) / total
        y = y - (counts * y).sum(axis=1, keepdims=True) / total
        spread = np.sqrt((counts * x * x).sum(axis=1) * (counts * y * y).sum(axis=1))
        return np.asarray(np.where(spread > 1e-12, (counts * x * y).sum(axis=1) / spread, np.nan))


def weighted_spearman(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """float ``(R,)``: Spearman's correlation of float ``(P,)`` and ``(P,)`` in each sample; int
    ``counts`` ``(R, P)`` says how often each pair is in it. NaN where one side is constant."""
    return _pearson(_ranks(x, counts), _ranks(y, counts), counts)


def _ranks(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """float ``(R, P)``: the mean rank of each value in each sample."""
    sizes, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(sizes)))
    of_group = np.add.reduceat(counts[:, order], starts, axis=1)
    return np.asarray((np.cumsum(of_group, axis=1) - of_group / 2)[:, group])


def _kendall(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
    from scipy.stats import kendalltau

    return np.array(
        [kendalltau(np.repeat(x, row), np.repeat(y, row)).statistic for row in counts.astype(int)]
    )
