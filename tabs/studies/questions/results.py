"""People's accuracy on questions, as JSON for results."""

from __future__ import annotations

from typing import TypedDict

from truehue.annotation.judgments.questions import (
    PARTICIPANTS,
    MacroShare,
    QuestionResults,
    RightShare,
    RightShares,
)
from truehue.annotation.judgments.resampling import Share
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.vlm.records import LETTERS, Form
from truehue.tabs.studies.questions.sets import task_name
from truehue.tabs.studies.results_numbers import StudyNumberJson, number, plain

NOT_ASKED = "No answers for this task yet."
OVER_PEOPLE = "participants are resampled, which says how other people would do on these questions"
OVER_QUESTIONS = (
    "where resampling people has no width (one person answered, or all alike), Wilson’s over "
    "questions, which says how these people would do on others"
)


class ChoiceText(TypedDict):
    """A choice with what a participant's page calls it."""

    letter: str
    text: str


class QuestionSetting(TypedDict):
    """A question; ``right`` is the index of the right choice."""

    case: str
    task: str
    words: str
    image: str
    choices: list[ChoiceText]
    right: int


class QuestionShare(TypedDict):
    """The right answers of a task, or of all questions."""

    task: str
    name: str
    share: StudyNumberJson
    told: StudyNumberJson
    right: int
    wrong: int
    skips: int
    answers: int
    questions: int
    people: int
    chance: float | None
    over: str
    over_words: str


class TaskMean(TypedDict):
    """The mean of the tasks' shares."""

    name: str
    share: StudyNumberJson
    chance: float
    tasks: int
    over: str
    over_words: str


class QuestionShares(TypedDict):
    """Right answers by task, over all questions, and as the mean of tasks."""

    tasks: list[QuestionShare]
    overall: QuestionShare
    macro: TaskMean | None


class QuestionAnswers(TypedDict):
    """How often each choice of a question was given."""

    counts: list[int]
    skips: int


class PersonAnswers(TypedDict):
    """What a participant got right."""

    number: int
    right: int
    answers: int
    skips: int


class QuestionResultsJson(QuestionShares):
    """What people got right; ``answers`` are by question."""

    answers: dict[str, QuestionAnswers]
    by_person: list[PersonAnswers]


def log_json(plan: StudyPlan) -> list[QuestionSetting]:
    """All questions of a study in their order; empty for another study."""
    if plan.kind is not Kind.QUESTIONS:
        return []
    return [
        {
            "case": case.id,
            "task": task_name(case.group),
            "words": case.words,
            "image": case.question.image_id,
            "choices": [
                {"letter": letter_of(case.question.form, index), "text": text}
                for index, text in enumerate(case.question.choices)
            ],
            "right": case.question.right,
        }
        for case in plan.cases
        if case.question is not None
    ]


def letter_of(form: Form, index: int) -> str:
    """What a participant's page calls a choice: its letter, or Y and N."""
    return "YN"[index] if form is Form.BINARY else LETTERS[index]


def questions_json(question_results: QuestionResults | None) -> QuestionResultsJson | None:
    """Shares by task and over all, answers by question and by participant; None of another kind."""
    if question_results is None:
        return None
    return {
        **shares_json(question_results.shares),
        "answers": {
            question.case_id: {"counts": list(question.counts), "skips": question.skips}
            for question in question_results.questions
        },
        "by_person": [
            {
                "number": int(person.participant),
                "right": person.right,
                "answers": person.answers,
                "skips": person.skips,
            }
            for person in question_results.shares.people
        ],
    }


def shares_json(shares: RightShares) -> QuestionShares:
    """``tasks``, ``overall`` and ``macro``; shares are 0 to 1."""
    return {
        "tasks": [_share_json(task) for task in shares.tasks],
        "overall": _share_json(shares.overall),
        "macro": None if shares.macro is None else _macro_json(shares.macro),
    }


def _share_json(right_share: RightShare) -> QuestionShare:
    return {
        "task": right_share.task,
        "name": task_name(right_share.task) if right_share.task else "All questions (micro)",
        "share": _number(right_share.share),
        "told": _number(right_share.told),
        "right": right_share.right,
        "wrong": right_share.wrong,
        "skips": right_share.skips,
        "answers": right_share.answers,
        "questions": right_share.questions,
        "people": right_share.people,
        "chance": plain(right_share.chance),
        "over": right_share.over,
        "over_words": OVER_PEOPLE if right_share.over == PARTICIPANTS else OVER_QUESTIONS,
    }


def _macro_json(macro_share: MacroShare) -> TaskMean:
    return {
        "name": f"Mean of {macro_share.tasks} tasks (macro)",
        "share": _number(macro_share.share),
        "chance": macro_share.chance,
        "tasks": macro_share.tasks,
        "over": macro_share.over,
        "over_words": OVER_PEOPLE if macro_share.over == PARTICIPANTS else OVER_QUESTIONS,
    }


def _number(share: Share) -> StudyNumberJson:
    return number(share.value, share.low, share.high, NOT_ASKED)
