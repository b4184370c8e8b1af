"""The released code's three readers, as its source at 3079d46 has them."""

from __future__ import annotations

import pytest

from truehue.core.vlm.records import Answer, Form, Outcome, Question
from truehue.core.vlm.released_reader import (
    ReleasedReader,
    read_released,
    reader_of,
    released_answers,
)

READ = [
    ("B", ReleasedReader.OPEN, "B"),
    ("(b)", ReleasedReader.OPEN, "B"),
    ("G", ReleasedReader.OPEN, "G"),
    (" (B)\n", ReleasedReader.OPEN, "B"),
    ("The answer is (B), not (A).", ReleasedReader.OPEN, "B"),
    ("It is not (A) but (B).", ReleasedReader.OPEN, "A"),
    ("B) 30%", ReleasedReader.OPEN, "B"),
    ("B.", ReleasedReader.OPEN, None),
    ("B) Blue", ReleasedReader.OPEN, None),
    ("**B**", ReleasedReader.OPEN, None),
    ("The answer is B.", ReleasedReader.OPEN, None),
    ("Blue", ReleasedReader.OPEN, None),
    ("(G) gray", ReleasedReader.OPEN, None),
    ("", ReleasedReader.OPEN, None),
    ("B", ReleasedReader.LAST_LETTER, "B"),
    ("(C)", ReleasedReader.LAST_LETTER, "C"),
    ("The answer is B.", ReleasedReader.LAST_LETTER, "B"),
    ("B) Blue", ReleasedReader.LAST_LETTER, "E"),
    ("42", ReleasedReader.LAST_LETTER, None),
    ("So (A) is out. The answer is (C).", ReleasedReader.REASONED, "C"),
    ("The answer is (C), not (A).", ReleasedReader.REASONED, "A"),
    ("The answer is (c)", ReleasedReader.REASONED, "C"),
    ("The answer is C.", ReleasedReader.REASONED, None),
]


@pytest.mark.parametrize(("text", "reader", "letter"), READ)
def test_the_three_readers(text: str, reader: ReleasedReader, letter: str | None) -> None:
    assert read_released(text, reader) == letter


def test_the_reader_goes_by_the_names_of_the_model() -> None:
    assert reader_of(["qwen2.5-vl-3b"], False) is ReleasedReader.OPEN
    assert reader_of(["served", "GPT-4o"], False) is ReleasedReader.LAST_LETTER
    assert reader_of(["gemini-2.0-flash"], False) is ReleasedReader.LAST_LETTER
    assert reader_of(["gpt-4o"], True) is ReleasedReader.REASONED


def test_what_it_cannot_read_is_wrong_and_other_forms_are_left_out() -> None:
    choice = Question("q1", "t", Form.CHOICE, "Which?", ("red", "blue"), "B", "x")
    binary = Question("q2", "t", Form.BINARY, "Is it?", (), "yes", "x")
    values = [
        Answer("q1", "B) blue", "B", Outcome.RIGHT),
        Answer("q2", "yes", "yes", Outcome.RIGHT),
    ]
    (read,) = released_answers([choice, binary], values, ReleasedReader.OPEN)
    assert (read.question_id, read.reading, read.outcome) == ("q1", None, Outcome.WRONG)
