"""The results of a study: everything computed twice, with everybody and without those excluded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.agreement.alpha import Scale, alpha
from annotation.agreement.fleiss import Agreement, Fleiss, fleiss
from annotation.judgments.answers import Answer, AnswerKind, answers_of, votes_of
from annotation.judgments.rates import SideBias, WinRate, side_bias, win_rates
from annotation.judgments.resampling import tail, weights
from annotation.judgments.votes import Vote
from annotation.participants.quality import ExclusionRule, Quality, quality_of, reasons
from annotation.participants.screening import patches_for, plates_for, scored
from annotation.ranking.strengths import Ranking, rank
from annotation.studies.cases import Kind
from annotation.studies.plan import StudyPlan
from annotation.validation.differences import LEAST_PAIRS, Difference, differences
from annotation.validation.metrics import Quality as MetricQuality
from annotation.validation.metrics import Validation, validate
from core.studies import Event, EventKind, Purpose, Trial

REPLICATES = 1_000


@dataclass(frozen=True)
class Person:
    """One participant as they are stored. ``decision`` is a researcher's reason to leave them out,
    empty without one."""

    id: str
    number: int
    trials: Sequence[Trial]
    events: Sequence[Event]
    decision: str = ""


@dataclass(frozen=True)
class PersonResult:
    """``excluded`` are the reasons for which a participant is left out, none for most."""

    id: str
    number: int
    finished: bool
    withdrawn: bool
    quality: Quality
    excluded: tuple[str, ...]


@dataclass(frozen=True)
class Rating:
    """The mean rating of a model's images, 0 to 10, with its interval over participants."""

    model: str
    mean: float
    low: float
    high: float
    ratings: int


@dataclass(frozen=True)
class Summary:
    """Results over some participants. What a kind of study does not have is None or empty.

    ``wanted`` are the votes that make the study complete, ``answers`` those given to main trials,
    of which ``skips`` could not answer. ``first_choices`` counts by model how often it was best.
    ``group_validations`` are within groups of cases with enough pairs; ``differences`` are of the
    metric with the highest correlation against each other one, by group, over all under ``""``.
    """

    participants: int
    wanted: int
    answers: int
    skips: int
    ties: int
    ranking: Ranking | None
    win_rates: tuple[WinRate, ...]
    groups: Mapping[str, Ranking]
    side_bias: SideBias | None
    fleiss: Fleiss | None
    alpha: Agreement | None
    ratings: tuple[Rating, ...]
    first_choices: Mapping[str, int]
    validations: tuple[Validation, ...]
    group_validations: Mapping[str, tuple[Validation, ...]]
    differences: Mapping[str, tuple[Difference, ...]]


@dataclass(frozen=True)
class StudyResults:
    """``everybody`` and ``included`` are equal where nobody is excluded."""

    people: tuple[PersonResult, ...]
    everybody: Summary
    included: Summary


Metrics = Mapping[str, MetricQuality]
"""By metric, case and model: a number of which more is better."""

Step = Callable[[str], None]
"""Is told in a word or two what is computed next."""


def _quiet(_: str) -> None:
    """Tells nobody."""


@dataclass(frozen=True)
class Analysis:
    """How results are computed: the ``rule`` that excludes, metrics to compare with people, the
    ``seed`` of all resampling, and the number of resamples."""

    rule: ExclusionRule
    metrics: Metrics
    seed: int = 0
    replicates: int = REPLICATES


def results(
    plan: StudyPlan, people: Sequence[Person], analysis: Analysis, step: Step = _quiet
) -> StudyResults:
    """The results of a study so far. ``step`` is told what is at work; what it raises ends it."""
    answers = {person.id: answers_of(plan, person.trials, person.events) for person in people}
    told = tuple(_person(plan, person, answers[person.id], analysis.rule) for person in people)
    included = [person for person, result in zip(people, told, strict=True) if not result.excluded]
    everybody = _summary(plan, people, answers, analysis, step)
    if len(included) == len(people):
        return StudyResults(told, everybody, everybody)
    return StudyResults(told, everybody, _summary(plan, included, answers, analysis, step))


def _person(
    plan: StudyPlan, person: Person, answers: Mapping[int, Answer], rule: ExclusionRule
) -> PersonResult:
    kinds = {event.kind for event in person.events}
    screening: Mapping[str, object] = {}
    for event in person.events:
        if event.kind is EventKind.SCREENING:
            plates = plates_for(plan.seed, person.number)
            patches = patches_for(plan.seed, person.number)
            screening = scored(event.body, plates, patches)
    quality = quality_of(plan, person.trials, answers, screening)
    decision = (f"a decision: {person.decision}",) if person.decision else ()
    return PersonResult(
        person.id,
        person.number,
        EventKind.FINISH in kinds,
        EventKind.WITHDRAWAL in kinds,
        quality,
        (*decision, *reasons(quality, rule)),
    )


def _summary(
    plan: StudyPlan,
    people: Sequence[Person],
    answers: Mapping[str, Mapping[int, Answer]],
    analysis: Analysis,
    step: Step,
) -> Summary:
    main = [
        (person, trial, answers[person.id][trial.position])
        for person in people
        for trial in person.trials
        if trial.purpose is Purpose.MAIN and trial.position in answers[person.id]
    ]
    skips = sum(answer.kind is AnswerKind.SKIP for *_, answer in main)
    ties = sum(answer.kind is AnswerKind.TIE for *_, answer in main)
    votes: list[Vote] = []
    if plan.kind is Kind.PAIRS:
        for person in people:
            votes += votes_of(plan, person.id, person.trials, answers[person.id])
    given = [entry for entry in main if entry[2].kind is not AnswerKind.SKIP]
    codes = _codes(plan, given)
    rng = np.random.default_rng([analysis.seed, 1])
    choices: dict[str, int] = {}
    if plan.kind is Kind.BEST_OF:
        choices = dict.fromkeys(sorted({model for s in plan.stimuli for model in s.models}), 0)
        for _, trial, answer in given:
            if answer.value is not None:
                choices[trial.order[answer.value]] += 1
    nominal = plan.kind is not Kind.RATINGS
    scale: Scale = "nominal" if nominal else "interval"
    step("strengths")
    ranking = rank(votes, analysis.seed, analysis.replicates) if votes else None
    groups = _by_group(votes, analysis, step)
    step("agreement")
    kappa = fleiss(_counts(codes), rng, analysis.replicates) if codes and nominal else None
    agreement = alpha(_matrix(codes), scale, rng, min(analysis.replicates, 200)) if codes else None
    validations = _validations(votes, analysis, step)
    return Summary(
        len(people),
        plan.answers_wanted,
        len(main),
        skips,
        ties,
        ranking,
        win_rates(votes, analysis.seed, analysis.replicates),
        groups,
        side_bias(votes) if plan.kind is Kind.PAIRS else None,
        kappa,
        agreement,
        _ratings(given, analysis) if plan.kind is Kind.RATINGS else (),
        choices,
        validations[0],
        validations[1],
        {name: _differences(told, of, analysis) for name, told, of in validations[2]},
    )


_OfGroup = tuple[str, tuple[Validation, ...], Sequence[Vote]]


def _validations(
    votes: Sequence[Vote], analysis: Analysis, step: Step
) -> tuple[tuple[Validation, ...], dict[str, tuple[Validation, ...]], list[_OfGroup]]:
    """Every metric against all votes, within groups of enough pairs, and both with their votes."""
    if not votes or not analysis.metrics:
        return (), {}, []

    def told(of: Sequence[Vote], words: str) -> tuple[Validation, ...]:
        rows = []
        for metric, quality in analysis.metrics.items():
            step(words)
            rng = np.random.default_rng([analysis.seed, 4])
            rows.append(validate(metric, quality, of, rng, analysis.replicates))
        return tuple(rows)

    every: _OfGroup = ("", told(votes, "metrics"), votes)
    groups: dict[str, tuple[Validation, ...]] = {}
    parts = [every]
    for name in sorted({vote.group for vote in votes if vote.group}):
        of = [vote for vote in votes if vote.group == name]
        if len({(v.case_id, *sorted((v.left, v.right))) for v in of}) >= LEAST_PAIRS:
            groups[name] = told(of, "metrics by group")
            parts.append((name, groups[name], of))
    return every[1], groups, parts


def _differences(
    validations: Sequence[Validation], votes: Sequence[Vote], analysis: Analysis
) -> tuple[Difference, ...]:
    """The metric of the highest correlation against the others, where there are enough pairs."""
    able = [one for one in validations if np.isfinite(one.pearson.value)]
    if not able:
        return ()
    best = max(able, key=lambda one: one.pearson.value)
    if best.pairs < LEAST_PAIRS:
        return ()
    return differences(analysis.metrics, best.metric, votes, analysis.seed, analysis.replicates)


def _by_group(votes: Sequence[Vote], analysis: Analysis, step: Step) -> dict[str, Ranking]:
    """The ranking within each group of cases, where there are several."""
    names = sorted({vote.group for vote in votes if vote.group})
    if len(names) < 2:
        return {}
    rankings = {}
    for name in names:
        step("strengths by group")
        of = [vote for vote in votes if vote.group == name]
        rankings[name] = rank(of, analysis.seed, analysis.replicates)
    return rankings


Codes = list[tuple[str, str, int]]
"""Participant, stimulus, and what was answered as a number that does not depend on sides."""


def _codes(plan: StudyPlan, given: Sequence[tuple[Person, Trial, Answer]]) -> Codes:
    codes: Codes = []
    for person, trial, answer in given:
        if answer.kind is AnswerKind.RATING:
            code = int(answer.value or 0)
        elif answer.value is None:
            code = len(trial.order)
        else:
            code = plan.by_id[trial.stimulus_id].models.index(trial.order[answer.value])
        codes.append((person.id, trial.stimulus_id, code))
    return codes


def _counts(codes: Codes) -> np.ndarray:
    """int ``(stimuli, categories)``: how many people answered what."""
    rows = {name: i for i, name in enumerate(sorted({stimulus for _, stimulus, _ in codes}))}
    counts = np.zeros((len(rows), max(code for *_, code in codes) + 1), dtype=np.int64)
    for _, stimulus, code in codes:
        counts[rows[stimulus], code] += 1
    return counts


def _matrix(codes: Codes) -> np.ndarray:
    """float ``(people, stimuli)``, NaN where somebody did not answer."""
    people = {name: i for i, name in enumerate(sorted({person for person, *_ in codes}))}
    columns = {name: i for i, name in enumerate(sorted({stimulus for _, stimulus, _ in codes}))}
    matrix = np.full((len(people), len(columns)), np.nan)
    for person, stimulus, code in codes:
        matrix[people[person], columns[stimulus]] = code
    return matrix


def _ratings(
    given: Sequence[tuple[Person, Trial, Answer]], analysis: Analysis
) -> tuple[Rating, ...]:
    """The mean rating of each model, with intervals over resampled participants."""
    models = sorted({trial.order[0] for _, trial, _ in given})
    people = {name: i for i, name in enumerate(sorted({person.id for person, *_ in given}))}
    sums, counts = np.zeros((len(people), len(models))), np.zeros((len(people), len(models)))
    for person, trial, answer in given:
        at = people[person.id], models.index(trial.order[0])
        sums[at] += int(answer.value or 0)
        counts[at] += 1
    rows = []
    drawn = weights(len(people), analysis.replicates, np.random.default_rng([analysis.seed, 2]))
    for column, model in enumerate(models):
        low = high = float("nan")
        total = drawn @ counts[:, column]
        if len(people) > 1 and (total > 0).any():
            outside = tail(len(people))
            means = (drawn @ sums[:, column])[total > 0] / total[total > 0]
            low, high = (float(v) for v in np.quantile(means, [outside, 1 - outside]))
        number = counts[:, column].sum()
        rows.append(Rating(model, float(sums[:, column].sum() / number), low, high, int(number)))
    return tuple(rows)
