"""Journals and shards: nothing that was written down is lost, nothing is there twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.core.runs.samples import planned, some_prompts
from tests.shards import read_shard
from truehue.core.batch.health import done_of
from truehue.core.batch.journal import Journal, read_journal, seal_left_over
from truehue.core.batch.shards import BadShard
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import ItemResult, MaskResult, ObjectVerdict
from truehue.core.runs.score import not_generated
from truehue.core.runs.shards import result_of, row_of, schema, write_shard

VERDICT = ObjectVerdict(
    "paper",
    "1.0",
    0,
    "apple",
    "matches",
    "fail",
    "color",
    "hue",
    "It’s not the color.",
    "fail",
    "wrong",
    True,
    "#AA1122",
    (50.0, 1.5, -2.25),
    7.5,
    3.0,
    12.0,
    None,
    None,
)
RESULT = ItemResult(
    0,
    0,
    0,
    1,
    "drawn",
    "",
    "a" * 64,
    64,
    32,
    2**31 - 1,
    0.5,
    0.25,
    "w1",
    {"x": [1, None]},
    ("a note",),
    (MaskResult(0, "b" * 64, 9, "renderer", {"y": "ü"}),),
    (VERDICT,),
)


def results(*positions: int) -> list[ItemResult]:
    return [replace(RESULT, position=position) for position in positions]


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path, planned(some_prompts(4), images=5))


def journal(folder: RunFolder, worker: str = "w1") -> Journal:
    return Journal(folder.journal, folder.shard_folder, worker, schema())


def written(path: Path) -> list[ItemResult]:
    return [result_of(row) for row in read_journal(path)]


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    failed = replace(
        RESULT,
        position=1,
        status="failed",
        reason="no",
        seed=None,
        seconds=None,
        masks=(),
        verdicts=not_generated("no", (("paper", "1.0"),)),
    )
    write_shard(tmp_path / "one.parquet", [RESULT, failed])
    assert read_shard(tmp_path / "one.parquet") == [RESULT, failed]


def test_what_was_added_is_on_disk_at_once_and_sealed_later(folder: RunFolder) -> None:
    book = journal(folder)
    for result in results(0, 1):
        book.add(row_of(result))
    (path,) = folder.journal.glob("*.jsonl")
    assert written(path) == results(0, 1)
    assert folder.shards() == []
    book.seal()
    assert [path.name for path in folder.shards()] == ["w1-00000.parquet"]
    assert not list(folder.journal.iterdir())
    book.add(row_of(results(2)[0]))
    book.seal()
    book.seal()
    assert [path.name for path in folder.shards()] == ["w1-00000.parquet", "w1-00001.parquet"]


def test_a_line_that_was_cut_off_is_dropped_and_the_lines_before_it_kept(folder: RunFolder) -> None:
    book = journal(folder)
    for result in results(0, 1, 2):
        book.add(row_of(result))
    (path,) = folder.journal.glob("*.jsonl")
    whole = path.read_bytes()
    third = whole.rindex(b"\n", 0, -1) + 1
    for cut in (third + 1, third + 40, len(whole) - 1):
        path.write_bytes(whole[:cut])
        assert written(path) == results(0, 1)
    assert seal_left_over(folder.journal, folder.shard_folder, schema()) == 2
    assert read_shard(folder.shards()[0]) == results(0, 1)
    assert not list(folder.journal.iterdir())


def test_a_journal_whose_shard_is_there_is_not_sealed_again(folder: RunFolder) -> None:
    book = journal(folder)
    for result in results(0, 1):
        book.add(row_of(result))
    (path,) = folder.journal.glob("*.jsonl")
    content = path.read_bytes()
    book.seal()
    path.write_bytes(content)  # killed between writing the shard and removing the journal
    assert seal_left_over(folder.journal, folder.shard_folder, schema()) == 0
    assert len(read_shard(folder.shards()[0])) == 2
    assert len(folder.shards()) == 1


def test_only_the_named_workers_journals_are_sealed(folder: RunFolder) -> None:
    journal(folder, "s001w1").add(row_of(results(0)[0]))
    journal(folder, "s001w11").add(row_of(results(1)[0]))
    assert seal_left_over(folder.journal, folder.shard_folder, schema(), "s001w1-*") == 1
    assert [path.name for path in folder.journal.iterdir()] == ["s001w11-00000.jsonl"]


def test_the_latest_attempt_counts(folder: RunFolder) -> None:
    failed = replace(RESULT, status="failed", reason="no weights")
    write_shard(
        folder.shard_folder / "b.parquet", [replace(failed, position=index) for index in (1, 2)]
    )
    write_shard(folder.shard_folder / "c.parquet", [replace(RESULT, position=2, attempt=2)])
    write_shard(folder.shard_folder / "d.parquet", results(0))
    again = replace(failed, position=0, attempt=2, reason="out of memory")
    write_shard(folder.shard_folder / "a.parquet", [again])  # read first, though it is newer
    done = done_of(folder, 20)
    assert done.done == 3
    assert done.attempts[:3].tolist() == [2, 1, 2]
    assert done.failed[:3].tolist() == [True, True, False]
    assert dict(done.problems()) == {"no weights": 1, "out of memory": 1}


def test_of_the_same_attempt_twice_the_first_counts(folder: RunFolder) -> None:
    failed = replace(RESULT, status="failed", reason="killed")
    write_shard(folder.shard_folder / "a.parquet", [RESULT, replace(failed, position=1)])
    write_shard(folder.shard_folder / "b.parquet", [failed, replace(RESULT, position=1)])
    done = done_of(folder, 20)
    assert (done.done, done.failed[:2].tolist()) == (2, [False, True])
    assert dict(done.problems()) == {"killed": 1}


def test_a_shard_of_another_run_or_kind_is_named(folder: RunFolder) -> None:
    path = folder.shard_folder / "w1-00000.parquet"
    write_shard(path, results(0, 20))
    with pytest.raises(BadShard, match=r"w1-00000\.parquet holds results that the plan does not"):
        done_of(folder, 20)
    pq.write_table(pa.table({"position": [0], "status": ["drawn"]}), path)
    with pytest.raises(BadShard, match=r"w1-00000\.parquet cannot be read.*attempt"):
        done_of(folder, 20)


def test_a_damaged_shard_is_named(folder: RunFolder) -> None:
    path = folder.shard_folder / "w1-00000.parquet"
    write_shard(path, results(0))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadShard, match=r"w1-00000\.parquet cannot be read"):
        done_of(folder, 20)


def test_a_flipped_bit_in_a_shard_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "w1-00000.parquet"
    write_shard(path, results(*range(40)))
    whole = path.read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little")
    for index in range(4, len(whole) - 8 - footer, 37):
        path.write_bytes(whole[:index] + bytes([whole[index] ^ 4]) + whole[index + 1 :])
        try:
            assert read_shard(path) == results(*range(40)), index
        except BadShard:
            continue
