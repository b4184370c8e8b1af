"""``truehue runs`` as a job array: planned, scripted, done share by share, and merged."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.commands import called
from tests.empty_data import empty_data
from tests.run_prompts import prompt_file
from tests.workers_here import workers_here
from truehue.core.runs.folder import RunFolder, run_folders
from truehue.storage import Storage
from truehue.tabs.command.runs import main

__all__ = ["workers_here"]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("workers_here")]
TASKS = 3


@pytest.fixture
def planned(tmp_path: Path) -> RunFolder:
    """A run that was made and not begun."""
    data, file = empty_data(tmp_path / "data"), prompt_file(tmp_path, 6)
    settings = ("--set", str(file), "--size", "64", "--images", "2", "--yes", "--plan-only")
    done = called(main, "start", "--data", str(data), *settings)
    (folder,) = run_folders(data / "runs")
    assert done.returncode == 0, done.stderr
    assert f"runs script {folder.run_id[:8]} --slurm > job.sh" in done.stdout
    assert not folder.shards()
    return folder


def runs(folder: RunFolder, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command about the run, with its data folder."""
    command, *more = arguments
    data = folder.path.parents[1]
    return called(main, command, folder.run_id[:8], "--data", str(data), *more)


def test_the_script_does_the_run_task_by_task(planned: RunFolder, tmp_path: Path) -> None:
    """Each task by the script's own line, as bash would have Slurm's number in it."""
    made = runs(
        planned,
        "script",
        "--slurm",
        f"--array={TASKS}",
        "--workers=1",
        "--sbatch=--partition=gpu",
        "--setup=module load cuda",
    )
    assert made.returncode == 0, made.stderr
    lines = made.stdout.splitlines()
    assert lines[0] == "#!/bin/bash"
    assert {f"#SBATCH --array=1-{TASKS}", "#SBATCH --partition=gpu"} <= set(lines)
    # The renderer needs no GPU; nobody is given one in vain.
    assert "gres" not in made.stdout
    assert lines[-3] == "module load cuda"
    assert (planned.path / "tasks").is_dir()
    file = tmp_path / "job.sh"
    file.write_text(made.stdout)
    subprocess.run(["bash", "-n", str(file)], check=True)
    task = shlex.split(lines[-1])
    assert task[2:5] == ["-m", "truehue", "runs"]
    for number, status in ((2, "paused"), (3, "paused"), (1, "finished")):
        values = [part.replace("$SLURM_ARRAY_TASK_ID", str(number)) for part in task[5:]]
        done = called(main, *values)
        assert done.returncode == 0, done.stderr
        assert f"Task {number}/{TASKS} finished" in done.stderr
        said = json.loads(runs(planned, "status", "--json").stdout)
        assert said["status"] == status
    with Storage.open(planned.path.parents[1]) as storage:
        assert not storage.runs.all()
    merge = next(line for line in lines if " merge " in line).partition("&&")[2]
    merged = called(main, *shlex.split(merge)[4:])
    assert (merged.returncode, merged.stdout) == (0, "Finished: 12 of 12 images\n")
    with Storage.open(planned.path.parents[1]) as storage:
        assert storage.runs.get(planned.run_id).items == 12


def test_a_run_that_was_paused_waits_until_somebody_lifts_that(planned: RunFolder) -> None:
    assert runs(planned, "pause").returncode == 0
    refused = runs(planned, "work", "--shard", "1/3")
    assert refused.returncode == 2
    assert "--shard 1/3 --resume" in refused.stderr
    assert runs(planned, "work", "--shard", "1/3", "--resume", "--json").returncode == 0
    merged = runs(planned, "merge", "--json")
    assert (merged.returncode, json.loads(merged.stdout)["status"]) == (3, "paused")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("work", "--shard", "4/3"), "A share is written as 3/16"),
        (("script",), "--slurm"),
        (("script", "--slurm", "--array", "0"), "1 to 10,000 tasks"),
        (("script", "--slurm", "--cpus", "0"), "at least one core"),
        (("script", "--slurm", "--sbatch", "a\nrm -r x"), "one line"),
    ],
)
def test_what_cannot_be_is_refused(
    planned: RunFolder, arguments: tuple[str, ...], text: str
) -> None:
    done = runs(planned, *arguments)
    assert done.returncode == 2
    assert text in done.stderr
