"""Metrics against ratings, and against the best of four."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.annotation.judgments.answers import AnswerKind
from truehue.annotation.judgments.rates import Given
from truehue.annotation.judgments.resampling import REPLICATES, weights
from truehue.annotation.studies.cases import Stimulus
from truehue.annotation.studies.plan import StudyPlan
from truehue.annotation.validation.metrics import (
    LEAST_PAIRS,
    Difference,
    Interval,
    Quality,
    difference_of,
    interval_of,
)

KENDALL_REPLICATES = 100
"""Kendall's τ of thousands of images takes a hundredth of a second each time."""


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
    sample = _drawn([case for case, _ in rows], replicates, seed)
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
        interval(_spearman, replicates),
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
        chance.append(1 / len(stimulus.models) if len(_most(counts)) == 1 else 0.0)
    if not cases:
        nothing = float("nan")
        return ChoiceValidation(
            metric, Interval(nothing, nothing, nothing), nothing, 0, len(chosen)
        )
    sample = _drawn(cases, replicates, seed)
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
        if name == best or both.sum() < LEAST_PAIRS:
            continue
        cases = [case for (case, _), usable in zip(ratings, both, strict=True) if usable]
        whole = _with_whole(_drawn(cases, replicates, seed))
        gaps = _spearman(values[best][both], y[both], whole) - _spearman(
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
        if name == best or both.sum() < LEAST_PAIRS:
            continue
        cases = [stimulus.case_id for stimulus, usable in zip(stimuli, both, strict=True) if usable]
        whole = _with_whole(_drawn(cases, replicates, seed))
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
    """How often each model was chosen, by stimulus, in their order."""
    chosen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for _, trial, answer in values:
        if answer.kind is AnswerKind.PLACE and answer.value is not None:
            chosen[trial.stimulus_id][trial.order[answer.value]] += 1
    return dict(sorted(chosen.items()))


def _most(counts: Mapping[str, float]) -> list[str]:
    """The models of the highest count, or score."""
    return [model for model, count in counts.items() if count == max(counts.values())]


def _hit(stimulus: Stimulus, quality: Quality, counts: Mapping[str, int]) -> float:
    """1 where the metric's best model of a set is the one that most people chose, 0 where it is
    not, NaN where a value is missing."""
    scores = {model: quality.get((stimulus.case_id, model), np.nan) for model in stimulus.models}
    if not all(np.isfinite(score) for score in scores.values()):
        return float("nan")
    best, liked = _most(scores), _most(counts)
    return float(len(best) == len(liked) == 1 and best == liked)


def _with_whole(sample: np.ndarray) -> np.ndarray:
    """The resamples after the whole, which counts every row once."""
    return np.concatenate([np.ones((1, sample.shape[1]), dtype=sample.dtype), sample])


def _drawn(cases: Sequence[str], replicates: int, seed: int) -> np.ndarray:
    """int ``(replicates, rows)``: how often each row is in a resample of cases."""
    if not cases:
        return np.zeros((replicates, 0), dtype=np.int64)
    names, case_of = np.unique(cases, return_inverse=True)
    return weights(len(names), replicates, np.random.default_rng([seed, 5]))[:, case_of]


def _pearson(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """float ``(R,)``: the correlation of float ``(P,)`` or ``(R, P)`` in each weighted sample."""
    total = counts.sum(axis=1, keepdims=True)
    x = x - (counts * x).sum(axis=1, keepdims=True) / total
    y = y - (counts * y).sum(axis=1, keepdims=True) / total
    spread = np.sqrt((counts * x * x).sum(axis=1) * (counts * y * y).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(spread > 1e-12, (counts * x * y).sum(axis=1) / spread, np.nan))


def _spearman(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
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
