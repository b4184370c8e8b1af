"""Questions about participants before and after the trials, and what was answered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.studies import PERSONAL

MAX_ITEMS, MAX_CHOICES, MAX_ITEM_TEXT, MAX_CHOICE_TEXT, MAX_ANSWER = 30, 60, 500, 200, 2_000
MIN_SCALE, MAX_SCALE = 2, 11
MAX_NUMBER = 2**53
_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")

Value = int | float | str | tuple[int | str, ...]
"""An answer: the position of a choice from 0, or a text in its place; several of them; a number; a
text; a step of a scale from 1."""


class SurveyForm(StrEnum):
    """How a question is answered."""

    SINGLE = "single"
    MULTIPLE = "multiple"
    NUMBER = "number"
    TEXT = "text"
    SCALE = "scale"


class SurveyPart(StrEnum):
    """When a question is asked: before the screening and the trials, or after them."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True)
class SurveyItem:
    """A question about the participant.

    ``id`` names its column in exports: a lowercase letter, then up to 39 lowercase letters, digits and
    ``_``. ``choices`` are the 2 to 60 of single and multiple; ``other`` adds a text in the
    participant's own words. ``low`` and ``high`` bound a number. A scale has 2 to 11 ``steps``, and
    ``ends`` describe the first and the last. ``required``: participants cannot continue without an
    answer. ``personal``: the answer is personal data, which anonymous exports leave out, as all words
    of participants. Raises BadInput for what cannot be asked.
    """

    id: str
    text: str
    form: SurveyForm = SurveyForm.SINGLE
    choices: tuple[str, ...] = ()
    other: bool = False
    required: bool = False
    personal: bool = False
    low: float | None = None
    high: float | None = None
    steps: int = 7
    ends: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise BadInput(
                f"{self.id[:60]!r} is no column name: it starts with a lowercase letter, and has up to "
                "40 lowercase letters, digits and _.",
                "survey",
            )
        if not self.text.strip() or len(self.text) > MAX_ITEM_TEXT:
            raise BadInput(
                f"The survey's question {self.id} needs a text of at most {MAX_ITEM_TEXT} characters.",
                "survey",
            )
        if self.has_choices:
            self._check_choices()
        elif self.choices or self.other:
            raise BadInput(f"The survey's question {self.id} has no choices.", "survey")
        if self.form is SurveyForm.SCALE and not MIN_SCALE <= self.steps <= MAX_SCALE:
            raise BadInput(
                f"The scale of the survey's question {self.id} has {MIN_SCALE} to {MAX_SCALE} steps.",
                "survey",
            )
        if max(map(len, self.ends)) > MAX_CHOICE_TEXT:
            raise BadInput(f"The ends of the scale {self.id} are too long.", "survey")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise BadInput(
                f"The survey's question {self.id} takes no number: its smallest is above its largest.",
                "survey",
            )

    @property
    def has_choices(self) -> bool:
        """Whether it is answered by choices."""
        return self.form in (SurveyForm.SINGLE, SurveyForm.MULTIPLE)

    def _check_choices(self) -> None:
        count = len(self.choices)
        if count + self.other < 2 or count > MAX_CHOICES:
            raise BadInput(
                f"The survey's question {self.id} needs 2 to {MAX_CHOICES} choices.", "survey"
            )
        plain = [choice.strip() for choice in self.choices]
        if not all(plain) or max(map(len, plain), default=0) > MAX_CHOICE_TEXT:
            raise BadInput(
                f"A choice of the survey's question {self.id} is empty, or has more than "
                f"{MAX_CHOICE_TEXT} characters.",
                "survey",
            )
        if len(set(plain)) < count:
            raise BadInput(
                f"Two choices of the survey's question {self.id} are the same.", "survey"
            )

    def read(self, value: Any) -> Value | None:
        """A valid answer; None for none. Raises BadInput, with the item's id as field, for another."""
        if value is None or value == "" or value == []:
            return None
        match self.form:
            case SurveyForm.SINGLE:
                return self._choice(value)
            case SurveyForm.MULTIPLE if isinstance(value, list | tuple):
                chosen = tuple(self._choice(item) for item in value)
                if len(set(chosen)) == len(chosen):
                    return chosen
            case SurveyForm.NUMBER if _is_number(value):
                if (self.low is None or value >= self.low) and (
                    self.high is None or value <= self.high
                ):
                    return value
            case SurveyForm.SCALE if type(value) is int and 1 <= value <= self.steps:
                return value
            case SurveyForm.TEXT if isinstance(value, str):
                return self._text(value)
            case _:
                pass
        raise BadInput(f"That is no answer to the question “{self.text}”.", self.id)

    def text_of(self, value: Value) -> str:
        """An answer in words."""
        if not self.has_choices:
            return str(value)
        chosen = value if isinstance(value, tuple) else (value,)
        return "; ".join(
            self.choices[item] if isinstance(item, int) else str(item) for item in chosen
        )

    def is_apart(self, value: Value) -> bool:
        """Whether an answer is kept apart: personal data, and words that participants wrote, who may
        name themselves there."""
        values = value if isinstance(value, tuple) else (value,)
        return self.personal or any(isinstance(item, str) for item in values)

    def _choice(self, value: Any) -> int | str:
        if type(value) is int and 0 <= value < len(self.choices):
            return value
        if self.other and isinstance(value, str) and value.strip():
            return self._text(value)
        raise BadInput(f"That is no choice of the question “{self.text}”.", self.id)

    def _text(self, value: str) -> str:
        if len(value) > MAX_ANSWER:
            raise BadInput(f"An answer has at most {MAX_ANSWER:,} characters.", self.id)
        return value


@dataclass(frozen=True)
class Survey:
    """The questions about participants, before and after the trials. Raises BadInput where two have
    one id, or there are too many."""

    before: tuple[SurveyItem, ...] = ()
    after: tuple[SurveyItem, ...] = ()

    def __post_init__(self) -> None:
        if max(len(self.before), len(self.after)) > MAX_ITEMS:
            raise BadInput(f"A survey has at most {MAX_ITEMS} questions on a page.", "survey")
        if len(self.by_id) < len(self.items):
            raise BadInput("Two questions of the survey have one id.", "survey")

    @property
    def items(self) -> tuple[SurveyItem, ...]:
        """All questions, in the order of asking."""
        return (*self.before, *self.after)

    @property
    def by_id(self) -> dict[str, SurveyItem]:
        """The questions by their ids."""
        return {item.id: item for item in self.items}

    def part(self, part: SurveyPart) -> tuple[SurveyItem, ...]:
        """The questions of one page."""
        return self.before if part is SurveyPart.BEFORE else self.after

    def is_required(self, part: SurveyPart) -> bool:
        """Whether a page has a question that needs an answer."""
        return any(item.required for item in self.part(part))


def read_survey(survey: Survey, body: Mapping[str, Any]) -> dict[str, Any]:
    """A page's answers as their event is stored: ``part``, ``answers`` and, apart, ``personal``.

    ``body`` has ``part`` and all ``answers`` by id. Raises BadInput, with the item's id as field, for
    an answer that is not valid or that is missing.
    """
    try:
        part = SurveyPart(body.get("part", ""))
    except ValueError:
        raise BadInput("A survey is before or after the trials.", "part") from None
    answers = body.get("answers")
    items = survey.part(part)
    if not items or not isinstance(answers, Mapping) or answers.keys() - {i.id for i in items}:
        raise BadInput("These are no answers to the questions of this study.", "answers")
    read: dict[str, dict[str, Value]] = {"answers": {}, PERSONAL: {}}
    for item in items:
        value = item.read(answers.get(item.id))
        if value is not None:
            read[PERSONAL if item.is_apart(value) else "answers"][item.id] = value
        elif item.required:
            raise BadInput(f"The question “{item.text}” needs an answer.", item.id)
    return {"part": part.value, **read}


def answers_in(survey: Survey, bodies: Sequence[Mapping[str, Any]]) -> dict[str, Value]:
    """What a participant answered, by item, from the bodies of their stored events; what is not valid
    in this plan is left out."""
    values: dict[str, Value] = {}
    for body in bodies:
        for name in ("answers", PERSONAL):
            stored = body.get(name)
            for key, value in stored.items() if isinstance(stored, Mapping) else ():
                item = survey.by_id.get(key)
                try:
                    read = item.read(value) if item else None
                except BadInput:
                    continue
                if read is not None:
                    values[key] = read
    return values


@dataclass(frozen=True)
class Count:
    """How many participants gave an answer; ``choice`` is its position, None for a text of one's
    own."""

    choice: int | None
    text: str
    people: int


@dataclass(frozen=True)
class ItemSummary:
    """What was answered to a question: ``people`` gave an answer, ``counts`` of each choice or step,
    and of numbers the median and the range."""

    item: SurveyItem
    people: int
    counts: tuple[Count, ...] = ()
    median: float | None = None
    range: tuple[float, float] | None = None


def summary_of(item: SurveyItem, values: Sequence[Value]) -> ItemSummary:
    """What was answered to a question; texts are only counted."""
    if item.form is SurveyForm.TEXT:
        return ItemSummary(item, len(values))
    if item.form is SurveyForm.NUMBER:
        numbers = sorted(float(value) for value in values if isinstance(value, int | float))
        if not numbers:
            return ItemSummary(item, 0)
        return ItemSummary(item, len(numbers), (), median(numbers), (numbers[0], numbers[-1]))
    flat = [
        choice for value in values for choice in (value if isinstance(value, tuple) else (value,))
    ]
    if item.form is SurveyForm.SCALE:
        texts = {step: str(step) for step in range(1, item.steps + 1)}
    else:
        texts = dict(enumerate(item.choices))
    counts = [Count(choice, text, flat.count(choice)) for choice, text in texts.items()]
    if item.other:
        own = sum(isinstance(choice, str) for choice in flat)
        counts.append(Count(None, "in their own words", own))
    return ItemSummary(item, len(values), tuple(counts))


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and abs(value) <= MAX_NUMBER  # of what is no number that is false
