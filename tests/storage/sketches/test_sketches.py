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
    item = sketch()
    record = storage.sketches.add(item, "two boxes", "starter", "ours", "owner")
    assert record == storage.sketches.get(item.id)
    assert (record.width, record.height, record.closing) == (64, 64, 1)
    assert record.warnings == (("few", "It has two regions."),)
    assert np.array_equal(storage.sketches.ink(item.id), item.ink)
    # Added again it keeps its first record, and gets its file back.
    storage.sketches.path(item.id).unlink()
    assert storage.check() == [
        f"the file of sketch {item.id} is missing: {storage.sketches.path(item.id)}"
    ]
    assert storage.sketches.add(item, "other words", "import") == record
    assert storage.check() == []
    other = storage.sketches.add(sketch(seed=1), "boxes again", "import")
    assert [result.id for result in storage.sketches.all()] == [other.id, record.id]


def test_the_one_that_was_used_last_comes_first_however_it_was_stored(storage: Storage) -> None:
    item, other, sample = (sketch(seed=number) for number in range(3))
    storage.sketches.add(item, "boxes", "import")
    storage.sketches.add(other, "boxes", "generated")
    storage.sketches.add(sample, "boxes", "starter")

    def order() -> list[str]:
        return [record.id for record in storage.sketches.all()]

    assert order() == [other.id, item.id, sample.id]
    storage.sketches.use(item.id, "ann")
    assert order() == [item.id, other.id, sample.id]
    storage.sketches.use(sample.id)
    assert order() == [sample.id, item.id, other.id]
    storage.sketches.use(item.id)
    assert order() == [item.id, sample.id, other.id]
    with pytest.raises(NotStored):
        storage.sketches.use("0" * 32)


def test_what_is_no_ink_is_refused(storage: Storage) -> None:
    item = sketch()
    for ink in (
        item.ink.astype(np.float64),
        np.zeros((4, 4, 3), np.uint8),
        np.zeros((0, 4), np.uint8),
        np.zeros((2, 2049), np.uint8),
    ):
        with pytest.raises(BadInput, match="ink"):
            storage.sketches.add(replace(item, ink=ink), "a", "import")
    with pytest.raises(BadInput, match="id"):
        storage.sketches.add(replace(item, id="../../up"), "a", "import")
    with pytest.raises(BadInput, match="source"):
        storage.sketches.add(item, "a", "")
    with pytest.raises(NotStored):
        storage.sketches.get("../../up")
    assert storage.sketches.all() == []


def test_another_drawing_under_its_name_is_told(storage: Storage) -> None:
    item, other = sketch(), sketch(seed=1)
    for each in (item, other):
        storage.sketches.add(each, "a", "import")
    storage.sketches.path(item.id).write_bytes(storage.sketches.path(other.id).read_bytes())
    with pytest.raises(StorageError, match="another drawing"):
        storage.sketches.ink(item.id)


def test_a_copy_of_the_data_folder_has_them(storage: Storage, tmp_path: Path) -> None:
    item = sketch()
    storage.sketches.add(item, "two boxes", "starter")
    storage.copy_to(tmp_path / "copy")
    with Storage.open(tmp_path / "copy") as copied:
        assert np.array_equal(copied.sketches.ink(item.id), item.ink)
        assert copied.check() == []
