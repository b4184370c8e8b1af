"""A model as judge beside the rules: scripted answers, whose numbers are written out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.core.generation.images_server import Answer as Reply
from tests.core.generation.images_server import failure
from tests.core.vlm.chat_server import ChatServer, completion
from tests.workers_here import workers_here
from truehue.core.analysis.paired import nominal_kappa
from truehue.core.cli.vlm import main
from truehue.core.color.systems import find
from truehue.core.diagnosis.colors import set_colors
from truehue.core.errors import BadInput
from truehue.core.generation.renderer import OBJECTS
from truehue.core.vlm.color_judge import rules as rules_module
from truehue.core.vlm.color_judge.question_set import (
    JudgeSettings,
    is_judge_set,
    judge_questions,
    scenes,
)
from truehue.core.vlm.color_judge.report import judge_report, report_of
from truehue.core.vlm.color_judge.rules import CACHE, OTHERWISE, color_of, rule_answers
from truehue.core.vlm.evaluation.log import read_log
from truehue.core.vlm.parsing import parse_answer
from truehue.core.vlm.question_set import open_set
from truehue.core.vlm.records import Answer, Form, Outcome, Question

pytestmark = pytest.mark.slow

__all__ = ["workers_here"]

FOUR = JudgeSettings("l2", 4, 1, 64)


@pytest.fixture(scope="module")
def asked() -> list[Question]:
    """Twenty-four questions about four renders: Q1 and Q2 four times, Q3 and Q4 eight times."""
    return [item.question for item in judge_questions(FOUR)]


@pytest.fixture(scope="module")
def rules(asked: list[Question]) -> dict[str, list[Answer]]:
    return rule_answers(asked)


def answers(questions: list[Question], text: Callable[[Question], str]) -> list[Answer]:
    return [parse_answer(question, text(question)) for question in questions]


def right(question: Question) -> str:
    return question.answer


def yes(question: Question) -> str:
    return "Yes." if question.form is Form.BINARY else "no color at all, I would say, or is it"


def row(report: dict[str, Any], table: str, *key: str) -> dict[str, Any]:
    """A row of a table, by the names of its columns."""
    (result,) = (item for item in report["tables"] if item["id"] == table)
    (cells,) = (row for row in result["rows"] if row[: len(key)] == list(key))
    return dict(zip(result["columns"], cells, strict=True))


def test_who_is_always_right(asked: list[Question]) -> None:
    every = answers(asked, right)
    report = report_of(asked, every, {"same": every}, "oracle")
    q3 = row(report, "accuracy", "L2 Q3")
    assert (q3["right"], q3["asked"], q3["percent"], q3["chance"]) == (8, 8, 100.0, 50.0)
    # Wilson of 8 of 8: from 8 / (8 + 1.95996²).
    assert (q3["low"], q3["high"]) == (pytest.approx(100 * 8 / 11.8415, abs=1e-3), 100.0)
    assert row(report, "accuracy", "L2 Q2")["chance"] == pytest.approx(100 / 29)
    assert row(report, "accuracy", "All")["right"] == 24
    for part in ("L2 Q1", "L2 Q2", "L2 Q3", "L2 Q4", "Open-ended", "Multiple choice", "Yes or no"):
        same = row(report, "agreement", part, "same")
        assert (same["same percent"], same["kappa"], same["points"]) == (100.0, 1.0, 0.0)
        assert same["p (McNemar)"] is None
    assert row(report, "agreement", "All", "same")["kappa"] is None
    assert (report["renders"], report["systems"], report["model"]) == (4, ["l2"], "oracle")
    assert json.loads(json.dumps(report)) == report


def test_who_always_says_yes(asked: list[Question]) -> None:
    report = report_of(asked, answers(asked, yes), {"oracle": answers(asked, right)}, "yes")
    q3 = row(report, "accuracy", "L2 Q3")
    assert (q3["right"], q3["asked"], q3["percent"], q3["oracle"]) == (4, 8, 50.0, 100.0)
    between = row(report, "agreement", "L2 Q3", "oracle")
    # Four of eight are the same; one word against two of equal share: by chance half are, too.
    assert (between["both decided"], between["same percent"], between["kappa"]) == (8, 50.0, 0.0)
    # The oracle alone is right four times: of four that differ all one way, 2 × (1/2)⁴.
    assert (between["only rule correct"], between["only model correct"]) == (4, 0)
    assert (between["points"], between["p (McNemar)"]) == (-50.0, 0.125)
    for text in ("the true one", "another"):
        said = row(report, "yes", "yes", text)
        assert (said["yes"], said["decided"], said["percent"]) == (8, 8, 100.0)
    assert row(report, "yes", "oracle", "another")["percent"] == 0.0
    # What it says of names cannot be read: wrong, counted, and no agreement.
    q1 = row(report, "accuracy", "L2 Q1")
    assert (q1["right"], q1["unreadable"], q1["percent"]) == (0, 4, 0.0)
    names = row(report, "agreement", "L2 Q1", "oracle")
    assert (names["both decided"], names["kappa"], names["pairs"]) == (0, None, 4)


def test_one_miss_one_failure_and_one_not_asked(asked: list[Question]) -> None:
    q3 = [question for question in asked if question.task == "l2_q3"]
    miss = next(item for item in q3 if item.answer == "yes")
    answers_of = [parse_answer(item, "no" if item is miss else item.answer) for item in q3]
    report = report_of(q3, answers_of, {"oracle": answers(q3, right)}, "m")
    between = row(report, "agreement", "L2 Q3", "oracle")
    # 7 of 8 are the same; by chance 3/8 · 4/8 + 5/8 · 4/8 = 1/2: (7/8 − 1/2) / (1/2).
    assert between["kappa"] == pytest.approx(0.75)
    assert (between["points"], between["p (McNemar)"]) == (-12.5, 1.0)
    failed = parse_answer(q3[0], None, "The server failed.")
    report = report_of(q3, [failed, *answers_of[1:7]], {"oracle": answers(q3, right)}, "m")
    counts = row(report, "accuracy", "L2 Q3")
    assert (counts["unanswered"], counts["not asked"], counts["asked"]) == (1, 1, 7)
    between = row(report, "agreement", "L2 Q3", "oracle")
    assert (between["both decided"], between["pairs"]) == (6, 7)
    # The rule stands beside what was asked alone.
    assert row(report, "rules", "L2 Q3", "oracle")["asked"] == 7
    with pytest.raises(BadInput, match="answered twice"):
        report_of(q3, [failed, failed], {}, "m")


def test_rules_answer_by_the_exact_mask(
    asked: list[Question], rules: dict[str, list[Answer]]
) -> None:
    report = report_of(asked, rules["truehue"], rules, "truehue")
    for part in ("L2 Q1", "L2 Q2", "L2 Q3", "Yes or no"):
        same = row(report, "agreement", part, "truehue")
        assert (same["same percent"], same["kappa"]) == (100.0, 1.0)
    # By the diagnosis truehue is right on nearly all such renders; the paper's text on few.
    assert row(report, "rules", "Yes or no", "truehue")["percent"] >= 75
    ours, paper = (row(report, "yes", rule, "the true one")["yes"] for rule in ("truehue", "paper"))
    assert ours > paper
    for answer, question in zip(rules["paper"], asked, strict=True):
        if question.form is Form.OPEN:
            assert find(str(answer.reading), "l2")
            assert (answer.outcome is Outcome.RIGHT) == (answer.reading == question.answer)
        else:
            assert (answer.outcome is Outcome.RIGHT) == (answer.reading == question.answer)
    published = [table for table in report["tables"] if table["published"]]
    assert [table["id"] for table in published] == [
        "gencolorbench-table10-l2",
        "gencolorbench-table2",
    ]
    assert row(report, "gencolorbench-table2", "Qwen2-VL-7B")["Binary L2"] == 49.01
    assert "96.46% on L2" in published[1]["note"]
    assert "As published" in published[1]["note"]


def test_css_has_hex_codes_and_letters() -> None:
    questions = [item.question for item in judge_questions(JudgeSettings("css", 1, 3, 64, near=3))]
    rules = rule_answers(questions)
    report = report_of(questions, answers(questions, right), rules, "oracle")
    assert row(report, "accuracy", "Multiple choice")["chance"] == 25.0
    (hexed,) = (item for item in rules["truehue"] if item.question_id.startswith("css_q3"))
    assert str(hexed.reading).startswith("#")
    (letter,) = (item for item in rules["truehue"] if item.question_id.startswith("css_q2"))
    assert letter.reading in "ABCD"
    assert row(report, "accuracy", "Yes or no")["asked"] == 6


def test_names_of_one_color_are_one_answer(asked: list[Question]) -> None:
    css = replace(asked[0], construction={"system": "css"})
    assert color_of(css, "Dark Slate grey") == color_of(css, "darkslategray") == "#2F4F4F"
    assert color_of(css, "#2f4f4f") == "#2F4F4F"
    assert color_of(css, "octarine") == "octarine"
    # In its own system a name is that system's: level 2 has a green of its own.
    assert color_of(asked[0], "green") == find("Green", "l2").hex != find("green", "css").hex
    assert nominal_kappa([("a", "a"), ("b", "b"), ("c", "a")]) == pytest.approx(
        (2 / 3 - (1 * 2 + 1 * 1) / 9) / (1 - 3 / 9)
    )
    assert nominal_kappa([]) is None
    assert nominal_kappa([("a", "a")] * 3) is None


def test_a_render_that_is_drawn_otherwise_is_unscored(asked: list[Question]) -> None:
    other = {**asked[0].construction["render"], "mask_sha256": "0"}
    changed = replace(asked[0], construction={**asked[0].construction, "render": other})
    for of_rule in rule_answers([changed]).values():
        assert (of_rule[0].outcome, of_rule[0].reason) == (Outcome.UNANSWERED, OTHERWISE)
    with pytest.raises(BadInput, match="does not say of which render"):
        rule_answers([replace(asked[0], construction={"system": "l2"})])


def test_scenes_take_turns_as_in_the_paper() -> None:
    all_scenes = list(scenes(JudgeSettings("l2", 406)))
    pairs = {(color, scene[0]) for color, scene in all_scenes}
    assert len(pairs) == 406 == len(set_colors("l2")) * len(OBJECTS)
    assert len({color for color, _ in all_scenes[:29]}) == 29
    limit = 4 * 406
    assert len(set(scenes(JudgeSettings("l2", limit)))) == limit
    for wrong in ({"system": "l3"}, {"renders": 0}, {"renders": limit + 1}, {"seed": -1}):
        with pytest.raises(BadInput):
            JudgeSettings(**wrong)  # type: ignore[arg-type]


def test_from_the_command_to_the_report(
    tmp_path: Path,
    workers_here: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, out = tmp_path / "set", tmp_path / "out"
    assert main(["judge", "make", str(source), "--count", "2", "--size", "64", "--seed", "1"]) == 0
    made = open_set(source)
    assert is_judge_set(made.settings)
    assert (made.settings["system"], made.settings["renders"]) == ("l2", 2)
    assert made.questions_count == 12
    server = ChatServer()
    questions = list(made.questions())
    server.answers = [said(question) for question in questions]
    with server.running():
        parts = ["run", str(source), "--out", str(out), "--model", server.base_url, "--name", "vlm"]
        assert main([*parts, "--at-once", "1"]) == 2
    capsys.readouterr()
    assert main(["judge", "report", str(out), "--json"]) == 0
    message = json.loads(capsys.readouterr().out)
    assert row(message, "accuracy", "Yes or no")["percent"] == 50.0
    assert row(message, "accuracy", "L2 Q1")["unanswered"] == 2
    saved = (out / CACHE).read_text()
    (out / CACHE).write_text(saved[:-20])  # a line that a kill tore is judged again
    seen: list[tuple[int, int]] = []
    assert judge_report(read_log(out), lambda *subject: seen.append(subject)) == message
    assert seen == [(1, 2), (2, 2)]
    monkeypatch.setattr(rules_module, "_judged", None)  # what was judged is not judged again
    assert judge_report(read_log(out)) == message
    assert main(["judge", "report", str(out)]) == 0
    text = capsys.readouterr().out
    assert "True and false acceptance of colors" in text
    assert "Published, Table 2" in text
    assert main(["judge", "make", str(source)]) == 2
    assert "is there already" in capsys.readouterr().err


def said(question: Question) -> Reply:
    """Yes, the right name of a list, and no answer to the open question."""
    if question.form is Form.BINARY:
        return completion("yes")
    return completion(question.answer) if question.listed else failure(400, "Too large")


def test_another_set_has_no_judge(twenty: Path, tmp_path: Path) -> None:
    from truehue.core.vlm.evaluation.plan import EvaluationSettings, begin, read_questions
    from truehue.core.vlm.models.registry import model_of

    target, source = read_questions(twenty)
    model = model_of("http://127.0.0.1:1/v1", {"model": "m"})
    begin(tmp_path / "out", target, source, lambda item: item.text, model, EvaluationSettings())
    with pytest.raises(BadInput, match="make a set with truehue vlm judge make"):
        judge_report(read_log(tmp_path / "out"))
