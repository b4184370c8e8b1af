from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.storage.conftest import START, SteppingClock
from tests.storage.samples import answers, asks, drawing, picture, prompts
from truehue.core import image_sets
from truehue.core.errors import BadInput, NotStored, StorageError
from truehue.core.image_sets import records as image_records
from truehue.core.prompts.prompt import ObjectTarget
from truehue.storage import Storage

pytestmark = pytest.mark.slow


def _image(storage: Storage, seed: int = 0) -> str:
    return storage.images.add(picture(seed), "", "generated").image_id


def test_a_drawing_comes_back_with_id_and_time(storage: Storage, clock: SteppingClock) -> None:
    targets = (asks(), asks("bowl", "#102030"), ObjectTarget("table", role="bystander"))
    generation_record = drawing(_image(storage), targets=targets)
    clock.time = START
    stored = storage.drawings.add(generation_record)
    assert len(stored.drawing_id) == 64
    assert stored.created_at == START
    assert replace(stored, drawing_id="", created_at=None) == generation_record
    assert storage.drawings.get(stored.drawing_id[:8]) == stored
    assert storage.drawings.recent() == [stored]


def test_what_nobody_knows_stays_unknown(storage: Storage) -> None:
    bare = {
        "seed": None,
        "guidance": None,
        "steps": None,
        "width": None,
        "height": None,
        "seconds": None,
        "targets": (),
        "options": {},
        "origin": {},
        "prompt_id": "",
        "prompt_source": "",
        "task": "",
        "job_id": "",
        "negative_text": "",
    }
    stored = storage.drawings.add(drawing(**bare))
    assert replace(stored, drawing_id="", created_at=None) == drawing(**bare)


def test_each_attempt_counts_and_equal_pixels_are_one_image(storage: Storage) -> None:
    image_id = _image(storage)
    first = storage.drawings.add(drawing(image_id))
    second = storage.drawings.add(drawing(_image(storage), model="flux"))
    failed = storage.drawings.add(drawing())
    assert storage.images.count() == 1
    assert storage.drawings.for_image(image_id[:8]) == [second, first]
    assert storage.drawings.recent() == [failed, second, first]
    with pytest.raises(NotStored, match="image id"):
        storage.drawings.for_image("0" * 64)


def test_the_images_of_a_job_are_found(storage: Storage) -> None:
    first, second = _image(storage), _image(storage, 1)
    for image_id, job in (
        (second, "j"),
        (first, "j"),
        (second, "j"),
        (first, "other"),
        (None, "j"),
    ):
        storage.drawings.add(drawing(image_id, job_id=job))
    assert storage.drawings.images_of_job("j") == [second, first]
    assert storage.drawings.images_of_job("none") == []


def test_an_id_that_is_given_is_stored_once(storage: Storage) -> None:
    own = "ab" * 32
    first = storage.drawings.add(drawing(drawing_id=own))
    assert first.drawing_id == own
    assert storage.drawings.add(drawing(drawing_id=own, model="flux")) == first
    both = storage.drawings.add_many([drawing(drawing_id="cd" * 32)] * 2)
    assert both[0] == both[1]
    assert storage.drawings.count() == 2


def test_a_folder_imported_again_counts_once(storage: Storage) -> None:
    image_id = _image(storage)
    imported = drawing(image_id, source="imported", options={"k": 1})
    first = storage.drawings.add(imported)
    moved = replace(imported, job_id="job 2", origin={"file": "elsewhere"}, seconds=None)
    assert storage.drawings.add(moved) == first
    for change in ({"options": {"k": 2}}, {"prompt_id": "cna-2"}, {"model": "flux"}, {"seed": 8}):
        storage.drawings.add(replace(imported, **change))  # type: ignore[arg-type]
    assert storage.drawings.count() == 5


def test_many_are_one_transaction_in_their_order(storage: Storage) -> None:
    images = [_image(storage, seed) for seed in range(3)]
    assert storage.drawings.add_many([]) == []
    drawings = [drawing(images[n % 3], seed=n) if n % 4 else drawing(seed=n) for n in range(200)]
    stored = storage.drawings.add_many(drawings)
    assert [replace(row, drawing_id="", created_at=None) for row in stored] == drawings
    assert storage.drawings.recent(200) == stored[::-1]
    assert storage.drawings.recent(3, 10) == stored[::-1][10:13]

    with pytest.raises(NotStored, match="add the image first"):
        storage.drawings.add_many([drawing(), drawing("0" * 64)])
    with pytest.raises(BadInput, match="model is empty"):
        storage.drawings.add_many([drawing(), drawing(model=" ")])
    assert storage.drawings.count() == 200


@pytest.mark.parametrize("second", ["a", None])
def test_a_transaction_that_fails_leaves_nothing(storage: Storage, second: str | None) -> None:
    def add_two() -> None:
        with storage._database.transaction() as cursor:
            for image_id in ("a", second):
                if image_id is None:
                    raise KeyError
                cursor.execute(
                    "INSERT INTO images VALUES (?, 1, 1, '', 'x', '[]', '{}', now())", [image_id]
                )

    with pytest.raises(StorageError if second else KeyError):
        add_two()
    assert storage.images.count() == 0
    storage.drawings.add(drawing())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": "painted"}, "source is 'painted'.*imported"),
        ({"status": "pass"}, "status is 'pass'.*failed"),
        ({"reason": ""}, "reason is empty"),
        ({"image_id": "0" * 64, "status": "failed", "reason": "x"}, "failed has no image"),
        ({"status": "drawn"}, "image_id must be text, not NoneType"),
        ({"text": None}, "text must be text"),
        ({"text": "\ud800"}, "text holds a character"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**63}, "seed is 9223372036854775808"),
        ({"seed": True}, "seed is True"),
        ({"steps": 2.5}, r"steps is 2\.5"),
        ({"width": 2**31}, "width is 2147483648"),
        ({"guidance": float("nan")}, "guidance is nan"),
        ({"guidance": 10**400}, "guidance is larger than any number"),
        ({"guidance": 10**5000}, "guidance is larger than any number"),
        ({"steps": 10**5000}, "steps is a whole number of more than 4,096 bits"),
        ({"options": {"x": [-(10**5000)]}}, r"options\.x\[0\] is a whole number of more than"),
        ({"seconds": "1"}, "seconds is '1'"),
        ({"options": {"x": np.float32(1)}}, r"options\.x is a numpy\.float32"),
        ({"origin": {"x": float("inf")}}, r"origin\.x is inf"),
        ({"targets": (ObjectTarget("\ud800"),)}, "targets holds a character"),
        ({"drawing_id": "job-1"}, "drawing_id 'job-1' is not 64 hex"),
    ],
)
def test_bad_fields_are_named(
    shared_storage: Storage, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        shared_storage.drawings.add(drawing(**change))
    assert shared_storage.drawings.count() == 0


def test_every_filter_narrows_alone_and_with_others(storage: Storage) -> None:
    image_id = _image(storage)
    rows = [
        storage.drawings.add(drawing(image_id if sample else None, **fields))
        for sample in (True, False)
        for fields in (
            {"model": "sdxl", "prompt_id": "cna-1", "job_id": "a"},
            {"model": "flux", "prompt_id": "cna-1", "job_id": "a"},
            {"model": "flux", "prompt_id": "cna-2", "job_id": "b"},
            {"model": "flux", "prompt_id": "cna-2", "prompt_source": "mini", "job_id": "b"},
        )
    ]
    filters: list[tuple[dict[str, Any], list[int]]] = [
        ({}, [7, 6, 5, 4, 3, 2, 1, 0]),
        ({"model": "sdxl"}, [4, 0]),
        ({"model": "none"}, []),
        ({"prompt": ("gencolorbench", "cna-2")}, [6, 2]),
        ({"prompt": ("mini", "cna-2")}, [7, 3]),
        ({"job_id": "a"}, [5, 4, 1, 0]),
        ({"status": "failed"}, [7, 6, 5, 4]),
        ({"status": "drawn", "model": "flux", "job_id": "b"}, [3, 2]),
    ]
    for values, positions in filters:
        assert storage.drawings.recent(**values) == [rows[index] for index in positions], values
        assert storage.drawings.count(**values) == len(positions)
    assert storage.drawings.recent(0) == storage.drawings.recent(-1) == []
    assert storage.drawings.recent(2, 1, status="failed") == [rows[6], rows[5]]
    with pytest.raises(BadInput, match="status is 'ok'"):
        storage.drawings.recent(status="ok")
    with pytest.raises(BadInput, match="verdict is 'ok'"):
        storage.drawings.count(verdict="ok")


def test_drawings_are_found_by_their_verdicts(storage: Storage) -> None:
    images = [_image(storage, seed) for seed in range(6)]
    rows = [storage.drawings.add(drawing(image_id)) for image_id in images]
    free = storage.drawings.add(drawing(_image(storage, 9), targets=()))
    failed = storage.drawings.add(drawing())
    add = storage.evidence.add
    add(answers(images[0], asks()))
    add(answers(images[1], asks()))
    add(answers(images[1], asks(), protocol="other-rule", status="fail"))
    add(answers(images[2], asks(), status="unscored"))
    add(answers(images[2], asks(), protocol="other-rule"))
    add(answers(images[3], asks(), status="fail"))
    add(answers(images[3], asks(), version="2"))
    # What the prompt did not ask does not count, but a free text asked for nothing.
    add(answers(images[4], asks("bowl"), status="fail"))
    add(answers(images[4], asks(color="css:blue"), status="fail"))
    assert free.image_id is not None
    add(answers(free.image_id, asks("bowl"), status="fail"))
    result = {
        verdict: storage.drawings.recent(verdict=verdict)
        for verdict in ("pass", "fail", "unscored", "undecided", "")
    }
    assert result == {
        "pass": [rows[3], rows[0]],
        "fail": [free, rows[1]],
        "unscored": [rows[2]],
        "undecided": [rows[5], rows[4], rows[2]],
        "": [failed, rows[5], rows[4]],
    }
    assert storage.drawings.count(verdict="", status="drawn") == 2
    assert storage.drawings.recent(1, 1, verdict="fail", model="sdxl") == [rows[1]]


def test_text_is_never_part_of_a_statement(storage: Storage) -> None:
    nasty = "'); DROP TABLE drawings; --"
    stored = storage.drawings.add(drawing(text=nasty, model=nasty, prompt_id=nasty))
    assert storage.drawings.recent(model=nasty, prompt=("gencolorbench", nasty)) == [stored]
    assert list(storage.drawings.marks("gencolorbench")) == [nasty]
    assert storage.drawings.marks(nasty) == {}


def test_the_keys_of_imported_files_are_known(storage: Storage) -> None:
    image_id = _image(storage)
    assert storage.drawings.imported_keys() == {}
    for n in range(3):
        origin = {"file_key": f"f{n}", "content_key": f"c{n // 2}"}
        storage.drawings.add(
            drawing(image_id, source="imported", seed=n, origin=origin if n else {"file": "x"})
        )
    storage.drawings.add(drawing(image_id, origin={"file_key": "drawn"}))
    assert storage.drawings.imported_keys() == dict.fromkeys(("f1", "f2", "c0", "c1"), image_id)


def test_a_folder_is_imported_stored_and_known(storage: Storage, tmp_path: Path) -> None:
    for k in range(1, 6):
        Image.fromarray(picture(k % 4)).save(tmp_path / f"cna_l3-{(k + 1) // 2}_{k}.png")
    (tmp_path / "cna_l3-3_6.png").write_bytes(b"broken")
    chosen = storage.prompt_sets.add("mine", prompts(4), "csv")

    def run() -> image_records.FolderReport:
        plan = image_sets.plan(
            tmp_path, storage.prompt_sets.prompts(chosen.set_id), model="my model"
        )
        tally = image_records.Tally(plan, expected_per_prompt=2)
        for step in image_records.read(plan, storage.drawings.imported_keys()):
            if step.loaded is not None:
                loaded = step.loaded
                storage.images.add(loaded.srgb8, loaded.name, "import", loaded.notes)
                storage.drawings.add(image_records.generation_of(step, "job 1"))
            tally.add(step)
        return tally.report()

    report = run()
    assert (report.taken, report.broken.total, report.missing.total) == (5, 1, 2)
    assert report.same.total == 1
    assert storage.images.count() == 4
    marks = storage.drawings.marks(chosen.set_id)
    assert {key: mark.drawn for key, mark in marks.items()} == {
        "cna_l3-1": 2,
        "cna_l3-2": 2,
        "cna_l3-3": 1,
    }
    again = run()
    assert (again.taken, again.known, again.broken.total) == (0, 5, 1)
    assert storage.drawings.count() == 5
    assert storage.check() == []


def test_files_of_equal_pixels_are_rows_of_their_own(storage: Storage, tmp_path: Path) -> None:
    item, other, copy = (
        tmp_path / "1_1.png",
        tmp_path / "1" / "image_1.png",
        tmp_path / "1" / "1.png",
    )
    other.parent.mkdir()
    Image.fromarray(picture()).save(item)
    Image.fromarray(picture()).save(other, compress_level=0)
    copy.write_bytes(item.read_bytes())
    chosen = storage.prompt_sets.add("mine", prompts(1), "csv")

    def run() -> image_records.FolderReport:
        plan = image_sets.plan(tmp_path, storage.prompt_sets.prompts(chosen.set_id))
        assert {result.k for result in plan.found} == {1}
        tally = image_records.Tally(plan)
        for step in image_records.read(plan, storage.drawings.imported_keys()):
            if step.loaded is not None:
                storage.images.add(step.loaded.srgb8, step.loaded.name, "import")
                storage.drawings.add(image_records.generation_of(step))
            tally.add(step)
        return tally.report()

    first, second = run(), run()
    assert (first.taken, first.known, first.same.total) == (2, 1, 2)
    assert {remark.why[:10] for remark in first.same.first} == {"It has the", "It is a co"}
    assert storage.drawings.count() == first.taken
    assert storage.images.count() == 1
    assert (second.taken, second.known, second.same.total) == (0, 3, 0)
