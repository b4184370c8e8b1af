"""A set of questions as a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from truehue.core.errors import BadInput, StorageError
from truehue.core.files import content_path
from truehue.core.images.load import encode_png, image_id
from truehue.core.vlm.generators import GENERATORS
from truehue.core.vlm.question_set import open_set, write_set
from truehue.core.vlm.records import IllustratedQuestion

ITEMS = list(GENERATORS["color_extraction"](3, 0, "easy"))
BLACK = np.zeros_like(ITEMS[0].srgb8)
BLACK_ID = image_id(BLACK)
for item in ITEMS[:2]:
    of_black = replace(
        item.question, question_id=f"{item.question.question_id}-black", image_id=BLACK_ID
    )
    ITEMS.append(IllustratedQuestion(of_black, BLACK))


def test_what_was_written_is_read(tmp_path: Path) -> None:
    made = write_set(tmp_path / "set", iter(ITEMS), "Colors", {"seed": 0})
    assert (made.questions_count, made.images_count) == (5, 4)
    assert dict(made.counts) == {"color_extraction": 5}
    question_set = open_set(tmp_path / "set")
    assert question_set == made
    assert question_set.settings == {"seed": 0}
    for item, read in zip(ITEMS, question_set.illustrated(), strict=True):
        assert read.question == item.question
        np.testing.assert_array_equal(read.srgb8, item.srgb8)
    assert {path.name for path in tmp_path.iterdir()} == {"set"}
    again = write_set(tmp_path / "again", ITEMS, "Colors", {})
    assert again.sha256 == made.sha256


def test_a_set_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> Iterator[IllustratedQuestion]:
        yield ITEMS[0]
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_set(tmp_path / "set", broken(), "Colors", {})
    for items, text in (
        ([], "at least one"),
        ([ITEMS[0], ITEMS[0]], "there twice"),
        ([IllustratedQuestion(ITEMS[0].question, ITEMS[1].srgb8)], "not of its image"),
    ):
        with pytest.raises(BadInput, match=text):
            write_set(tmp_path / "set", items, "Colors", {})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    write_set(tmp_path / "set", ITEMS, "Colors", {})
    with pytest.raises(BadInput, match="there already"):
        write_set(tmp_path / "set", ITEMS, "Colors", {})


def test_damage_is_refused(tmp_path: Path) -> None:
    made = write_set(tmp_path / "set", ITEMS, "Colors", {})
    image = content_path(made.folder / "images", ITEMS[0].question.image_id)
    image.write_bytes(encode_png(ITEMS[1].srgb8))
    with pytest.raises(StorageError, match="other pixels"):
        made.image(ITEMS[0].question)
    image.unlink()
    with pytest.raises(StorageError, match=r"1 of 4 images .* are gone"):
        open_set(made.folder)
    lines = made.folder / "questions.jsonl"
    text = lines.read_text(encoding="utf-8")
    lines.write_text(text.replace("easy", "hard"), encoding="utf-8")
    with pytest.raises(StorageError, match="was changed"):
        open_set(made.folder)
    lines.write_text("{}\n", encoding="utf-8")
    with pytest.raises(StorageError, match="line 1 is no question"):
        list(made.questions())


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 2}'])
def test_another_folder_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match="no set of questions"):
        open_set(tmp_path)
    (tmp_path / "questions.jsonl").touch()
    (tmp_path / "set.json").write_text(text)
    with pytest.raises(BadInput):
        open_set(tmp_path)
