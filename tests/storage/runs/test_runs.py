from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.empty_data import empty_data
from tests.shards import read_shard
from tests.storage.run_samples import sample_plan, sample_result, sample_run
from tests.storage.samples import folder_state
from truehue.core.errors import BadInput, NotStored
from truehue.core.files import shelf
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import ItemResult, RunPlan, StoredItem, StoredMask
from truehue.core.runs.shards import write_shard
from truehue.storage import Storage
from truehue.storage.runs.runs import Runs

pytestmark = pytest.mark.slow

PROMPTS, IMAGES = 20, 2
TOTAL = PROMPTS * IMAGES
TABLES = (
    "run_items",
    "run_attempts",
    "run_masks",
    "run_verdicts",
    "run_shards",
    "known_prompts",
    "known_targets",
    "known_colors",
    "known_names",
    "run_prompts",
    "run_numbers",
    "run_views",
)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run, to be copied."""
    plan = sample_plan("model-a", PROMPTS, IMAGES)
    return sample_run(tmp_path_factory.mktemp("runs"), plan).path


@pytest.fixture
def folder(drawn: Path, data_dir: Path) -> RunFolder:
    """A copy of it that a test may change."""
    shutil.copytree(drawn, data_dir / "runs" / drawn.name)
    return RunFolder(data_dir / "runs" / drawn.name)


def rows(storage: Storage) -> dict[str, list[tuple[Any, ...]]]:
    """All that is known of runs."""
    return {name: storage._database.rows(f"SELECT * FROM {name} ORDER BY ALL") for name in TABLES}


def results(folder: RunFolder) -> list[ItemResult]:
    found = [one for path in folder.shards() for one in read_shard(path)]
    return sorted(found, key=lambda one: one.position)


def test_a_run_is_known_with_all_that_its_shards_say(storage: Storage, folder: RunFolder) -> None:
    assert storage.runs.register(folder) == folder.run_id
    assert (storage.runs.get(folder.run_id).items, storage.runs.changes) == (0, 1)
    assert storage.runs.ingest(folder) == TOTAL
    record = storage.runs.get(folder.run_id)
    told = results(folder)
    failed = sum(one.status == "failed" for one in told)
    assert failed
    assert (record.items, record.failed, record.total) == (TOTAL, failed, TOTAL)
    assert (record.name, record.model, record.kind) == ("model-a on a sample", "model-a", "drawn")
    assert record.rules == sample_plan().rules
    assert record.summary == folder.summary()
    assert (record.hidden, record.refused) == (False, {})

    kept = storage._database.rows(
        "SELECT position, image, drawn, reason, image_id, seed, width, worker, seconds, attempt "
        "FROM run_items ORDER BY position"
    )
    assert kept == [
        (
            one.position,
            one.image,
            one.status == "drawn",
            one.reason,
            one.image_id,
            one.seed,
            one.width,
            one.worker,
            one.seconds,
            one.attempt,
        )
        for one in told
    ]
    verdicts = storage._database.rows("""
        SELECT v.position, r.name, v.target, v.leads, v.told, coalesce(v.picture_reason, v.told),
            ['', 'pass', 'fail', 'unscored'][v.status + 1],
            ['', 'pass', 'fail', 'unscored'][v.picture_status + 1], c.name, s.name,
            round(v.delta_e00, 3), round(v.l, 3), v.misfit IS NULL
        FROM run_verdicts AS v JOIN known_names AS r ON r.kind = 'rule' AND r.no = rule_no
        JOIN known_names AS c ON c.kind = 'cause' AND c.no = cause_no
        JOIN known_names AS s ON s.kind = 'step' AND s.no = step_no
    """)
    assert _same(verdicts, told)
    assert storage.check() == []


def _same(verdicts: list[tuple[Any, ...]], told: list[ItemResult]) -> bool:
    """The same rows, whatever their order: numbers are kept with 24 bits."""
    mine = {row[:3]: row[3:] for row in verdicts}
    count = 0
    for one in told:
        for v in one.verdicts:
            count += 1
            row = mine[one.position, v.rule, v.target]
            assert row[:7] == (
                v.leads,
                v.told,
                v.picture_reason,
                v.status,
                v.picture_status,
                v.cause,
                v.step,
            )
            assert row[7] == (None if v.delta_e00 is None else pytest.approx(v.delta_e00, abs=1e-3))
            assert row[8] == (None if v.lab is None else pytest.approx(v.lab[0], abs=1e-3))
            assert row[9] == (v.misfit is None)
    return count == len(verdicts) == len(mine)


def test_pictures_and_masks_are_there_for_inspect_without_a_second_copy(
    storage: Storage, folder: RunFolder
) -> None:
    storage.runs.ingest(folder)
    drawn = next(one for one in results(folder) if len(one.masks) == 2)
    record = storage.images.get(drawn.image_id)
    prompt = folder.plan().prompts[drawn.prompt]
    assert record.source == "generated"
    assert record.name.startswith(prompt.text[:60])
    assert record.name.endswith(f"· model-a · seed {drawn.seed}")
    color = prompt.targets[0].color
    assert color is not None
    assert record.origin == {
        "model": "model-a",
        "seed": drawn.seed,
        "object_name": prompt.targets[0].name,
        "target": color.value,
    }
    assert storage.images.srgb8(drawn.image_id).shape == (32, 32, 3)
    masks = storage.masks.for_image(drawn.image_id)
    assert {mask.parameters["target"]: mask.parameters["object"] for mask in masks} == {
        at: prompt.targets[at].name for at in (0, 1)
    }
    for mask in masks:
        pixels = storage.masks.pixels(mask.mask_id)
        assert np.count_nonzero(pixels) == mask.area_px
        # The very mask, added by hand, is the same one.
        from truehue.core.images.mask import Mask

        again = storage.masks.add(drawn.image_id, Mask(pixels, mask.maker, mask.parameters))
        assert again == mask
    assert storage.images.path(drawn.image_id).samefile(shelf(folder.images, drawn.image_id))


def test_links_that_do_not_go_become_copies(
    storage: Storage, folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("os.link", refuse)
    assert storage.runs.ingest(folder) == TOTAL
    name = next(one.image_id for one in results(folder) if one.image_id)
    shutil.rmtree(folder.path)
    assert storage.images.srgb8(name).shape == (32, 32, 3)
    assert storage.check() == []


def test_ingesting_again_and_from_threads_at_once_changes_nothing(
    storage: Storage, folder: RunFolder
) -> None:
    start = threading.Barrier(4)

    def ingest(_: int) -> int:
        start.wait()
        return storage.runs.ingest(folder)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(ingest, range(4))) == [0, 0, 0, TOTAL]
    before, files = rows(storage), folder_state(folder.path)
    # Another object does not know what the first one has seen.
    other = Runs(storage._database, storage.data_dir / "images", storage.data_dir / "masks")
    assert storage.runs.ingest(folder) == other.ingest(folder) == 0
    assert rows(storage) == before
    assert folder_state(folder.path) == files


def test_it_is_asked_while_it_comes_in(storage: Storage, folder: RunFolder) -> None:
    shards = folder.shards()
    aside = [shard.rename(shard.with_suffix(".later")) for shard in shards]
    storage.runs.ingest(folder)
    seen: list[int] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            board = storage.results.board("paper")
            seen.append(sum(one.images * one.prompts for one in board))

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        for path, shard in zip(aside, shards, strict=True):
            path.rename(shard)
            storage.runs.ingest(folder)
    finally:
        done.set()
        thread.join()
    assert set(seen) <= {0, TOTAL // 2, TOTAL}
    assert seen == sorted(seen)
    assert sum(one.images * one.prompts for one in storage.results.board("paper")) == TOTAL


@pytest.mark.parametrize("later_first", [False, True])
def test_the_latest_attempt_counts_whichever_comes_first(
    storage: Storage, folder: RunFolder, later_first: bool
) -> None:
    plan = folder.plan()
    first = [one for one in results(folder) if one.status == "failed"]
    again = [sample_result(folder, plan, one.position, 2, failed=False) for one in first]
    path = folder.shard_folder / "w9-0.parquet"
    if later_first:
        kept = [shard.rename(shard.with_suffix(".later")) for shard in folder.shards()]
        write_shard(path, again)
        assert storage.runs.ingest(folder) == len(first)
        for shard in kept:
            shard.rename(shard.with_suffix(".parquet"))
        assert storage.runs.ingest(folder) == TOTAL - len(first)
    else:
        assert storage.runs.ingest(folder) == TOTAL
        assert storage.runs.get(folder.run_id).failed == len(first)
        write_shard(path, again)
        assert storage.runs.ingest(folder) == len(first)
    record = storage.runs.get(folder.run_id)
    assert (record.items, record.failed) == (TOTAL, 0)
    for one in again:
        shown = storage.results.picture(folder.run_id, one.position)
        assert {item.image_id for item in shown} == {one.image_id}
        assert len(shown) == len(one.verdicts)
    history = storage._database.rows(
        "SELECT position, attempt, drawn, reason FROM run_attempts ORDER BY position"
    )
    assert history == [(one.position, 1, False, one.reason) for one in first]
    count = sum(len(one.verdicts) for one in [*results(folder)]) - sum(
        len(one.verdicts) for one in first
    )
    assert storage._database.count("run_verdicts") == count
    assert storage.check() == []


def test_an_attempt_that_stands_in_two_shards_counts_once(
    storage: Storage, folder: RunFolder
) -> None:
    twice = results(folder)[:10]
    write_shard(folder.shard_folder / "w7-0.parquet", twice)
    assert storage.runs.ingest(folder) == TOTAL
    before = rows(storage)
    write_shard(folder.shard_folder / "w8-0.parquet", twice)
    assert storage.runs.ingest(folder) == 0
    after = rows(storage)
    assert len(after.pop("run_shards")) == len(before.pop("run_shards")) + 1
    assert after == before
    assert before["run_attempts"] == []


def _cut(shard: Path, folder: RunFolder) -> None:
    shard.write_bytes(shard.read_bytes()[:-100])


def _no_parquet(shard: Path, folder: RunFolder) -> None:
    shard.write_text("position,prompt\n1,2\n")


def _other_columns(shard: Path, folder: RunFolder) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"position": [1], "text": ["a"]}), shard)


def _changed(**changes: Any) -> Callable[[Path, RunFolder], None]:
    def write(shard: Path, folder: RunFolder) -> None:
        told = read_shard(shard)
        shard.unlink()
        write_shard(shard, [replace(told[0], **changes), *told[1:]])

    return write


def _foreign_object(shard: Path, folder: RunFolder) -> None:
    told = read_shard(shard)
    shard.unlink()
    odd = tuple(replace(one, target=7) for one in told[0].verdicts)
    write_shard(shard, [replace(told[0], verdicts=odd), *told[1:]])


def _no_picture(shard: Path, folder: RunFolder) -> None:
    name = next(one.image_id for one in read_shard(shard) if one.image_id)
    shelf(folder.images, name).unlink()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_cut, "cannot be read"),
        (_no_parquet, "cannot be read"),
        (_other_columns, "is no shard of a run"),
        (_changed(prompt=999), "prompt 999 is not in the plan"),
        (_changed(attempt=-1), "below 0"),
        (_changed(status="done"), "neither drawn with an image nor failed"),
        (_changed(status="drawn", image_id="../../x"), "neither below"),
        (_foreign_object, "does not have"),
        (_no_picture, "neither below"),
    ],
)
def test_a_shard_that_is_damaged_is_left_out_and_the_rest_goes_on(
    storage: Storage, folder: RunFolder, damage: Callable[[Path, RunFolder], None], words: str
) -> None:
    bad, good = folder.shards()
    whole = bad.read_bytes()
    pictures = folder.path.parent / "pictures"
    shutil.copytree(folder.images, pictures)
    damage(bad, folder)
    wanted = len(read_shard(good))
    assert storage.runs.ingest(folder) == wanted
    record = storage.runs.get(folder.run_id)
    assert list(record.refused) == [bad.name]
    assert str(bad) in record.refused[bad.name]
    assert words in record.refused[bad.name]
    assert (record.items, storage.check()) == (wanted, [])
    assert storage.runs.ingest(folder) == 0
    # Put right, it comes in.
    bad.unlink()
    shutil.copytree(pictures, folder.images, dirs_exist_ok=True)
    bad.write_bytes(whole)
    assert storage.runs.ingest(folder) == TOTAL - wanted
    assert storage.runs.get(folder.run_id).refused == {}
    assert storage.runs.get(folder.run_id).items == TOTAL


def test_runs_are_renamed_and_hidden_and_nothing_is_lost(
    storage: Storage, folder: RunFolder, tmp_path: Path
) -> None:
    other = sample_run(tmp_path, sample_plan("model-b", 5, 1))
    ids = [folder.run_id, other.run_id]
    for one in (folder, other):
        storage.runs.ingest(one)
    assert [one.run_id for one in storage.runs.all()] == ids[::-1]
    assert storage.runs.rename(ids[0], "  the  first ").name == "the first"
    assert storage.runs.hide(ids[0]).hidden
    assert storage.runs.hide(ids[0]).name == "the first"
    assert [one.run_id for one in storage.runs.all()] == ids[1:]
    assert [one.run_id for one in storage.runs.all(hidden=True)] == ids[::-1]
    assert {one.run_id for one in storage.results.board("paper")} == {ids[1]}
    assert {one.run_id for one in storage.results.board("paper", ids[:1])} == {ids[0]}
    assert not storage.runs.hide(ids[0], False).hidden
    assert {one.run_id for one in storage.results.board("paper")} == set(ids)
    # A version is added for each change, and none where nothing changed.
    views = storage._database.rows("SELECT version, name, hidden FROM run_views WHERE run_no = 0")
    assert [(one[0], one[2]) for one in sorted(views)] == [
        (1, False),
        (2, False),
        (3, True),
        (4, False),
    ]
    for wrong in ("", " ", "x" * 201):
        with pytest.raises(BadInput):
            storage.runs.rename(ids[0], wrong)
    for ask in (storage.runs.get, storage.runs.hide):
        with pytest.raises(NotStored, match="No run is stored"):
            ask("nothing")


def test_a_run_of_stored_pictures_keeps_their_records(
    storage: Storage, folder: RunFolder, tmp_path: Path
) -> None:
    storage.runs.ingest(folder)
    drawn = [one for one in results(folder) if one.masks][:6]
    plan = folder.plan()
    items = []
    for one in drawn:
        masks = {
            mask.parameters["target"]: StoredMask(
                mask.mask_id, str(storage.masks.path(mask.mask_id)), mask.maker, mask.parameters
            )
            for mask in storage.masks.for_image(one.image_id)
        }
        path = str(storage.images.path(one.image_id))
        items.append(StoredItem(one.prompt, one.image, one.image_id, path, masks))
    stored = RunPlan(
        "again",
        "gencolorbench",
        plan.prompts,
        "model-a",
        "stored",
        IMAGES,
        items=tuple(items),
        rules=plan.rules[:1],
    )
    again = RunFolder.create(tmp_path, stored)
    told = [
        replace(
            one,
            position=at,
            verdicts=tuple(v for v in one.verdicts if v.rule == "paper"),
            masks=tuple(
                replace(mask, mask_id=item.masks[mask.target].mask_id) for mask in one.masks
            ),
        )
        for at, (one, item) in enumerate(zip(drawn, items, strict=True))
    ]
    write_shard(again.shard_folder / "w0-0.parquet", told)
    before = [
        storage._database.rows(f"SELECT * FROM {name} ORDER BY ALL") for name in ("images", "masks")
    ]
    assert storage.runs.ingest(again) == len(items)
    assert before == [
        storage._database.rows(f"SELECT * FROM {name} ORDER BY ALL") for name in ("images", "masks")
    ]
    for at, item in enumerate(items):
        for shown in storage.results.picture(again.run_id, at):
            assert shown.image_id == item.image_id
            assert shown.mask_id == (
                item.masks[shown.target].mask_id if shown.target in item.masks else ""
            )
    # On another machine the pictures come from where the plan says that they lie.
    with Storage.open(empty_data(tmp_path / "elsewhere")) as other:
        assert other.runs.ingest(again) == len(items)
        assert other.check() == []
        assert other.masks.count() == sum(len(one.masks) for one in drawn)


def test_what_is_missing_is_named(storage: Storage, folder: RunFolder) -> None:
    storage.runs.ingest(folder)
    with storage._database.cursor() as cursor:
        cursor.execute("DELETE FROM known_prompts WHERE prompt_no = 0")
        cursor.execute("DELETE FROM run_items WHERE position = 4")
    said = " ".join(storage.check())
    assert f"the run {folder.run_id} has the prompt 0, which is not known" in said
    assert f"verdicts of the run {folder.run_id} speak of the picture 4" in said
