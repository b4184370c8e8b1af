"""``python -m truehue runs``, as people and programs run it: processes, with their ends."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.core.batch.here import InProcess, team_here
from tests.core.export.made import make_run
from tests.empty_data import empty_data
from tests.held_back import held_back
from tests.run_prompts import prompt_file
from tests.running import ROOT, command
from tests.shards import read_shard
from truehue.core.batch.health import state_of
from truehue.core.batch.team import Batch
from truehue.core.runs.estimate import trial
from truehue.core.runs.folder import RunFolder, run_folders
from truehue.core.runs.records import ItemResult
from truehue.storage import Storage
from truehue.tabs.command.plans import GENERATION_OPTIONS, refuse_generation
from truehue.tabs.command.runs import COMMAND, EPILOG, START_OPTIONS, main

pytestmark = pytest.mark.slow

IMAGES = 3
PICTURES = 12 * IMAGES  # of the twelve prompts of the file
SMALL = ("--size", "64", "--images", str(IMAGES), "--workers", "1", "--yes")


@pytest.fixture(scope="module", autouse=True)
def workers_of_ours() -> Iterator[None]:
    """Commands that are called here have their workers here too; those that are begun as processes
    of their own have processes as workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("truehue.core.batch.execute.LocalTeam", team_here)
        yield


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str


def runs(*arguments: str) -> Done:
    """The command in this process, and its workers."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main(list(arguments))
        except SystemExit as error:  # argparse's own
            status = int(str(error.code))
    return Done(status, out.getvalue(), err.getvalue())


def results(folder: RunFolder) -> dict[int, dict[str, Any]]:
    """What the shards hold, without what depends on the clock and on who did it."""
    rows: list[ItemResult] = [row for shard in folder.shards() for row in read_shard(shard)]
    assert len({row.position for row in rows}) == len(rows), "a picture was drawn twice"
    out = {}
    for row in rows:
        saved = vars(row).copy()
        for name in ("seconds", "scoring_seconds", "worker"):
            saved.pop(name)
        out[row.position] = saved
    return out


def one_run(root: Path) -> RunFolder:
    """The only run below ``root``."""
    (folder,) = run_folders(root)
    return folder


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, Any]]:
    """The file of prompts, and what a run of it gives that nobody disturbs."""
    index = tmp_path_factory.mktemp("undisturbed")
    file = prompt_file(index)
    done = runs("start", "--set", str(file), "--data", str(index / "data"), *SMALL)
    assert done.returncode == 0, done.stderr
    assert f"{PICTURES} images" in done.stdout
    assert f"Finished: {PICTURES} of {PICTURES} images" in done.stderr
    (folder,) = run_folders(index / "data" / "runs")
    # No app was there: the command itself put the results into the database.
    with Storage.open(index / "data") as storage:
        assert storage.runs.get(folder.run_id).items == PICTURES
    return file, results(folder)


@pytest.mark.process
def test_a_killed_run_is_interrupted_and_resumes_to_the_same_rows(
    undisturbed: tuple[Path, dict[int, Any]], tmp_path: Path
) -> None:
    file, wanted = undisturbed
    with held_back("app", "runs", "start", "--set", str(file), "--data", str(tmp_path), *SMALL) as (
        process
    ):
        folder = one_run(tmp_path / "runs")
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    said = json.loads(runs("status", folder.run_id[:6], "--data", str(tmp_path), "--json").stdout)
    assert said["status"] == "interrupted"
    assert 0 < said["total"] == PICTURES
    message = runs("status", folder.run_id, "--data", str(tmp_path)).stdout
    assert f"python -m truehue runs resume {folder.run_id[:8]}" in message
    again = runs("resume", folder.run_id[:6], "--data", str(tmp_path), "--workers", "2")
    assert again.returncode == 0, again.stderr
    assert results(folder) == wanted


@pytest.mark.process
def test_ctrl_c_pauses_and_says_how_to_go_on(
    undisturbed: tuple[Path, dict[int, Any]], tmp_path: Path
) -> None:
    file, wanted = undisturbed
    with held_back("app", "runs", "start", "--set", str(file), "--data", str(tmp_path), *SMALL) as (
        process
    ):
        folder = one_run(tmp_path / "runs")
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 3, said
    assert f"Go on: python -m truehue runs resume {folder.run_id[:8]}" in said
    assert state_of(folder).status == "paused"
    assert 0 < state_of(folder).done < PICTURES
    # Cancelled by another command, and taken up all the same.
    assert runs("cancel", folder.run_id, "--data", str(tmp_path)).stdout == "It is cancelled.\n"
    assert state_of(folder).status == "cancelled"
    again = runs("resume", folder.run_id, "--data", str(tmp_path), "--json", "--workers", "1")
    assert again.returncode == 0
    assert json.loads(again.stdout.splitlines()[-1])["status"] == "finished"
    assert results(folder) == wanted


def test_pause_from_elsewhere(
    undisturbed: tuple[Path, dict[int, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other command speaks to the run by its folder alone, so it can be called from within."""
    said: list[Done] = []

    class Paused(InProcess):
        def give(self, worker: str, batch: Batch) -> None:
            if batch.number == 1:
                said.append(runs("pause", "long one", "--data", str(tmp_path)))
            super().give(worker, batch)

    monkeypatch.setattr("truehue.core.batch.execute.LocalTeam", lambda work, threads: Paused(work))
    file, _ = undisturbed
    done = runs("start", "--set", str(file), "--data", str(tmp_path), *SMALL, "--name", "long one")
    (pause,) = said
    assert pause.stdout == "It stops after the images that are in work now.\n"
    assert done.returncode == 3
    folder = one_run(tmp_path / "runs")
    state = state_of(folder)
    assert state.status == "paused"
    assert 0 < state.done < PICTURES
    listed = runs("list", "--data", str(tmp_path)).stdout
    assert f"{folder.run_id}  paused" in listed
    assert "long one" in listed


@pytest.mark.process  # which draws the three
def test_the_estimate_tries_three_pictures_and_begins_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = prompt_file(tmp_path)
    target = (
        "start",
        "--set",
        str(file),
        "--data",
        str(tmp_path / "data"),
        "--size",
        "64",
        "--images",
        "10",
        "--workers",
        "1",
        "--price-per-hour",
        "2.5",
        "--estimate-only",
    )
    done = runs(*target)
    assert done.returncode == 0, done.stderr
    assert "12 prompts × 10 = 120 images" in done.stdout
    assert "Median of 2 images generated now" in done.stdout
    assert "Cost: " in done.stdout
    # Without a terminal nobody is asked. This time the trial is made here.
    monkeypatch.setattr(
        "truehue.tabs.runs.trial.in_process", lambda plan, settings, _: trial(plan, settings)
    )
    loads = json.loads(runs(*target, "--json").stdout)
    assert loads["estimate"][0]["pictures"] == 120
    assert loads["cost"] == pytest.approx(loads["seconds"] / 3600 * 2.5)
    assert run_folders(tmp_path / "data" / "runs") == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("start", "--set", "minni"), "There is no prompt set or file 'minni'"),
        (("start", "--set", "no/such.csv"), "There is no file no/such.csv"),
        (("start", "--system", "l9"), "There is no color system 'l9'"),
        (("start", "--model", "sdxl"), "There is no generator 'sdxl'"),
        (("start", "--images", "0"), "from 1 to 1,000, not 0"),
        (("start", "--rules", "mine"), 'No rule is called "mine"'),
        (("start", "--images-from", "here"), "Say with one --model"),
        (
            ("start", "--images-of", "x", "--steps=9", "--seeds=per-prompt", "--lambda=1"),
            "so --seeds, --steps, --lambda would change nothing: leave them out",
        ),
        (
            ("start", "--images-from", "here", "--model", "x", "--seed", "0"),
            "so --seed would change nothing: leave it out",
        ),
        (("start", "--workers", "none"), "--workers"),
        (("start", "--cfr", "most"), "There is no variant of CFR 'most'"),
        (("start", "--cfr", "full"), "Give λ of CFR"),
        (("start", "--lambda", "0.7"), "name its variant"),
        (("start", "--cfr", "temporal", "--lambda", "1", "--cfr-map", "cfm"), "reads no map"),
        (("start", "--cfr", "full", "--lambda", "1"), "Leave CFR out"),
        (("start", "--cfr", "full", "--lambda", "1", "--cfr-map", "no.png"), "is none"),
        (
            ("start", "--model", "small", "--cfr", "full", "--lambda", "1", "--cfr-map", "cfm"),
            "No CFM",
        ),
        (("resume", "abc"), "There is no run in"),
    ],
)
def test_bad_input(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = runs(*arguments, "--data", str(tmp_path))
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_the_defaults_of_generation_are_those_of_the_command() -> None:
    options = COMMAND.parser().parse_args(["start", "--images-of", "x"])
    refuse_generation(options)  # names none of them
    (images,) = [part for part in START_OPTIONS if getattr(part, "title", "") == "images"]
    names = {argument.spec.split()[0].removeprefix("--") for argument in images.arguments}
    others = {"model", "images-of", "images-from", "protocol"}
    assert names - others == set(GENERATION_OPTIONS)


def test_pictures_of_a_run_and_of_a_folder_are_scored(
    undisturbed: tuple[Path, dict[int, Any]], tmp_path: Path
) -> None:
    file, wanted = undisturbed
    data = file.parent / "data"
    (sample,) = run_folders(data / "runs")
    item = ("--set", str(file), "--data", str(data), "--workers", "1", "--yes")
    done = runs("start", "--images-of", f"run:{sample.run_id}", *item, "--rules", "paper")
    assert done.returncode == 0, done.stderr
    scored = next(two for two in run_folders(data / "runs") if two.run_id != sample.run_id)
    assert scored.summary()["kind"] == "stored"
    mine = results(scored)
    assert len(mine) == PICTURES
    for position, row in mine.items():
        first = wanted[position]
        assert row["image_id"] == first["image_id"]
        assert row["verdicts"] == tuple(v for v in first["verdicts"] if v.rule == "paper")
    # The same pictures as files of somebody else.
    images = tmp_path / "renders"
    images.mkdir()
    lines = ["file,prompt_id"]
    for index, number in enumerate((0, IMAGES)):
        image_id = wanted[number]["image_id"]
        name = f"{index}.png"
        (images / name).write_bytes((sample.images / image_id[:2] / f"{image_id}.png").read_bytes())
        lines.append(f"{name},p{number // IMAGES}")
    (images / "list.csv").write_text("\n".join(lines) + "\n")
    done = runs(
        "start", "--images-from", str(images), "--model", "theirs", *item, "--masker", "whole"
    )
    assert done.returncode == 0, done.stderr
    theirs = next(two for two in run_folders(data / "runs") if two.summary()["model"] == "theirs")
    assert [row["image_id"] for _, row in sorted(results(theirs).items())] == [
        wanted[0]["image_id"],
        wanted[IMAGES]["image_id"],
    ]


def test_a_damaged_plan_is_no_other_runs_trouble(tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "data"))
    folder = make_run(tmp_path / "data" / "runs")
    damaged = {"bad": "{bad", "empty": "{}", "new": '{"format": 1}', "list": "[]"}
    for name, text in damaged.items():
        bad = tmp_path / "data" / "runs" / name
        bad.mkdir()
        (bad / "plan.json").write_text(text)
    for listing in (("list",), ("status",), ("status", "--json")):
        done = runs(*listing, *data)
        assert done.returncode == 0
        assert folder.run_id in done.stdout
        assert done.stdout.count("unreadable") >= len(damaged)
    out = str(tmp_path / "out.zip")
    for name in ("A small run", folder.run_id[:4]):
        for line in (("status", name), ("export", name, "--out", out), ("cancel", name)):
            done = runs(*line, *data)
            assert done.returncode == 0, done.stderr
    assert runs("import", out, *data).returncode == 0
    for name in damaged:
        for line in (("status",), ("resume",), ("cancel",), ("export",)):
            done = runs(*line, name, *data)
            assert done.returncode == 2
            assert str(tmp_path / "data" / "runs" / name / "plan.json") in done.stderr


def test_the_help_marks_the_objects_of_imported_pictures() -> None:
    examples = [line for line in EPILOG.splitlines() if "--images-" in line]
    assert examples
    assert all("--masker " in line for line in examples)


def test_pictures_without_masks_are_warned_of_and_counted(tmp_path: Path) -> None:
    file, images = prompt_file(tmp_path), tmp_path / "renders"
    images.mkdir()
    for name, color in (("a", "red"), ("b", "blue"), ("x", "green")):
        Image.new("RGB", (64, 64), color).save(images / f"{name}.png")
    (images / "broken.png").write_bytes(b"no picture")
    (images / "list.csv").write_text("file,prompt_id\na.png,p0\nb.png,p1\nbroken.png,p2\n")
    data = ("--data", str(tmp_path / "data"))
    line = (
        "start",
        "--set",
        str(file),
        "--images-from",
        str(images),
        "--model",
        "theirs",
        "--workers",
        "1",
        "--yes",
        *data,
    )
    refused = runs(*line)
    assert refused.returncode == 2
    assert "None of them has a mask of its own" in refused.stderr
    assert "With --masker exact it starts all the same." in refused.stderr
    assert run_folders(tmp_path / "data" / "runs") == []
    done = runs(*line, "--masker", "exact")
    assert done.returncode == 0, done.stderr
    assert "None of them has a mask of its own" in done.stdout
    assert "--masker grounded" in done.stdout
    text = "2 images unscored by every rule: 2 × no mask of the object"
    assert text in done.stderr
    assert "broken: broken.png: " in refused.stderr
    assert "1 image file without a prompt, for the color alone" in refused.stderr
    (folder,) = run_folders(tmp_path / "data" / "runs")
    assert text in runs("status", folder.run_id, *data).stdout
    message = json.loads(runs("status", folder.run_id, *data, "--json").stdout)
    assert (message["present"], message["unscored"]["paper"]) == (2, {"no-mask": 2})
    # A shard is lost: the folder is counted, whatever the state says.
    for shard in folder.shards():
        shard.unlink()
    said = runs("status", folder.run_id, *data).stdout
    assert "paused: 0 of 2 images" in said
    assert "2 of 2 images that were done have no results in its folder any more." in said
    assert f"python -m truehue runs resume {folder.run_id[:8]}" in said
    assert runs("resume", folder.run_id, *data, "--workers", "1").returncode == 0
    assert len(results(folder)) == 2


def test_an_estimate_says_which_weights_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    line = (
        "start",
        "--set",
        str(prompt_file(tmp_path)),
        "--data",
        str(tmp_path / "data"),
        "--models",
        str(tmp_path),
        "--model",
        "sd3-medium",
        "--estimate-only",
    )
    done = runs(*line)
    assert done.returncode == 0, done.stderr
    assert "It cannot start yet:\n    The weights of Stable Diffusion 3" in done.stdout
    assert "The weights of GroundingDINO base" in done.stdout
    assert "by hand" not in done.stdout
    loads = json.loads(runs(*line, "--json").stdout)
    assert any("GroundingDINO" in sentence for sentence in loads["missing"])
    file = tmp_path / "file"
    file.touch()
    done = runs(*line, "--data", str(file))
    assert done.returncode == 2
    assert f"The data folder {file} cannot be used" in done.stderr


def test_a_map_of_a_file_refines_every_image(tmp_path: Path) -> None:
    Image.fromarray(np.array([[0, 255]], np.uint8)).save(tmp_path / "map.png")
    line = ("start", "--set", str(prompt_file(tmp_path)), "--data", str(tmp_path / "data"))
    line += ("--model", "small", "--cfr", "full", "--lambda", "0.5", "--estimate-only")
    done = runs(*line, "--no-trial", "--cfr-map", str(tmp_path / "map.png"))
    assert done.returncode == 0, done.stderr
    assert "CFR full, λ 0.5, map of a file" in done.stdout
    done = runs(*line, "--no-trial")
    assert "CFR full, λ 0.5, map of saturation" in done.stdout


def test_a_name_that_nobody_knows_is_said_first_while_the_app_is_open(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "data")):
        done = runs("start", "--set", "minni", "--data", str(tmp_path / "data"))
    assert done.returncode == 2
    assert done.stderr.startswith("There is no file or built-in set 'minni' (built in: ")
    assert "The app has" in done.stderr


@pytest.mark.process
def test_a_reader_who_has_gone_does_not_stop_the_run(
    undisturbed: tuple[Path, dict[int, Any]], tmp_path: Path
) -> None:
    file, wanted = undisturbed
    few = ("--set", str(file), "--data", str(tmp_path), *SMALL, "--json")
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        command("runs", "start", *few),
        cwd=ROOT,
        stdout=writing,
        stderr=writing,
        start_new_session=True,
    )
    os.close(writing)
    assert process.wait() == 0
    (folder,) = run_folders(tmp_path / "runs")
    assert state_of(folder).status == "finished"
    assert results(folder) == wanted
