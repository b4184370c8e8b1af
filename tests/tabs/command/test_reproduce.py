"""``truehue reproduce`` from its needs to the printed table, by the renderer."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.commands import called
from tests.concept_runs import palettes_csv
from tests.core.batch.here import team_here
from tests.core.generation.images_server import ImagesServer
from tests.empty_data import empty_data
from truehue.core.concepts.reading import read_distributions
from truehue.core.runs.folder import run_folders
from truehue.storage import Storage
from truehue.tabs.command.reproduce import main

pytestmark = pytest.mark.slow

SMALL = "--size 64 --images 1"
CNA = "id,color,object,prompt\n" + "".join(
    f"{index},{color},mug,a {color} mug\n"
    for index, color in enumerate(("Red", "Green", "Blue", "Yellow"))
)
NCU = "id,color_name,r,g,b,object,prompt\n1,red,255,0,0,mug,a mug in rgb(255 0 0)\n"


@pytest.fixture(scope="module", autouse=True)
def workers_of_ours() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("truehue.core.batch.execute.LocalTeam", team_here)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder, and the authors' Mini in small beside it."""
    root = tmp_path_factory.mktemp("reproduce")
    empty_data(root / "data")
    (root / "mini").mkdir()
    (root / "mini" / "cna_l2.csv").write_text(CNA)
    (root / "mini" / "ncu_rgb_l2.csv").write_text(NCU)
    return root


def reproduce(folder: Path, *arguments: str) -> CompletedProcess[str]:
    own = ["--data", str(folder / "data"), "--models", "reference-renderer", "--workers", "1"]
    return called(main, *own, "--step-options", SMALL, "--yes", *arguments)


@pytest.mark.parametrize("table", ["4", "11"])
def test_gencolorbench_from_a_folder_of_prompts_to_the_table(folder: Path, table: str) -> None:
    ended = reproduce(
        folder, "gencolorbench", "--table", table, "--set", str(folder / "mini"), "--format", "csv"
    )
    assert ended.returncode == 0, ended.stderr
    assert "runs start --protocol gencolorbench-paper" in ended.stderr
    assert "Reference renderer" in ended.stderr  # its weights, or its finished run
    rows = list(csv.DictReader(io.StringIO(ended.stdout)))
    made = [row for row in rows if row["value"]]
    assert {row["protocol"] for row in rows} == {"gencolorbench-paper"}
    assert all(0 <= float(row["low"]) <= float(row["value"]) <= 100 for row in made)
    if table == "4":
        assert {row["column"]: row["n"] for row in made} == {
            "Color Name Accuracy": "4",
            "Numerical Color Understanding": "1",
        }
    # The second table reads what the first has stored.
    (run,) = run_folders(folder / "data" / "runs")
    assert run.summary()["protocol"] == "gencolorbench-paper"
    assert run.summary()["set_name"] == "mini"


def test_a_run_of_another_folder_is_taken(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made in a shared folder by one data folder, read by another: nothing is generated twice."""
    shared, table = tmp_path / "shared", ("gencolorbench", "--table", "4", "--format", "csv")
    for name in ("one", "two"):
        empty_data(tmp_path / name / "data")

    def made(name: str, *options: str) -> CompletedProcess[str]:
        return reproduce(tmp_path / name, *table, "--set", str(folder / "mini"), *options)

    first = made("one", "--shared", str(shared))
    (run,) = run_folders(shared)
    assert f"--shared {shared}" in first.stderr
    again = made("one", "--shared", str(shared))
    assert "nothing is left to generate" in again.stderr
    assert "done: truehue runs start" in again.stderr
    monkeypatch.setenv("TRUEHUE_RUNS", str(shared))
    other = made("two")
    assert f"then: truehue runs import {run.path}" in other.stderr
    assert first.stdout == again.stdout == other.stdout
    assert not run_folders(tmp_path / "two" / "data" / "runs")


def test_a_model_of_its_authors_code_comes_from_its_server(folder: Path, tmp_path: Path) -> None:
    server = ImagesServer()
    endpoints = tmp_path / "servers.json"
    declared = {"name": "omnigen2", "base_url": server.base_url, "fields": {"seed": "seed"}}
    endpoints.write_text(json.dumps({"endpoints": [declared]}))
    empty_data(tmp_path / "data")

    def made(*options: str) -> CompletedProcess[str]:
        words = ("--set", str(folder / "mini"), "--format", "csv", "--models", "omnigen2")
        whole = ("--step-options", f"{SMALL} --masker whole")
        return reproduce(tmp_path, "gencolorbench", "--table", "4", *options, *words, *whole)

    before = made("--estimate-only")
    assert "missing   data     OmniGen2" in before.stderr
    assert "docs/guides/servers" in before.stderr
    with server.running():
        ended = made("--endpoints", str(endpoints))
    assert ended.returncode == 0, ended.stderr
    assert f"behind {server.base_url}" in ended.stderr
    assert "--model served:omnigen2" in ended.stderr
    assert f"--endpoints {endpoints}" in ended.stderr
    rows = list(csv.DictReader(io.StringIO(ended.stdout)))
    cells = [row for row in rows if row["kind"] == "cell"]
    (name,) = (row for row in cells if row["column"] == "Color Name Accuracy")
    assert (name["model"], name["ours"], name["n"]) == ("OmniGen2", "served:omnigen2", "4")
    assert name["published"]
    # What is stored is read without the server.
    again = made()
    assert [row["value"] for row in csv.DictReader(io.StringIO(again.stdout))] == [
        row["value"] for row in rows
    ]


def test_colorconceptbench_against_imported_people(folder: Path) -> None:
    with Storage.open(folder / "data") as storage:
        file = read_distributions("palettes.csv", palettes_csv())
        storage.distributions.add(file, "Made up", "palettes.csv", "the renderer's table", True)
    ended = reproduce(folder, "colorconceptbench", "--table", "1", "--limit", "6", "--people", "no")
    assert ended.returncode == 2
    assert "There are: Made up" in ended.stderr
    ended = reproduce(
        folder,
        *("colorconceptbench", "--table", "1", "--set", str(_fruits(folder))),
        *("--people", "Made up", "--out", str(folder / "table.tex")),
    )
    assert ended.returncode == 0, ended.stderr
    assert "available people   Made up: distributions of 9 concepts" in ended.stderr
    text = (folder / "table.tex").read_text()
    row = next(line for line in text.splitlines() if "reference-renderer" in line)
    assert row.count("--") < 18  # numbers for base concepts and visual states in one style
    assert "The colorings by people are not public" not in row


def _fruits(folder: Path) -> Path:
    """A few prompts of the concepts, as a file."""
    import json

    from tests.concept_runs import fruits, prompts

    path = folder / "fruits.jsonl"
    lines = [json.dumps(prompt.as_json()) + "\n" for prompt in prompts(fruits())]
    path.write_text("".join(lines))
    return path


def test_an_estimate_names_what_is_missing_and_what_gets_it(folder: Path) -> None:
    ended = called(
        main,
        *("gencolorbench", "--table", "4", "--models", "sd3-medium,omnigen2", "--estimate-only"),
        *("--data", str(folder / "data"), "--weights", str(folder), "--limit", "2"),
        *("--set", str(folder / "mini")),
    )
    assert ended.returncode == 0, ended.stderr
    for text in (
        "truehue models download sd3-medium",
        "truehue masks download sam-vit-h",
        "truehue masks download janus-pro-1b",
        f"--images-from FOLDER --model omnigen2 --data {folder / 'data'}",
        "unknown   hours",
    ):
        assert text in ended.stderr
    assert ended.stdout == ""


def test_questions_without_an_answer_are_refused(folder: Path) -> None:
    assert "--table 4" in called(main, "gencolorbench").stderr
    ended = called(main, "gencolorbench", "--table", "5")
    assert (ended.returncode, "There is no recipe" in ended.stderr) == (2, True)
    ended = reproduce(folder, "gencolorbench", "--table", "4", "--protocol", "cfd")
    assert (ended.returncode, "is made by gencolorbench-paper" in ended.stderr) == (2, True)
