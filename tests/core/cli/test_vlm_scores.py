"""``truehue vlm make``, ``import`` and ``score``: from a set to its scores."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.generation.images_server import Answer, failure
from tests.core.vlm.chat_server import ChatServer, completion
from tests.core.vlm.test_published import robust, row, written
from tests.workers_here import workers_here
from truehue.core.cli.vlm import main
from truehue.core.vlm.generators import Difficulty, GeneratedSettings, generated
from truehue.core.vlm.question_set import open_set, write_set
from truehue.core.vlm.records import LETTERS

pytestmark = pytest.mark.slow

__all__ = ["workers_here"]

# "=" is a right answer that a spreadsheet would take for a formula.
MARKS = {
    "color_extraction": "+=+-",
    "color_comparison": "+-?",
    "color_counting": "++",
    "object_counting": "0-",
    "color_illusion": "+-",
    "color_blindness": "+",
}
GRAY = {**MARKS, "color_extraction": "----"}


@pytest.fixture(scope="module")
def fourteen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a generated set of six tasks. Not to be changed."""
    settings = GeneratedSettings(
        {task: len(source) for task, source in MARKS.items()}, Difficulty.EASY
    )
    folder = tmp_path_factory.mktemp("set") / "questions"
    return write_set(folder, generated(settings), "Generated", {}).folder


def asked(source: Path, out: Path, answers: list[Answer], *more: str) -> int:
    """Asks a server that answers so, and then with what no parser reads."""
    server = ChatServer()
    server.answers = answers
    parts = [
        "run",
        str(source),
        "--out",
        str(out),
        "--model",
        server.base_url,
        "--name",
        "color-vlm",
    ]
    with server.running():
        return main([*parts, "--at-once", "1", *more])


def said(source: Path, marks: dict[str, str]) -> list[Answer]:
    """The answers of a server, by mark: right, wrong, unreadable, none."""
    answers = []
    left = {task: list(of_task) for task, of_task in marks.items()}
    for question in open_set(source).questions():
        letter = question.answer
        text = {
            "+": f"The answer is ({letter}).",
            "=": f"- ({letter})",
            "-": LETTERS[(LETTERS.index(letter) + 1) % len(question.choices)],
            "?": "A or B",
        }
        mark = left[question.task].pop(0)
        answers.append(failure(400, "Too large") if mark == "0" else completion(text[mark]))
    return answers


def scored(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["score", "--json", *map(str, arguments)]) == 0
    message: dict[str, Any] = json.loads(capsys.readouterr().out)
    return message


def test_words_become_scores_and_differences(
    fourteen: Path, tmp_path: Path, workers_here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    colored, gray, sheet = tmp_path / "colored", tmp_path / "gray", tmp_path / "answers.csv"
    assert asked(fourteen, colored, said(fourteen, MARKS)) == 2
    assert asked(fourteen, gray, said(fourteen, GRAY), "--image", "gray") == 2
    message = scored(capsys, colored, gray, "--answers", sheet)
    first = message["scores"][0]
    assert first["micro"]["right"] == 3 + 1 + 2 + 0 + 1 + 1
    assert first["micro"]["percent"] == pytest.approx(100 * 8 / 14)
    assert first["macro"]["percent"] == pytest.approx((75 + 100 / 3 + 100 + 0 + 50 + 100) / 6)
    chance = (4 / 4 + 3 / 4 + 2 / 4 + 2 / 4 + 2 / 2 + 1 / 4) / 14
    assert first["micro"]["chance_percent"] == pytest.approx(100 * chance)
    assert (first["micro"]["unreadable"], first["micro"]["unanswered"]) == (1, 1)
    assert (first["robust"], first["people"]) == (None, None)
    assert first["pixels"] == dict.fromkeys(MARKS, 100.0) | {
        "color_illusion": None,
        "color_blindness": None,
    }
    assert message["scores"][1]["pixels"] == first["pixels"]
    # Of "- (A)" the released code reads the first letter in parentheses too; lone letters are read.
    released = first["released"]
    assert released["reader"] == "a lone letter, else the first in parentheses"
    assert released["tasks"]["color_comparison"] == pytest.approx(100 / 3)
    assert released["micro"] == pytest.approx(100 * 8 / 14)
    (between,) = message["differences"]
    assert between["tasks"]["color_extraction"]["points"] == -75
    assert between["micro"]["points"] == pytest.approx(-100 * 3 / 14)
    assert between["micro"]["p_value"] == 0.25
    lines = list(csv.DictReader(sheet.read_text(encoding="utf-8").splitlines()))
    assert len(lines) == 28
    guarded = lines[1]
    assert guarded["words"] == f"'- ({guarded['expected']})"
    assert (guarded["reading"], guarded["outcome"]) == (guarded["expected"], "right")
    assert (guarded["released_reading"], guarded["released_outcome"]) == (
        guarded["expected"],
        "right",
    )
    assert {line["parser"] for line in lines} == {"2"}
    outcomes = [line["outcome"] for line in lines[:14]]
    assert [outcomes.count(item) for item in ("right", "wrong", "unreadable")] == [8, 4, 1]
    assert "Too large" in lines[outcomes.index("unanswered")]["reason"]
    assert main(["score", str(colored), str(gray)]) == 0
    text = capsys.readouterr().out
    lines_of = [" ".join(line.split()) for line in text.splitlines()]
    assert (
        "color_comparison 1/3 33.3 6.1 to 79.2 33.3 25.0 100.0 1 0 0 0 n.s. vs chance" in lines_of
    )
    assert any(line.startswith("as released: accuracy when ColorBench's") for line in lines_of)
    assert any(line.startswith("macro – 59.7 ") for line in lines_of)
    assert any(line.startswith("color_extraction 4 -75.0 ") for line in lines_of)


def test_a_set_is_drawn_and_another_is_not_compared(
    fourteen: Path, tmp_path: Path, workers_here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "made"
    parts = ["make", str(made), "--count", "2", "--seed", "3", "--difficulty", "hard", "--tasks"]
    assert main([*parts, "color_extraction"]) == 0
    opened = open_set(made)
    assert opened.counts == {"color_extraction": 2}
    assert (opened.settings["seed"], opened.settings["difficulty"]) == (3, "hard")
    assert opened.sha256 in capsys.readouterr().out
    assert main([*parts, "color_extraction"]) == 2
    assert "is there already" in capsys.readouterr().err
    assert asked(made, tmp_path / "a", []) == 0
    assert asked(fourteen, tmp_path / "b", [], "--most-requests", "1") == 3
    first = next(opened.questions())
    opened.image_path(first).unlink()
    assert main(["score", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    message = capsys.readouterr()
    assert "have different questions" in message.err
    assert "The pixel reader is not shown" in message.err
    assert "13" in message.out  # not asked
    assert main(["score", str(made)]) == 2
    assert "plan.json" in capsys.readouterr().err


def test_the_published_set_has_people_beside_it(
    tmp_path: Path, workers_here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    nine = [robust(10 + number, f"7_target_{number}") for number in range(9)]
    short = [robust(30, "8"), robust(31, "8_entire_90")]
    broken = [row(50, answer="(Z)"), row(51, image={"bytes": b"none", "path": None})]
    path = written(tmp_path, [row(0), robust(9, "7"), *nine, *short, *broken])
    assert main(["import", str(path), str(tmp_path / "strict"), "--strict"]) == 2
    assert "row 14: the answer is '(Z)'" in capsys.readouterr().err
    assert main(["import", str(path), str(tmp_path / "set")]) == 0
    message = capsys.readouterr()
    assert "Skipped test-0.parquet, row 14: the answer is '(Z)'" in message.err
    assert "Skipped test-0.parquet, row 15: " in message.err
    assert "2 rows are not questions and were skipped." in message.out
    assert len(open_set(tmp_path / "set").settings["skipped"]) == 2
    assert "1 of 2 robustness seeds have not nine variants" in message.err
    assert "13 questions about 1 images" in message.out
    answers = [completion("(A)")] * 11
    assert asked(tmp_path / "set", tmp_path / "out", answers) == 0
    (scores,) = scored(capsys, tmp_path / "out")["scores"]
    assert scores["people"]["color_recognition"] == 92.0
    assert (scores["micro"]["right"], scores["micro"]["asked"]) == (1, 1)
    made, complete = scores["robust"]["as_made"], scores["robust"]["complete"]
    assert (made["right"], made["asked"], complete["right"], complete["asked"]) == (1, 2, 1, 1)
    assert main(["score", str(tmp_path / "out")]) == 0
    text = capsys.readouterr().out
    assert "people" in text
    assert "Robust, complete" in text


def test_the_pixels_of_a_set_are_read_once(
    tmp_path: Path,
    workers_here: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = GeneratedSettings({"color_extraction": 2}, Difficulty.EASY)
    question_set = write_set(tmp_path / "set", generated(made), "Generated", {})
    out = tmp_path / "out"
    asked(question_set.folder, out, [])
    assert scored(capsys, out, "--no-pixels")["scores"][0]["pixels"] is None
    assert not (question_set.folder / "pixels.jsonl").exists()
    first = scored(capsys, out)["scores"][0]["pixels"]
    assert first == {"color_extraction": 100.0}
    for (
        question
    ) in question_set.questions():  # what is stored needs no image, and is not read again
        question_set.image_path(question).unlink()
    assert scored(capsys, out)["scores"][0]["pixels"] == first
    # Another version of the reader reads again.
    monkeypatch.setattr("truehue.core.vlm.evaluation.pixel_baseline.PIXELS_VERSION", "0")
    assert main(["score", str(out)]) == 0
    assert "The pixel reader is not shown" in capsys.readouterr().err


def test_photographs_are_read_for_the_pixels_on_demand(
    tmp_path: Path, workers_here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "What is the HEX value of the color?"
    source = row(0, task="Color Extraction", question=text, choices=["#C81E28", "#0000FF"])
    assert main(["import", str(written(tmp_path, [source])), str(tmp_path / "set")]) == 0
    asked(tmp_path / "set", tmp_path / "out", [])
    assert main(["score", str(tmp_path / "out")]) == 0
    assert "it has not read the photographs of 1 questions yet" in capsys.readouterr().err
    read = scored(capsys, tmp_path / "out", "--pixels")["scores"][0]["pixels"]
    assert read == {"color_extraction": 100.0}
    assert scored(capsys, tmp_path / "out")["scores"][0]["pixels"] == read


def test_what_began_with_parser_1_keeps_it_until_it_is_read_again(
    fourteen: Path, tmp_path: Path, workers_here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "old"
    cut = completion("(A) no.\n(B) no.\n(C)", ending="length")
    assert asked(fourteen, out, [cut], "--style", "reasoned") == 0
    new = scored(capsys, out)["scores"][0]
    assert (new["parser"], new["own_parser"], new["micro"]["truncated"]) == ("2", "2", 1)
    plan = json.loads((out / "plan.json").read_text(encoding="utf-8"))
    assert plan.pop("parser") == "2"
    (out / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    old = scored(capsys, out)["scores"][0]
    assert (old["parser"], old["micro"]["truncated"]) == ("1", 0)
    again = scored(capsys, out, "--parser", "2")["scores"][0]
    assert (again["parser"], again["own_parser"]) == ("2", "1")
    assert again["micro"] == new["micro"]
    assert main(["score", str(out)]) == 0
    assert "read by parser 1, as before (--parser 2 re-reads" in capsys.readouterr().out
    assert main(["score", str(out), "--parser", "2"]) == 0
    assert "read by parser 2 on request; first read by parser 1." in capsys.readouterr().out
