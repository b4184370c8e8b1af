"""Chance and the reader of pixels."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from truehue.core.vlm.baselines import (
    expected_by_chance,
    guess,
    read_pixels,
    written_color,
)
from truehue.core.vlm.generators import GENERATORS, Difficulty
from truehue.core.vlm.records import Form, IllustratedQuestion, Outcome, Question
from truehue.core.vlm.scoring import score

pytestmark = pytest.mark.slow

READ = (
    "color_extraction",
    "color_proportion",
    "color_comparison",
    "color_counting",
    "object_counting",
)


def question(form: Form, answer: str, choices: tuple[str, ...] = (), **made: object) -> Question:
    return Question("one", "color_recognition", form, "Which?", choices, answer, "", "", "", made)


@pytest.mark.parametrize("task", READ)
@pytest.mark.parametrize("level", Difficulty)
def test_pixels_answer_what_was_made_of_them(task: str, level: Difficulty) -> None:
    for item in GENERATORS[task](4, 11, level):
        assert read_pixels(item).outcome is Outcome.RIGHT
        bare = replace(item.question, construction={})
        assert read_pixels(IllustratedQuestion(bare, item.srgb8)).outcome is Outcome.RIGHT


def test_without_the_image_counts_are_no_choice_or_wrong() -> None:
    items = list(GENERATORS["color_counting"](4, 2, "hard"))
    outcomes = {
        read_pixels(replace(item, srgb8=np.zeros_like(item.srgb8))).outcome for item in items
    }
    assert Outcome.RIGHT not in outcomes


def test_what_pixels_alone_cannot_tell_is_unanswered() -> None:
    item = next(GENERATORS["color_illusion"](1, 0, "easy"))
    answer = read_pixels(item)
    assert (answer.outcome, answer.reading) == (Outcome.UNANSWERED, None)
    assert "cannot answer" in answer.reason
    binary = IllustratedQuestion(question(Form.BINARY, "yes"), item.srgb8)
    assert read_pixels(binary).outcome is Outcome.UNANSWERED


@pytest.mark.parametrize(
    ("text", "color"),
    [
        ("#D62026", (214, 32, 38)),
        ("RGB(1, 2, 3)", (1, 2, 3)),
        ("(12,34,56)", (12, 34, 56)),
        ("hsv(0°, 100%, 100%)", (255, 0, 0)),
        ("hsv (120, 1.0, 0.5)", (0, 128, 0)),
        ("rgb(256, 0, 0)", None),
        ("blue", None),
    ],
)
def test_written_colors(text: str, color: tuple[int, int, int] | None) -> None:
    assert written_color(text) == color


def test_chance_is_exact() -> None:
    four = question(Form.CHOICE, "A", ("1", "2", "3", "4"))
    three = replace(four, choices=("1", "2", "3"))
    names = question(Form.OPEN, "gray", names=["gray", "grey", "red"], also=["grey"])
    assert question(Form.BINARY, "no").exact_chance == Fraction(1, 2)
    assert names.exact_chance == Fraction(2, 3)
    assert question(Form.OPEN, "red").exact_chance == 0
    # Guessing, chance and the column of scores are of one definition.
    assert expected_by_chance([names])["color_recognition"].right == Fraction(2, 3)
    assert score([names], [guess(names)]).overall.chance_percent == pytest.approx(200 / 3)
    expected = expected_by_chance([four, three])["color_recognition"]
    assert (expected.right, expected.questions) == (Fraction(7, 12), 2)
    assert expected.share == pytest.approx(7 / 24)


def test_guesses_are_seeded_and_even() -> None:
    four = question(Form.CHOICE, "A", ("1", "2", "3", "4"))
    counted = [replace(four, question_id=str(n)) for n in range(2000)]
    answers = [guess(item, seed=1) for item in counted]
    assert answers == [guess(item, seed=1) for item in reversed(counted)][::-1]
    counts = Counter(answer.reading for answer in answers)
    assert set(counts) == set("ABCD")
    assert np.ptp(list(counts.values())) < 120
    assert guess(question(Form.OPEN, "red")).outcome is Outcome.UNANSWERED
    assert guess(question(Form.BINARY, "no")).reading in ("yes", "no")
