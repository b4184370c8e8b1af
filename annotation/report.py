"""The results of a study, computed twice: with all participants and without the excluded ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from truehue.annotation.agreement import (
    Agreement,
    Fleiss,
    Scale,
    alpha,
    codes_of,
    counted,
    fleiss,
    inter_rater_spearman,
    matrix,
    strata_of,
)
from truehue.annotation.assignment.endings import ending_of
from truehue.annotation.judgments.answers import Answer, AnswerKind, Vote, answers_of, votes_of
from truehue.annotation.judgments.questions import QuestionResults, question_results
from truehue.annotation.judgments.rates import (
    ADAPTIVE_NOTES,
    ChoiceShare,
    Given,
    Rating,
    SideBias,
    WinRate,
    choices_of,
    ratings_of,
    side_bias,
    sizes_of,
    win_rates,
)
from truehue.annotation.judgments.resampling import Share, share_of
from truehue.annotation.participants import ExclusionRule, Quality, quality_of, reasons
from truehue.annotation.ranking import Ranking, rank
from truehue.annotation.screening import screening_of
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import Ending, Method, StudyPlan
from truehue.annotation.validation import (
    MIN_PAIRS,
    ChoiceValidation,
    Difference,
    RatingValidation,
    Validation,
    choice_differences,
    differences,
    nearest,
    rating_differences,
    validate,
    validate_choices,
    validate_ratings,
)
from truehue.annotation.validation import Quality as MetricQuality
from truehue.core.studies import Event, Purpose, Trial

REPLICATES = 1_000
ALPHA_REPLICATES = 200


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
    """``ending`` is how a participation ended, None while it goes on or where it timed out;
    ``excluded`` are the reasons for which they are left out, none for most."""

    id: str
    number: int
    ending: Ending | None
    quality: Quality
    excluded: tuple[str, ...]


@dataclass(frozen=True)
class GroupSummary:
    """What people said of one group of cases: ``answers`` to main trials, of which ``skips`` could
    not answer and ``ties`` saw no difference; what a kind of study does not have is empty."""

    answers: int
    skips: int
    ties: int
    win_rates: tuple[WinRate, ...]
    ratings: tuple[Rating, ...]
    choices: tuple[ChoiceShare, ...]
    alpha: Agreement | None
    skip_share: Share
    tie_share: Share


@dataclass(frozen=True)
class Summary:
    """Results over some participants. What a kind of study does not have is None or empty.

    ``wanted`` are the votes that make the study complete, ``answers`` those given to main trials by
    so many ``people``, of which ``skips`` could not answer. ``choices`` says how often a model was
    best of those shown with it. ``inter_rater`` is Spearman's correlation between two people's
    ratings. ``groups`` are the strengths by group of cases, ``by_group`` what
    else a group has. ``group_validations`` are within groups with enough pairs; ``differences`` are
    of the metric that is nearest to people against each other one, by group (all: ``""``).
    ``notes`` are what readers have to know of how numbers were made."""

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
    validations: tuple[Validation, ...]
    group_validations: Mapping[str, tuple[Validation, ...]]
    differences: Mapping[str, tuple[Difference, ...]]
    choices: tuple[ChoiceShare, ...] = ()
    by_group: Mapping[str, GroupSummary] = field(default_factory=dict)
    rating_validations: tuple[RatingValidation, ...] = ()
    choice_validations: tuple[ChoiceValidation, ...] = ()
    notes: tuple[str, ...] = ()
    skip_share: Share = field(default_factory=Share)
    tie_share: Share = field(default_factory=Share)
    people: int = 0
    questions: QuestionResults | None = None
    inter_rater: Agreement | None = None


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
    """The ``rule`` that excludes, metrics to compare with people, how to resample, how often."""

    rule: ExclusionRule
    metrics: Metrics
    seed: int = 0
    replicates: int = REPLICATES


def results(
    plan: StudyPlan, people: Sequence[Person], analysis: Analysis, step: Step = _quiet
) -> StudyResults:
    """The results of a study so far. ``step`` is told what is at work; what it raises ends it."""
    answers = {person.id: answers_of(plan, person.trials, person.events) for person in people}
    rows = tuple(_person(plan, person, answers[person.id], analysis.rule) for person in people)
    included = [person for person, result in zip(people, rows, strict=True) if not result.excluded]
    everybody = _summary(plan, people, answers, analysis, step)
    if len(included) == len(people):
        return StudyResults(rows, everybody, everybody)
    return StudyResults(rows, everybody, _summary(plan, included, answers, analysis, step))


def people_results(
    plan: StudyPlan, people: Sequence[Person], rule: ExclusionRule
) -> tuple[PersonResult, ...]:
    """What the answers of every participant say of them, and whether the rule or a decision leaves
    them out."""
    return tuple(
        _person(plan, person, answers_of(plan, person.trials, person.events), rule)
        for person in people
    )


def _person(
    plan: StudyPlan, person: Person, answers: Mapping[int, Answer], rule: ExclusionRule
) -> PersonResult:
    screening = screening_of(plan, person.number, person.events) or {}
    quality = quality_of(plan, person.trials, answers, screening)
    decision = (f"a decision: {person.decision}",) if person.decision else ()
    return PersonResult(
        person.id,
        person.number,
        ending_of(plan, person.number, person.trials, answers, person.events),
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
        (person.id, trial, answers[person.id][trial.position])
        for person in people
        for trial in person.trials
        if trial.purpose is Purpose.MAIN and trial.position in answers[person.id]
    ]
    votes: list[Vote] = []
    if plan.kind is Kind.PAIRS:
        for person in people:
            votes += votes_of(plan, person.id, person.trials, answers[person.id])
    step("strengths")
    ranking = rank(votes, analysis.seed, analysis.replicates) if votes else None
    groups = _by_group(votes, analysis, step)
    step("agreement")
    codes = codes_of(plan, main)
    rng = np.random.default_rng([analysis.seed, 1])
    nominal = plan.kind is not Kind.RATINGS
    kappa = None
    if codes and nominal:
        strata = strata_of(plan, codes)
        kappa = fleiss(counted(codes), rng, analysis.replicates, strata=strata)
    inter_rater = None
    if codes and not nominal:
        inter_rater = inter_rater_spearman(
            matrix(codes), rng, min(analysis.replicates, ALPHA_REPLICATES)
        )
    validations = _validations(plan, votes, analysis, step)
    ratings = _of_scales(plan, main, analysis, step, Kind.RATINGS, validate_ratings)
    best_of = _of_scales(plan, main, analysis, step, Kind.BEST_OF, validate_choices)
    whole = _of_group(plan, main, votes, analysis)
    return Summary(
        len(people),
        plan.answers_wanted,
        whole.answers,
        whole.skips,
        whole.ties,
        ranking,
        whole.win_rates,
        groups,
        side_bias(votes, analysis.seed, analysis.replicates) if plan.kind is Kind.PAIRS else None,
        kappa,
        whole.alpha,
        whole.ratings,
        validations[0],
        validations[1],
        {
            name: _differences(plan, name, rows, entries, analysis)
            for name, rows, entries in validations[2]
        }
        | _scale_differences(plan, main, (*ratings, *best_of), analysis),
        whole.choices,
        _groups(plan, main, votes, analysis, step),
        ratings,
        best_of,
        ADAPTIVE_NOTES if plan.method is Method.ADAPTIVE else (),
        whole.skip_share,
        whole.tie_share,
        len({person for person, *_ in main}),
        question_results(plan, main, analysis.seed, analysis.replicates),
        inter_rater,
    )


def _groups(
    plan: StudyPlan, main: Given, votes: Sequence[Vote], analysis: Analysis, step: Step
) -> dict[str, GroupSummary]:
    """Each group of cases by itself, where there are several."""
    group_of = {s.id: plan.case_by_id[s.case_id].group for s in plan.stimuli}
    names = sorted({group_of[trial.stimulus_id] for _, trial, _ in main} - {""})
    if len(names) < 2:
        return {}
    summaries = {}
    for name in names:
        step("groups")
        entries = [entry for entry in main if group_of[entry[1].stimulus_id] == name]
        summaries[name] = _of_group(
            plan, entries, [v for v in votes if v.group == name], analysis, name
        )
    return summaries


def _of_group(
    plan: StudyPlan,
    main: Given,
    votes: Sequence[Vote],
    analysis: Analysis,
    group: str | None = None,
) -> GroupSummary:
    """A group of cases, or all of them."""
    seed, replicates = analysis.seed, analysis.replicates
    scale: Scale = "interval" if plan.kind is Kind.RATINGS else "nominal"
    codes = codes_of(plan, main)
    agreement = None
    if codes:
        strata = None if plan.kind is Kind.RATINGS else strata_of(plan, codes)
        rng = np.random.default_rng([seed, 6])
        limit = min(replicates, ALPHA_REPLICATES)
        agreement = alpha(matrix(codes), scale, rng, limit, strata=strata)
    return GroupSummary(
        len(main),
        sum(answer.kind is AnswerKind.SKIP for *_, answer in main),
        sum(answer.kind is AnswerKind.TIE for *_, answer in main),
        win_rates(votes, seed, replicates, sizes=sizes_of(plan, group)),
        ratings_of(main, seed, replicates) if plan.kind is Kind.RATINGS else (),
        choices_of(main, seed, replicates) if plan.kind is Kind.BEST_OF else (),
        agreement,
        _share(main, AnswerKind.SKIP, analysis),
        _share(main, AnswerKind.TIE, analysis),
    )


def _share(main: Given, kind: AnswerKind, analysis: Analysis) -> Share:
    whole = Counter(person for person, *_ in main)
    part = Counter(person for person, _, answer in main if answer.kind is kind)
    counts = [part[person] for person in whole], list(whole.values())
    return share_of(*counts, analysis.seed, analysis.replicates)


Row = TypeVar("Row")


def _of_scales(
    plan: StudyPlan,
    main: Given,
    analysis: Analysis,
    step: Step,
    kind: Kind,
    validated: Callable[[StudyPlan, str, MetricQuality, Given, int, int], Row],
) -> tuple[Row, ...]:
    """Every metric against ratings or choices, in studies of that kind."""
    if plan.kind is not kind or not main:
        return ()
    rows = []
    for metric, quality in analysis.metrics.items():
        step("metrics")
        rows.append(validated(plan, metric, quality, main, analysis.seed, analysis.replicates))
    return tuple(rows)


_OfGroup = tuple[str, tuple[Validation, ...], Sequence[Vote]]


def _validations(
    plan: StudyPlan, votes: Sequence[Vote], analysis: Analysis, step: Step
) -> tuple[tuple[Validation, ...], dict[str, tuple[Validation, ...]], list[_OfGroup]]:
    """Every metric against all votes, within groups of enough pairs, and both with their votes."""
    if not votes or not analysis.metrics:
        return (), {}, []

    def validated(entries: Sequence[Vote], text: str, group: str | None) -> tuple[Validation, ...]:
        sizes = sizes_of(plan, group)
        rows = []
        for metric, quality in analysis.metrics.items():
            step(text)
            rng = np.random.default_rng([analysis.seed, 4])
            rows.append(validate(metric, quality, entries, rng, analysis.replicates, sizes=sizes))
        return tuple(rows)

    every: _OfGroup = ("", validated(votes, "metrics", None), votes)
    groups: dict[str, tuple[Validation, ...]] = {}
    parts = [every]
    for name in sorted({vote.group for vote in votes if vote.group}):
        source = [vote for vote in votes if vote.group == name]
        if len({(v.case_id, *sorted((v.left, v.right))) for v in source}) >= MIN_PAIRS:
            groups[name] = validated(source, "metrics by group", name)
            parts.append((name, groups[name], source))
    return every[1], groups, parts


def _differences(
    plan: StudyPlan,
    group: str,
    validations: Sequence[Validation],
    votes: Sequence[Vote],
    analysis: Analysis,
) -> tuple[Difference, ...]:
    """The metric that is nearest to people against the others, where there are enough pairs."""
    best = nearest(validations)
    if best is None:
        return ()
    sizes = sizes_of(plan, group or None)
    seed, replicates = analysis.seed, analysis.replicates
    return differences(analysis.metrics, best.metric, votes, seed, replicates, sizes=sizes)


def _scale_differences(
    plan: StudyPlan,
    main: Given,
    validations: Sequence[RatingValidation | ChoiceValidation],
    analysis: Analysis,
) -> dict[str, tuple[Difference, ...]]:
    """The same of ratings and of the best of four."""
    best = nearest(validations)
    if best is None:
        return {}
    of_kind = rating_differences if plan.kind is Kind.RATINGS else choice_differences
    metrics, seed, replicates = analysis.metrics, analysis.seed, analysis.replicates
    return {"": of_kind(plan, metrics, best.metric, main, seed, replicates)}


def _by_group(votes: Sequence[Vote], analysis: Analysis, step: Step) -> dict[str, Ranking]:
    """The ranking within each group of cases, where there are several."""
    names = sorted({vote.group for vote in votes if vote.group})
    if len(names) < 2:
        return {}
    rankings = {}
    for name in names:
        step("strengths by group")
        entries = [vote for vote in votes if vote.group == name]
        rankings[name] = rank(entries, analysis.seed, analysis.replicates)
    return rankings
