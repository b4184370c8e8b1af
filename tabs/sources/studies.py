"""Data of results: a stored study, read once; and people's answers to the questions of a set, in the
form of models' answers."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypedDict

from truehue.annotation.judgments.answers import answers_of
from truehue.annotation.judgments.questions import (
    RightShares,
    answers_by_person,
    right_shares,
    target_in,
)
from truehue.annotation.participants import BEFORE_TRIALS, ExclusionRule, rule_of, too_fast
from truehue.annotation.quality.agents import MAX_STROKES, STROKE_POINTS, THRESHOLD, evidence_of
from truehue.annotation.report import Person, people_results
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import StudyPlan, from_json
from truehue.core.errors import BadInput
from truehue.core.studies import (
    Decision,
    Event,
    EventKind,
    ParticipantRecord,
    Purpose,
    State,
    StudyRecord,
    Trial,
)
from truehue.core.vlm.records import Answer, Question
from truehue.tabs.page.context import Context

NO_REASON = "no reason was given"
log = logging.getLogger("truehue")


@dataclass(frozen=True)
class StudySource:
    """A study with all that its participants saw and did, but single actions on a canvas.

    ``plan`` is the newest version: once somebody took part, none changes what people see and
    answer (:data:`truehue.tabs.studies.study.REVISABLE`), and no import brings one that does.
    """

    study: StudyRecord
    plan: StudyPlan
    rule: ExclusionRule
    rule_is_default: bool
    participants: tuple[ParticipantRecord, ...]
    trials: Mapping[str, Sequence[Trial]]
    events: Mapping[str, Sequence[Event]]
    decisions: Mapping[str, Decision]
    erased: tuple[int, ...]
    strokes: Mapping[str, Sequence[Sequence[int]]] = field(default_factory=dict)

    @property
    def people(self) -> list[Person]:
        """The participants as the science wants them, by their numbers and not by their ids: what
        is drawn by chance must not depend on an id of chance."""
        return [
            Person(
                person_name(participant.number),
                participant.number,
                [trial for trial in self.trials.get(participant.id, ()) if self._known(trial)],
                self.events.get(participant.id, ()),
                self.decision_text(participant.id),
            )
            for participant in self.participants
        ]

    def _known(self, trial: Trial) -> bool:
        return not trial.stimulus_id or trial.stimulus_id in self.plan.by_id

    def decision_text(self, participant_id: str) -> str:
        """Why a researcher left that participant out, empty where nobody did."""
        decision = self.decisions.get(participant_id)
        return (decision.reason or NO_REASON) if decision and decision.excluded else ""


def person_name(number: int) -> str:
    """What a participant is called in computations and exports: ``000007``."""
    return f"{number:06d}"


def read_source(context: Context, study_id: str) -> StudySource:
    """Reads a study. Raises NotStored for one that is not here."""
    storage = context.storage
    study = storage.studies.get(study_id)
    participants = tuple(
        sorted(
            storage.participants.of(study.id),
            key=lambda participant_record: participant_record.number,
        )
    )
    rule = storage.studies.rule(study.id)
    plan = from_json(study.plan)
    return StudySource(
        study,
        plan,
        rule_of(rule),
        rule is None or not rule.keys() & {part.name for part in fields(ExclusionRule)},
        participants,
        storage.participants.trials_of_study(study.id),
        storage.study_events.of_study(study.id, without=EventKind.ACTION),
        storage.participants.decisions(study.id),
        tuple(storage.participants.erasures(study.id)),
        strokes_of(context, plan, study.id),
    )


def strokes_of(
    context: Context, plan: StudyPlan, study_id: str
) -> Mapping[str, Sequence[Sequence[int]]]:
    """The strokes in which signs of a script are looked for, by participant; none where the study
    does not record input."""
    if not plan.record_input or plan.kind is not Kind.COLORINGS:
        return {}
    return context.storage.study_events.strokes(study_id, *STROKE_POINTS, MAX_STROKES)


def source_key(context: Context, study_id: str) -> tuple[Any, ...]:
    """Equal as long as the results of a study are: all that they depend on, by cheap questions."""
    storage = context.storage
    metrics = storage.runs.changes, storage.evidence.changes, context.deletions
    return *answers_key(context, study_id), *metrics


def answers_key(context: Context, study_id: str) -> tuple[Any, ...]:
    """The part of :func:`source_key` that is the study's own: plan, people, answers and exclusions.
    The rest changes with everything that the workbench measures."""
    storage = context.storage
    study = storage.studies.get(study_id)
    decisions = storage.participants.decisions(study.id)
    return (
        study.id,
        study.version,
        study.title,
        study.state,
        storage.study_events.count(study.id, without=EventKind.ACTION),
        len(storage.participants.of(study.id)),
        tuple(storage.participants.erasures(study.id)),
        repr(storage.studies.rule(study.id)),
        tuple(
            sorted(
                (decision.participant_id, decision.excluded, decision.at)
                for decision in decisions.values()
            )
        ),
    )


def rule_json(rule: ExclusionRule) -> dict[str, Any]:
    """The rule as it is stored and shown."""
    return asdict(rule)


class TooFast(TypedDict):
    """How many answers somebody gave in how many seconds."""

    answers: int
    seconds: float


def too_fast_json(participant: ParticipantRecord, events: Sequence[Event]) -> TooFast | None:
    """How many answers in how many seconds, where nobody can be so fast; their completion code was
    withheld."""
    kinds = Counter(event.kind for event in events)
    answers = kinds[EventKind.ANSWER] - kinds[EventKind.UNDO]
    ends = [event.at for event in events if event.kind is EventKind.ANSWER and event.at is not None]
    started_at = participant.enrolled_at
    for event in events:
        if event.kind is EventKind.ANSWER:
            break
        if event.kind in BEFORE_TRIALS and event.at is not None:
            started_at = event.at
    if not ends or not too_fast(started_at, ends[-1], answers):
        return None
    seconds = (ends[-1] - started_at).total_seconds()
    return {"answers": answers, "seconds": round(seconds, 3)}


class AgentSigns(TypedDict):
    """What the input of a participant says of a script: the ``score`` in points, whether it reaches
    the ``threshold`` (``flagged``), and the signs in words, the heaviest first. It rests on so many
    ``answers`` and ``presses``."""

    score: float
    threshold: float
    flagged: bool
    signs: list[str]
    answers: int
    presses: int


def agent_json(
    plan: StudyPlan,
    participant: ParticipantRecord,
    events: Sequence[Event],
    strokes: Sequence[Sequence[int]] = (),
) -> AgentSigns | None:
    """The signs of a script; None where the study does not record input."""
    evidence = evidence_of(plan.record_input, participant.enrolled_at, events, strokes)
    if not evidence.recorded:
        return None
    return {
        "score": evidence.score,
        "threshold": THRESHOLD,
        "flagged": evidence.flagged,
        "signs": [sign.words for sign in evidence.signs],
        "answers": evidence.answers,
        "presses": evidence.presses,
    }


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
        study = study_answers(context, record)
        if study is not None:
            results.append(study)
    return results


def study_answers(context: Context, record: StudyRecord) -> HumanAnswers | None:
    """The answers of one study; None where there is none, and for a study that cannot be read,
    which keeps nobody from the others."""
    try:
        study = _of_study(read_source(context, record.id))
    except BadInput as error:
        log.warning("study %s cannot be shown: %s", record.id, error)
        return None
    return study if study.answers else None


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
