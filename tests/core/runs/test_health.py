"""A run's folder is counted, not believed: what is damaged is told, and done again."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.core.runs.samples import apples, done, rows, small_plan
from tests.shards import read_shard
from truehue.core.batch.folder import PLAN, STATE
from truehue.core.batch.health import DAMAGED, require_whole, state_of
from truehue.core.batch.journal import LEFT_OUT, Journal
from truehue.core.batch.locks import hold_lock, is_free
from truehue.core.errors import BadInput, DataFolderError
from truehue.core.runs.folder import PROMPTS, RunFolder
from truehue.core.runs.plan import prompt_and_image_at
from truehue.core.runs.records import ItemResult
from truehue.core.runs.shards import row_of, schema, write_shard
from truehue.core.runs.worker import execute

pytestmark = pytest.mark.slow

PICTURES = 12


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run of 12 pictures whose results lie in three shards."""
    folder = RunFolder.create(tmp_path_factory.mktemp("runs"), small_plan(apples(PICTURES)))
    assert done(folder).status == "finished"
    results = [item for path in folder.shards() for item in read_shard(path)]
    results.sort(key=lambda result: result.position)
    for path in folder.shards():
        path.unlink()
    for number in range(3):
        write_shard(
            folder.shard_folder / f"s001w1-{number:05d}.parquet",
            results[number * 4 : number * 4 + 4],
        )
    assert state_of(folder).done == PICTURES
    return folder


@pytest.fixture
def copy(finished: RunFolder, tmp_path: Path) -> RunFolder:
    return RunFolder(shutil.copytree(finished.path, tmp_path / finished.run_id))


def _flipped(index: float) -> Callable[[Path], None]:
    def flip(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[int(len(content) * index)] ^= 255
        path.write_bytes(content)

    return flip


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def _last_byte(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"!")


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


DAMAGES = [_emptied, _cut, _flipped(0.95), _last_byte, Path.unlink]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_shard_is_told_and_its_pictures_are_done_again(
    finished: RunFolder, copy: RunFolder, damage: Callable[[Path], None]
) -> None:
    second = copy.shards()[1]
    damage(second)
    state = state_of(copy)
    assert (state.status, state.done, state.total) == ("paused", 8, PICTURES)
    assert "4 of 12 images that were done have no results" in state.message
    assert "Resume repeats them" in state.message
    assert (second.name in state.message) == second.exists()
    with pytest.raises(BadInput, match="4 of 12 images"):
        require_whole(copy)
    there = second.exists()
    assert done(copy).status == "finished"
    assert (state_of(copy).done, state_of(copy).message) == (PICTURES, "")
    assert rows(copy) == rows(finished)
    assert (copy.path / DAMAGED / second.name).exists() == there
    require_whole(copy)


def test_every_flipped_byte_of_a_shard_is_an_error_in_words(copy: RunFolder) -> None:
    """In the footer too, of which pyarrow may say that it is no text."""
    path = copy.shards()[0]
    whole = path.read_bytes()
    refused = 0
    for index in range(len(whole) - 1, len(whole) - 1500, -23):
        content = bytearray(whole)
        content[index] ^= 255
        path.write_bytes(content)
        try:
            require_whole(copy)
        except BadInput:
            refused += 1
    assert refused > 40


def test_a_byte_that_only_reading_everything_finds_is_found_by_an_export(copy: RunFolder) -> None:
    path = copy.shards()[0]
    # The last byte of the longest column: the headers between pages have no checksum.
    group = pq.ParquetFile(path).metadata.row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    longest = max(columns, key=lambda column: int(column.total_compressed_size))
    start = longest.dictionary_page_offset or longest.data_page_offset
    content = bytearray(path.read_bytes())
    content[start + longest.total_compressed_size - 1] ^= 255
    path.write_bytes(content)
    with pytest.raises(BadInput, match="cannot be read"):
        require_whole(copy)
    assert done(copy).status == "finished"
    require_whole(copy)
    assert [item.name for item in (copy.path / DAMAGED).iterdir()] == [path.name]


@pytest.mark.parametrize(
    "content", [None, b"", b"{", b"[]", b'{"status": 5}', b'{"run_id": "x"}', bytes(300)]
)
def test_a_state_that_is_lost_or_damaged_is_made_from_the_shards(
    finished: RunFolder, copy: RunFolder, content: bytes | None
) -> None:
    path = copy.path / STATE
    path.unlink() if content is None else path.write_bytes(content)
    state = state_of(copy)
    assert (state.status, state.done, state.failed) == ("finished", PICTURES, 0)
    require_whole(copy)
    copy.shards()[2].unlink()
    state = state_of(copy)
    assert (state.status, state.done) == ("paused", 8)
    assert "being recounted" in state.message
    assert done(copy).done == PICTURES
    assert rows(copy) == rows(finished)


@pytest.mark.parametrize(
    "odd",
    [
        {"started_at": "yesterday"},
        {"started_at": "2026-07-01T12:00:00"},  # of no zone
        {"updated_at": 5},
        {"rate": float("nan")},
        {"seconds_left": "soon"},
        {"seconds_left": 10**400},
        {"workers": None},
        {"message": ["a"]},
        {"problems": [["a", float("inf")]]},
    ],
)
def test_a_state_that_cannot_be_shown_is_damaged(copy: RunFolder, odd: dict[str, Any]) -> None:
    fields = json.loads((copy.path / STATE).read_text())
    assert copy.stored_count() == PICTURES
    (copy.path / STATE).write_text(json.dumps({**fields, "status": "running", **odd}))
    assert copy.stored_count() == 0
    assert (state_of(copy).status, state_of(copy).done) == ("finished", PICTURES)


def test_a_lock_is_asked_for_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, opened = tmp_path / "lock", os.open

    def reading(file: Path, flags: int, *more: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, "Read-only file system")
        return opened(file, flags, *more)

    with hold_lock(path, "in use"), monkeypatch.context() as patch:
        patch.setattr(os, "open", reading)
        assert not is_free(path)
        with pytest.raises(DataFolderError, match="cannot be opened"), hold_lock(path, ""):
            pass
    monkeypatch.setattr(os, "open", reading)
    assert is_free(path)
    assert is_free(tmp_path / "none")


def test_a_state_of_nothing_is_planned(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path, small_plan(apples(2)))
    assert state_of(folder).status == "planned"


@pytest.mark.parametrize("damage", [_emptied, _cut, _flipped(0.5), Path.unlink])
def test_prompts_that_cannot_be_read_are_an_error(
    copy: RunFolder, damage: Callable[[Path], None]
) -> None:
    damage(copy.path / PROMPTS)
    uses = (lambda: state_of(copy), copy.plan, lambda: require_whole(copy), lambda: execute(copy))
    for use in uses:
        with pytest.raises(BadInput, match=r"prompts\.jsonl\.gz"):
            use()


def test_a_plan_that_cannot_be_read_is_an_error(copy: RunFolder) -> None:
    _cut(copy.path / PLAN)
    uses = (
        lambda: state_of(RunFolder(copy.path)),
        lambda: RunFolder(copy.path).plan(),
        lambda: execute(copy),
    )
    for use in uses:
        with pytest.raises(BadInput, match=r"plan\.json"):
            use()


def test_lines_of_another_run_are_left_out_with_a_reason(
    copy: RunFolder, finished: RunFolder, caplog: pytest.LogCaptureFixture
) -> None:
    (lost,) = read_shard(copy.shards()[2])[:1]
    copy.shards()[2].unlink()
    number, image = prompt_and_image_at(copy.plan(), lost.position)
    alien: list[ItemResult] = [
        replace(lost, position=999),
        replace(lost, position=-1),
        replace(lost, prompt=number + 1, image=image),
        replace(lost, attempt=0),
    ]
    (copy.journal / "s001w9-00000.jsonl").write_text(
        "".join(json.dumps(row_of(item)) + "\n" for item in [*alien, lost])
    )
    with caplog.at_level(logging.WARNING, "truehue"):
        assert done(copy).status == "finished"
    assert rows(copy) == rows(finished)
    said = [json.loads(line) for line in (copy.path / LEFT_OUT).read_text().splitlines()]
    assert [item["line"]["position"] for item in said[:2]] == [999, -1]
    assert "the position 999 is not among the run's 12" in said[0]["reason"]
    assert len(said) == 4
    assert "left out" in caplog.text


def test_a_shard_of_another_run_is_kept_aside(copy: RunFolder) -> None:
    results = [replace(item, position=item.position + 900) for item in read_shard(copy.shards()[0])]
    write_shard(copy.shard_folder / "s001w7-00000.parquet", results)
    assert "s001w7-00000.parquet" in state_of(copy).message
    assert done(copy).status == "finished"
    assert [item.name for item in (copy.path / DAMAGED).iterdir()] == ["s001w7-00000.parquet"]


def test_a_run_at_work_is_believed(copy: RunFolder) -> None:
    """Its shards and journals change all the time; whoever is at it knows best."""
    from truehue.core.batch.folder import LOCK
    from truehue.core.batch.locks import hold_lock

    running = replace(state_of(copy), status="running", done=11)
    copy.save_state(running)
    with hold_lock(copy.path / LOCK, ""):
        assert asdict(state_of(copy)) == asdict(running)
    assert state_of(copy).status == "interrupted"


def test_journals_count_for_a_run_that_was_broken_off(copy: RunFolder) -> None:
    results = read_shard(copy.shards()[2])
    copy.shards()[2].unlink()
    book = Journal(copy.journal, copy.shard_folder, "s002w1", schema())
    for result in results:
        book.add(row_of(result))
    assert (state_of(copy).status, state_of(copy).done) == ("finished", PICTURES)
