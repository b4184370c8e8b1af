"""GenColorBench's Tables 2 and 10: answers of known outcome, their numbers and planted differences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from truehue.core.analysis.intervals import wilson
from truehue.core.errors import BadInput
from truehue.core.published import table
from truehue.core.reproduce.color_judge import (
    RECIPES,
    Pairs,
    judge_gaps,
    judge_interval,
    judge_numbers,
    printed_name,
    row_of,
)
from truehue.core.reproduce.recipe import ReproduceContext
from truehue.core.vlm.color_judge.question_set import JudgeSettings, judge_questions
from truehue.core.vlm.parsing import parse_answer
from truehue.core.vlm.records import Form, Question

TABLE_2, TABLE_10 = table("gencolorbench-table2"), table("gencolorbench-table10-l2")


@pytest.fixture(scope="module")
def asked() -> list[Question]:
    """Of each of four renders: Q1 and Q2 once, Q3 and Q4 with the true color and with another."""
    return [item.question for item in judge_questions(JudgeSettings("l2", 4, 1, 64))]


def pairs(asked: list[Question], text: Callable[[Question], str]) -> Pairs:
    return [(question, parse_answer(question, text(question))) for question in asked]


def yes(question: Question) -> str:
    """Says yes to everything, and nothing that can be read to the other questions."""
    return "Yes." if question.form is Form.BINARY else "no color at all, I would say, or is it"


def test_kinds_are_means_of_questions_and_overall_of_kinds(asked: list[Question]) -> None:
    numbers = judge_numbers(pairs(asked, yes), TABLE_10)
    assert numbers == {
        "Overall": pytest.approx(50 / 3),
        "Open-Ended": 0.0,
        "MCQ": 0.0,
        "Binary": 50.0,
        "Q1: Name": 0.0,
        "Q2: MCQ": 0.0,
        "Q3: Name Ver.": 50.0,
        "Q4: RGB Ver.": 50.0,
    }
    numbers = judge_numbers(pairs(asked, lambda question: question.answer), TABLE_2)
    of_l2 = {"Open-Ended L2": 100.0, "MCQ L2": 100.0, "Binary L2": 100.0}
    assert numbers == {**dict.fromkeys(("Open-Ended CSS", "MCQ CSS", "Binary CSS")), **of_l2}


def test_means_have_intervals_narrower_than_those_of_their_questions(
    asked: list[Question],
) -> None:
    answered = pairs(asked, yes)
    ends = {column.name: judge_interval(answered, TABLE_10, column) for column in TABLE_10.columns}
    assert ends["Q3: Name Ver."] == pytest.approx(wilson(0.5, 8))
    width = {name: high - low for name, (low, high) in ((n, e) for n, e in ends.items() if e)}
    assert width["Binary"] == pytest.approx(width["Q3: Name Ver."] / 2**0.5)
    assert ends["Overall"] is not None
    assert ends["Overall"][0] < 50 / 3 < ends["Overall"][1]
    # Nobody was asked about CSS names.
    assert judge_interval(answered, TABLE_2, TABLE_2.column("Binary CSS")) is None


def test_ways_of_counting_are_switched_alone(asked: list[Question]) -> None:
    printed = row_of(TABLE_2, "Qwen2-VL-7B")
    assert printed is not None
    gaps = {
        gap.column: {by.name: by.points for by in gap.differences}
        for gap in judge_gaps(pairs(asked, yes), printed.keys, printed, TABLE_2)
    }
    assert set(gaps) == {"Open-Ended L2", "MCQ L2", "Binary L2"}
    # Who always says yes is right on the true color alone, and on no pair.
    assert gaps["Binary L2"] == {
        "Yes-or-no questions": 50.0,
        "Yes-or-no pairs": -50.0,
        "Unreadable answers": 0.0,
        "Renders": None,
        "Reading of answers": None,
    }
    # Nothing that can be read is left of the names, so this way has no number.
    assert gaps["Open-Ended L2"]["Unreadable answers"] is None


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("janus-pro-7b", "Janus-Pro 7B"),
        ("Qwen/Qwen2-VL-7B-Instruct", "Qwen2-VL-7B"),
        ("BLIP3o/BLIP3o-Model-8B@http://127.0.0.1:1/v1", "BLIP3o-8B"),
        ("DeepSeek-VL2-7B@http://127.0.0.1:1/v1", "DeepSeek-VL2-7B"),
        ("qwen2.5-vl-7b", ""),
        ("janus-pro-1b", ""),
    ],
)
def test_a_model_has_its_printed_rows(model: str, name: str) -> None:
    assert printed_name(model) == name
    assert all((row_of(by, name) is None) == (not name) for by in (TABLE_2, TABLE_10))


def test_other_questions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="leave out --set"):
        RECIPES[0].steps(ReproduceContext(tmp_path, set="mini"))
