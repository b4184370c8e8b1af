"""Reads what a model wrote: a letter, yes or no, or words, and never a guess.

What cannot be read is None with the reason. The answer that was expected is not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

from truehue.core.errors import BadInput
from truehue.core.vlm.choices import read_choice
from truehue.core.vlm.cleaning import undressed
from truehue.core.vlm.conclusions import concludes, read_conclusion
from truehue.core.vlm.records import Answer, Form, Outcome, Question
from truehue.core.vlm.text import CONCLUDED, read_binary, read_open, same_answer

FIRST = "1"
"""Reads with the choices alone in view, and does not look at whether an answer was cut off."""
VERSION = "2"
"""Changes with every change of what is read: scores name it."""
VERSIONS = (FIRST, VERSION)

UNANSWERED = "There is no answer."
TRUNCATED = "It was cut off at the token limit before its conclusion."
LONGEST = 20_000
"""Characters: of a longer text only the end is read, where conclusions stand."""


@dataclass(frozen=True)
class Reader:
    """How answers are read: by which version of the parser, and whether the model was told to
    reason first and to end with its letter in parentheses. Raises BadInput for no version."""

    version: str = VERSION
    reasoned: bool = False

    def __post_init__(self) -> None:
        if self.version not in VERSIONS:
            raise BadInput(f"The parser is {' or '.join(VERSIONS)}, not {self.version!r:.40}.")


def read_answer(
    message: str, question: Question, reader: Reader = Reader()
) -> tuple[str | None, str]:
    """What was answered, and why nothing could be read; one of the two is empty.

    A letter for ``Form.CHOICE``, ``yes`` or ``no`` for ``Form.BINARY``, the words without what
    introduces them for ``Form.OPEN``. ``words`` are as the model wrote them. Several letters,
    letter and words that do not belong together, a refusal, reasoning without a conclusion and
    words that fit two choices are not read.
    """
    text, reason = undressed(message[-LONGEST:])
    if not text:
        return None, reason
    if question.form is Form.CHOICE:
        if reader.version == FIRST:
            return read_choice(text, question.choices)
        return read_conclusion(text, question, reader.reasoned)
    return read_binary(text) if question.form is Form.BINARY else read_open(text)


def answered(
    question: Question,
    text: str | None,
    reason: str = "",
    *,
    truncated: bool = False,
    reader: Reader = Reader(),
) -> Answer:
    """The answer to a question. ``words`` is None where there is none, such as when the model
    failed; ``reason`` then says why. ``truncated``: it ended because its tokens were used up."""
    if text is None:
        return Answer(question.question_id, "", None, Outcome.UNANSWERED, reason or UNANSWERED)
    reading, unreadable = read_answer(text, question, reader)
    if truncated and reader.version != FIRST and not _ended(text, question, reading, reader):
        return Answer(question.question_id, text, None, Outcome.TRUNCATED, TRUNCATED)
    if reading is None:
        return Answer(question.question_id, text, None, Outcome.UNREADABLE, unreadable)
    if question.form is Form.OPEN:
        right = same_answer(reading, question.answer)
    else:
        right = reading == question.answer
    return Answer(question.question_id, text, reading, Outcome.RIGHT if right else Outcome.WRONG)


def _ended(text: str, question: Question, reading: str | None, reader: Reader) -> bool:
    """Whether an answer that was cut off had said its conclusion before. Of yes and no, and of
    open answers, that is what could be read, unless the model was still reasoning."""
    if reading is None:
        return False
    if question.form is Form.CHOICE:
        return concludes(undressed(text[-LONGEST:])[0], question, reader.reasoned)
    return not reader.reasoned or bool(CONCLUDED.search(text.strip().rpartition("\n")[2]))
