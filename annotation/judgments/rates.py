"""Win rates, mean ratings and first choices of models, and side bias, with intervals.

Adaptive assignment gives more votes to informative pairs. Strengths by Davidson's model need no
weights for that, since the choice of a pair depends on earlier votes alone (D. B. Rubin, "Inference
and missing data", Biometrika 63 (1976), 581–592). A mean over pairs needs them. The next case of
two models is sampled uniformly, so all pairs of the same two models are equally likely to get a
vote. A pair's weight is the number of such pairs in the study divided by the number of those with
votes. It is the inverse of an estimated propensity, which is more efficient than the inverse of the
known one (K. Hirano, G. W. Imbens and G. Ridder, "Efficient estimation of average treatment effects
using the estimated propensity score", Econometrica 71 (2003), 1161–1189). It stays valid if pairs
are closed because they have their votes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.annotation.judgments.answers import (
    TIE,
    Answer,
    AnswerKind,
    Vote,
    VoteTable,
    answers_of,
    votes_of,
)
from truehue.annotation.judgments.resampling import (
    LEVEL,
    REPLICATES,
    share_of,
    sign_flip,
    tail,
    weights,
)
from truehue.annotation.studies.plan import Method, StudyPlan
from truehue.core.studies import Event, Trial

Sizes = Mapping[tuple[str, str], int]
"""By two models, sorted: how many pairs of them the study asks about."""

ADAPTIVE_NOTES = (
    "Pairs were chosen by how much a vote on them was expected to tell, so that close models have "
    "more votes. Strengths need no correction for it.",
    "Win rates against all models and the comparison of metrics with people are means over pairs: "
    "there every pair of models counts by how many pairs of theirs the study asks about, whatever "
    "number of votes they have.",
    "Agreement, ties and skips are of the votes as they were given: with more votes on close "
    "models, people agree less than they would over all pairs.",
)
"""What readers of the results have to know where pairs were chosen adaptively."""
Given = Sequence[tuple[str, Trial, Answer]]
"""Participant, main trial and its answer."""
PLACES: Mapping[str, tuple[str, str]] = {"row": ("left", "right"), "column": ("top", "bottom")}
"""What the two places of a pair are, by how they lay."""
_OF_PAGE: Mapping[str, str] = {"below": "row", "beside": "row", "rows": "column"}
"""How places lie by what the page calls it, which tells also where the buttons are: below each
image, at its outer side, or at the right of images that lie one above the other."""


def sizes_of(plan: StudyPlan, group: str | None = None) -> Sizes | None:
    """The pairs that a study asks about by their models, of one group of cases or of all; None
    where they were not chosen adaptively, and every vote counts the same."""
    if plan.method is not Method.ADAPTIVE:
        return None
    sizes: Counter[tuple[str, str]] = Counter()
    for stimulus in plan.main_stimuli:
        if group is None or plan.case_by_id[stimulus.case_id].group == group:
            first, second = stimulus.models
            sizes[first, second] += 1
    return sizes


@dataclass(frozen=True)
class Rating:
    """The mean rating of a model's images, 0 to 10, with its interval over participants."""

    model: str
    mean: float
    low: float
    high: float
    ratings: int


@dataclass(frozen=True)
class ChoiceShare:
    """How often a model was ``chosen`` where it was ``shown``: ``share``, 0 to 1, with its interval
    over participants. By chance alone it is a quarter of four."""

    model: str
    share: float
    low: float
    high: float
    chosen: int
    shown: int


def ratings_of(values: Given, seed: int, replicates: int = REPLICATES) -> tuple[Rating, ...]:
    """The mean rating of each model that was rated, by name."""
    entries = [
        (participant, trial.order[0], float(answer.value or 0))
        for participant, trial, answer in values
        if answer.kind is AnswerKind.RATING
    ]
    return tuple(Rating(*row) for row in _means(entries, seed, replicates))


def choices_of(values: Given, seed: int, replicates: int = REPLICATES) -> tuple[ChoiceShare, ...]:
    """How often each model that was shown was chosen, by name."""
    entries = [
        (participant, model, float(index == answer.value))
        for participant, trial, answer in values
        if answer.kind is AnswerKind.PLACE
        for index, model in enumerate(trial.order)
    ]
    return tuple(
        ChoiceShare(model, share, low, high, round(share * shown), shown)
        for model, share, low, high, shown in _means(entries, seed, replicates)
    )


def _means(
    entries: Iterable[tuple[str, str, float]], seed: int, replicates: int
) -> list[tuple[str, float, float, float, int]]:
    """Mean of each model's values with its interval over resampled participants, and their number;
    bounds are NaN where fewer than two participants answered."""
    entries = list(entries)
    models = {name: i for i, name in enumerate(sorted({model for _, model, _ in entries}))}
    people = {name: i for i, name in enumerate(sorted({person for person, *_ in entries}))}
    sums, counts = np.zeros((len(people), len(models))), np.zeros((len(people), len(models)))
    for person, model, value in entries:
        index = people[person], models[model]
        sums[index] += value
        counts[index] += 1
    if not people:
        return []
    sample = weights(len(people), replicates, np.random.default_rng([seed, 2]))
    rows = []
    for model, column in models.items():
        low = high = float("nan")
        total = sample @ counts[:, column]
        if len(people) > 1 and (total > 0).any():
            outside = tail(len(people), LEVEL)
            means = (sample @ sums[:, column])[total > 0] / total[total > 0]
            low, high = (float(v) for v in np.quantile(means, [outside, 1 - outside]))
        number = int(counts[:, column].sum())
        rows.append((model, float(sums[:, column].sum() / number), low, high, number))
    return rows


@dataclass(frozen=True)
class WinRate:
    """``rate`` of ``model`` against ``other`` (empty: against all), 0 to 1, a tie half a win;
    ``low`` and ``high`` are NaN where fewer than two participants voted."""

    model: str
    other: str
    rate: float
    low: float
    high: float
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class SideBias:
    """``left`` and ``right`` votes of those that are no tie; ``left_share`` with its interval over
    resampled participants; ``p`` of the sign-flip test over them
    (:func:`truehue.annotation.judgments.resampling.sign_flip`): votes of one person are no
    independent ones. NaN where fewer than two voted."""

    left: int
    right: int
    left_share: float
    low: float
    high: float
    p: float


def win_rates(
    votes: Sequence[Vote],
    seed: int,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    sizes: Sizes | None = None,
) -> tuple[WinRate, ...]:
    """Every model against all, then against each other it met, in the order of names.

    Intervals resample participants (:func:`truehue.annotation.judgments.resampling.tail`). With
    ``sizes`` the rate against all is the mean of those against each, weighted by them, whatever
    number of votes these have (:mod:`truehue.annotation.judgments.rates`); wins, losses and ties
    stay counts.
    """
    if not votes:
        return ()
    table = VoteTable.of(votes)
    models = len(table.models)
    draws = np.concatenate(
        [table.totals[None], table.resampled(replicates, np.random.default_rng(seed))]
    )
    people = len(table.participants)
    weight = None
    if sizes is not None:
        names = [(table.models[first], table.models[second]) for first, second in table.pairs]
        weight = np.array([float(sizes.get(pair, 0)) for pair in names])

    def rate(model: int, values: np.ndarray, other: str) -> WinRate:
        second = (table.pairs[values, 0] != model).astype(int)
        indices = np.flatnonzero(values)
        wins = draws[:, indices, second].sum(axis=1)
        losses = draws[:, indices, 1 - second].sum(axis=1)
        ties = draws[:, indices, 2].sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            if weight is None:
                share = (wins + ties / 2) / (wins + losses + ties)
            else:
                number = draws[:, indices].sum(axis=2)
                each = (draws[:, indices, second] + draws[:, indices, 2] / 2) / number
                seen = (number > 0) * weight[indices]
                share = np.where(number > 0, each * seen, 0).sum(axis=1) / seen.sum(axis=1)
        sampled = share[1:][np.isfinite(share[1:])]
        low = high = float("nan")
        if people > 1 and len(sampled):
            outside = tail(people, level)
            low, high = (float(v) for v in np.quantile(sampled, [outside, 1 - outside]))
        name = table.models[model]
        numbers = (int(wins[0]), int(losses[0]), int(ties[0]))
        return WinRate(name, other, float(share[0]), low, high, *numbers)

    against_all = [rate(model, (table.pairs == model).any(axis=1), "") for model in range(models)]
    against_each = [
        rate(model, (table.pairs == sorted((model, other))).all(axis=1), table.models[other])
        for model in range(models)
        for other in range(models)
        if model != other and (table.pairs == sorted((model, other))).all(axis=1).any()
    ]
    return (*against_all, *against_each)


def side_bias(votes: Sequence[Vote], seed: int = 0, replicates: int = REPLICATES) -> SideBias:
    """Whether the left was chosen more often than the right, over all votes that are no tie."""
    sides: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for vote in votes:
        if vote.winner != TIE:
            sides[vote.participant][vote.winner != vote.left] += 1
    lefts = [left for _, (left, _) in sorted(sides.items())]
    both = [left + right for _, (left, right) in sorted(sides.items())]
    share = share_of(lefts, both, seed, replicates)
    p = sign_flip([2 * n - total for n, total in zip(lefts, both, strict=True)], seed, replicates)
    return SideBias(sum(lefts), sum(both) - sum(lefts), share.value, share.low, share.high, p)


def arrangement_of(event: Event) -> str:
    """How the places lay when that answer was given, a name of :data:`PLACES`; empty where it does
    not say."""
    display = event.body.get("display")
    value = display.get("arrangement") if isinstance(display, Mapping) else None
    return _OF_PAGE.get(value, "") if isinstance(value, str) else ""


def side_biases(
    plan: StudyPlan, people: Iterable[tuple[str, Sequence[Trial], Sequence[Event]]]
) -> dict[str, SideBias]:
    """The side bias of a study of pairs by arrangement, in which ``left`` counts the first place:
    the upper one in a column. ``people`` are participants' ids, trials and events; an arrangement
    that no answer tells is left out."""
    votes: dict[str, list[Vote]] = {}
    for participant, trials, events in people:
        answers = answers_of(plan, trials, events)
        arrangements = {event.id: arrangement_of(event) for event in events}
        for arrangement in PLACES:
            of_arrangement = {
                position: answer
                for position, answer in answers.items()
                if arrangements[answer.event_id] == arrangement
            }
            votes.setdefault(arrangement, []).extend(
                votes_of(plan, participant, trials, of_arrangement)
            )
    return {name: side_bias(vote, plan.seed) for name, vote in votes.items() if vote}
