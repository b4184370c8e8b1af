"""Answers as models write them, and what is read of them."""

from __future__ import annotations

import pytest

from core.vision_language.parsing import answered, read_answer
from core.vision_language.records import Form, Outcome, Question
from tests.core.vision_language import answer_cases as cases

CHOICES = (
    cases.PLAIN + cases.DRESSED + cases.REASONED + cases.UNREADABLE + cases.TEXTS + cases.LATER
)


def asked(choices: tuple[str, ...], answer: str = "A") -> Question:
    return Question("q1", "t", Form.CHOICE, "What color is it?", choices, answer, "x")


def named(answer: str, form: Form = Form.OPEN) -> Question:
    return Question("q1", "t", form, "Well?", (), answer, "x")


def test_letters_are_read_and_nothing_is_guessed() -> None:
    apart = {}
    for words, choices, letter in CHOICES:
        reading, reason = read_answer(words, asked(choices))
        assert (reading is None) == bool(reason), words
        if reading != letter:
            apart[words, choices] = (letter, reading, reason)
    assert apart == {}


def test_yes_and_no_are_read() -> None:
    expected = dict(cases.BINARY + cases.LATER_BINARY)
    assert {
        words: read_answer(words, named("yes", Form.BINARY))[0] for words in expected
    } == expected


def test_open_answers_are_right_in_any_spelling() -> None:
    means = {Outcome.RIGHT: True, Outcome.WRONG: False, Outcome.UNREADABLE: None}
    found = [means[answered(named(expected), words).outcome] for words, expected, _ in cases.OPEN]
    assert dict(zip(cases.OPEN, found, strict=True)) == {case: case[2] for case in cases.OPEN}


def test_the_expected_answer_is_not_looked_at() -> None:
    for words, choices, letter in cases.PLAIN:
        assert read_answer(words, asked(choices, "D"))[0] == letter


def test_an_answer_is_right_wrong_unreadable_or_not_there() -> None:
    question = asked(cases.COLORS, "B")
    assert answered(question, "(B)").outcome is Outcome.RIGHT
    assert answered(question, "A").outcome is Outcome.WRONG
    unread = answered(question, "A or B")
    assert (unread.reading, unread.outcome) == (None, Outcome.UNREADABLE)
    assert unread.reason == "It names several choices: A, B."
    assert unread.words == "A or B"
    missing = answered(question, None, "The model ran out of memory.")
    assert (missing.outcome, missing.reason) == (
        Outcome.UNANSWERED,
        "The model ran out of memory.",
    )
    assert answered(question, "").outcome is Outcome.UNREADABLE
    assert answered(named("no", Form.BINARY), "No.").outcome is Outcome.RIGHT


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("", "Nothing was written."),
        ("<think>Is it B?", "It ends within its reasoning."),
        ("<think>It is B.</think>", "Nothing follows its reasoning."),
        ("I cannot see the image.", "It declines to answer."),
        ("The sky is clear today.", "It comes to no conclusion."),
        ("E", "E is none of the letters offered."),
    ],
)
def test_the_reason_says_why_nothing_was_read(words: str, reason: str) -> None:
    assert read_answer(words, asked(cases.COLORS)) == (None, reason)


def test_two_choices_of_the_same_words_are_told_apart_by_letter_only() -> None:
    twice = asked(("red", "blue", "Blue"))
    assert read_answer("blue", twice) == (None, "Two choices have these words.")
    assert read_answer("C", twice) == ("C", "")


@pytest.mark.parametrize("part", ["(", "is red ", "A, ", "\\boxed{", "<think>", "not ", "1, 2, "])
def test_long_repetitive_answers_are_read_soon(part: str) -> None:
    """Models that repeat themselves must not hold up the scoring; the suite's own limit is time."""
    words = part * (4_000 // len(part))
    for question in (asked(cases.RGB), named("blue"), named("yes", Form.BINARY)):
        read_answer(words, question)
