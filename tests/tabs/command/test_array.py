"""``truehue runs`` as a job array: planned, scripted, done share by share, and merged."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.commands import called
from tests.empty_data import empty_data
from tests.run_prompts import prompt_file
from tests.workers_here import workers_here
from truehue.core.runs.folder import RunFolder, run_folders
from truehue.storage import Storage
from truehue.tabs.command.runs import COMMAND, main
from truehue.tabs.command.status import run_command

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
    # As it is printed it finds the run: its folder is not the default one.
    (line,) = (line for line in done.stdout.splitlines() if line.endswith(" > job.sh"))
    script = shlex.split(line.removesuffix(" > job.sh"))[4:]
    made = called(main, *script)
    assert (made.returncode, folder.run_id in made.stdout) == (0, True), made.stderr
    assert not folder.shards()
    return folder


def test_a_printed_command_has_the_folders_that_were_named() -> None:
    options = COMMAND.parser().parse_args(["status", "3f2a", "--shared", "/a b", "--data", "d"])
    hint = run_command(options, "resume", "3f2a")
    assert hint == "python -m truehue runs resume 3f2a --shared '/a b' --data d"
    options = COMMAND.parser().parse_args(["status"])
    assert run_command(options, "resume", "3f2a") == "python -m truehue runs resume 3f2a"


def test_options_may_stand_before_the_copies() -> None:
    for words in (["3f2a", "--shared", "/s", "a", "b"], ["--shared", "/s", "3f2a", "a", "b"]):
        options = COMMAND.parser().parse_args(["merge", *words])
        assert (options.name, options.shared, options.copies) == ("3f2a", "/s", ["a", "b"])
    assert COMMAND.parser().parse_args(["merge", "3f2a"]).copies == []


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
        words = "waiting for tasks" if status == "paused" else "finished"
        assert f"  {words}: " in runs(planned, "status").stdout
    with Storage.open(planned.path.parents[1]) as storage:
        assert not storage.runs.all()
    merge = next(line for line in lines if " merge " in line).partition("&&")[2]
    merged = called(main, *shlex.split(merge)[4:])
    assert (merged.returncode, merged.stdout) == (0, "Finished: 12 of 12 images\n")
    with Storage.open(planned.path.parents[1]) as storage:
        assert storage.runs.get(planned.run_id).items == 12


def test_a_task_of_skypilot_does_a_share_on_each_node(planned: RunFolder, tmp_path: Path) -> None:
    """Its copy of the run, by its own line as bash reads it there, comes back and is merged."""
    name = planned.run_id
    made = runs(planned, "script", "--skypilot", "--array=2", "--mount=/models=s3://lab/models")
    assert made.returncode == 0, made.stderr
    task = yaml.safe_load(made.stdout)
    assert (task["name"], task["num_nodes"]) == (f"truehue-{name[:8]}", 2)
    # The renderer needs no GPU; nobody is given one in vain.
    assert task["resources"] == {"cpus": "8+", "memory": "64+"}
    assert Path(task["workdir"], "Makefile").is_file()
    assert task["setup"] == "make\n"
    remote = f"~/truehue-runs/{name}"
    assert task["file_mounts"] == {remote: str(planned.path), "/models": "s3://lab/models"}
    for rank in range(2):
        home = tmp_path / f"node-{rank}"
        shutil.copytree(planned.path, home / "truehue-runs" / name)
        (home / ".venv/bin").mkdir(parents=True)
        (home / ".venv/bin/python").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
        (home / ".venv/bin/python").chmod(0o755)
        node = {"HOME": str(home), "SKYPILOT_NODE_RANK": str(rank), "SKYPILOT_NUM_NODES": "2"}
        words = subprocess.run(
            ["bash", "-c", task["run"]],
            cwd=home,
            env=node,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        assert words[:3] == ["-m", "truehue", "runs"]
        done = called(main, *words[3:], "--workers=1")
        assert done.returncode == 0, done.stderr
    merge = next(line for line in made.stdout.splitlines() if " merge " in line).lstrip("# ")
    copies = [str(tmp_path / f"node-{rank}/truehue-runs/{name}") for rank in range(2)]
    words = shlex.split(merge)[4:]
    index = words.index(f"copies/*/{name}")
    merged = called(main, *words[:index], *copies, *words[index + 1 :])
    assert merged.returncode == 0, merged.stderr
    assert (merged.returncode, merged.stdout) == (0, "Finished: 12 of 12 images\n")


def test_a_script_for_ray_resumes_on_the_cluster_that_it_is_told(
    planned: RunFolder, tmp_path: Path
) -> None:
    made = runs(planned, "script", "--ray", "--array=3", "--setup=module load cuda")
    assert made.returncode == 0, made.stderr
    lines = made.stdout.splitlines()
    assert lines[-3] == "module load cuda"
    words = shlex.split(lines[-1])
    options = COMMAND.parser().parse_args(words[5:])
    assert words[:2] == ["exec", sys.executable]
    assert (options.name, options.workers, options.ray) == (planned.run_id, 3, "$RAY_ADDRESS")
    file = tmp_path / "job.sh"
    file.write_text(made.stdout)
    # Without an address it would begin a cluster of this machine alone.
    alone = subprocess.run(["bash", str(file)], env={}, capture_output=True, text=True)
    assert (alone.returncode, "address of the cluster" in alone.stderr) == (1, True)


def test_a_run_that_was_paused_waits_until_somebody_lifts_that(planned: RunFolder) -> None:
    assert runs(planned, "pause").returncode == 0
    refused = runs(planned, "work", "--shard", "1/3")
    assert refused.returncode == 2
    assert "--shard 1/3 --resume" in refused.stderr
    assert runs(planned, "work", "--shard", "1/3", "--resume", "--json").returncode == 0
    merged = runs(planned, "merge", "--json")
    assert (merged.returncode, json.loads(merged.stdout)["status"]) == (3, "paused")
    merged = runs(planned, "merge")
    assert merged.stdout.startswith("Waiting for tasks: ")  # as status says; nobody paused it


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("work", "--shard", "4/3"), "A share is written as 3/16"),
        (("script",), "--slurm, --ray or --skypilot"),
        (("script", "--ray", "--slurm"), "--slurm, --ray or --skypilot"),
        (("script", "--ray", "--time=1:00", "--gpus=1"), "for ray has no --gpus, --time"),
        (("script", "--ray", "--workers", "2"), "--array is the number of Ray's workers"),
        (("script", "--skypilot", "--memory", "9T"), "in gigabytes: 64G"),
        (("script", "--skypilot", "--mount", "models"), "--mount is written as"),
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
