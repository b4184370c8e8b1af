"""Participants: the quality of their answers, and which exclusions follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

import numpy as np

from truehue.annotation.assignment.endings import failed_checks, right, rounds
from truehue.annotation.assignment.ledger import Excludes, Exclusions
from truehue.annotation.judgments.answers import Answer, AnswerKind
from truehue.annotation.screening import screening_of
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import Method, StudyPlan
from truehue.core.studies import (
    ColoringMark,
    Event,
    EventKind,
    LogEntry,
    LogKind,
    MarkKind,
    Purpose,
    Trial,
)

FAST_MS = 400.0
"""An answer faster than this can hardly rest on having looked at both images."""

MIN_ANSWER_S = 1.0
"""Seconds that an answer takes at least, on average from coming in to finishing."""
BEFORE_TRIALS = (EventKind.SURVEY, EventKind.SCREENING)
"""What participants do before the first trial, which takes time that is not for answers."""
_ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)
_KEPT = {"kept": True, "discarded": False}


@dataclass(frozen=True)
class Quality:
    """What a participant's answers say of how they were given; None where nothing was asked.

    ``attention`` is the share of attention checks answered as told; ``consistency`` of repeated
    trials with the same answer, sides turned back (ratings: within one step); ``fast`` of main
    answers under ``FAST_MS``; ``one_side`` of main answers at the most chosen place; ``skipped`` of
    main trials answered by a skip. ``median_ms`` is of main answers. ``plates`` is the share of
    color-vision plates read right, ``screen`` whether the darkest and the lightest patches could be
    told apart. ``training`` is the share of training trials answered right, one number a round,
    of the rounds that were answered. ``planned`` are the main trials that they get in the end:
    where they come in batches, more than the ``trials`` so far, unless no more was left to ask.
    ``unscreened``: the study has a screening, and they did not take it. ``failed_checks``: their part
    ended because they missed too many attention checks, or did not pass a required training.
    """

    answered: int
    trials: int
    attention: float | None
    consistency: float | None
    fast: float | None
    one_side: float | None
    skipped: float | None
    median_ms: float | None
    plates: float | None
    screen: bool | None
    training: tuple[float, ...] = ()
    planned: int = 0
    unscreened: bool = False
    failed_checks: bool = False


@dataclass(frozen=True)
class ExclusionRule:
    """Bounds beyond which a participant is left out of results; None does not look.

    The defaults look at attention alone, as recruiting sites accept it: half of the checks.
    ``least_training`` is asked of the last round.
    """

    least_attention: float | None = 0.5
    least_consistency: float | None = None
    most_fast: float | None = None
    most_one_side: float | None = None
    least_answered: float | None = None
    least_plates: float | None = None
    screen: bool = False
    least_training: float | None = None


def quality_of(
    plan: StudyPlan,
    trials: Sequence[Trial],
    answers: Mapping[int, Answer],
    screening: Mapping[str, object],
) -> Quality:
    """The quality of one participant. ``screening`` is what :func:`screening_of` makes of theirs:
    ``read`` and ``shown`` count plates, ``dark`` and ``light`` say whether patches were told
    apart."""
    main = [trial for trial in trials if trial.purpose is Purpose.MAIN]
    values = [answers[trial.position] for trial in main if trial.position in answers]
    chosen = [answer for answer in values if answer.kind is not AnswerKind.SKIP]
    checks = [
        answers[trial.position].value == trial.expected
        for trial in trials
        if trial.purpose is Purpose.ATTENTION and trial.position in answers
    ]
    repeats = [
        _same(plan, answers[trial.original], answers[trial.position])
        for trial in trials
        if trial.original is not None
        and {trial.original, trial.position} <= answers.keys()
        # Of colorings truehue.annotation.quality says whether two are consistent.
        and plan.kind is not Kind.COLORINGS
    ]
    positions = np.bincount([answer.value for answer in chosen if answer.value is not None] or [0])
    times = [answer.response_ms for answer in chosen]
    placed = sum(answer.value is not None for answer in chosen)
    shown, read = screening.get("shown"), screening.get("read")
    dark, light = screening.get("dark"), screening.get("light")
    return Quality(
        len(values),
        len(main),
        _share(checks),
        _share(repeats),
        _share([time < FAST_MS for time in times]),
        float(positions.max() / placed) if placed else None,
        _share([answer.kind is AnswerKind.SKIP for answer in values]),
        float(np.median(times)) if times else None,
        float(read) / float(shown)
        if isinstance(shown, int) and isinstance(read, int) and shown
        else None,
        bool(dark and light) if isinstance(dark, bool) and isinstance(light, bool) else None,
        # Practice sketches have no right answer.
        () if plan.kind is Kind.COLORINGS else _training(plan, trials, answers),
        _planned(plan, len(main), len(values)),
        (plan.screening.plates or plan.screening.patches) and not screening,
        failed_checks(plan, trials, answers),
    )


def too_fast(started_at: datetime, finished_at: datetime, answers: int) -> bool:
    """Whether nobody can have given so many answers in that time: from the enrolment, or the last of
    :data:`BEFORE_TRIALS` before the first answer, to the last answer. Both times are the server's:
    what a page says of response times can be made up. Answers that were given offline and sent
    together have all the time since then. Equal times are those of a clock that was set
    back and stands still until it has caught up: they say nothing."""
    seconds = (finished_at - started_at).total_seconds()
    return 0 < seconds < MIN_ANSWER_S * answers


def reasons(quality: Quality, rule: ExclusionRule) -> tuple[str, ...]:
    """Why a rule leaves a participant out, in words with the numbers; empty where it does not.

    What was not asked of a participant excludes nobody. Every rule excludes participants whom the
    study's own checks ended.
    """
    grounds: list[str] = []
    if quality.failed_checks:
        grounds.append("the study ended for them: too many checks or training trials were wrong")
    for value, least, text in (
        (quality.attention, rule.least_attention, "of the attention checks passed"),
        (quality.consistency, rule.least_consistency, "of the repeats answered the same"),
        (quality.plates, rule.least_plates, "of the plates read"),
        (
            quality.training[-1] if quality.training else None,
            rule.least_training,
            "of the last training round right",
        ),
        (
            quality.answered / quality.planned if quality.planned else None,
            rule.least_answered,
            "of the trials answered",
        ),
    ):
        if value is not None and least is not None and value < least:
            grounds.append(f"{value:.0%} {text}, below {least:.0%}")
    for value, limit, text in (
        (quality.fast, rule.most_fast, f"of the answers under {FAST_MS:.0f} ms"),
        (quality.one_side, rule.most_one_side, "of the answers at one place"),
    ):
        if value is not None and limit is not None and value > limit:
            grounds.append(f"{value:.0%} {text}, above {limit:.0%}")
    if quality.unscreened and (rule.screen or rule.least_plates is not None):
        grounds.append("the screening of the study was not taken")
    if rule.screen and quality.screen is False:
        grounds.append("a screen on which the darkest or the lightest patches look the same")
    return tuple(grounds)


def _planned(plan: StudyPlan, trials: int, answered: int) -> int:
    """Batches come before the last one is answered: whoever answered all that they have got, and
    got no more, was at the end."""
    if plan.method is Method.BALANCED or answered == trials:
        return trials
    return min(plan.trials, len(plan.main_stimuli))


def _training(
    plan: StudyPlan, trials: Sequence[Trial], answers: Mapping[int, Answer]
) -> tuple[float, ...]:
    answered = [
        [right(trial, answers) for trial in values if trial.position in answers]
        for values in rounds(plan, trials)
    ]
    return tuple(sum(values) / len(values) for values in answered if values)


def _same(plan: StudyPlan, first: Answer, again: Answer) -> bool:
    """Whether a repeat got the same answer; its order is the reverse of the first."""
    if first.kind is not again.kind:
        return False
    if first.value is None or again.value is None:
        return True
    if first.kind is AnswerKind.RATING:
        return abs(first.value - again.value) <= 1
    if plan.kind is Kind.QUESTIONS:  # choices keep the order of their letters
        return first.value == again.value
    return first.value == plan.choice_count - 1 - again.value


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def exclusions_of(
    plan: StudyPlan,
    log: Iterable[LogEntry],
    marks: Iterable[ColoringMark] = (),
    numbers: Mapping[str, int] | None = None,
) -> Exclusions:
    """The exclusions of a study. ``log`` is all that happened to it, ``marks`` are those on its
    colorings, and ``numbers`` the participants' numbers by their ids."""
    rules: list[tuple[datetime, Excludes]] = [(_ALWAYS, excluded_by(plan, ExclusionRule()))]
    decisions: dict[int, list[tuple[datetime, bool]]] = defaultdict(list)
    marked: dict[int, list[tuple[datetime, int, bool | None]]] = defaultdict(list)
    for entry in log:
        if entry.kind is LogKind.RULE:
            rules.append((entry.at, excluded_by(plan, rule_of(entry.body["rule"]))))
        elif entry.kind is LogKind.DECISION:
            number = entry.body["participant_number"]
            decisions[number].append((entry.at, bool(entry.body["excluded"])))
    known = numbers or {}
    for mark in marks:
        if mark.kind is MarkKind.KEEP and mark.participant_id in known:
            row = mark.at, mark.position, _KEPT.get(mark.value)
            marked[known[mark.participant_id]].append(row)
    return Exclusions(tuple(rules), dict(decisions), dict(marked))


def excluded_by(plan: StudyPlan, rule: ExclusionRule) -> Excludes:
    """Whether a rule excludes a participant of that plan."""

    def excludes(
        number: int,
        trials: Sequence[Trial],
        answers: Mapping[int, Answer],
        screening: Sequence[Event],
    ) -> bool:
        read = screening_of(plan, number, screening) or {}
        return bool(reasons(quality_of(plan, trials, answers, read), rule))

    return excludes


def rule_of(stored: Mapping[str, Any] | None) -> ExclusionRule:
    """The rule of exclusion as it is stored, the default one where none is."""
    if stored is None:
        return ExclusionRule()
    names = {field.name for field in fields(ExclusionRule)}
    return ExclusionRule(**{name: value for name, value in stored.items() if name in names})
