"""Runs that keep some of their images or none: everything else of them stays, and says so."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.core.runs.samples import done, rows, small_plan
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, StorageError
from truehue.core.export.archive import write_archive
from truehue.core.export.archive_import import open_archive
from truehue.core.export.source import ExportRun, missing_image_reason
from truehue.core.files import content_path
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.merge import merge
from truehue.core.runs.plan import keeps_image
from truehue.core.runs.records import NOT_KEPT
from truehue.core.scores.sets import images_of_run
from truehue.storage.store import Storage
from truehue.tabs.runs.stored import of_run

pytestmark = pytest.mark.slow

APPLES = [
    Prompt(
        f"apple-{number}",
        f"an apple number {number}",
        "free",
        (ObjectTarget("apple", parse_target(f"#{number * 16:02x}3040")),),
    )
    for number in range(12)
]


def run_of(root: Path, keep_images: str) -> RunFolder:
    folder = RunFolder.create(root, small_plan(APPLES, keep_images=keep_images))
    assert done(folder).status == "finished"
    return folder


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return run_of(tmp_path_factory.mktemp("sampled"), "sample")


def test_a_sample_is_the_same_pixels_masks_and_verdicts_without_most_files(
    sampled: RunFolder, tmp_path: Path
) -> None:
    every, some = rows(run_of(tmp_path, "all")), rows(sampled)
    kept = {row.position for row in some if "image_file" not in row.origin}
    assert kept == {
        number for number, prompt in enumerate(APPLES) if keeps_image(sampled.plan(), prompt.id, 0)
    }
    assert 0 < len(kept) < len(APPLES) / 4
    for row, whole in zip(some, every, strict=True):
        assert content_path(sampled.images, row.image_id).is_file() == (row.position in kept)
        assert content_path(sampled.masks, row.masks[0].content_sha256).is_file()
        if row.position not in kept:
            assert row.origin["image_file"] == "not kept"
        origin = {name: text for name, text in row.origin.items() if name != "image_file"}
        assert replace(row, origin=origin) == whole


def test_storage_knows_that_the_pixels_were_not_kept(storage: Storage, sampled: RunFolder) -> None:
    storage.runs.register(sampled)
    assert storage.runs.ingest(sampled) == len(APPLES)
    assert storage.check() == []
    kept = [row for row in rows(sampled) if "image_file" not in row.origin]
    gone = next(row for row in rows(sampled) if "image_file" in row.origin)
    assert storage.images.get(gone.image_id).source == NOT_KEPT
    assert {record.image_id for record in storage.images.recent()} == {row.image_id for row in kept}
    with pytest.raises(StorageError, match="did not keep its pixels"):
        storage.images.srgb8(gone.image_id)
    assert storage.images.srgb8(kept[0].image_id).shape == (64, 64, 3)
    summary = storage.runs.get(sampled.run_id).summary
    assert "keeps 1 in 20 images" in missing_image_reason(summary)
    # A kept file that is gone is no image that was not kept.
    content_path(storage.data_dir / "images", kept[0].image_id).unlink()
    assert kept[0].image_id in " ".join(storage.check())


def test_an_image_that_another_run_keeps_is_there(
    storage: Storage, sampled: RunFolder, tmp_path: Path
) -> None:
    whole = run_of(tmp_path, "all")
    gone = next(row for row in rows(sampled) if "image_file" in row.origin)
    for folder in (sampled, whole):
        storage.runs.register(folder)
        storage.runs.ingest(folder)
    assert storage.images.get(gone.image_id).source == "render"
    assert storage.images.srgb8(gone.image_id).shape == (64, 64, 3)
    assert storage.check() == []


def test_a_copy_is_merged_without_the_images_that_it_did_not_keep(
    sampled: RunFolder, tmp_path: Path
) -> None:
    here = RunFolder.create(tmp_path, sampled.plan())
    assert merge(here, [sampled.path]).status == "finished"
    assert rows(here) == rows(sampled)
    assert len(list(here.images.rglob("*.png"))) == len(list(sampled.images.rglob("*.png"))) < 12


def test_a_set_is_measured_on_what_was_kept(sampled: RunFolder, tmp_path: Path) -> None:
    assert len(images_of_run(sampled)) == len(list(sampled.images.rglob("*.png")))
    none = RunFolder.create(tmp_path, small_plan(APPLES[:2], keep_images="none"))
    assert done(none).status == "finished"
    with pytest.raises(BadInput, match="kept none of its 2 images"):
        images_of_run(none)


def test_stored_images_and_archives_have_what_was_kept(sampled: RunFolder, tmp_path: Path) -> None:
    kept = {row.image_id for row in rows(sampled) if "image_file" not in row.origin}
    assert {item.image_id for item in of_run(sampled, APPLES)} == kept
    write_archive(ExportRun(sampled), tmp_path / "a.zip", with_images=True)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        manifest = json.loads(archive.read("manifest.json"))
        text = archive.read("README.txt").decode()
    assert (manifest["images"], manifest["masks"]) == (len(kept), 1)  # one scene, one mask
    assert "keeps 1 in 20 images" in text
    back = open_archive(tmp_path / "a.zip", tmp_path / "runs")
    assert (back.plan(), rows(back)) == (sampled.plan(), rows(sampled))


def test_a_run_without_images_cannot_be_scored_again_and_says_why(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path, small_plan(APPLES[:3], keep_images="none"))
    assert done(folder).status == "finished"
    assert not list(folder.images.rglob("*.png"))
    assert len(list(folder.masks.rglob("*.png"))) >= 1
    with pytest.raises(BadInput, match="keeps no images"):
        of_run(folder, APPLES)
