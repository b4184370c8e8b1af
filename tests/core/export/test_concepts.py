"""Exports of runs of concepts, archives of before there were profiles, and bent ones."""

from __future__ import annotations

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

from core.concepts.profile import profile_of
from core.export.archive import write_archive
from core.export.checked_profiles import wrong_with
from core.export.codebook import codebook
from core.export.look import look, unscored_words
from core.export.reading import open_archive
from core.export.source import ExportRun
from core.export.tables import csv_pieces
from core.runs.execute import execute
from core.runs.folder import RunFolder
from core.runs.plan import run_id
from core.runs.records import ObjectProfile
from core.runs.shards import old_schema, write_shard
from tests.core.export.made import make_run
from tests.core.export.test_archive import results
from tests.core.export.test_hostile_archives import SHARD, Files, packed, plan_with, refused
from tests.core.runs.concept_samples import concept_plan, concept_prompts
from tests.core.runs.samples import rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Two prompts, two scales, two seeds; one picture has no mask, one could not be drawn."""
    plan = concept_plan(concept_prompts(("apple",))[:2], guidances=(3.0, 7.5))
    folder = RunFolder.create(tmp_path_factory.mktemp("runs"), plan)
    folder.set_wish("run")
    assert execute(folder).status == "finished"
    told = rows(folder)
    told[1] = replace(told[1], masks=(), profiles=(ObjectProfile(0, None, "No mask."),))
    told[6] = replace(told[6], status="failed", reason="No memory.", image_id="", width=0, height=0,
                      masks=(), profiles=())  # fmt: skip
    for path in folder.shards():
        path.unlink()
    write_shard(folder.shard_folder / "a.parquet", told)
    return folder


@pytest.fixture(scope="module")
def files(folder: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> Files:
    path = tmp_path_factory.mktemp("out") / "good.zip"
    write_archive(ExportRun(folder), path, with_images=True)
    return contents(path)


def contents(path: Path) -> Files:
    with zipfile.ZipFile(path) as found:
        return {name: found.read(name) for name in found.namelist()}


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
    assert unscored_words(seen, 0) == ["1 of 7 pictures of concepts not measured: 1 × No mask"]


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
    ("bend", "words"),
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
    files: Files, tmp_path: Path, bend: Callable[[dict[str, Any]], None], words: str
) -> None:
    table = pq.read_table(io.BytesIO(files[SHARD]))
    given = table.to_pylist()
    bend(given[0])
    out = io.BytesIO()
    pq.write_table(table.from_pylist(given, schema=table.schema), out)
    refused(packed(tmp_path / "a.zip", {**files, SHARD: out.getvalue()}), tmp_path / "runs", words)


@pytest.mark.parametrize(
    ("changes", "words"),
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
    files: Files, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    path = packed(tmp_path / "a.zip", {**files, "plan.json": plan_with(files, **changes)})
    refused(path, tmp_path / "runs", words)


def test_a_plan_without_rules_that_asks_for_colors_is_refused(tmp_path: Path) -> None:
    made = make_run(tmp_path / "here")
    write_archive(ExportRun(made), tmp_path / "a.zip")
    old = contents(tmp_path / "a.zip")
    summary = json.loads(old["plan.json"])
    summary.update(rules=[], made_with={"profile": "1"})
    from core.export.checked_plan import _id

    summary["run_id"] = _id(summary)
    assert summary["run_id"] != run_id(made.plan())
    manifest = {**json.loads(old["manifest.json"]), "run_id": summary["run_id"]}
    bent = {**old, "plan.json": json.dumps(summary).encode(),
            "manifest.json": json.dumps(manifest).encode()}  # fmt: skip
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
    assert wrong_with(plain, mask.size) == ""
    plain["sampled_px"] = 401
    assert "numbers of pixels" in wrong_with(plain, mask.size)
