"""Parse answers as ColorBench's released code does (tianyi-lab/ColorBench at 3079d46), unchanged.

That code has three parsers and chooses by the name of a model's file: after reasoning the last
letter in parentheses, for GPT and Gemini the very last letter of the text, for all others a lone
letter, the first of A to F in parentheses, or the first letter before ``) `` and digits. Of
LLaVA-OneVision it takes the first character before that, where it is A to E. It counts unreadable
answers as wrong. It also matches the text of choices, but only after the decision.
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
    FIRST_CHARACTER = "the first character from A to E, else as of other open models"


def reader_of(names: Iterable[str], reasoned: bool) -> ReleasedReader:
    """The reader of a model that goes by these names."""
    if reasoned:
        return ReleasedReader.REASONED
    if any("gpt" in name.lower() or "gemini" in name.lower() for name in names):
        return ReleasedReader.LAST_LETTER
    return ReleasedReader.OPEN


def reader_of_family(family: str, reasoned: bool) -> ReleasedReader:
    """The reader of a family of :mod:`truehue.core.vlm.released`."""
    if family == "llava-onevision":
        # After reasoning too: what begins with A to E is that letter, without parentheses.
        return ReleasedReader.FIRST_CHARACTER
    return reader_of([family], reasoned)


def read_released(answer_text: str, reader: ReleasedReader) -> str | None:
    """The letter in capitals, None where it reads none."""
    text = answer_text.strip().lower()
    if reader is ReleasedReader.REASONED:
        return _last(r"\(([a-z])\)", text)
    if reader is ReleasedReader.LAST_LETTER:
        return _last(r"([a-z])", text)
    if reader is ReleasedReader.FIRST_CHARACTER and text[:1] in "abcde":
        return text[:1].upper() or None
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
            out.append(released_answer(question, answer.words, reader))
    return out


def released_answer(question: Question, words: str, reader: ReleasedReader) -> Answer:
    """One answer to a question with letters, read so; it is right or wrong."""
    reading = read_released(words, reader)
    outcome = Outcome.RIGHT if reading == question.answer else Outcome.WRONG
    return Answer(question.question_id, words, reading, outcome)


def _last(pattern: str, text: str) -> str | None:
    findall = re.findall(pattern, text)
    return findall[-1].upper() if findall else None
