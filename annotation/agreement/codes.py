"""Answers as numbers that do not depend on sides, as measures of agreement take them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from truehue.annotation.judgments.answers import Answer, AnswerKind
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import Trial

Codes = list[tuple[str, str, int]]
"""Participant, stimulus, and what was answered: the rating, the place of a question's choice, or
the place of the chosen model in the order of names, and after these the tie."""


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
