"""The published set, in its own form and with all that can be wrong with it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from truehue.core.errors import BadInput, ImageError
from truehue.core.images.load import encode_png, image_id
from truehue.core.vlm.published import SkippedRow, download_published, read_published

SRGB8 = np.full((4, 6, 3), (200, 30, 40), dtype=np.uint8)


def row(idx: int, **changed: Any) -> dict[str, Any]:
    return {
        "idx": idx,
        "id": idx,
        "type": "Perception",
        "task": "Color Recognition",
        "filename": f"recognition/{idx}.png",
        "image": {"bytes": encode_png(SRGB8), "path": None},
        "prompt": "What color? \n(A) red\n(B) blue",
        "question": "What color?",
        "choices": ["red", "blue"],
        "answer": "(A)",
        "image_url": "",
    } | changed


def robust(idx: int, name: str, **changed: Any) -> dict[str, Any]:
    source = {"type": "Robustness", "task": "Counting", "filename": f"robustness/{name}.png"}
    return row(idx, **source, **changed)


def written(folder: Path, rows: list[dict[str, Any]], name: str = "test-0.parquet") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_rows_become_questions_with_their_pixels(tmp_path: Path) -> None:
    filled = row(1, choices=["red", "blue", ""], answer="B", task="color blindness")
    path = written(tmp_path, [row(0), filled])
    published_set = read_published(path)
    assert published_set.counts == {"color_recognition": 1, "color_blindness": 1}
    assert published_set.notes == ()
    first, second = published_set.illustrated()
    np.testing.assert_array_equal(first.srgb8, SRGB8)
    assert first.question.image_id == image_id(SRGB8)
    assert first.question.question_id == "colorbench-00000"
    assert first.question.answer == "A"
    assert (second.question.choices, second.question.answer) == (("red", "blue"), "B")


def test_variants_know_their_seed_and_short_seeds_are_said(tmp_path: Path) -> None:
    nine = [robust(10 + n, f"7_target_{n}") for n in range(9)]
    other = robust(31, "8_entire_90", choices=["red", "green"], answer="(B)")
    written(tmp_path, [robust(2, "7"), *nine], "data/test-0.parquet")
    written(tmp_path, [robust(30, "8"), other, robust(32, "8_entire_180")], "data/test-1.parquet")
    published_set = read_published(tmp_path)
    assert published_set.counts == {"color_robustness": 13}
    assert published_set.seeds == 2
    assert published_set.notes == (
        "1 of 2 robustness seeds have not nine variants: 8 has 2.",
        "test-1.parquet, row 2: it is answered otherwise than its seed, test-1.parquet, row 1.",
    )
    made = [item.question for item in published_set.illustrated()]
    assert (made[0].seed_id, made[0].variant) == ("", "")
    assert (made[1].seed_id, made[1].variant) == (made[0].question_id, "target_0")


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([row(0), row(1, answer="(C)")], r"row 2: the answer is '\(C\)', which is none of"),
        ([row(0, answer="red")], "row 1: the answer is 'red'"),
        ([row(0, choices=["red"])], "row 1: choices are"),
        ([row(0, choices=["", "red"])], "row 1: choices are"),
        ([row(0, task="Color Hearing")], "row 1: 'Color Hearing' is none of"),
        ([row(0, question=" ")], "row 1: question is"),
        ([row(3), row(3)], "row 2: idx 3 is that of test-0.parquet, row 1 too"),
        ([row(-1)], "row 1: idx is -1"),
        ([robust(0, "5_x")], "row 1: .* variant whose seed is not there"),
        ([robust(0, "5"), robust(1, "5")], "row 2: .* is the seed 5, as is test-0.parquet, row 1"),
    ],
)
def test_what_cannot_be_a_question_is_skipped_or_refused_with_its_row(
    tmp_path: Path, rows: list[dict[str, Any]], text: str
) -> None:
    path = written(tmp_path, [*rows, row(90), row(91)])
    published_set = read_published(path)
    (skipped,) = published_set.skipped
    assert re.search(text, str(skipped))
    assert len(published_set.rows) == len(rows) + 1
    assert [item.question.question_id for item in published_set.illustrated()][
        -1
    ] == "colorbench-00091"
    with pytest.raises(BadInput, match=text):
        read_published(path, strict=True)
    nothing = written(tmp_path, [row(0, answer="red"), row(1, choices=[])])
    with pytest.raises(
        BadInput, match=r"row 1: the answer is 'red'.* 1 more rows are no questions"
    ):
        read_published(nothing)


def test_an_image_that_is_none_is_skipped_or_refused_with_its_row(tmp_path: Path) -> None:
    image = {"bytes": b"no image", "path": None}
    published_set = read_published(written(tmp_path, [row(0), row(1, image=image), row(2)]))
    items = published_set.illustrated()
    next(items)
    with pytest.raises(ImageError, match="row 2"):
        next(items)
    skipped: list[SkippedRow] = []
    assert len(list(published_set.illustrated(skipped.append))) == 2
    assert [skipped_row.where for skipped_row in skipped] == ["test-0.parquet, row 2"]


def test_the_hubs_revision_is_read_where_the_download_says_it(tmp_path: Path) -> None:
    path = written(tmp_path, [row(0)], "data/test-0.parquet")
    assert read_published(tmp_path).revision == ""
    noted = tmp_path / ".cache" / "huggingface" / "download" / "data"
    noted.mkdir(parents=True)
    (noted / "test-0.parquet.metadata").write_text(f"{'ab' * 20}\n{'c' * 40}\n1.5\n")
    assert read_published(tmp_path).revision == "ab" * 20
    cached = tmp_path / "snapshots" / ("cd" * 20) / "data"
    cached.mkdir(parents=True)
    (cached / path.name).write_bytes(path.read_bytes())
    assert read_published(cached.parent).revision == "cd" * 20


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no Parquet file and no folder of some"):
        read_published(tmp_path)
    (tmp_path / "a.parquet").write_bytes(b"PAR1 not")
    with pytest.raises(BadInput, match=r"a\.parquet cannot be read as Parquet"):
        read_published(tmp_path)
    short = {key: value for key, value in row(0).items() if key not in ("choices", "prompt")}
    with pytest.raises(BadInput, match="has no field prompt, choices"):
        read_published(written(tmp_path, [short]))


def test_what_is_no_id_of_the_hub_is_not_asked_for(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="write owner/name"):
        download_published(tmp_path, "a/b/c")
