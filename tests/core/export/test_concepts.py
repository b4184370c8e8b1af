"""Exports of runs of concepts, archives of before there were profiles, and bent ones."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.core.export.archive_import.test_hostile_archives import (
    SHARD,
    Files,
    packed,
    plan_with,
    refused,
)
from tests.core.export.made import make_run
from tests.core.export.test_archive import results
from tests.core.runs.concept_samples import concept_plan, concept_prompts
from tests.core.runs.samples import done, rows, some_prompts
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.color.uw71 import uw71
from truehue.core.concepts.profile import profile_of
from truehue.core.concepts.reading import read_distributions
from truehue.core.export import write
from truehue.core.export.archive import write_archive
from truehue.core.export.archive_import import open_archive
from truehue.core.export.archive_import.shards import profile_problem
from truehue.core.export.codebook import codebook
from truehue.core.export.source import ExportRun, look, unscored_text
from truehue.core.export.tables import COLORS, RESULTS, Sheet, companion_files, csv_pieces
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import run_id
from truehue.core.runs.records import ObjectProfile
from truehue.core.runs.shards import old_schema, write_shard

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Two prompts, two scales, two seeds; one picture has no mask, one could not be drawn."""
    plan = concept_plan(concept_prompts(("apple",))[:2], guidances=(3.0, 7.5))
    folder = RunFolder.create(tmp_path_factory.mktemp("runs"), plan)
    folder.set_desired_state("run")
    assert done(folder).status == "finished"
    message = rows(folder)
    message[1] = replace(message[1], masks=(), profiles=(ObjectProfile(0, None, "No mask."),))
    message[6] = replace(
        message[6],
        status="failed",
        reason="No memory.",
        image_id="",
        width=0,
        height=0,
        masks=(),
        profiles=(),
    )
    for path in folder.shards():
        path.unlink()
    write_shard(folder.shard_folder / "a.parquet", message)
    return folder


@pytest.fixture(scope="module")
def files(folder: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> Files:
    path = tmp_path_factory.mktemp("out") / "good.zip"
    write_archive(ExportRun(folder), path, with_images=True)
    return contents(path)


def contents(path: Path) -> Files:
    with zipfile.ZipFile(path) as result:
        return {name: result.read(name) for name in result.namelist()}


def test_a_run_of_concepts_goes_out_and_comes_back(
    folder: RunFolder, files: Files, tmp_path: Path
) -> None:
    there = open_archive(packed(tmp_path / "a.zip", files), tmp_path / "runs")
    assert results(there) == results(folder)
    assert there.plan() == folder.plan()
    assert (there.plan().guidances, there.plan().rules) == ((3.0, 7.5), ())
    # Whoever exports it again has the same.
    write_archive(ExportRun(there), tmp_path / "b.zip")
    again = contents(tmp_path / "b.zip")
    assert again[SHARD] == files[SHARD]


def test_its_table_has_a_row_a_picture_and_its_codebook_no_rule(folder: RunFolder) -> None:
    lines = "".join(piece.decode() for piece in csv_pieces([ExportRun(folder)])).splitlines()
    assert len(lines) == 1 + 8
    made = codebook([ExportRun(folder)])
    assert made["rules"] == []
    assert made["runs"][0]["plan"]["guidances"] == [3.0, 7.5]


def test_what_was_not_measured_is_counted_with_its_reason(folder: RunFolder) -> None:
    seen = look(folder)
    assert (seen.done, seen.concepts, dict(seen.unmeasured)) == (8, 7, {"No mask.": 1})
    assert unscored_text(seen, 0) == ["1 of 7 images of concepts not measured: 1 × No mask"]


def test_an_archive_of_before_there_were_profiles_comes_in(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "here")
    write_archive(ExportRun(folder), tmp_path / "new.zip", with_images=True)
    old = contents(tmp_path / "new.zip")
    table = pq.read_table(io.BytesIO(old[SHARD])).drop_columns(["profiles"])
    assert table.schema.equals(old_schema())
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd")
    path = packed(tmp_path / "old.zip", {**old, SHARD: out.getvalue()})
    there = open_archive(path, tmp_path / "runs")
    assert results(there) == results(folder)
    # The same results in either form are the run that is there.
    assert open_archive(tmp_path / "new.zip", tmp_path / "runs").path == there.path


def _profile(**changes: Any) -> Callable[[dict[str, Any]], None]:
    def bend(row: dict[str, Any]) -> None:
        row["profiles"][0]["profile"].update(changes)

    return bend


def _other(name: str, change: Callable[[list[int]], list[int]]) -> Callable[[dict[str, Any]], None]:
    def bend(row: dict[str, Any]) -> None:
        profile = row["profiles"][0]["profile"]
        profile[name] = change(profile[name])

    return bend


@pytest.mark.parametrize(
    ("bend", "text"),
    [
        (_profile(mask_px=10**9), "numbers of pixels"),
        (_profile(sampled_px=0), "numbers of pixels"),
        (_profile(dominant_srgb=[1.0, 2.0]), "dominant color"),
        (_profile(dominant_srgb=[1.0, 2.0, float("nan")]), "dominant color"),
        (_profile(dominant_share=1.5), "share of its dominant"),
        (_other("cells", lambda cells: cells[::-1]), "cells of colors"),
        (_other("counts", lambda counts: [counts[0] + 1, *counts[1:]]), "cells of colors"),
        (_other("sums", lambda sums: [-1, *sums[1:]]), "sums of colors"),
        (_other("sums", lambda sums: sums[:-1]), "sums of colors"),
        (_other("bins", lambda bins: [*bins[:-1], 71]), "UW-71 bins"),
        (_other("bin_counts", lambda counts: [0, *counts[1:]]), "UW-71 bins"),
        (lambda row: row["profiles"][0].update(target=1), "no concept"),
        (lambda row: row["profiles"].append(row["profiles"][0]), "no concept"),
        (lambda row: row["profiles"][0].update(profile=None), "without a reason"),
        (lambda row: row["profiles"][0].update(reason=None), "reason is missing"),
    ],
)
def test_colors_that_cannot_be_are_refused(
    files: Files, tmp_path: Path, bend: Callable[[dict[str, Any]], None], text: str
) -> None:
    table = pq.read_table(io.BytesIO(files[SHARD]))
    to_pylist = table.to_pylist()
    bend(to_pylist[0])
    out = io.BytesIO()
    pq.write_table(table.from_pylist(to_pylist, schema=table.schema), out)
    refused(packed(tmp_path / "a.zip", {**files, SHARD: out.getvalue()}), tmp_path / "runs", text)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"guidances": [3.0]}, "scales do not fit"),
        ({"guidances": [3.0, 5.0, 7.0]}, "scales do not fit"),
        ({"guidances": [3.0, 3.0]}, "scales are no numbers"),
        ({"guidances": [3.0, "7"]}, "scales are no numbers"),
        ({"guidances": 3.0}, "scales are no numbers"),
        ({"guidance": 4.0}, "scales do not fit"),
        ({"made_with": {}}, "names no rules"),
    ],
)
def test_plans_of_concepts_that_do_not_hold_are_refused(
    files: Files, tmp_path: Path, changes: dict[str, Any], text: str
) -> None:
    path = packed(tmp_path / "a.zip", {**files, "plan.json": plan_with(files, **changes)})
    refused(path, tmp_path / "runs", text)


def test_a_plan_without_rules_that_asks_for_colors_is_refused(tmp_path: Path) -> None:
    made = make_run(tmp_path / "here")
    write_archive(ExportRun(made), tmp_path / "a.zip")
    old = contents(tmp_path / "a.zip")
    summary = json.loads(old["plan.json"])
    summary.update(rules=[], made_with={"profile": "1"})
    from truehue.core.export.archive_import.plan import _id

    summary["run_id"] = _id(summary)
    assert summary["run_id"] != run_id(made.plan())
    manifest = {**json.loads(old["manifest.json"]), "run_id": summary["run_id"]}
    bent = {
        **old,
        "plan.json": json.dumps(summary).encode(),
        "manifest.json": json.dumps(manifest).encode(),
    }
    refused(packed(tmp_path / "b.zip", bent), tmp_path / "runs", "names no rules")


def test_colors_of_a_sparse_object_can_have_a_larger_sample_than_mask() -> None:
    """What we measure, we take back: of 150 columns become 100, and every third of the 150
    lies half in each of two of the 100."""
    mask = np.zeros((2, 150), dtype=bool)
    mask[:, [0, *range(4, 148, 3), 149]] = True
    profile = profile_of(np.full((2, 150, 3), 90, dtype=np.uint8), mask)
    assert (profile.mask_px, profile.sampled_px) == (100, 196)
    plain = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(profile).items()
    }
    assert profile_problem(plain, mask.size) == ""
    plain["sampled_px"] = 401
    assert "numbers of pixels" in profile_problem(plain, mask.size)


# ── the tables ───────────────────────────────────────────────────────────────────────────────────


def table_of(folder: RunFolder, sheet: Sheet = RESULTS) -> list[dict[str, str]]:
    text = b"".join(csv_pieces([ExportRun(folder)], sheet=sheet)).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_measured_picture_is_no_unscored_one(folder: RunFolder) -> None:
    result, message = table_of(folder), {item.position: item for item in rows(folder)}
    assert [row["picture_status"] for row in result].count("measured") == 6
    for row in result:
        entry = message[int(row["position"])]
        assert row["status"] == row["picture_status"]
        if row["picture_status"] == "measured":
            (mask,) = entry.masks
            assert row["picture_reason"] == ""
            assert (row["target"], row["object"]) == ("0", "apple")
            assert row["category"]
            assert int(row["mask_area_px"]) == mask.area_px
            assert (row["mask_sha256"], row["mask_maker"]) == (mask.content_sha256, mask.maker)
    assert result[1]["picture_status"] == result[6]["picture_status"] == "unmeasured"
    assert (result[1]["picture_reason"], result[6]["picture_reason"]) == ("No mask.", "No memory.")
    # Of a picture that is not there no object can be spoken of.
    assert (result[1]["target"], result[6]["target"], result[6]["object"]) == ("0", "", "")
    known = next(
        column
        for column in codebook([ExportRun(folder)])["columns"]
        if column["name"] == "picture_status"
    )
    assert {row["picture_status"] for row in result} <= set(known["allowed_values"])


def test_the_table_of_colors_has_what_was_measured(folder: RunFolder) -> None:
    result, message = table_of(folder, COLORS), {item.position: item for item in rows(folder)}
    names = list(result[0])
    bins = [name for name in names if name.startswith("#")]
    assert bins == names[-71:] == [bin.hex for bin in uw71()]
    assert [row["guidance"] for row in result] == ["3", "3", "7.5", "7.5"] * 2
    for row in result:
        entry = message[int(row["position"])]
        if row["status"] == "unmeasured":
            assert {row[name] for name in (*bins, "mask_px", "dominant_hex", "dominant_r")} == {""}
            continue
        profile = entry.profiles[0].profile
        assert profile is not None
        assert row["concept_id"] == "concept-0041"
        assert (row["concept"], row["modifier"]) == ("apple", "")
        assert (row["image_id"], int(row["seed"])) == (entry.image_id, entry.seed)
        assert int(row["mask_px"]) == profile.mask_px == entry.masks[0].area_px
        assert int(row["sampled_px"]) == profile.sampled_px
        wanted = dict.fromkeys(range(71), 0.0)
        for index, count in zip(profile.bins, profile.bin_counts, strict=True):
            wanted[index] = count / profile.mask_px
        assert [float(row[name]) for name in bins] == pytest.approx(list(wanted.values()))
        assert sum(float(row[name]) for name in bins) == pytest.approx(1.0)
        dominant = profile.dominant_srgb
        assert [float(row[f"dominant_{name}"]) for name in "rgb"] == pytest.approx(dominant)
        # An independent way to CIELAB, to the rounding of the channels.
        lab = srgb8_to_lab(np.array([round(item) for item in dominant], dtype=np.uint8))
        assert [float(row[f"dominant_lab_{name}"]) for name in "lab"] == pytest.approx(lab, abs=1)
        assert float(row["dominant_share"]) == profile.dominant_share
    said = {row["position"]: row["reason"] for row in result if row["status"] == "unmeasured"}
    assert said == {"1": "No mask.", "6": "No memory."}


def test_our_reader_knows_the_columns_of_its_bins(folder: RunFolder) -> None:
    header, *lines = b"".join(csv_pieces([ExportRun(folder)], sheet=COLORS)).decode().splitlines()
    file = read_distributions("a-colors.csv", "\n".join([header, lines[0]]).encode())
    profile = rows(folder)[0].profiles[0].profile
    assert profile is not None
    (row,) = file.rows
    wanted = np.zeros(71)
    wanted[list(profile.bins)] = np.array(profile.bin_counts) / profile.mask_px
    assert (file.kind, row.words) == ("histograms", "apple")
    assert row.weights == pytest.approx(wanted)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_both_tables_are_written_beside_each_other(
    folder: RunFolder, tmp_path: Path, ending: str
) -> None:
    out = tmp_path / f"a.{ending}"
    messages: list[tuple[int, int]] = []
    write(folder, ending, out, progress=lambda done, total: messages.append((done, total)))
    names = {f"a.{ending}", f"a-colors.{ending}", "a.codebook.json", "a.codebook.md"}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert {path.name for path in companion_files([ExportRun(folder)], out)} == names - {out.name}
    assert messages[-1] == (16, 16)
    book = json.loads((tmp_path / "a.codebook.json").read_text())
    listed = [column["name"] for column in book["colors"]["columns"]]
    if ending == "csv":
        header = (tmp_path / "a-colors.csv").read_text().splitlines()[0].split(",")
    else:
        header = pq.read_schema(tmp_path / "a-colors.parquet").names
    assert header == listed
    assert "## Columns of the table of colors" in (tmp_path / "a.codebook.md").read_text()


def test_a_run_of_colors_alone_has_no_such_table(tmp_path: Path) -> None:
    made = make_run(tmp_path / "here")
    write(made, "csv", tmp_path / "a.csv")
    assert not list(tmp_path.glob("*-colors*"))
    assert "colors" not in codebook([ExportRun(made)])
    write(made, "zip", tmp_path / "a.zip")
    files = contents(tmp_path / "a.zip")
    assert "colors.parquet" not in files
    assert b"colors" not in files["README.txt"]


def test_the_archive_holds_the_colors_and_its_advice_works(
    files: Files, folder: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = files["README.txt"].decode()
    assert "groupby" in text
    assert "rule" not in text.split("Python:")[1].split("R:")[0]
    for name in ("colors.parquet", "results.parquet"):
        (tmp_path / name).write_bytes(files[name])
    monkeypatch.chdir(tmp_path)
    python = text.split("Python:\n")[1].split("\nR:")[0]
    *lines, last = [line.strip() for line in python.splitlines()]
    known: dict[str, Any] = {}
    exec("\n".join(lines), known)
    assert known["by"].status.value_counts().sum() == 8
    means = eval(last, known)
    assert means.shape == (2, 71)
    assert means.sum(axis=1).tolist() == pytest.approx([1.0, 1.0])


def test_a_mixed_run_has_the_advice_of_both(tmp_path: Path) -> None:
    mixed = concept_plan(
        [*concept_prompts(("apple",))[:1], *some_prompts(2, ("cna",))], guidances=()
    )
    run = RunFolder.create(tmp_path, mixed)
    assert done(run).status == "finished"
    alignment = table_of(run)
    assert {row["picture_status"] for row in alignment if row["task"] == "concept"} == {"measured"}
    judged = {row["picture_status"] for row in alignment if row["task"] == "cna"}
    assert judged <= {"pass", "fail", "unscored"}
    assert {row["task"] for row in alignment} == {"concept", "cna"}
    assert len(table_of(run, COLORS)) == 2
    write_archive(ExportRun(run), tmp_path / "a.zip")
    text = contents(tmp_path / "a.zip")["README.txt"].decode()
    assert 'groupby(["rule", "task"])' in text
    assert 'read_parquet("colors.parquet")' in text
    assert open_archive(tmp_path / "a.zip", tmp_path / "there").run_id == run.run_id
