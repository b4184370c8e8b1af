"""Questions one by one: image, choices, what each model said, and what was read of it."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from truehue.core.errors import BadInput, NotStored
from truehue.core.vlm.evaluation.log import EvaluationLog
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.records import Answer, Outcome, Question
from truehue.tabs.page.actor import asks
from truehue.tabs.page.requests import PageRequest, Whole
from truehue.tabs.page.roles import Actor
from truehue.tabs.studies.questions.human_answers import HumanAnswers
from truehue.tabs.vlm.messages import choices_json, facts_json, model_name, task_title
from truehue.tabs.vlm.people import given_json, studies_of
from truehue.tabs.vlm.results import Asking, Parser, asked_of, pixels_of
from truehue.tabs.vlm.sets import opened

if TYPE_CHECKING:
    from truehue.tabs.page.context import Context

MOST_PAGE = 100
NONE = "none"
"""The outcome of a question that was not evaluated yet."""


class QuestionsRequest(PageRequest):
    """Which questions: of a ``task``, with an ``outcome`` of the asking ``of`` (the first of
    ``askings`` by itself), with some ``words``, or those where two askings ``differ``."""

    set: str
    askings: Asking = ()
    task: str = ""
    outcome: Literal["", "right", "wrong", "unreadable", "truncated", "unanswered", "none"] = ""
    of: str = ""
    differ: bool = False
    only: Literal["", "first", "second"] = ""
    words: str = ""
    parser: Parser = ""
    first: Annotated[Whole, Field(alias="from", ge=0)] = 0
    count: Annotated[Whole, Field(ge=1, le=MOST_PAGE)] = 24


class OneQuestion(PageRequest):
    """One question by its id."""

    set: str
    id: str
    askings: Asking = ()
    parser: Parser = ""


@dataclass(frozen=True)
class _ModelAnswers:
    """An asking by question: what was asked, and what came of it."""

    asking_id: str
    asked: EvaluationLog
    answers: Mapping[str, Answer]
    prompts: Mapping[str, str]


@asks("look")
def questions_view(context: Context, actor: Actor, request: QuestionsRequest) -> dict[str, Any]:
    """A page of questions that fit, and how many do. Raises NotStored, BadInput."""
    of = opened(context, request.set)
    told = _told(asked_of(context, of, request.askings, request.parser))
    if request.differ and len(told) < 2:
        raise BadInput("Select two evaluations to compare them.", "askings")
    looked = _looked(told, request.of)
    fitting = [one for one in of.questions() if _fits(one, request, told)]
    counts: Counter[str] = Counter()
    if looked is not None:
        counts.update(_outcome(looked, one) for one in fitting)
        if request.outcome:
            fitting = [one for one in fitting if _outcome(looked, one) == request.outcome]
    page = fitting[request.first : request.first + request.count]
    pixels, people = pixels_of(context, of), studies_of(context, actor, of)
    return {
        "total": len(fitting),
        "from": request.first,
        "counts": dict(counts),
        "differences": _difference_counts(told, fitting),
        "questions": [_question_json(of, one, told, pixels, people) for one in page],
    }


@asks("look")
def question_view(context: Context, actor: Actor, request: OneQuestion) -> dict[str, Any]:
    """One question, with its position in the set. Raises NotStored."""
    of = opened(context, request.set)
    told = _told(asked_of(context, of, request.askings, request.parser))
    for position, one in enumerate(of.questions()):
        if one.question_id == request.id:
            pixels, people = pixels_of(context, of), studies_of(context, actor, of)
            row = _question_json(of, one, told, pixels, people)
            return {"question": row, "position": position}
    raise NotStored("This question is not in the set. Reload the page.")


def _told(chosen: Mapping[str, EvaluationLog]) -> list[_ModelAnswers]:
    return [
        _ModelAnswers(
            asking_id,
            asked,
            {answer.question_id: answer for answer in asked.answers},
            {one.question.question_id: one.prompt for one in asked.prompted},
        )
        for asking_id, asked in chosen.items()
    ]


def _looked(told: Sequence[_ModelAnswers], asking_id: str) -> _ModelAnswers | None:
    """The asking whose outcomes are counted. Raises BadInput for one that is not shown."""
    if not asking_id:
        return told[0] if told else None
    for one in told:
        if one.asking_id == asking_id:
            return one
    raise BadInput("Choose one of the selected evaluations.", "of")


def _outcome(told: _ModelAnswers, question: Question) -> str:
    answer = told.answers.get(question.question_id)
    return NONE if answer is None else str(answer.outcome)


def _fits(question: Question, request: QuestionsRequest, told: Sequence[_ModelAnswers]) -> bool:
    if request.task and question.task != request.task:
        return False
    if request.differ:
        first, second = (_right(one, question) for one in told[:2])
        if first is None or second is None or first == second:
            return False
        if request.only and first != (request.only == "first"):
            return False
    return not request.words or _has_words(question, request.words.casefold(), told)


def _right(told: _ModelAnswers, question: Question) -> bool | None:
    """Whether the answer is right; None where there is none yet."""
    answer = told.answers.get(question.question_id)
    return None if answer is None else answer.outcome is Outcome.RIGHT


def _has_words(question: Question, words: str, told: Sequence[_ModelAnswers]) -> bool:
    texts = [question.question_id, question.text, *question.choices]
    for one in told:
        answer = one.answers.get(question.question_id)
        texts.append(answer.words if answer is not None else "")
    return any(words in text.casefold() for text in texts)


def _difference_counts(
    told: Sequence[_ModelAnswers], questions: Sequence[Question]
) -> dict[str, int] | None:
    """Of the first two askings, where only one of them is right."""
    if len(told) < 2:
        return None
    pairs = [tuple(_right(one, question) for one in told[:2]) for question in questions]
    return {"first": pairs.count((True, False)), "second": pairs.count((False, True))}


def _question_json(
    of: QuestionSet,
    question: Question,
    told: Sequence[_ModelAnswers],
    pixels: EvaluationLog | None,
    people: Sequence[HumanAnswers],
) -> dict[str, Any]:
    return {
        "id": question.question_id,
        "task": question.task,
        "title": task_title(question.task),
        "form": str(question.form),
        "text": question.text,
        "choices": choices_json(question),
        "answer": question.answer,
        "image": question.image_id,
        **_size(of, question),
        "variant": question.variant,
        "seed_id": question.seed_id,
        "facts": facts_json(question.construction),
        "answers": [_answer_json(one, question) for one in told],
        "pixels": _pixels_answer(pixels, question),
        "people": given_json(people, question),
    }


def _size(of: QuestionSet, question: Question) -> dict[str, int]:
    """Of its image in pixels, by the head of the PNG; 0 where it is gone."""
    try:
        with of.image_path(question).open("rb") as file:
            head = file.read(24)
    except OSError:
        head = b""
    if len(head) < 24:
        return {"width": 0, "height": 0}
    width, height = struct.unpack(">II", head[16:24])
    return {"width": width, "height": height}


def _answer_json(told: _ModelAnswers, question: Question) -> dict[str, Any]:
    answer = told.answers.get(question.question_id)
    prompt = told.prompts.get(question.question_id, "")
    return {
        "asking": told.asking_id,
        "name": model_name(told.asked.model),
        "kind": told.asked.model.kind,
        "words": answer.words if answer else "",
        "reading": answer.reading if answer else None,
        "outcome": str(answer.outcome) if answer else NONE,
        "reason": answer.reason if answer else "",
        "parser": told.asked.parser,
        "prompt": prompt,
        "asked": question.question_id in told.prompts,
    }


def _pixels_answer(pixels: EvaluationLog | None, question: Question) -> dict[str, Any] | None:
    if pixels is None:
        return None
    for answer in pixels.answers:
        if answer.question_id == question.question_id:
            return {
                "reading": answer.reading,
                "outcome": str(answer.outcome),
                "reason": answer.reason,
            }
    return None
