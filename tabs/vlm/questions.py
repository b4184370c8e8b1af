"""Questions one by one: image, choices, each model's answer, and the parsed answer."""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from pydantic import Field

from truehue.core.errors import BadInput, NotStored
from truehue.core.files import content_path, file_problem
from truehue.core.images.load import encode_png
from truehue.core.vlm.evaluation.log import EvaluationLog
from truehue.core.vlm.evaluation.plan import Version, read_question_image
from truehue.core.vlm.question_set import IMAGES, QuestionSet
from truehue.core.vlm.records import Answer, Outcome, Question
from truehue.tabs.page.actor import requires
from truehue.tabs.page.requests import PageRequest, Whole, single_of
from truehue.tabs.page.roles import Actor
from truehue.tabs.sources.studies import HumanAnswers
from truehue.tabs.vlm.messages import (
    AnswerChoice,
    choices_json,
    facts_json,
    model_name,
    task_title,
)
from truehue.tabs.vlm.people import PeopleAnswers, studies_of, submitted_json
from truehue.tabs.vlm.results import Asking, Parser, pixels_of, selected_logs
from truehue.tabs.vlm.sets import opened

if TYPE_CHECKING:
    from truehue.tabs.page.context import Context

MAX_PAGE = 100
NONE = "none"
"""The outcome of a question that was not evaluated yet."""
_NAME = re.compile(r"[0-9a-f]{64}")


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
    count: Annotated[Whole, Field(ge=1, le=MAX_PAGE)] = 24


class OneQuestion(PageRequest):
    """One question by its id."""

    set: str
    id: str
    askings: Asking = ()
    parser: Parser = ""


@dataclass(frozen=True)
class _ModelAnswers:
    """An asking by question: what was asked, and what came of it."""

    evaluation_id: str
    asked: EvaluationLog
    answers: Mapping[str, Answer]
    prompts: Mapping[str, str]


class PixelAnswer(TypedDict):
    """The answer of the pixel reader to a question."""

    reading: str | None
    outcome: str
    reason: str


class AnswerJson(PixelAnswer):
    """The answer of an evaluation to a question, and the prompt as it was sent."""

    asking: str
    name: str
    kind: str
    words: str
    parser: str
    prompt: str
    asked: bool


class ImageSize(TypedDict):
    """The size of an image in pixels; 0 where it is gone."""

    width: int
    height: int


class QuestionJson(ImageSize):
    """A question with all answers to it; ``facts`` say how its own answer is known."""

    id: str
    task: str
    title: str
    form: str
    text: str
    choices: list[AnswerChoice]
    answer: str
    image: str
    variant: str
    seed_id: str
    facts: list[list[str]]
    answers: list[AnswerJson]
    pixels: PixelAnswer | None
    people: list[PeopleAnswers]


class DifferenceCounts(TypedDict):
    """How many questions only one of two evaluations gets right."""

    first: int
    second: int


QuestionsView = TypedDict(
    "QuestionsView",
    {
        "total": int,
        "from": int,
        "counts": dict[str, int],
        "differences": DifferenceCounts | None,
        "questions": list[QuestionJson],
    },
)
"""A page of the questions that match, with the number of each outcome among all of them."""


class QuestionView(TypedDict):
    """A question, and its position in the set."""

    question: QuestionJson
    position: int


@requires("look")
def questions_view(context: Context, actor: Actor, request: QuestionsRequest) -> QuestionsView:
    """A page of the questions that match, and their number. Raises NotStored, BadInput."""
    question_set = opened(context, request.set)
    model_answers = _message(selected_logs(context, question_set, request.askings, request.parser))
    if request.differ and len(model_answers) < 2:
        raise BadInput("Select two evaluations to compare them.", "askings")
    looked = _looked(model_answers, request.of)
    fitting = [
        question for question in question_set.questions() if _fits(question, request, model_answers)
    ]
    counts: Counter[str] = Counter()
    if looked is not None:
        counts.update(_outcome(looked, question) for question in fitting)
        if request.outcome:
            fitting = [
                question for question in fitting if _outcome(looked, question) == request.outcome
            ]
    page = fitting[request.first : request.first + request.count]
    pixels, people = pixels_of(context, question_set), studies_of(context, actor, question_set)
    return {
        "total": len(fitting),
        "from": request.first,
        "counts": dict(counts),
        "differences": _difference_counts(model_answers, fitting),
        "questions": [
            _question_json(question_set, question, model_answers, pixels, people)
            for question in page
        ],
    }


@requires("look")
def question_view(context: Context, actor: Actor, request: OneQuestion) -> QuestionView:
    """One question, with its position in the set. Raises NotStored."""
    question_set = opened(context, request.set)
    model_answers = _message(selected_logs(context, question_set, request.askings, request.parser))
    for position, question in enumerate(question_set.questions()):
        if question.question_id == request.id:
            pixels, people = (
                pixels_of(context, question_set),
                studies_of(context, actor, question_set),
            )
            row = _question_json(question_set, question, model_answers, pixels, people)
            return {"question": row, "position": position}
    raise NotStored("This question is not in the set. Reload the page.")


def _message(chosen: Mapping[str, EvaluationLog]) -> list[_ModelAnswers]:
    return [
        _ModelAnswers(
            evaluation_id,
            log,
            {answer.question_id: answer for answer in log.answers},
            {question.question.question_id: question.prompt for question in log.prompted},
        )
        for evaluation_id, log in chosen.items()
    ]


def _looked(messages: Sequence[_ModelAnswers], evaluation_id: str) -> _ModelAnswers | None:
    """The asking whose outcomes are counted. Raises BadInput for one that is not shown."""
    if not evaluation_id:
        return messages[0] if messages else None
    for model_answers in messages:
        if model_answers.evaluation_id == evaluation_id:
            return model_answers
    raise BadInput("Choose one of the selected evaluations.", "of")


def _outcome(model_answers: _ModelAnswers, question: Question) -> str:
    answer = model_answers.answers.get(question.question_id)
    return NONE if answer is None else str(answer.outcome)


def _fits(question: Question, request: QuestionsRequest, messages: Sequence[_ModelAnswers]) -> bool:
    if request.task and question.task != request.task:
        return False
    if request.differ:
        first, second = (_right(model_answers, question) for model_answers in messages[:2])
        if first is None or second is None or first == second:
            return False
        if request.only and first != (request.only == "first"):
            return False
    return not request.words or _matches_text(question, request.words.casefold(), messages)


def _right(model_answers: _ModelAnswers, question: Question) -> bool | None:
    """Whether the answer is right; None where there is none yet."""
    answer = model_answers.answers.get(question.question_id)
    return None if answer is None else answer.outcome is Outcome.RIGHT


def _matches_text(question: Question, message: str, messages: Sequence[_ModelAnswers]) -> bool:
    texts = [question.question_id, question.text, *question.choices]
    for model_answers in messages:
        answer = model_answers.answers.get(question.question_id)
        texts.append(answer.words if answer is not None else "")
    return any(message in text.casefold() for text in texts)


def _difference_counts(
    messages: Sequence[_ModelAnswers], questions: Sequence[Question]
) -> DifferenceCounts | None:
    """Of the first two askings, where only one of them is right."""
    if len(messages) < 2:
        return None
    pairs = [
        tuple(_right(model_answers, question) for model_answers in messages[:2])
        for question in questions
    ]
    return {"first": pairs.count((True, False)), "second": pairs.count((False, True))}


def _question_json(
    question_set: QuestionSet,
    question: Question,
    model_answers: Sequence[_ModelAnswers],
    pixels: EvaluationLog | None,
    people: Sequence[HumanAnswers],
) -> QuestionJson:
    return {
        "id": question.question_id,
        "task": question.task,
        "title": task_title(question.task),
        "form": str(question.form),
        "text": question.text,
        "choices": choices_json(question),
        "answer": question.answer,
        "image": question.image_id,
        **_size(question_set, question),
        "variant": question.variant,
        "seed_id": question.seed_id,
        "facts": facts_json(question.construction),
        "answers": [_answer_json(item, question) for item in model_answers],
        "pixels": _pixels_answer(pixels, question),
        "people": submitted_json(people, question),
    }


def _size(question_set: QuestionSet, question: Question) -> ImageSize:
    """Of its image in pixels, by the head of the PNG; 0 where it is gone."""
    try:
        with question_set.image_path(question).open("rb") as file:
            head = file.read(24)
    except OSError:
        head = b""
    if len(head) < 24:
        return {"width": 0, "height": 0}
    width, height = struct.unpack(">II", head[16:24])
    return {"width": width, "height": height}


def _answer_json(model_answers: _ModelAnswers, question: Question) -> AnswerJson:
    answer = model_answers.answers.get(question.question_id)
    prompt = model_answers.prompts.get(question.question_id, "")
    return {
        "asking": model_answers.evaluation_id,
        "name": model_name(model_answers.asked.model),
        "kind": model_answers.asked.model.kind,
        "words": answer.words if answer else "",
        "reading": answer.reading if answer else None,
        "outcome": str(answer.outcome) if answer else NONE,
        "reason": answer.reason if answer else "",
        "parser": model_answers.asked.parser,
        "prompt": prompt,
        "asked": question.question_id in model_answers.prompts,
    }


def _pixels_answer(pixels: EvaluationLog | None, question: Question) -> PixelAnswer | None:
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


class ImageRequest(PageRequest):
    """An image of a set by its id, as it is or as it was sent."""

    set: str
    image: str
    version: Annotated[str, single_of("version of the image", list(Version))] = str(Version.COLORED)


@requires("look")
def image_png(context: Context, actor: Actor, request: ImageRequest) -> bytes:
    """PNG. Raises NotStored for one that is not in the set, ImageError for one that was changed."""
    question_set = opened(context, request.set)
    path = content_path(question_set.folder / IMAGES, request.image)
    if not _NAME.fullmatch(request.image) or not path.is_file():
        raise NotStored("This image is not in the set. Reload the page.")
    version = Version(request.version or Version.COLORED)
    # Read also where the file itself is sent: another picture under this name is none of the set.
    pixels = read_question_image(path, request.image, version)
    if version is not Version.COLORED:
        return encode_png(pixels)
    try:
        return path.read_bytes()
    except OSError as error:
        raise NotStored(f"The image cannot be read: {file_problem(error)}.") from error
