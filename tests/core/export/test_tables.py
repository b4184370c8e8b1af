"""CSV and Parquet of runs: every verdict once, by position, with a codebook that fits."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.core.export.made import EVIL, RULES, make_run, plan
from tests.shards import read_shard
from truehue.core.errors import DataFolderError
from truehue.core.export import write
from truehue.core.export.archive_import import open_archive
from truehue.core.export.columns import CODEBOOK_KEY, COLUMNS, NAMES
from truehue.core.export.source import item_tables, runs_of
from truehue.core.export.tables import write_csv, write_parquet
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import ItemResult
from truehue.core.runs.shards import row_of, write_shard

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return make_run(tmp_path_factory.mktemp("runs"))


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def results(folder: RunFolder) -> list[ItemResult]:
    items = [item for path in folder.shards() for item in read_shard(path)]
    return sorted(items, key=lambda item: item.position)


def test_formulas_are_guarded_in_csv_alone(tmp_path: Path) -> None:
    runs = runs_of(make_run(tmp_path, plan("=run()", images=1), failed=()))
    write_csv(runs, tmp_path / "a.csv")
    write_parquet(runs, tmp_path / "a.parquet")
    assert {row["run_name"] for row in read(tmp_path / "a.csv")} == {"'=run()"}
    assert set(pq.read_table(tmp_path / "a.parquet")["run_name"].to_pylist()) == {"=run()"}


def test_every_verdict_is_one_row_in_both_formats(folder: RunFolder, tmp_path: Path) -> None:
    runs = runs_of(folder)
    write_csv(runs, tmp_path / "a.csv")
    write_parquet(runs, tmp_path / "a.parquet")
    rows, table = read(tmp_path / "a.csv"), pq.read_table(tmp_path / "a.parquet").to_pylist()
    assert list(rows[0]) == list(table[0]) == list(NAMES)
    wanted = [(item, verdict) for item in results(folder) for verdict in item.verdicts]
    assert len(rows) == len(table) == len(wanted) > 16
    for (item, verdict), text, row in zip(wanted, rows, table, strict=True):
        assert row["position"] == item.position == int(text["position"])
        assert (row["rule"], row["status"], row["told"]) == (
            verdict.rule,
            verdict.status,
            verdict.told,
        )
        assert row["delta_e00"] == verdict.delta_e00
        assert text["delta_e00"] == ("" if verdict.delta_e00 is None else repr(verdict.delta_e00))
        lab = verdict.lab or (None, None, None)
        assert (row["found_l"], row["found_a"], row["found_b"]) == lab
        assert row["target"] == (None if verdict.target < 0 else verdict.target)
        mask = next((entry for entry in item.masks if entry.target == verdict.target), None)
        assert row["mask_area_px"] == (mask.area_px if mask else None)
        assert row["mask_sha256"] == (mask.content_sha256 if mask else None)


def test_a_hostile_prompt_is_the_same_text(folder: RunFolder, tmp_path: Path) -> None:
    write_csv(runs_of(folder), tmp_path / "a.csv")
    assert f"A mug {EVIL}" in {row["text"] for row in read(tmp_path / "a.csv")}


def test_a_failed_picture_is_unscored_with_its_reason(folder: RunFolder, tmp_path: Path) -> None:
    write_csv(runs_of(folder), tmp_path / "a.csv")
    rows = [row for row in read(tmp_path / "a.csv") if row["position"] == "3"]
    assert [row["rule"] for row in rows] == list(RULES)
    for row in rows:
        assert (row["drawing_status"], row["status"], row["cause"]) == (
            "failed",
            "unscored",
            "no-image",
        )
        assert row["drawing_reason"] == "The model gave up."
        assert row["image_id"] == row["object"] == row["delta_e00"] == row["target"] == ""


def test_only_the_latest_attempt_counts(folder: RunFolder, tmp_path: Path) -> None:
    other = make_run(tmp_path)
    (again,) = [item for item in results(other) if item.position == 2]
    write_shard(
        other.shard_folder / "w9-1.parquet",
        [
            replace(again, position=3, image=1, attempt=2, width=64, height=48),
        ],
    )
    write_csv(runs_of(other), tmp_path / "b.csv")
    rows = [row for row in read(tmp_path / "b.csv") if row["position"] == "3"]
    assert {row["drawing_status"] for row in rows} == {"drawn"}
    assert {row["attempt"] for row in rows} == {"2"}
    assert {(row["width_px"], row["height_px"]) for row in rows} == {("64", "48")}


def test_what_journals_hold_is_exported_too(folder: RunFolder, tmp_path: Path) -> None:
    """A run that was killed: one worker's shard was sealed, the other's journal was not."""
    other = make_run(tmp_path)
    gone = other.shards()[1]
    write_journal(other, gone.stem, read_shard(gone)[:3], cut_off=read_shard(gone)[3])
    gone.unlink()
    before = sorted(path.name for path in other.path.rglob("*"))
    said = write(other, "csv", tmp_path / "a.csv")
    write(folder, "csv", tmp_path / "b.csv")
    assert said == "7 of 8 images have a result: resume generates the rest."
    whole = [row for row in read(tmp_path / "b.csv") if row["position"] != "7"]
    assert read(tmp_path / "a.csv") == whole
    assert sorted(path.name for path in other.path.rglob("*")) == before
    # Another attempt in a journal counts; a journal beside its own shard does not.
    again = replace(results(folder)[0], position=3, prompt=1, image=1, attempt=2)
    write_journal(other, "w8-1", [again])
    write_journal(other, other.shards()[0].stem, [replace(again, position=7, prompt=3)])
    (run,) = runs_of(other)
    assert run.done == 7
    write_csv([run], tmp_path / "c.csv")
    third = [row for row in read(tmp_path / "c.csv") if row["position"] == "3"]
    assert {(row["drawing_status"], row["attempt"]) for row in third} == {("drawn", "2")}


def test_a_lost_shard_is_said(tmp_path: Path) -> None:
    other = make_run(tmp_path)
    assert write(other, "parquet", tmp_path / "a.parquet") == ""
    other.shards()[0].unlink()
    said = write(other, "zip", tmp_path / "a.zip")
    assert said == "4 of 8 images have a result: resume generates the rest."
    there = open_archive(tmp_path / "a.zip", tmp_path / "there")
    assert write(there, "csv", tmp_path / "a.csv") == "4 of 8 images have a result."


def write_journal(
    folder: RunFolder, name: str, rows: list[ItemResult], cut_off: ItemResult | None = None
) -> None:
    lines = [json.dumps(row_of(row)) for row in rows]
    half = "" if cut_off is None else json.dumps(row_of(cut_off))[:-9]
    (folder.journal / f"{name}.jsonl").write_text("\n".join(lines) + "\n" + half)


def test_a_picture_without_a_verdict_is_a_row_too(tmp_path: Path) -> None:
    other = make_run(tmp_path)
    first = results(other)[0]
    for path in other.shards():
        path.unlink()
    write_shard(other.shard_folder / "w0-1.parquet", [replace(first, verdicts=(), masks=())])
    write_csv(runs_of(other), tmp_path / "b.csv")
    (row,) = read(tmp_path / "b.csv")
    assert (row["rule"], row["status"], row["picture_status"], row["leads"]) == (
        "",
        "unscored",
        "unscored",
        "true",
    )


def test_rows_are_the_same_however_they_were_dealt_out(tmp_path: Path) -> None:
    texts = []
    for shards in (1, 3):
        root = tmp_path / str(shards)
        write_csv(runs_of(make_run(root, shards=shards)), root / "a.csv")
        texts.append((root / "a.csv").read_bytes())
    assert texts[0] == texts[1]


def test_positions_ascend_through_small_tables(folder: RunFolder) -> None:
    tables = list(item_tables(folder.shards(), size=3))
    positions = [index for table in tables for index in table["position"].to_pylist()]
    assert positions == list(range(8))
    assert [table.num_rows for table in tables] == [3, 3, 2]


def test_the_codebook_names_every_column_rule_and_version(
    folder: RunFolder, tmp_path: Path
) -> None:
    write_parquet(runs_of(folder), tmp_path / "a.parquet")
    book: dict[str, Any] = json.loads((tmp_path / "a.codebook.json").read_text())
    inside = pq.read_schema(tmp_path / "a.parquet").metadata[CODEBOOK_KEY]
    assert json.loads(inside) == book
    assert [column["name"] for column in book["columns"]] == list(NAMES)
    assert [rule["id"] for rule in book["rules"]] == list(RULES)
    assert book["rules"][0]["thresholds"] == {
        "delta_chroma": 5.0,
        "delta_e00": 5.0,
        "hue_deg": 30.0,
    }
    (run,) = book["runs"]
    assert run["pictures"] == {"total": 8, "done": 8, "failed": 1}
    assert run["drawn_with"][0]["renderer_version"]
    text = (tmp_path / "a.codebook.md").read_text()
    assert all(f"| `{name}` |" in text for name in NAMES)


def test_values_are_those_that_the_codebook_allows(folder: RunFolder, tmp_path: Path) -> None:
    write_parquet(runs_of(folder), tmp_path / "a.parquet")
    rows = pq.read_table(tmp_path / "a.parquet").to_pylist()
    for column in COLUMNS:
        values = [row[column.name] for row in rows]
        assert None not in values or not column.always, column.name
        if column.allowed:
            assert set(values) - {None} <= set(column.allowed), column.name


def test_several_runs_stand_in_one_table(tmp_path: Path) -> None:
    item, two = make_run(tmp_path), make_run(tmp_path, plan("Another", images=1))
    write_csv(runs_of([item, two, item]), tmp_path / "a.csv")
    names = [row["run_name"] for row in read(tmp_path / "a.csv")]
    assert names == sorted(names, key=["A small run", "Another"].index)
    assert set(names) == {"A small run", "Another"}


def test_a_run_without_results_has_only_a_header(tmp_path: Path) -> None:
    write_csv(runs_of(RunFolder.create(tmp_path, plan())), tmp_path / "a.csv")
    write_parquet(runs_of(RunFolder.create(tmp_path, plan())), tmp_path / "a.parquet")
    assert read(tmp_path / "a.csv") == []
    assert pq.read_table(tmp_path / "a.parquet").num_rows == 0


def test_nothing_stays_of_a_table_that_could_not_be_written(
    folder: RunFolder, tmp_path: Path
) -> None:
    def stop(done: int, total: int) -> None:
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        write_csv(runs_of(folder), tmp_path / "a.csv", stop)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(DataFolderError, match="cannot be written"):
        write_csv(runs_of(folder), tmp_path / "nowhere" / "a.csv")
