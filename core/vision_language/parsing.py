"""Reads what a model wrote: a letter, yes or no, or words, and never a guess.

What cannot be read is None with the reason. The answer that was expected is not looked at.
"""

from __future__ import annotations

from core.vision_language.choices import read_choice
from core.vision_language.cleaning import undressed
from core.vision_language.records import Answer, Form, Outcome, Question
from core.vision_language.words import read_binary, read_open, same_answer

VERSION = "1"
"""Changes with every change of what is read: scores name it."""

UNANSWERED = "There is no answer."
LONGEST = 20_000
"""Characters: of a longer text only the end is read, where conclusions stand."""


def read_answer(words: str, question: Question) -> tuple[str | None, str]:
    """What was answered, and why nothing could be read; one of the two is empty.

    A letter for ``Form.CHOICE``, ``yes`` or ``no`` for ``Form.BINARY``, the words without what
    introduces them for ``Form.OPEN``. ``words`` are as the model wrote them. Several letters,
    letter and words that do not belong together, a refusal, reasoning without a conclusion and
    words that fit two choices are not read.
    """
    text, reason = undressed(words[-LONGEST:])
    if not text:
        return None, reason
    if question.form is Form.CHOICE:
        return read_choice(text, question.choices)
    return read_binary(text) if question.form is Form.BINARY else read_open(text)


def answered(question: Question, words: str | None, reason: str = "") -> Answer:
    """The answer to a question. ``words`` is None where there is none, such as when the model
    failed; ``reason`` then says why."""
    if words is None:
        return Answer(question.question_id, "", None, Outcome.UNANSWERED, reason or UNANSWERED)
    reading, unreadable = read_answer(words, question)
    if reading is None:
        return Answer(question.question_id, words, None, Outcome.UNREADABLE, unreadable)
    if question.form is Form.OPEN:
        right = same_answer(reading, question.answer)
    else:
        right = reading == question.answer
    return Answer(question.question_id, words, reading, Outcome.RIGHT if right else Outcome.WRONG)
