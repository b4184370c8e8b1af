"""Parse answers as ColorBench's released code does (tianyi-lab/ColorBench at 3079d46), unchanged.

That code has three parsers and chooses by the name of a model's file: after reasoning the last
letter in parentheses, for GPT and Gemini the very last letter of the text, for all others a lone
letter, the first of A to F in parentheses, or the first letter before ``) `` and digits. It counts
unreadable answers as wrong. It also matches the text of choices, but only after the decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

from truehue.core.vlm.records import Answer, Form, Outcome, Question

COMMIT = "3079d46"


class ReleasedReader(StrEnum):
    """Which of the three reads."""

    REASONED = "the last letter in parentheses"
    LAST_LETTER = "the very last letter of the text"
    OPEN = "a lone letter, else the first in parentheses"


def reader_of(names: Iterable[str], reasoned: bool) -> ReleasedReader:
    """The reader of a model that goes by these names."""
    if reasoned:
        return ReleasedReader.REASONED
    if any("gpt" in name.lower() or "gemini" in name.lower() for name in names):
        return ReleasedReader.LAST_LETTER
    return ReleasedReader.OPEN


def read_released(answer_text: str, reader: ReleasedReader) -> str | None:
    """The letter in capitals, None where it reads none."""
    text = answer_text.strip().lower()
    if reader is ReleasedReader.REASONED:
        return _last(r"\(([a-z])\)", text)
    if reader is ReleasedReader.LAST_LETTER:
        return _last(r"([a-z])", text)
    lone = text.replace("(", "").replace(")", "")
    if re.fullmatch(r"[a-f]", lone):
        return lone.upper()
    match = re.search(r"\(([a-f])\)", text) or re.search(r"([a-z])\) \d", text)
    if match:
        return match[1].upper()
    return lone.upper() if re.fullmatch(r"[a-z]", lone) else None


def released_answers(
    questions: Sequence[Question], answers: Iterable[Answer], reader: ReleasedReader
) -> list[Answer]:
    """The same words, read so; only of questions with letters. An answer is right or wrong."""
    with_letters = {item.question_id: item for item in questions if item.form is Form.CHOICE}
    out = []
    for answer in answers:
        question = with_letters.get(answer.question_id)
        if question is not None:
            reading = read_released(answer.words, reader)
            outcome = Outcome.RIGHT if reading == question.answer else Outcome.WRONG
            out.append(Answer(answer.question_id, answer.words, reading, outcome))
    return out


def _last(pattern: str, text: str) -> str | None:
    findall = re.findall(pattern, text)
    return findall[-1].upper() if findall else None
