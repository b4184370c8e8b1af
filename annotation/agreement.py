"""Agreement between people: observed agreement, Fleiss' κ, Krippendorff's α, Spearman's ρ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from truehue.annotation.judgments.answers import Answer, AnswerKind
from truehue.annotation.judgments.resampling import LEVEL, REPLICATES
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import StudyPlan
from truehue.annotation.validation import weighted_spearman
from truehue.core.studies import Trial

Codes = list[tuple[str, str, int]]
"""Participant, stimulus, and answer: the rating, the index of a question's choice, or the index of
the chosen model in the order of names, followed by the tie."""
Scale = Literal["nominal", "ordinal", "interval"]
MIN_SHARED = 5
"""Images that two people must both have rated for their order to be compared."""


def codes_of(plan: StudyPlan, values: Iterable[tuple[str, Trial, Answer]]) -> Codes:
    """The codes of participants' answers to main trials. Skips are none, nor are colorings, of
    which truehue.annotation.quality says how far they agree."""
    if plan.kind is Kind.COLORINGS:
        return []
    codes: Codes = []
    for participant, trial, answer in values:
        if answer.kind is AnswerKind.SKIP:
            continue
        if answer.kind is AnswerKind.RATING or plan.kind is Kind.QUESTIONS:
            code = int(answer.value or 0)
        elif answer.value is None:
            code = len(trial.order)
        else:
            code = plan.by_id[trial.stimulus_id].models.index(trial.order[answer.value])
        codes.append((participant, trial.stimulus_id, code))
    return codes


def counted(codes: Codes) -> np.ndarray:
    """int ``(stimuli, categories)``: how many people answered what."""
    rows = {name: i for i, name in enumerate(sorted({stimulus for _, stimulus, _ in codes}))}
    counts = np.zeros((len(rows), max(code for *_, code in codes) + 1), dtype=np.int64)
    for _, stimulus, code in codes:
        counts[rows[stimulus], code] += 1
    return counts


def matrix(codes: Codes) -> np.ndarray:
    """float ``(people, stimuli)``, NaN where somebody did not answer."""
    people = {name: i for i, name in enumerate(sorted({person for person, *_ in codes}))}
    columns = {name: i for i, name in enumerate(sorted({stimulus for _, stimulus, _ in codes}))}
    table = np.full((len(people), len(columns)), np.nan)
    for person, stimulus, code in codes:
        table[people[person], columns[stimulus]] = code
    return table


def strata_of(plan: StudyPlan, codes: Codes) -> np.ndarray:
    """int ``(stimuli,)``: which of the sets of models each stimulus shows, in the order of
    :func:`counted` and :func:`matrix`. What "the first by name" is differs from set to set, so that
    chance has to be taken of each: else agreement would depend on what models are called. Questions
    are told apart by their form and number of choices."""
    models: dict[str, tuple[str | int, ...]] = {
        stimulus.id: question.kind_of_choice
        if (question := plan.question_of(stimulus.id)) is not None
        else stimulus.models
        for stimulus in plan.stimuli
    }
    sets = {shown: i for i, shown in enumerate(sorted(set(models.values())))}
    return np.array([sets[models[name]] for name in sorted({stimulus for _, stimulus, _ in codes})])


@dataclass(frozen=True)
class Agreement:
    """``value`` with an interval over resampled items; NaN where it is not defined.

    ``items`` counts those with at least two answers, the others say nothing of agreement.
    """

    value: float
    low: float
    high: float
    items: int


@dataclass(frozen=True)
class Fleiss:
    """``observed`` is the mean share of agreeing pairs of answers an item, 0 to 1; ``kappa`` what
    it is beyond chance, at most 1, NaN where everything is in one category."""

    observed: Agreement
    kappa: Agreement


def fleiss(
    counts: np.ndarray,
    rng: np.random.Generator,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    strata: np.ndarray | None = None,
) -> Fleiss:
    """P̄ and κ of J. L. Fleiss, "Measuring Nominal Scale Agreement Among Many Raters",
    Psychological Bulletin 76 (1971), 378–382.

    ``counts`` is int ``(N, C)``: how many people put item n into category c. Items may have
    different numbers of answers; then chance agreement is of the mean shares an item (K. L. Gwet,
    "Handbook of Inter-Rater Reliability", 4th ed., 2014, chapter 2), which is Fleiss' own where the
    numbers are equal. ``strata`` is int ``(N,)`` where categories mean something else in different
    items: chance agreement is then of each stratum by itself, and their mean by items. Without it,
    or with one stratum, it is Fleiss'. Raises ValueError for counts that are negative or not
    two-dimensional.
    """
    counts = np.asarray(counts, dtype=np.float64)
    if counts.ndim != 2 or (counts < 0).any():
        raise ValueError("Counts are a table of items and categories, none below 0.")
    several = counts.sum(axis=1) >= 2
    strata = np.zeros(len(counts), dtype=np.int64) if strata is None else np.asarray(strata)
    counts, strata = counts[several], strata[several]
    items = len(counts)
    if not items:
        nothing = Agreement(np.nan, np.nan, np.nan, 0)
        return Fleiss(nothing, nothing)
    total = counts.sum(axis=1, keepdims=True)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (total * (total - 1))[:, 0]
    shares = counts / total
    integers = rng.integers(items, size=(replicates, items))
    observed, kappa = _both(agreeing, shares, strata)
    counted = _both(agreeing[integers], shares[integers], strata[integers])
    tails = [(1 - level) / 2, (1 + level) / 2]
    (low, high), (kappa_low, kappa_high) = (_quantiles(values, tails) for values in counted)
    return Fleiss(
        Agreement(float(observed), low, high, items),
        Agreement(float(kappa), kappa_low, kappa_high, items),
    )


def _both(
    agreeing: np.ndarray, shares: np.ndarray, strata: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """P̄ and κ over the last axis of items of ``(…, N)``, ``(…, N, C)`` and ``(…, N)``."""
    observed = agreeing.mean(axis=-1)
    expected = np.zeros_like(observed)
    for stratum in np.unique(strata):
        inside = (strata == stratum).astype(np.float64)
        number = inside.sum(axis=-1)
        total = np.einsum("...nc,...n->...c", shares, inside)
        expected += (total**2).sum(axis=-1) / np.maximum(number, 1) / strata.shape[-1]
    chance = 1 - expected
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = np.where(chance > 1e-12, (observed - expected) / chance, np.nan)
    return observed, kappa


def _quantiles(values: np.ndarray, tails: list[float]) -> tuple[float, float]:
    """The quantiles of the values that are defined, NaN where none is."""
    values = values[np.isfinite(values)]
    if not len(values):
        return float("nan"), float("nan")
    low, high = np.quantile(values, tails)
    return float(low), float(high)


def alpha(
    ratings: np.ndarray,
    scale: Scale,
    rng: np.random.Generator,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    strata: np.ndarray | None = None,
) -> Agreement:
    """α of K. Krippendorff, "Content Analysis", 4th ed., 2018, chapter 12, by the library
    ``krippendorff``, with percentile intervals over resampled items.

    ``ratings`` is float ``(people, items)``, NaN where a person did not answer. At most 1, 0 at
    chance; NaN where all answers are one value. Items with one answer are left out. ``strata`` is
    int ``(items,)`` where nominal values mean something else in different items: what chance would
    disagree is then of each stratum by itself, weighted by its answers.
    """
    ratings = np.asarray(ratings, dtype=np.float64)
    several = np.isfinite(ratings).sum(axis=0) >= 2
    strata = np.zeros(len(several), dtype=np.int64) if strata is None else np.asarray(strata)
    ratings, strata = ratings[:, several], strata[several]
    items = ratings.shape[1]
    if not items:
        return Agreement(np.nan, np.nan, np.nan, 0)
    domain = np.unique(ratings[np.isfinite(ratings)])
    counts = np.zeros((items, len(domain)), dtype=np.int64)
    np.add.at(counts, (np.nonzero(np.isfinite(ratings.T))[0], _by_item(ratings, domain)), 1)
    value = _stratified(counts, domain, scale, strata)
    integers = rng.integers(items, size=(replicates, items))
    values = np.array([_stratified(counts[rows], domain, scale, strata[rows]) for rows in integers])
    values = values[np.isfinite(values)]
    if not len(values):
        return Agreement(value, np.nan, np.nan, items)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Agreement(value, float(low), float(high), items)


def inter_rater_spearman(
    ratings: np.ndarray,
    rng: np.random.Generator,
    replicates: int = REPLICATES,
    level: float = LEVEL,
) -> Agreement:
    """Spearman's correlation between two people's ratings of the same images: the mean of all pairs
    of people, weighted by the images that both rated. Percentile intervals over resampled images.

    ``ratings`` is float ``(people, images)``, NaN where a person did not answer. Pairs with fewer
    than :data:`MIN_SHARED` images in common, and those of whom one gave every image the same rating,
    have no order to compare. ``items`` counts the images of all other pairs.
    """
    ratings = np.asarray(ratings, dtype=np.float64)
    rated = np.isfinite(ratings)
    shared = rated.astype(np.int64) @ rated.T.astype(np.int64)
    images = ratings.shape[1]
    counts = np.ones((1, images), dtype=np.int64)
    if images:
        samples = rng.multinomial(images, np.full(images, 1 / images), replicates)
        counts = np.concatenate([counts, samples])
    total, weight = np.zeros(len(counts)), np.zeros(len(counts))
    compared = np.zeros(images, dtype=bool)
    for first, second in np.argwhere(np.triu(shared >= MIN_SHARED, 1)):
        both = rated[first] & rated[second]
        inside = counts[:, both]
        rho = weighted_spearman(ratings[first, both], ratings[second, both], inside)
        defined = np.isfinite(rho)
        total[defined] += (rho * inside.sum(axis=1))[defined]
        weight[defined] += inside.sum(axis=1)[defined]
        if defined[0]:
            compared |= both
    with np.errstate(invalid="ignore"):
        values = total / weight
    low, high = _quantiles(values[1:], [(1 - level) / 2, (1 + level) / 2])
    return Agreement(float(values[0]), low, high, int(compared.sum()))


def _by_item(ratings: np.ndarray, domain: np.ndarray) -> np.ndarray:
    """int: the place in ``domain`` of each answer, item by item."""
    by_item = ratings.T
    return np.searchsorted(domain, by_item[np.isfinite(by_item)])


def _stratified(counts: np.ndarray, domain: np.ndarray, scale: Scale, strata: np.ndarray) -> float:
    """One less the observed disagreement of all strata by the expected one, each by answers."""
    names = np.unique(strata)
    if len(names) == 1:
        return _alpha(counts, domain, scale)
    observed = expected = 0.0
    for name in names:
        inside = counts[strata == name]
        of_value = inside.sum(axis=0)
        number = float(of_value.sum())
        chance = number - float((of_value * (of_value - 1)).sum()) / (number - 1)
        if chance > 1e-9:
            expected += chance
            observed += (1 - _alpha(inside, domain, scale)) * chance
    return 1 - observed / expected if expected else float("nan")


def _alpha(counts: np.ndarray, domain: np.ndarray, scale: Scale) -> float:
    """α of int ``(items, values)``; NaN where all answers are one value."""
    import krippendorff

    if (counts.sum(axis=0) > 0).sum() < 2:
        return float("nan")
    return float(
        krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=scale)
    )
