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
from truehue.core.files import content_path
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import make_plan
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
    ones = [item for path in folder.shards() for item in read_shard(path)]
    return sorted(ones, key=lambda item: item.position)


def test_a_run_is_known_with_all_that_its_shards_say(storage: Storage, folder: RunFolder) -> None:
    assert storage.runs.register(folder) == folder.run_id
    assert (storage.runs.get(folder.run_id).items, storage.runs.changes) == (0, 1)
    assert storage.runs.ingest(folder) == TOTAL
    record = storage.runs.get(folder.run_id)
    message = results(folder)
    failed = sum(item.status == "failed" for item in message)
    assert failed
    assert (record.items, record.failed, record.total) == (TOTAL, failed, TOTAL)
    assert (record.name, record.model, record.kind) == ("model-a on a sample", "model-a", "drawn")
    assert record.rules == sample_plan().rules
    assert record.summary == folder.summary()
    assert (record.hidden, record.refused) == (False, {})

    saved = storage._database.rows(
        "SELECT position, image, drawn, reason, image_id, seed, width, worker, seconds, attempt "
        "FROM run_items ORDER BY position"
    )
    assert saved == [
        (
            item.position,
            item.image,
            item.status == "drawn",
            item.reason,
            item.image_id,
            item.seed,
            item.width,
            item.worker,
            item.seconds,
            item.attempt,
        )
        for item in message
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
    assert _same(verdicts, message)
    assert storage.check() == []


def _same(verdicts: list[tuple[Any, ...]], item_results: list[ItemResult]) -> bool:
    """The same rows, whatever their order: numbers are kept with 24 bits."""
    mine = {row[:3]: row[3:] for row in verdicts}
    count = 0
    for item_result in item_results:
        for v in item_result.verdicts:
            count += 1
            row = mine[item_result.position, v.rule, v.target]
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
    sample = next(result for result in results(folder) if len(result.masks) == 2)
    record = storage.images.get(sample.image_id)
    prompt = folder.plan().prompts[sample.prompt]
    assert record.source == "generated"
    assert record.name.startswith(prompt.text[:60])
    assert record.name.endswith(f"· model-a · seed {sample.seed}")
    color = prompt.targets[0].color
    assert color is not None
    assert record.origin == {
        "model": "model-a",
        "seed": sample.seed,
        "object_name": prompt.targets[0].name,
        "target": color.value,
    }
    assert storage.images.srgb8(sample.image_id).shape == (32, 32, 3)
    masks = storage.masks.for_image(sample.image_id)
    assert {mask.parameters["target"]: mask.parameters["object"] for mask in masks} == {
        index: prompt.targets[index].name for index in (0, 1)
    }
    for mask in masks:
        pixels = storage.masks.pixels(mask.mask_id)
        assert np.count_nonzero(pixels) == mask.area_px
        # The very mask, added by hand, is the same one.
        from truehue.core.images.pixels import Mask

        again = storage.masks.add(sample.image_id, Mask(pixels, mask.maker, mask.parameters))
        assert again == mask
    assert storage.images.path(sample.image_id).samefile(
        content_path(folder.images, sample.image_id)
    )


def test_links_that_do_not_go_become_copies(
    storage: Storage, folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("os.link", refuse)
    assert storage.runs.ingest(folder) == TOTAL
    name = next(result.image_id for result in results(folder) if result.image_id)
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
            board = storage.results.leaderboard("paper")
            seen.append(sum(item.images * item.prompts for item in board))

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
    assert sum(item.images * item.prompts for item in storage.results.leaderboard("paper")) == TOTAL


@pytest.mark.parametrize("later_first", [False, True])
def test_the_latest_attempt_counts_whichever_comes_first(
    storage: Storage, folder: RunFolder, later_first: bool
) -> None:
    plan = folder.plan()
    first = [result for result in results(folder) if result.status == "failed"]
    again = [sample_result(folder, plan, item.position, 2, failed=False) for item in first]
    path = folder.shard_folder / "w9-0.parquet"
    if later_first:
        renames = [shard.rename(shard.with_suffix(".later")) for shard in folder.shards()]
        write_shard(path, again)
        assert storage.runs.ingest(folder) == len(first)
        for shard in renames:
            shard.rename(shard.with_suffix(".parquet"))
        assert storage.runs.ingest(folder) == TOTAL - len(first)
    else:
        assert storage.runs.ingest(folder) == TOTAL
        assert storage.runs.get(folder.run_id).failed == len(first)
        write_shard(path, again)
        assert storage.runs.ingest(folder) == len(first)
    record = storage.runs.get(folder.run_id)
    assert (record.items, record.failed) == (TOTAL, 0)
    for entry in again:
        shown = storage.results.verdicts_of_image(folder.run_id, entry.position)
        assert {item.image_id for item in shown} == {entry.image_id}
        assert len(shown) == len(entry.verdicts)
    history = storage._database.rows(
        "SELECT position, attempt, drawn, reason FROM run_attempts ORDER BY position"
    )
    assert history == [(item.position, 1, False, item.reason) for item in first]
    count = sum(len(item.verdicts) for item in [*results(folder)]) - sum(
        len(item.verdicts) for item in first
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
        message = read_shard(shard)
        shard.unlink()
        write_shard(shard, [replace(message[0], **changes), *message[1:]])

    return write


def _foreign_object(shard: Path, folder: RunFolder) -> None:
    message = read_shard(shard)
    shard.unlink()
    odd = tuple(replace(verdict, target=7) for verdict in message[0].verdicts)
    write_shard(shard, [replace(message[0], verdicts=odd), *message[1:]])


def _no_picture(shard: Path, folder: RunFolder) -> None:
    name = next(item.image_id for item in read_shard(shard) if item.image_id)
    content_path(folder.images, name).unlink()


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (_cut, "cannot be read"),
        (_no_parquet, "cannot be read"),
        (_other_columns, "is no shard of a run"),
        (_changed(prompt=999), "prompt 999 is not in the plan"),
        (_changed(attempt=-1), "below 0"),
        (_changed(status="done"), "neither generated nor failed"),
        (_changed(status="drawn", image_id="../../x"), "neither below"),
        (_foreign_object, "does not have"),
        (_no_picture, "neither below"),
    ],
)
def test_a_shard_that_is_damaged_is_left_out_and_the_rest_goes_on(
    storage: Storage, folder: RunFolder, damage: Callable[[Path, RunFolder], None], text: str
) -> None:
    bad, good = folder.shards()
    whole = bad.read_bytes()
    images = folder.path.parent / "pictures"
    shutil.copytree(folder.images, images)
    damage(bad, folder)
    wanted = len(read_shard(good))
    assert storage.runs.ingest(folder) == wanted
    record = storage.runs.get(folder.run_id)
    assert list(record.refused) == [bad.name]
    assert str(bad) in record.refused[bad.name]
    assert text in record.refused[bad.name]
    assert (record.items, storage.check()) == (wanted, [])
    assert storage.runs.ingest(folder) == 0
    # Put right, it comes in.
    bad.unlink()
    shutil.copytree(images, folder.images, dirs_exist_ok=True)
    bad.write_bytes(whole)
    assert storage.runs.ingest(folder) == TOTAL - wanted
    assert storage.runs.get(folder.run_id).refused == {}
    assert storage.runs.get(folder.run_id).items == TOTAL


def test_a_run_of_stored_images_has_its_name_of_today(storage: Storage, tmp_path: Path) -> None:
    folder = sample_run(tmp_path, sample_plan("model-a", 2, 1))
    items = [StoredItem(0, 0, "a" * 64, "/a.png", {})]
    plan = make_plan(folder.plan().prompts[:1], "mine", items=items)
    run_id = storage.runs.register(RunFolder.create(tmp_path, plan))
    assert storage.runs.rename(run_id, "Set · pictures of mine").name == "Set · images of mine"


def test_runs_are_renamed_and_hidden_and_nothing_is_lost(
    storage: Storage, folder: RunFolder, tmp_path: Path
) -> None:
    other = sample_run(tmp_path, sample_plan("model-b", 5, 1))
    ids = [folder.run_id, other.run_id]
    for entry in (folder, other):
        storage.runs.ingest(entry)
    assert [run.run_id for run in storage.runs.all()] == ids[::-1]
    assert storage.runs.rename(ids[0], "  the  first ").name == "the first"
    assert storage.runs.hide(ids[0]).hidden
    assert storage.runs.hide(ids[0]).name == "the first"
    assert [run.run_id for run in storage.runs.all()] == ids[1:]
    assert [run.run_id for run in storage.runs.all(hidden=True)] == ids[::-1]
    assert {item.run_id for item in storage.results.leaderboard("paper")} == {ids[1]}
    assert {item.run_id for item in storage.results.leaderboard("paper", ids[:1])} == {ids[0]}
    assert not storage.runs.hide(ids[0], False).hidden
    assert {item.run_id for item in storage.results.leaderboard("paper")} == set(ids)
    # A version is added for each change, and none where nothing changed.
    views = storage._database.rows("SELECT version, name, hidden FROM run_views WHERE run_no = 0")
    assert [(view[0], view[2]) for view in sorted(views)] == [
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
    sample = [result for result in results(folder) if result.masks][:6]
    plan = folder.plan()
    items = []
    for entry in sample:
        masks = {
            mask.parameters["target"]: StoredMask(
                mask.mask_id, str(storage.masks.path(mask.mask_id)), mask.maker, mask.parameters
            )
            for mask in storage.masks.for_image(entry.image_id)
        }
        path = str(storage.images.path(entry.image_id))
        items.append(StoredItem(entry.prompt, entry.image, entry.image_id, path, masks))
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
    message = [
        replace(
            value,
            position=position,
            verdicts=tuple(v for v in value.verdicts if v.rule == "paper"),
            masks=tuple(
                replace(mask, mask_id=item.masks[mask.target].mask_id) for mask in value.masks
            ),
        )
        for position, (value, item) in enumerate(zip(sample, items, strict=True))
    ]
    write_shard(again.shard_folder / "w0-0.parquet", message)
    before = [
        storage._database.rows(f"SELECT * FROM {name} ORDER BY ALL") for name in ("images", "masks")
    ]
    assert storage.runs.ingest(again) == len(items)
    assert before == [
        storage._database.rows(f"SELECT * FROM {name} ORDER BY ALL") for name in ("images", "masks")
    ]
    for index, item in enumerate(items):
        for shown in storage.results.verdicts_of_image(again.run_id, index):
            assert shown.image_id == item.image_id
            assert shown.mask_id == (
                item.masks[shown.target].mask_id if shown.target in item.masks else ""
            )
    # On another machine the pictures come from where the plan says that they lie.
    with Storage.open(empty_data(tmp_path / "elsewhere")) as other:
        assert other.runs.ingest(again) == len(items)
        assert other.check() == []
        assert other.masks.count() == sum(len(value.masks) for value in sample)


def test_what_is_missing_is_named(storage: Storage, folder: RunFolder) -> None:
    storage.runs.ingest(folder)
    with storage._database.cursor() as cursor:
        cursor.execute("DELETE FROM known_prompts WHERE prompt_no = 0")
        cursor.execute("DELETE FROM run_items WHERE position = 4")
    said = " ".join(storage.check())
    assert f"the run {folder.run_id} has the prompt 0, which is not known" in said
    assert f"verdicts of the run {folder.run_id} speak of the image 4" in said
