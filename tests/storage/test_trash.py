"""Deleting pictures, masks and verdicts, and putting them back."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from tests.storage.conftest import START, SteppingClock
from tests.storage.samples import brushed, picture, verdict
from truehue.core.errors import BadInput, DataFolderError, NotStored
from truehue.core.records import GenerationRecord, ObjectColor
from truehue.core.studies import State
from truehue.storage import Storage
from truehue.storage.trash import KEPT_DAYS
from truehue.storage.verdicts.evidence import LATEST

pytestmark = pytest.mark.slow

TABLES = (
    "images",
    "masks",
    "evidence",
    "drawings",
    "picture_sets",
    "picture_set_images",
    "set_views",
    "picture_profiles",
    "object_colors",
    "selected_masks",
)


def rows(storage: Storage) -> dict[str, list[tuple[object, ...]]]:
    return {
        table: sorted(storage._database.rows(f"SELECT * FROM {table}"), key=repr)
        for table in TABLES
    }


def files(data_dir: Path) -> set[str]:
    return {str(path.relative_to(data_dir)) for path in data_dir.glob("*/??/*.png")}


def filled(storage: Storage) -> tuple[str, str]:
    """Two pictures with the same mask pixels, verdicts, a drawing and a set of pictures."""
    first = storage.images.add(picture(1), "first.png", "upload", ["a note"])
    second = storage.images.add(picture(2), "second.png", "upload")
    for image in (first, second):
        mask = storage.masks.add(image.image_id, brushed())
        storage.evidence.add(verdict(image.image_id, mask.mask_id))
        storage.evidence.add(verdict(image.image_id, mask.mask_id, version="2", status="fail"))
    mask = storage.masks.for_image(first.image_id)[0]
    storage.drawings.add(
        GenerationRecord("a mug", "m", image_id=first.image_id, prompt_source="s", prompt_id="p")
    )
    storage.object_colors.add(ObjectColor(first.image_id, mask.mask_id, "1", (50.0, 1.0, 2.0), 9))
    storage.masks.select(first.image_id, mask.mask_id)
    storage.picture_sets.add("mugs", "mug", [(first.image_id, mask.mask_id, "Ann")], True)
    return first.image_id, second.image_id


def test_a_picture_goes_with_all_that_speaks_of_it_and_comes_back_whole(
    storage: Storage, data_dir: Path
) -> None:
    first, second = filled(storage)
    before, on_disk = rows(storage), files(data_dir)
    assert storage.drawings.marks("s")["p"].drawn == 1
    gone = storage.trash.move("image", [first])
    assert gone.name == "first.png"
    assert gone.counts == {
        "images": 1,
        "masks": 1,
        "evidence": 2,
        "object_colors": 1,
        "selected_masks": 1,
        "drawings": 1,
        "picture_sets": 1,
        "set_views": 1,
        "picture_set_images": 1,
    }
    assert [record.image_id for record in storage.images.recent()] == [second]
    assert storage.check() == []
    # The mask's file is shared by the other picture's mask, and stays.
    assert files(data_dir) == {name for name in on_disk if first not in name}
    assert dict(storage.drawings.marks("s")) == {}
    with pytest.raises(NotStored):
        storage.images.get(first)

    assert [record.trash_id for record in storage.trash.all()] == [gone.trash_id]
    changes = storage.trash.changes
    storage.trash.restore(gone.trash_id)
    assert storage.trash.changes == changes + 1  # what was counted without it is counted again
    assert rows(storage) == before
    assert files(data_dir) == on_disk
    assert (storage.images.srgb8(first) == picture(1)).all()
    assert storage.trash.all() == []
    assert storage.drawings.marks("s")["p"].drawn == 1
    with pytest.raises(NotStored, match="put back or deleted for good already"):
        storage.trash.restore(gone.trash_id)


def test_for_good_takes_the_files_off_the_disk(storage: Storage, data_dir: Path) -> None:
    first, second = filled(storage)
    gone = storage.trash.move("image", [first, second])
    assert files(data_dir) == set()
    assert list((data_dir / "trash").rglob("*.png"))
    storage.trash.purge(gone.trash_id)
    assert list(data_dir.rglob("*.png")) == []
    assert list((data_dir / "trash").iterdir()) == []
    # The same pixels may come again.
    storage.images.add(picture(1), "again.png", "upload")
    assert storage.check() == []


def test_a_picture_stored_again_meanwhile_keeps_what_is_new(storage: Storage) -> None:
    first, _ = filled(storage)
    gone = storage.trash.move("image", [first])
    storage.images.add(picture(1), "again.png", "upload")
    storage.trash.settle()
    storage.trash.restore(gone.trash_id)
    assert storage.images.get(first).name == "again.png"
    assert len(storage.evidence.for_image(first)) == 2
    assert storage.check() == []


@pytest.mark.parametrize("kind", ["mask", "verdict"])
def test_masks_and_verdicts_are_deleted_alone(storage: Storage, kind: str) -> None:
    first, _ = filled(storage)
    before = rows(storage)
    record = storage.evidence.for_image(first)[0]
    wanted = record.mask_id if kind == "mask" else record.evidence_id
    gone = storage.trash.move(kind, [wanted or ""])
    assert gone.counts["evidence"] == (2 if kind == "mask" else 1)
    assert ("picture_sets" in gone.counts) == (kind == "mask")
    assert storage.check() == []
    storage.trash.restore(gone.trash_id)
    assert rows(storage) == before


def test_what_is_not_there_or_too_much_is_refused_whole(storage: Storage) -> None:
    first, _ = filled(storage)
    before = rows(storage)
    with pytest.raises(NotStored, match="image id"):
        storage.trash.move("image", [first, "0" * 64])
    with pytest.raises(BadInput, match="cannot be deleted"):
        storage.trash.move("run", [first])
    with pytest.raises(BadInput, match="Delete 1 to"):
        storage.trash.move("image", [])
    assert rows(storage) == before
    assert storage.trash.all() == []


def test_a_folder_that_cannot_be_written_deletes_nothing(storage: Storage, data_dir: Path) -> None:
    first, _ = filled(storage)
    before = rows(storage)
    (data_dir / "trash").write_text("in the way")
    with pytest.raises(DataFolderError, match="Nothing was deleted"):
        storage.trash.move("image", [first])
    assert rows(storage) == before


def test_a_deletion_that_was_killed_in_the_middle_is_settled_at_the_start(
    storage: Storage, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = filled(storage)
    before, on_disk = rows(storage), files(data_dir)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    # Before its rows were deleted: nothing was.
    (data_dir / "trash" / ".1234.part").mkdir(parents=True)
    gone = storage.trash.move("image", [first])
    saved, copy = data_dir / "trash" / gone.trash_id, data_dir / "copy"
    shutil.copytree(saved, copy, ignore=shutil.ignore_patterns("*.png"))
    storage.trash.restore(gone.trash_id)
    copy.rename(saved)
    storage.trash.settle()
    assert storage.trash.all() == []
    assert rows(storage) == before
    assert files(data_dir) == on_disk
    with monkeypatch.context() as patch:
        patch.setattr(storage.trash, "_move_files", killed)
        with pytest.raises(KeyboardInterrupt):
            storage.trash.move("image", [first])
    # After its rows were deleted, before its files were moved.
    assert files(data_dir) == on_disk
    storage.trash.settle()
    assert not (data_dir / "trash" / ".1234.part").exists()
    assert all(first not in name for name in files(data_dir))
    (again,) = storage.trash.all()
    storage.trash.restore(again.trash_id)
    assert rows(storage) == before
    assert files(data_dir) == on_disk


def test_what_is_old_goes_for_good_when_the_folder_is_opened(
    storage: Storage, clock: SteppingClock, data_dir: Path
) -> None:
    first, second = filled(storage)
    storage.trash.move("image", [first])
    clock.time = START + timedelta(days=KEPT_DAYS - 1)
    storage.trash.move("image", [second])
    clock.time = START + timedelta(days=KEPT_DAYS, hours=1)
    assert storage.trash.settle() == 1
    assert [record.name for record in storage.trash.all()] == ["second.png"]
    assert not any(first in str(path) for path in data_dir.rglob("*.png"))


def test_what_is_put_back_is_as_old_as_it_was(storage: Storage) -> None:
    """The verdict that counts is the newest one, not the one that came back last."""
    image = storage.images.add(picture(1), "mug.png", "upload")
    old = storage.evidence.add(verdict(image.image_id, version="1", status="fail"))
    gone = storage.trash.move("verdict", [old.evidence_id])
    new = storage.evidence.add(verdict(image.image_id, version="2", status="pass"))
    storage.trash.restore(gone.trash_id)
    rows = storage.evidence.for_image(image.image_id)
    assert [row.evidence_id for row in rows] == [new.evidence_id, old.evidence_id]
    latest = storage._database.rows(LATEST.format(where=""))
    assert [row[-1] for row in latest] == ["pass"]


@pytest.mark.parametrize(
    "damage", ["no rows", "no zone", "no such kind"], ids=lambda text: text.replace(" ", "-")
)
def test_a_damaged_folder_keeps_nothing_from_opening(
    storage: Storage, data_dir: Path, clock: SteppingClock, damage: str
) -> None:
    first, second = filled(storage)
    gone = storage.trash.move("image", [first])
    other = storage.trash.move("image", [second])
    folder = data_dir / "trash" / gone.trash_id
    manifest = folder / "manifest.json"
    body = json.loads(manifest.read_text())
    if damage == "no rows":
        (folder / "images.parquet").write_bytes(b"PAR1")
    elif damage == "no zone":
        manifest.write_text(json.dumps({**body, "created_at": "2026-01-02T03:04:05"}))
    else:
        manifest.write_text(json.dumps({**body, "kind": "drawing"}))
    storage.close()
    with Storage.open(data_dir, clock) as again:
        assert other.trash_id in {record.trash_id for record in again.trash.all()}
        assert folder.is_dir()


def test_what_is_stored_again_while_it_is_deleted_keeps_its_file(
    storage: Storage, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread adds the same picture between the look and the move."""
    image = storage.images.add(picture(1), "mug.png", "upload")
    looked = storage.trash._in_use

    def late(shelf_name: str, sha256: str) -> bool:
        answer = looked(shelf_name, sha256)
        monkeypatch.setattr(storage.trash, "_in_use", looked)
        storage.images.add(picture(1), "mug.png", "upload")
        return answer

    monkeypatch.setattr(storage.trash, "_in_use", late)
    storage.trash.move("image", [image.image_id])
    assert storage.check() == []
    assert (storage.images.srgb8(image.image_id) == picture(1)).all()


def test_a_picture_that_people_were_shown_stays(storage: Storage) -> None:
    first, second = filled(storage)
    cases = [{"candidates": [{"model": "a", "image_ids": [first]}]}]
    study = storage.studies.add({"title": "Mugs", "cases": cases}, "owner")
    storage.studies.set_state(study.id, State.OPEN, "owner")
    storage.studies.set_state(study.id, State.CLOSED, "owner")
    draft = [{"candidates": [{"model": "a", "image_ids": [second]}]}]
    storage.studies.add({"title": "Other mugs", "cases": draft}, "owner")
    with pytest.raises(BadInput, match="The study “Mugs” shows this image"):
        storage.trash.move("image", [first, second])
    assert storage.images.count() == 2
    storage.trash.move("image", [second])
    assert [record.image_id for record in storage.images.recent()] == [first]


def test_a_draft_goes_with_its_links_and_comes_back_and_what_was_opened_stays(
    storage: Storage,
) -> None:
    draft = storage.studies.add({"title": "Colors of things"}, "ann")
    draft = storage.studies.revise(draft.id, {"title": "Colors of mugs"}, "ann")
    link = storage.invitations.add(draft.id, "a" * 64, "a class", False, "ann")
    other = storage.studies.add({"title": "Open"}, "ann")
    storage.studies.set_state(other.id, State.OPEN, "ann")
    gone = storage.trash.move("study", [draft.id])
    assert (gone.name, gone.counts["study_plans"], gone.counts["study_invitations"]) == (
        "Colors of mugs",
        2,
        1,
    )
    assert [study.id for study in storage.studies.all()] == [other.id]
    assert storage.invitations.by_token("a" * 64) is None
    storage.trash.restore(gone.trash_id)
    assert storage.studies.get(draft.id) == draft
    assert storage.invitations.by_token("a" * 64) == link
    with pytest.raises(BadInput, match="A study that was opened cannot be deleted"):
        storage.trash.move("study", [other.id])
    storage.studies.set_state(other.id, State.CLOSED, "ann")
    with pytest.raises(BadInput, match="A study that was opened cannot be deleted"):
        storage.trash.move("study", [draft.id, other.id])
    assert len(storage.studies.all()) == 2
