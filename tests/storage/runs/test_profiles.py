"""Profiles of concepts in runs: taken in, replaced by a retry, and extractions that are kept."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.core.runs.concept_samples import concept_plan, concept_prompts
from tests.core.runs.samples import done, rows
from tests.storage.run_samples import sample_plan, sample_run
from truehue.core.concepts.records import PIXELS, ConceptCell, ImageProfile
from truehue.core.errors import BadInput, NotStored
from truehue.core.export.archive import write_archive
from truehue.core.export.archive_import import open_archive
from truehue.core.export.source import ExportRun
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import make_plan
from truehue.core.runs.records import ItemResult, ObjectProfile
from truehue.core.runs.shards import write_shard
from truehue.storage import Storage

pytestmark = pytest.mark.slow

APPLE, FRESH = "concept-0041", "concept-0041-fresh"
SCALES = (3.0, 5.0, 9.0)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run of six prompts, two seeds, three scales; to be copied."""
    root = tmp_path_factory.mktemp("runs")
    folder = RunFolder.create(root, concept_plan(concept_prompts(("apple",))))
    folder.set_desired_state("run")
    assert done(folder).status == "finished"
    return folder.path


@pytest.fixture
def folder(drawn: Path, data_dir: Path) -> RunFolder:
    """A copy of it that a test may change: one shard."""
    shutil.copytree(drawn, data_dir / "runs" / drawn.name)
    made = RunFolder(data_dir / "runs" / drawn.name)
    write(made, rows(made))
    return made


def write(folder: RunFolder, results: Sequence[ItemResult], name: str = "a") -> None:
    """The results as one shard, in place of those of that name or, of ``a``, of all."""
    if name == "a":
        for path in folder.shards():
            path.unlink()
    write_shard(folder.shard_folder / f"{name}.parquet", results)


def cell(
    run_id: str,
    concept: str,
    style: str,
    guidance: float | None,
    images: int,
    unscored: int = 0,
    share: float = 1.0,
) -> ConceptCell:
    weights = np.zeros(71)
    weights[:2] = share, 1.0 - share
    return ConceptCell(run_id, concept, style, guidance, PIXELS, images, unscored, weights)


def test_a_run_of_concepts_is_known_with_the_colors_of_its_pictures(
    storage: Storage, folder: RunFolder
) -> None:
    message = rows(folder)
    assert storage.runs.ingest(folder) == 36
    run_id = folder.run_id
    assert [run.run_id for run in storage.profiles.runs()] == [run_id]
    concepts = storage.profiles.concepts(run_id)
    assert concepts.concept_ids[:2] == (APPLE, FRESH)
    assert len(concepts.concept_ids) == 3
    assert (concepts.styles, concepts.guidances) == (("photo", "cartoon"), SCALES)
    assert set(concepts.counts.values()) == {(6, 6)}
    assert len(concepts.counts) == 6

    images, unscored = storage.profiles.image_profiles(run_id, FRESH)
    assert unscored == []
    prompts = folder.plan().prompts
    mine = [item for item in message if prompts[item.prompt].id.startswith(f"{FRESH}-")]
    masks = {item.position: storage.masks.for_image(item.image_id)[0].mask_id for item in mine}
    assert images == [
        ImageProfile(
            item.image_id,
            masks[item.position],
            item.profiles[0].profile,  # type: ignore[arg-type]
            SCALES[item.image // 2],
            item.seed,
            "",
            run_id,
            item.position,
        )
        for item in mine
    ]
    some, _ = storage.profiles.image_profiles(run_id, FRESH, "cartoon", 5.0)
    assert [(item.guidance, item.seed) for item in some] == [(5.0, 0), (5.0, 1)]
    assert all(item in images for item in some)
    assert storage.profiles.image_profiles(run_id, FRESH, "cartoon", 4.0) == ([], [])
    assert storage.profiles.image_profiles(run_id, "concept-9999") == ([], [])
    assert storage.check() == []
    with pytest.raises(NotStored):
        storage.profiles.image_profiles("0" * 16, FRESH)


def test_what_could_not_be_measured_or_drawn_has_its_reason(
    storage: Storage, folder: RunFolder
) -> None:
    message = rows(folder)
    message[0] = replace(message[0], masks=(), profiles=(ObjectProfile(0, None, "No mask."),))
    message[1] = replace(
        message[1],
        status="failed",
        reason="No memory.",
        image_id="",
        width=0,
        height=0,
        masks=(),
        profiles=(),
    )
    message[2] = replace(message[2], profiles=())
    write(folder, message)
    storage.runs.ingest(folder)
    images, unscored = storage.profiles.image_profiles(folder.run_id, APPLE, "photo")
    assert [item.position for item in images] == [3, 4, 5]
    assert unscored == [
        (0, "No mask."),
        (1, "No memory."),
        (
            2,
            "Its colors were not measured: the run is older than that. Score the "
            "run's pictures again.",
        ),
    ]
    assert storage.profiles.image_profiles(folder.run_id, APPLE, "photo", 3.0)[1] == unscored[:2]
    assert storage.profiles.unmeasured() == {folder.run_id: 1}
    counts = storage.profiles.concepts(folder.run_id).counts
    assert counts[APPLE, "photo"] == (6, 3)
    assert storage.check() == []


def test_another_version_of_profiles_is_not_mixed_in(
    storage: Storage, folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.runs.ingest(folder)
    monkeypatch.setattr("truehue.storage.runs.profiles.PROFILE_VERSION", "2")
    images, unscored = storage.profiles.image_profiles(folder.run_id, APPLE, "photo")
    assert images == []
    assert len(unscored) == 6
    assert "measured in another way (profile 1; this TrueHue has 2)" in unscored[0][1]
    assert storage.profiles.concepts(folder.run_id).counts[APPLE, "photo"] == (6, 0)


def test_a_retry_replaces_colors_and_what_was_extracted_of_them(
    storage: Storage, folder: RunFolder
) -> None:
    message = rows(folder)
    failed = replace(
        message[0],
        status="failed",
        reason="No memory.",
        image_id="",
        width=0,
        height=0,
        masks=(),
        profiles=(),
    )
    bare = replace(message[1], masks=(), profiles=(ObjectProfile(0, None, "No mask."),))
    write(folder, [failed, bare, *message[2:]])
    storage.runs.ingest(folder)
    run_id = folder.run_id
    storage.profiles.keep(
        [cell(run_id, APPLE, "photo", None, 4, 2), cell(run_id, APPLE, "cartoon", None, 6)]
    )
    assert len(storage.profiles.cells(run_id, PIXELS)) == 2
    write(folder, [replace(item, attempt=2) for item in message[:2]], "b")
    assert storage.runs.ingest(folder) == 2
    images, unscored = storage.profiles.image_profiles(run_id, APPLE, "photo")
    assert ([item.position for item in images], unscored) == ([0, 1, 2, 3, 4, 5], [])
    assert storage.profiles.unmeasured() == {}
    # Only the extraction of the concept whose pictures came again is gone.
    (left,) = storage.profiles.cells(run_id, PIXELS)
    assert (left.concept_id, left.style) == (APPLE, "cartoon")
    assert storage.check() == []
    # A third attempt that measured something replaces rows that are there.
    write(folder, [replace(message[0], attempt=3)], "c")
    storage.runs.ingest(folder)
    assert storage._database.rows("SELECT count(*) FROM run_profiles") == [(36,)]


def test_extractions_are_good_while_they_are_of_the_pictures_that_are_here(
    storage: Storage, folder: RunFolder
) -> None:
    message = rows(folder)
    write(folder, message[:9])
    storage.runs.ingest(folder)
    run_id, profiles = folder.run_id, storage.profiles
    key = [
        (item.concept_id, item.style, item.guidance) for item in profiles.missing(run_id, PIXELS)
    ]
    assert key == [(APPLE, "photo", None), (APPLE, "cartoon", None)]
    by_scale = profiles.missing(run_id, PIXELS, by_guidance=True)
    assert [(item.style, item.guidance) for item in by_scale] == [
        ("photo", 3.0),
        ("photo", 5.0),
        ("photo", 9.0),
        ("cartoon", 3.0),
        ("cartoon", 5.0),
    ]
    profiles.keep(
        [
            cell(run_id, APPLE, "photo", None, 6),
            cell(run_id, APPLE, "cartoon", None, 3),
            cell(run_id, APPLE, "photo", 5.0, 2),
            ConceptCell(run_id, APPLE, "cartoon", 5.0, PIXELS, 0, 1),
        ]
    )
    cells = profiles.cells(run_id, PIXELS)
    assert [(item.style, item.images, item.unscored) for item in cells] == [
        ("photo", 6, 0),
        ("cartoon", 3, 0),
    ]
    assert profiles.missing(run_id, PIXELS) == []
    assert profiles.cells(run_id, "extracted") == []
    assert len(profiles.missing(run_id, "extracted")) == 2
    # Of one scale: the one whose picture was measured is no longer as it was said.
    (entry,) = profiles.cells(run_id, PIXELS, by_guidance=True)
    assert (entry.style, entry.guidance, entry.weights is not None) == ("photo", 5.0, True)
    assert len(profiles.missing(run_id, PIXELS, by_guidance=True)) == 4
    # Again in place of the first; the last of two counts.
    profiles.keep(
        [
            cell(run_id, APPLE, "photo", None, 6, share=0.5),
            cell(run_id, APPLE, "photo", None, 6, share=0.25),
        ]
    )
    (again, _) = profiles.cells(run_id, PIXELS)
    assert again.weights is not None
    assert again.weights[:2].tolist() == [0.25, 0.75]
    assert storage._database.rows("SELECT count(*) FROM concept_cells") == [(4,)]
    # More pictures come: what was extracted before is not good any more.
    write(folder, message[9:], "b")
    storage.runs.ingest(folder)
    assert [item.style for item in profiles.cells(run_id, PIXELS)] == ["photo"]
    assert len(profiles.missing(run_id, PIXELS)) == 5
    assert storage.check() == []


def test_a_concept_of_which_nothing_could_be_measured_is_kept_as_that(
    storage: Storage, folder: RunFolder
) -> None:
    bare = [
        replace(row, masks=(), profiles=(ObjectProfile(0, None, "No mask."),))
        for row in rows(folder)
    ]
    write(folder, bare)
    storage.runs.ingest(folder)
    run_id = folder.run_id
    assert len(storage.profiles.missing(run_id, PIXELS)) == 6
    none = [
        ConceptCell(run_id, item.concept_id, item.style, None, PIXELS, 0, 6)
        for item in storage.profiles.missing(run_id, PIXELS)
    ]
    storage.profiles.keep(none)
    assert storage.profiles.missing(run_id, PIXELS) == []
    assert storage.profiles.cells(run_id, PIXELS) == none


def test_what_cannot_be_kept_is_refused_whole(storage: Storage, folder: RunFolder) -> None:
    storage.runs.ingest(folder)
    good = cell(folder.run_id, APPLE, "photo", None, 6)
    for wrong, error in (
        (replace(good, method="guessed"), BadInput),
        (replace(good, concept_id="concept-0001"), NotStored),
        (replace(good, run_id="0" * 16), NotStored),
    ):
        with pytest.raises(error):
            storage.profiles.keep([good, wrong])
    assert storage.profiles.cells(folder.run_id, PIXELS) == []
    with pytest.raises(BadInput, match="no method"):
        storage.profiles.cells(folder.run_id, "guessed")
    storage.profiles.keep([])


def test_colors_that_do_not_add_up_refuse_their_shard(storage: Storage, folder: RunFolder) -> None:
    first, *rest = rows(folder)
    profile = first.profiles[0].profile
    assert profile is not None
    wrong = (
        ObjectProfile(0, replace(profile, sampled_px=profile.sampled_px + 1)),
        ObjectProfile(0, replace(profile, bins=(*profile.bins[:-1], 71))),
        ObjectProfile(0, replace(profile, sums=profile.sums[:-1])),
        ObjectProfile(1, profile),
        ObjectProfile(0, None, ""),
    )
    for item in wrong:
        write(folder, [replace(first, profiles=(item,)), *rest])
        assert storage.runs.ingest(folder) == 0
        (said,) = storage.runs.refused(folder.run_id).values()
        assert "do not add up, or the prompt has no such object" in said
    write(folder, [first, *rest])
    assert storage.runs.ingest(folder) == 36


def test_a_shard_of_before_there_were_profiles_comes_in(storage: Storage, data_dir: Path) -> None:
    old = sample_run(data_dir / "runs", sample_plan(prompts=4))
    for path in old.shards():
        table = pq.read_table(path).drop_columns(["profiles"])
        pq.write_table(table, path)
    assert storage.runs.ingest(old) == 8
    assert storage.profiles.runs() == []
    assert storage.profiles.unmeasured() == {}


def test_an_archive_brings_the_colors_along(
    storage: Storage, folder: RunFolder, tmp_path: Path
) -> None:
    write_archive(ExportRun(folder), tmp_path / "a.zip", with_images=False)
    there = open_archive(tmp_path / "a.zip", tmp_path / "elsewhere")
    assert rows(there) == rows(folder)
    assert there.plan() == folder.plan()
    assert storage.runs.ingest(there) == 36
    result, unscored = storage.profiles.image_profiles(there.run_id, FRESH)
    assert (len(result), unscored) == (12, [])
    assert all(item.mask_id for item in result)


def test_pictures_that_were_scored_have_colors_and_no_guidance(
    storage: Storage, folder: RunFolder, tmp_path: Path
) -> None:
    from truehue.tabs.runs.stored import of_run

    prompts = folder.plan().prompts[1:3]
    items = of_run(folder, prompts)
    assert (len(items), {len(item.masks) for item in items}) == (12, {1})
    plan = make_plan(prompts, "renderer again", items=items)
    again = RunFolder.create(tmp_path, plan)
    again.set_desired_state("run")
    assert done(again).status == "finished"
    storage.runs.ingest(folder)
    storage.runs.ingest(again)
    result, unscored = storage.profiles.image_profiles(again.run_id, APPLE)
    sample, _ = storage.profiles.image_profiles(folder.run_id, APPLE, "cartoon")
    assert unscored == []
    assert [item.profile for item in result] == [item.profile for item in sample]
    assert {item.guidance for item in result} == {None}
    assert storage.profiles.concepts(again.run_id).guidances == (None,)
    assert [item.guidance for item in storage.profiles.missing(again.run_id, PIXELS, True)] == [
        None,
        None,
    ]
    assert storage.check() == []


def test_rows_that_point_nowhere_are_found(storage: Storage, folder: RunFolder) -> None:
    storage.runs.ingest(folder)
    storage.profiles.keep([cell(folder.run_id, APPLE, "photo", None, 6)])
    with storage._database.transaction() as cursor:
        cursor.execute("DELETE FROM run_items WHERE position = 3")
        cursor.execute("UPDATE concept_cells SET prompt_no = 999")
        cursor.execute("INSERT INTO known_concepts VALUES (998, 'concept-0001', 'photo')")
    said = "\n".join(storage.check())
    assert f"colors of the run {folder.run_id} are of the image 3, which did not come in" in said
    assert "extracted colors of the run" in said
    assert "the concept concept-0001 (photo) is said to be the prompt 998" in said
