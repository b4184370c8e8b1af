"""Sketches are kept as they came, checked, copied, and missed where a file is gone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.storage.sketches_made import sketch
from truehue.core.errors import BadInput, NotStored, StorageError
from truehue.storage import Storage


def test_a_sketch_comes_back_as_it_was_added(storage: Storage) -> None:
    one = sketch()
    record = storage.sketches.add(one, "two boxes", "starter", "ours", "owner")
    assert record == storage.sketches.get(one.id)
    assert (record.width, record.height, record.closing) == (64, 64, 1)
    assert record.warnings == (("few", "It has two regions."),)
    assert np.array_equal(storage.sketches.ink(one.id), one.ink)
    # Added again it keeps its first record, and gets its file back.
    storage.sketches.path(one.id).unlink()
    assert storage.check() == [
        f"the file of sketch {one.id} is missing: {storage.sketches.path(one.id)}"
    ]
    assert storage.sketches.add(one, "other words", "import") == record
    assert storage.check() == []
    other = storage.sketches.add(sketch(seed=1), "boxes again", "import")
    assert [found.id for found in storage.sketches.all()] == [other.id, record.id]


def test_the_one_that_was_used_last_comes_first_however_it_was_stored(storage: Storage) -> None:
    one, other, drawn = (sketch(seed=number) for number in range(3))
    storage.sketches.add(one, "boxes", "import")
    storage.sketches.add(other, "boxes", "generated")
    storage.sketches.add(drawn, "boxes", "starter")

    def order() -> list[str]:
        return [record.id for record in storage.sketches.all()]

    assert order() == [other.id, one.id, drawn.id]
    storage.sketches.use(one.id, "ann")
    assert order() == [one.id, other.id, drawn.id]
    storage.sketches.use(drawn.id)
    assert order() == [drawn.id, one.id, other.id]
    storage.sketches.use(one.id)
    assert order() == [one.id, drawn.id, other.id]
    with pytest.raises(NotStored):
        storage.sketches.use("0" * 32)


def test_what_is_no_ink_is_refused(storage: Storage) -> None:
    one = sketch()
    for ink in (
        one.ink.astype(np.float64),
        np.zeros((4, 4, 3), np.uint8),
        np.zeros((0, 4), np.uint8),
        np.zeros((2, 2049), np.uint8),
    ):
        with pytest.raises(BadInput, match="ink"):
            storage.sketches.add(replace(one, ink=ink), "a", "import")
    with pytest.raises(BadInput, match="id"):
        storage.sketches.add(replace(one, id="../../up"), "a", "import")
    with pytest.raises(BadInput, match="source"):
        storage.sketches.add(one, "a", "")
    with pytest.raises(NotStored):
        storage.sketches.get("../../up")
    assert storage.sketches.all() == []


def test_another_drawing_under_its_name_is_told(storage: Storage) -> None:
    one, other = sketch(), sketch(seed=1)
    for each in (one, other):
        storage.sketches.add(each, "a", "import")
    storage.sketches.path(one.id).write_bytes(storage.sketches.path(other.id).read_bytes())
    with pytest.raises(StorageError, match="another drawing"):
        storage.sketches.ink(one.id)


def test_a_copy_of_the_data_folder_has_them(storage: Storage, tmp_path: Path) -> None:
    one = sketch()
    storage.sketches.add(one, "two boxes", "starter")
    storage.copy_to(tmp_path / "copy")
    with Storage.open(tmp_path / "copy") as copied:
        assert np.array_equal(copied.sketches.ink(one.id), one.ink)
        assert copied.check() == []
