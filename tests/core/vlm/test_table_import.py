"""Tables as question sets: VLMEvalKit's columns in CSV, TSV, JSONL and Parquet."""

from __future__ import annotations

import base64
import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from truehue.core.cli.vlm import main
from truehue.core.errors import BadInput
from truehue.core.images.load import encode_png, image_id
from truehue.core.vlm.question_set import open_set, select_questions
from truehue.core.vlm.records import Form
from truehue.core.vlm.table_import import read_import, read_table

RED = np.full((4, 6, 3), (200, 30, 40), dtype=np.uint8)
BLUE = np.full((4, 6, 3), (20, 30, 240), dtype=np.uint8)


def cell(srgb8: np.ndarray) -> str:
    return base64.b64encode(encode_png(srgb8)).decode()


def row(number: int, **changed: str) -> dict[str, str]:
    return {
        "index": str(number),
        "question": "What color?\nSay it.",
        "A": "red",
        "B": "blue, or so",
        "C": "",
        "answer": "A",
        "image": cell(RED),
        "category": "Color Recognition",
    } | changed


def sheet(path: Path, rows: Sequence[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(
            file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ","
        )
        writer.writeheader()
        writer.writerows(rows)
    return path


def lines(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(item) + "\n\n" for item in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl"])
def test_rows_become_questions_with_their_pixels(tmp_path: Path, ending: str) -> None:
    rows = [
        row(3, image=cell(BLUE), answer="(B)"),
        row(4, image="3", category="Shade of gray", hint="Look well."),
        row(5, answer="RED"),
    ]
    rows = [{"hint": "", **item} for item in rows]
    path = (lines if ending == "jsonl" else sheet)(tmp_path / f"mine.{ending}", rows)
    table = read_table(path)
    assert table.counts == {"color_recognition": 2, "shade_of_gray": 1}
    first, second, third = table.illustrated()
    assert first.question.question_id == "mine-3"
    assert (first.question.choices, first.question.answer) == (("red", "blue, or so"), "B")
    np.testing.assert_array_equal(first.srgb8, BLUE)
    # A short image is the index of the row that has it.
    assert second.question.image_id == image_id(BLUE)
    assert second.question.text == "Look well.\nWhat color?\nSay it."
    assert third.question.answer == "A"
    assert table.settings()["file_sha256"]


def test_images_by_path_lists_of_choices_and_other_forms(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.png").write_bytes(encode_png(RED))
    shared = {"question": "Is it red?", "image_path": "images/a.png"}
    path = lines(
        tmp_path / "forms.jsonl",
        [
            {**shared, "answer": "Yes"},
            {**shared, "answer": "scarlet"},
            {**shared, "choices": ["no", "yes"], "answer": "b", "prompt": "Q (A) no (B) yes"},
        ],
    )
    questions = [item.question for item in read_table(path).illustrated()]
    assert [question.form for question in questions] == [Form.BINARY, Form.OPEN, Form.CHOICE]
    assert [question.answer for question in questions] == ["yes", "scarlet", "B"]
    assert questions[2].construction["prompt"] == "Q (A) no (B) yes"
    assert {question.task for question in questions} == {"questions"}


def test_parquet_of_other_questions_has_the_columns_of_the_hub(tmp_path: Path) -> None:
    """CV-Bench's columns are ColorBench's; its tasks are not."""
    rows = [
        {
            "idx": number,
            "type": "2D",
            "task": "Count",
            "image": {"bytes": encode_png(srgb8), "path": None},
            "question": "How many?",
            "choices": ["0", "1"],
            "answer": "(B)",
            "prompt": "How many? (A) 0 (B) 1",
            "filename": f"{number}.png",
        }
        for number, srgb8 in enumerate((RED, BLUE))
    ]
    path = tmp_path / "cvbench.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    first, second = read_import(path).illustrated()
    assert np.array_equal(second.srgb8, BLUE)
    assert (first.question.task, first.question.answer) == ("count", "B")
    assert first.question.choices == ("0", "1")
    assert first.question.construction["index"] == "0"
    # Saved without its bytes, an image is a file beside the table.
    (tmp_path / "1.png").write_bytes(encode_png(BLUE))
    rows[1]["image"] = {"bytes": None, "path": "1.png"}
    pq.write_table(pa.Table.from_pylist(rows), path)
    assert np.array_equal(list(read_import(path).illustrated())[1].srgb8, BLUE)
    rows[1]["image"] = {"bytes": None, "path": None}
    pq.write_table(pa.Table.from_pylist(rows), path)
    assert "neither image nor image_path" in str(read_import(path).skipped[0])
    (tmp_path / "none.parquet").write_bytes(b"PAR1")
    with pytest.raises(BadInput, match="cannot be read as Parquet"):
        read_import(tmp_path / "none.parquet")


def test_zero_is_a_choice_and_images_lie_beside_the_table(tmp_path: Path) -> None:
    (tmp_path / "sets").mkdir()
    (tmp_path / "secret.png").write_bytes(encode_png(RED))
    rows: list[dict[str, Any]] = [
        {**row(1, answer="D"), "A": 3, "B": 2, "C": 1, "D": 0},
        {**row(2), "image": "", "image_path": "../secret.png"},
        {**row(3), "image": "", "image_path": str(tmp_path / "secret.png")},
    ]
    table = read_table(lines(tmp_path / "sets" / "mine.jsonl", rows))
    skipped: list[Any] = []
    (only,) = table.illustrated(skip=skipped.append)
    assert only.question.choices == ("3", "2", "1", "0")
    assert only.question.answer == "D"
    assert [str(row).count("outside of the table's folder") for row in skipped] == [1, 1]


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"answer": "D"}, r"row 2: the answer is 'D', which is none of its choices AB"),
        ({"answer": ""}, "row 2: answer is empty"),
        ({"question": " "}, "row 2: question is empty"),
        ({"index": "0"}, "row 2: index 0 is that of mine.tsv, row 1 too"),
        ({"image": ""}, "row 2: it has neither image nor image_path"),
        ({"A": ""}, "row 2: choice A is empty"),
        ({"B": ""}, "row 2: it has 1 choices"),
        ({"C": "red", "answer": "red"}, "row 2: the answer is 'red'"),
    ],
)
def test_what_cannot_be_a_question_is_skipped_or_refused_with_its_row(
    tmp_path: Path, changed: dict[str, str], text: str
) -> None:
    path = sheet(tmp_path / "mine.tsv", [row(0), row(1, **changed), row(2)])
    table = read_import(path)
    assert len(table.rows) == 2
    with pytest.raises(BadInput, match=text):
        read_table(path, strict=True)


def test_a_table_becomes_a_set_without_its_bad_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = [row(1, image="7"), row(2, image=cell(RED)[:-9] + "%" * 80), row(3, answer="Z")]
    path = sheet(tmp_path / "mine.tsv", [row(0), *broken])
    assert main(["import", str(path), str(tmp_path / "set")]) == 0
    message = capsys.readouterr()
    assert "row 2: no row of index 7 has an image" in message.err
    assert "row 3: its image is no base64" in message.err
    assert "3 rows are not questions and were skipped." in message.out
    made = open_set(tmp_path / "set")
    assert (made.name, made.questions_count) == ("mine", 1)
    assert len(made.settings["skipped"]) == 3
    assert main(["import", str(path), str(tmp_path / "other"), "--strict"]) == 2


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"question,answer\na,b\n", "no column image"),
        (b"image,answer\na,b\n", "no column question"),
        (b"question,answer,image\n", "has no rows"),
        ("question,answer,image\nä,b,c\n".encode("latin-1"), "no UTF-8"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, content: bytes, text: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=text):
        read_table(path)
    path = tmp_path / "mine.jsonl"
    path.write_text("[1]\n")
    with pytest.raises(BadInput, match="line 1 is no JSON object"):
        read_table(path)


def test_a_part_of_a_set_takes_variants_with_their_originals(tmp_path: Path) -> None:
    from tests.core.vlm.answered import questions, seed

    items = [*questions("color_counting", 3), *questions("color_illusion", 2)]
    robust = [*seed("s1"), *seed("s2")]
    everything = [*items, *robust]
    assert select_questions(everything) == everything
    assert select_questions(everything, variants=False) == items
    assert select_questions(everything, ["color_illusion"]) == items[3:]
    limited = select_questions(everything, limit=1)
    assert limited == [items[0], items[3], *seed("s1")]
    with pytest.raises(BadInput, match="no questions of 'sepia'"):
        select_questions(everything, ["sepia"])
    with pytest.raises(BadInput, match="No questions are left"):
        select_questions(robust, variants=False)
