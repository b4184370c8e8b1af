"""People's answers to a set, from the studies that used it: the row beside models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, TypedDict

from truehue.annotation.judgments.questions import MacroShare, RightShare
from truehue.annotation.judgments.resampling import FEW_PEOPLE
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.records import Outcome, Question
from truehue.tabs.page.roles import Actor, allowed
from truehue.tabs.sources.studies import HumanAnswers, human_answers

if TYPE_CHECKING:
    from truehue.tabs.page.context import Context


class TallyJson(TypedDict):
    """Counts, the accuracy in percent with its 95% interval, and chance."""

    right: int
    wrong: int
    unreadable: int
    truncated: int
    unanswered: int
    not_asked: int
    asked: int
    percent: float | None
    low: float | None
    high: float | None
    chance: float | None
    mark: str


class PeopleTally(TallyJson):
    """The same of so many people; ``over`` says what the interval is over."""

    questions: int
    people: int
    over: str


class MacroJson(TypedDict):
    """The mean of the accuracies of so many tasks, in percent."""

    percent: float | None
    low: float | None
    high: float | None
    chance: float | None
    tasks: int


class PeopleScores(TypedDict):
    """The accuracy of the participants of a study; ``few`` are too few to resample."""

    id: str
    title: str
    state: str
    participants: int
    few: bool
    excluded: int
    answers: int
    over: str
    tasks: dict[str, PeopleTally]
    micro: PeopleTally
    macro: MacroJson | None


class PeopleAnswers(TypedDict):
    """The answers of a study to one question: ``given`` counts them by their reading."""

    study: str
    title: str
    given: dict[str, int]
    skipped: int
    right: int
    of: int


def studies_of(context: Context, actor: Actor, question_set: QuestionSet) -> list[HumanAnswers]:
    """The studies that asked people questions of a set; none for who may not see studies."""
    return human_answers(context, question_set.sha256) if allowed(actor, "study") else []


def people_json(
    studies: Sequence[HumanAnswers], questions: Sequence[Question]
) -> list[PeopleScores]:
    """Shares right of each study by task, in percent, over the people who count."""
    rows: list[PeopleScores] = []
    for study in studies:
        shares = study.shares(questions)
        rows.append(
            {
                "id": study.study_id,
                "title": study.title,
                "state": study.state.value,
                "participants": study.participants,
                "few": study.participants < FEW_PEOPLE,
                "excluded": study.excluded,
                "answers": shares.overall.answers,
                "over": shares.overall.over,
                "tasks": {task.task: share_json(task) for task in shares.tasks if task.answers},
                "micro": share_json(shares.overall),
                "macro": None if shares.macro is None else _macro_json(shares.macro),
            }
        )
    return rows


def share_json(right_share: RightShare) -> PeopleTally:
    """As of a model's tally: percent right of all answers; "I cannot tell" is unreadable."""
    return {
        "right": right_share.right,
        "wrong": right_share.wrong,
        "unreadable": right_share.skips,
        "truncated": 0,
        "unanswered": 0,
        "not_asked": 0,
        "asked": right_share.answers,
        "percent": _percent(right_share.share.value),
        "low": _percent(right_share.share.low),
        "high": _percent(right_share.share.high),
        "chance": _percent(right_share.chance),
        "questions": right_share.questions,
        "people": right_share.people,
        "over": right_share.over,
        "mark": "",
    }


def _macro_json(macro_share: MacroShare) -> MacroJson:
    share = macro_share.share
    return {
        "percent": _percent(share.value),
        "low": _percent(share.low),
        "high": _percent(share.high),
        "chance": _percent(macro_share.chance),
        "tasks": macro_share.tasks,
    }


def _percent(share: float | None) -> float | None:
    return None if share is None or not isfinite(share) else 100.0 * share


def submitted_json(studies: Sequence[HumanAnswers], question: Question) -> list[PeopleAnswers]:
    """What people answered to one question, study by study."""
    rows: list[PeopleAnswers] = []
    for study in studies:
        answers = [
            answer
            for of_person in study.answers.values()
            for answer in of_person
            if answer.question_id == question.question_id
        ]
        if not answers:
            continue
        readings = Counter(answer.reading for answer in answers if answer.reading is not None)
        rows.append(
            {
                "study": study.study_id,
                "title": study.title,
                "given": dict(sorted(readings.items())),
                "skipped": sum(answer.reading is None for answer in answers),
                "right": sum(answer.outcome is Outcome.RIGHT for answer in answers),
                "of": len(answers),
            }
        )
    return rows
