"""What people answered to a set of questions in studies, in the form of models' answers."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from truehue.annotation.judgments.answers import answers_of
from truehue.annotation.judgments.questions import (
    RightShares,
    answers_by_person,
    right_shares,
    target_in,
)
from truehue.annotation.report import people_results
from truehue.core.errors import BadInput
from truehue.core.studies import Purpose, State
from truehue.core.vlm.records import Answer, Question
from truehue.tabs.page.context import Context
from truehue.tabs.studies.results_source import StudySource, read_source

log = logging.getLogger("truehue")


@dataclass(frozen=True)
class HumanAnswers:
    """One study of the set.

    ``answers`` are by participant, of those who count after the study's exclusions and answered
    something; their names are their own in all studies, so that several can be taken together.
    ``excluded`` is how many are left out; ``state`` whether it still goes on; ``asked`` are the ids
    of the questions that the study asks, which may be a part of the set.
    """

    study_id: str
    title: str
    state: State
    seed: int
    excluded: int
    asked: frozenset[str]
    answers: Mapping[str, Sequence[Answer]]

    @property
    def participants(self) -> int:
        """Who count and answered something."""
        return len(self.answers)

    def shares(self, questions: Sequence[Question]) -> RightShares:
        """Shares right with intervals by task; ``questions`` are those of the set."""
        own = [question for question in questions if question.question_id in self.asked]
        return right_shares(target_in(own), self.answers, self.seed)


def human_answers(context: Context, set_sha256: str) -> list[HumanAnswers]:
    """Of every study that asked questions of the set with that SHA-256 and has an answer, the
    newest first."""
    results = []
    for record in context.storage.studies.all():
        named = record.plan.get("question_set")
        if not isinstance(named, Mapping) or named.get("sha256") != set_sha256:
            continue
        try:
            study = _of_study(read_source(context, record.id))
        except BadInput as error:  # one that cannot be read keeps nobody from the others
            log.warning("study %s cannot be shown: %s", record.id, error)
            continue
        if study.answers:
            results.append(study)
    return results


def _of_study(source: StudySource) -> HumanAnswers:
    plan = source.plan
    people = source.people
    rows = people_results(plan, people, source.rule)
    out = {row.id for row in rows if row.excluded}
    values = [
        (f"{source.study.id}:{person.id}", trial, answer)
        for person in people
        if person.id not in out
        for answers in (answers_of(plan, person.trials, person.events),)
        for trial in person.trials
        if trial.purpose is Purpose.MAIN and (answer := answers.get(trial.position)) is not None
    ]
    return HumanAnswers(
        source.study.id,
        source.study.title,
        source.study.state,
        plan.seed,
        len(out),
        frozenset(case.question.question_id for case in plan.cases if case.question is not None),
        answers_by_person(plan, values),
    )
