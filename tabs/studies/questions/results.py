"""What people got right of questions, as plain JSON for the page of results and its exports."""

from __future__ import annotations

from typing import Any

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
from truehue.tabs.studies.results_numbers import number, plain

Json = dict[str, Any]
NOT_ASKED = "No answers for this task yet."
OVER_PEOPLE = "participants are resampled, which says how other people would do on these questions"
OVER_QUESTIONS = (
    "where resampling people has no width (one person answered, or all alike), Wilson’s over "
    "questions, which says how these people would do on others"
)


def asked_json(plan: StudyPlan) -> list[Json]:
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
                {"letter": letter_of(case.question.form, place), "text": text}
                for place, text in enumerate(case.question.choices)
            ],
            "right": case.question.right,
        }
        for case in plan.cases
        if case.question is not None
    ]


def letter_of(form: Form, place: int) -> str:
    """What a participant's page calls a choice: its letter, or Y and N."""
    return "YN"[place] if form is Form.BINARY else LETTERS[place]


def questions_json(found: QuestionResults | None) -> Json | None:
    """Shares by task and over all, answers by question and by participant; None of another kind."""
    if found is None:
        return None
    return {
        **shares_json(found.shares),
        "answers": {
            one.case_id: {"counts": list(one.counts), "skips": one.skips} for one in found.questions
        },
        "by_person": [
            {
                "number": int(one.participant),
                "right": one.right,
                "answers": one.answers,
                "skips": one.skips,
            }
            for one in found.shares.people
        ],
    }


def shares_json(shares: RightShares) -> Json:
    """``tasks``, ``overall`` and ``macro``; shares are 0 to 1."""
    return {
        "tasks": [_share_json(one) for one in shares.tasks],
        "overall": _share_json(shares.overall),
        "macro": None if shares.macro is None else _macro_json(shares.macro),
    }


def _share_json(one: RightShare) -> Json:
    return {
        "task": one.task,
        "name": task_name(one.task) if one.task else "All questions (micro)",
        "share": _number(one.share),
        "told": _number(one.told),
        "right": one.right,
        "wrong": one.wrong,
        "skips": one.skips,
        "answers": one.answers,
        "questions": one.questions,
        "people": one.people,
        "chance": plain(one.chance),
        "over": one.over,
        "over_words": OVER_PEOPLE if one.over == PARTICIPANTS else OVER_QUESTIONS,
    }


def _macro_json(one: MacroShare) -> Json:
    return {
        "name": f"Mean of {one.tasks} tasks (macro)",
        "share": _number(one.share),
        "chance": one.chance,
        "tasks": one.tasks,
        "over": one.over,
        "over_words": OVER_PEOPLE if one.over == PARTICIPANTS else OVER_QUESTIONS,
    }


def _number(share: Share) -> Json:
    return number(share.value, share.low, share.high, NOT_ASKED)
