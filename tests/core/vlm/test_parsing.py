"""Answers as models write them, and what is read of them."""

from __future__ import annotations

import pytest

from tests.core.vlm import answer_cases as cases
from tests.core.vlm import question_cases as of_question
from truehue.core.errors import BadInput
from truehue.core.vlm.parsing import FIRST, VERSION, Reader, parse_answer, read_answer
from truehue.core.vlm.records import Form, Outcome, Question

CHOICES = (
    cases.PLAIN + cases.DRESSED + cases.REASONED + cases.UNREADABLE + cases.TEXTS + cases.LATER
)


REASONED = Reader(reasoned=True)


def asked(choices: tuple[str, ...], answer: str = "A", text: str = "What color is it?") -> Question:
    return Question("q1", "t", Form.CHOICE, text, choices, answer, "x")


def named(answer: str, form: Form = Form.OPEN) -> Question:
    return Question("q1", "t", form, "Well?", (), answer, "x")


@pytest.mark.parametrize("parser", [FIRST, VERSION])
def test_letters_are_read_and_nothing_is_guessed(parser: str) -> None:
    apart = {}
    for text, choices, letter in CHOICES:
        reading, reason = read_answer(text, asked(choices), Reader(parser))
        assert (reading is None) == bool(reason), text
        if reading != letter:
            apart[text, choices] = (letter, reading, reason)
    assert apart == {}


def _misread(
    message: list[tuple[str, tuple[str, ...], str, str | None]], reader: Reader
) -> list[tuple[str, str | None, str]]:
    """Answers that are read otherwise than a person would, with what was read and why."""
    read = [
        (content, letter, asked(choices, text=text)) for content, choices, text, letter in message
    ]
    return [
        (text, *answer)
        for text, letter, question in read
        if (answer := read_answer(text, question, reader))[0] != letter
    ]


def _absent(
    message: list[tuple[str, str | None]],
) -> list[tuple[str, tuple[str, ...], str, str | None]]:
    return [(text, of_question.TREES, of_question.ABSENT, letter) for text, letter in message]


def test_a_denial_that_the_question_makes_is_none_of_the_answer() -> None:
    message = _absent(of_question.MISREAD_ABSENT + of_question.OWN_ABSENT)
    assert _misread(message, Reader()) == []


def test_totals_nothing_telling_words_and_contradictions_are_read_by_the_question() -> None:
    assert _misread(of_question.MISREAD + of_question.OWN, Reader()) == []


def test_of_a_reasoned_answer_the_last_letter_of_the_last_line_counts() -> None:
    message = [
        (text, of_question.TREES, "What color?", letter) for text, letter in of_question.REASONED
    ]
    assert _misread(message, REASONED) == []


def test_parser_1_still_reads_as_it_did() -> None:
    """Scores of before stay what they were: each of these it misread, and does."""
    messages = [*_absent(of_question.MISREAD_ABSENT), *of_question.MISREAD]
    assert len(_misread(messages, Reader(FIRST))) >= len(messages) - 2


def test_letter_and_words_that_name_different_choices_are_a_contradiction() -> None:
    question = asked(of_question.HSV)
    assert read_answer("B) [329, 98, 98]", question) == (
        None,
        "Its letter and its words name different choices: B, C.",
    )


@pytest.mark.parametrize("text", of_question.TRUNCATED)
def test_reasoning_that_is_cut_off_is_an_outcome_of_its_own(text: str) -> None:
    question = asked(of_question.TREES, "C")
    cut = parse_answer(question, text, truncated=True, reader=REASONED)
    assert (cut.outcome, cut.reading) == (Outcome.TRUNCATED, None)
    assert cut.reason == "It was cut off at the token limit before its conclusion."
    before = parse_answer(question, text, truncated=True, reader=Reader(FIRST, reasoned=True))
    assert before.outcome is not Outcome.TRUNCATED


@pytest.mark.parametrize("text", of_question.NOT_TRUNCATED)
def test_an_answer_that_was_given_before_the_limit_counts(text: str) -> None:
    question = asked(of_question.TREES, "C")
    assert parse_answer(question, text, truncated=True, reader=REASONED).outcome is Outcome.RIGHT


def test_a_plain_answer_that_goes_on_beyond_the_limit_was_given_first() -> None:
    question = asked(of_question.TREES, "B")
    message = {
        "B) Yellow\n\nExplanation: the car is yel": Outcome.RIGHT,
        "(A) Black: no. (B) Yel": Outcome.TRUNCATED,
        "The car is yellow and the": Outcome.TRUNCATED,
    }
    result = {text: parse_answer(question, text, truncated=True).outcome for text in message}
    assert result == message
    binary = named("yes", Form.BINARY)
    assert parse_answer(binary, "Yes, as the", truncated=True).outcome is Outcome.RIGHT
    assert (
        parse_answer(binary, "Yes, as the", truncated=True, reader=REASONED).outcome
        is Outcome.TRUNCATED
    )


def test_there_are_two_parsers() -> None:
    with pytest.raises(BadInput, match="The parser is 1 or 2"):
        Reader("3")


def test_yes_and_no_are_read() -> None:
    expected = dict(cases.BINARY + cases.LATER_BINARY)
    assert {text: read_answer(text, named("yes", Form.BINARY))[0] for text in expected} == expected


def test_open_answers_are_right_in_any_spelling() -> None:
    means = {Outcome.RIGHT: True, Outcome.WRONG: False, Outcome.UNREADABLE: None}
    result = [
        means[parse_answer(named(expected), text).outcome] for text, expected, _ in cases.OPEN
    ]
    assert dict(zip(cases.OPEN, result, strict=True)) == {case: case[2] for case in cases.OPEN}


def test_the_expected_answer_is_not_looked_at() -> None:
    for text, choices, letter in cases.PLAIN:
        assert read_answer(text, asked(choices, "D"))[0] == letter


def test_an_answer_is_right_wrong_unreadable_or_not_there() -> None:
    question = asked(cases.COLORS, "B")
    assert parse_answer(question, "(B)").outcome is Outcome.RIGHT
    assert parse_answer(question, "A").outcome is Outcome.WRONG
    unread = parse_answer(question, "A or B")
    assert (unread.reading, unread.outcome) == (None, Outcome.UNREADABLE)
    assert unread.reason == "It names several choices: A, B."
    assert unread.words == "A or B"
    missing = parse_answer(question, None, "The model ran out of memory.")
    assert (missing.outcome, missing.reason) == (
        Outcome.UNANSWERED,
        "The model ran out of memory.",
    )
    assert parse_answer(question, "").outcome is Outcome.UNREADABLE
    assert parse_answer(named("no", Form.BINARY), "No.").outcome is Outcome.RIGHT


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Nothing was written."),
        ("<think>Is it B?", "It ends within its reasoning."),
        ("<think>It is B.</think>", "Nothing follows its reasoning."),
        ("I cannot see the image.", "It declines to answer."),
        ("The sky is clear today.", "It comes to no conclusion."),
        ("E", "E is none of the letters offered."),
    ],
)
def test_the_reason_says_why_nothing_was_read(text: str, reason: str) -> None:
    assert read_answer(text, asked(cases.COLORS)) == (None, reason)


def test_two_choices_of_the_same_words_are_told_apart_by_letter_only() -> None:
    twice = asked(("red", "blue", "Blue"))
    assert read_answer("blue", twice) == (None, "Two choices have these words.")
    assert read_answer("C", twice) == ("C", "")


@pytest.mark.parametrize(
    "part", ["(", "is red ", "A, ", "\\boxed{", "<think>", "not ", "1, 2, ", "A) "]
)
def test_long_repetitive_answers_are_read_soon(part: str) -> None:
    """Models that repeat themselves must not hold up the scoring; the suite's own limit is time."""
    text = part * (4_000 // len(part))
    negative = asked(cases.COLORS, text=of_question.ABSENT)
    for question in (asked(cases.RGB), negative, named("blue"), named("yes", Form.BINARY)):
        read_answer(text, question)
