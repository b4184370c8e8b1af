"""What an earlier commit stored opens today, with nothing lost."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.core.runs.samples import done
from tests.former.make import rows_of
from tests.shards import read_shard
from truehue.core.batch.folder import PLAN
from truehue.core.batch.health import state_of
from truehue.core.errors import BadInput
from truehue.core.runs.folder import RunFolder
from truehue.core.verdict.rules import rule
from truehue.storage.store import Storage
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.page.context import Context
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow

FORMER = Path(__file__).with_name("6606366.zip")
RULES = {"paper", "released", "truehue"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("former") / "data"
    with zipfile.ZipFile(FORMER) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def context(data: Path) -> Iterator[Context]:
    with Storage.open(data) as storage:
        opened = make_context(storage, "data")
        yield opened
        opened.close()


def test_every_row_of_every_table_is_there(data: Path) -> None:
    former = json.loads((data / "rows.json").read_text())
    assert sum(len(rows) - 1 for rows in former.values()) > 50
    Storage.open(data).close()  # the steps that came since are done
    now = rows_of(data / "truehue.duckdb")
    for table, (columns, *rows) in former.items():
        columns_now, *rows_now = now[table]
        if table == "drawings":  # step 13 makes the keys of what was expected anew
            position = columns.index("asked")
            columns, rows = without(columns, position), [without(row, position) for row in rows]
        positions = [columns_now.index(column) for column in columns]
        saved = sorted([row[index] for index in positions] for row in rows_now)
        if table == "schema_migrations":  # which has the newer steps too
            saved = [row for row in saved if row in rows]
        assert saved == sorted(rows), table


def without(row: list[str], index: int) -> list[str]:
    return [*row[:index], *row[index + 1 :]]


def test_nothing_points_at_nothing_and_nothing_is_called_lost(context: Context) -> None:
    assert context.storage.check() == []
    assert context.storage.losses.unread() == []


def test_images_masks_and_verdicts_are_read(context: Context) -> None:
    storage = context.storage
    (image,) = [item for item in storage.images.recent() if item.name == "mug.png"]
    assert storage.images.srgb8(image.image_id).shape == (64, 64, 3)
    (mask,) = storage.masks.for_image(image.image_id)
    assert storage.masks.pixels(mask.mask_id).sum() == mask.area_px
    records = storage.evidence.for_image(image.image_id)
    assert {record.protocol for record in records} == RULES
    assert all(record.numbers["delta_e00"] is not None for record in records)
    assert {item.status for item in storage.drawings.recent()} == {"drawn", "failed"}


def test_prompts_selections_and_sets_are_read(context: Context) -> None:
    storage = context.storage
    (own,) = storage.prompt_sets.all()
    assert [prompt.id for prompt in storage.prompt_sets.prompts(own.set_id)] == [
        "cna_l3-1",
        "cna_l3-2",
        "cna_l3-3",
    ]
    (selection,) = storage.selections.all()
    assert selection.name == "Reds"
    assert [distribution.name for distribution in storage.distributions.all()] == ["People"]
    assert [picture_set.name for picture_set in storage.picture_sets.all()] == ["Mangos"]


def test_the_run_is_read_from_its_folder_and_from_the_index(context: Context) -> None:
    (folder,) = context.service(RunSupervisor).folders()
    assert state_of(folder).status == "finished"
    results = [result for path in RunFolder(folder.path).shards() for result in read_shard(path)]
    assert sorted(result.position for result in results) == [0, 1, 2, 3]
    assert context.service(RunSupervisor).ingest() == 0  # the index has it already
    (run,) = context.storage.runs.all()
    assert run.name == "Four"
    assert context.storage.runs.verdicts() == sum(len(result.verdicts) for result in results)


def test_a_run_of_then_goes_on_from_its_shards_and_its_journal(data: Path, tmp_path: Path) -> None:
    (path,) = (data / "runs").iterdir()
    folder = RunFolder(shutil.copytree(path, tmp_path / path.name))
    former = pa.concat_tables([pq.read_table(shard) for shard in folder.shards()])
    former = former.sort_by("position")
    for shard in folder.shards():
        shard.unlink()
    # As it stood in the middle: one picture sealed, one in a journal, two to be drawn.
    pq.write_table(former.slice(0, 1), folder.shard_folder / "s001w1-00000.parquet")
    (line,) = former.slice(1, 1).to_pylist()
    (folder.journal).mkdir(exist_ok=True)
    (folder.journal / "s001w1-00001.jsonl").write_text(json.dumps(line) + "\n")
    # Rules have other versions since then, and a run of theirs is not gone on with.
    with pytest.raises(BadInput, match="The run judges by"):
        done(folder)
    plan = json.loads((folder.path / PLAN).read_text())
    plan["rules"] = [[name, rule(name).version] for name, _ in plan["rules"]]
    (folder.path / PLAN).write_text(json.dumps(plan))
    folder = RunFolder(folder.path)
    assert state_of(folder).done == 2
    assert done(folder).status == "finished"
    results = {item.position: item for shard in folder.shards() for item in read_shard(shard)}
    assert sorted(results) == [0, 1, 2, 3]
    assert [results[index].origin for index in (0, 1)] == [
        json.loads(text) for text in former["origin"].to_pylist()[:2]
    ]
    assert {result.status for result in results.values()} == {"drawn"}
    assert [results[index].image_id for index in range(4)] == former["image_id"].to_pylist()
