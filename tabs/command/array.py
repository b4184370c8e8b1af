"""Runs as job arrays: one task, the script that begins them, and the merge at the end."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from truehue.core.batch.array import ArrayTask, TaskFolder, array_task
from truehue.core.batch.execute import pausing_on_interrupt
from truehue.core.batch.records import BatchState
from truehue.core.cli.cluster_files import RAY, SLURM, ray_script, skypilot_file, system_of
from truehue.core.cli.slurm import ArrayJob, make_output_folder, sbatch_script
from truehue.core.command import print_now
from truehue.core.errors import BadInput
from truehue.core.runs.folder import RunFolder, folder_named
from truehue.core.runs.merge import merge
from truehue.core.runs.worker import RunWork, execute
from truehue.tabs.command.start import (
    ENDED_EARLY,
    FINISHED,
    RunProgress,
    ingest,
    workers_of,
)
from truehue.tabs.command.status import full_status_json, run_command, runs_root, status_label
from truehue.tabs.runs.messages import progress_text

_PROGRAM = (sys.executable, "-m", "truehue", "runs")


def work(options: argparse.Namespace) -> int:
    """Does one task's share of a run; nothing goes into the database."""
    task = array_task(options.shard)
    folder = folder_named(runs_root(options), options.name)
    if options.resume:
        folder.set_desired_state("run")
    if folder.desired_state() != "run":
        hint = run_command(options, "work", folder.run_id[:8], "--shard", str(task), "--resume")
        raise BadInput(
            f"This run was paused or cancelled. To go on: add --resume to one task ({hint}), then "
            "start the others."
        )
    crew = workers_of(options, folder.summary())
    own = TaskFolder(folder, task)
    own.path.mkdir(parents=True, exist_ok=True)
    own.set_desired_state("run")
    line = RunProgress(options.json, folder.path)
    try:
        # Slurm ends one task by SIGTERM: that is no pause of the others.
        with pausing_on_interrupt(own):
            state = execute(folder, crew, retry_failed=options.retry_failed, watch=line, task=task)
    finally:
        line.close()
    _say(options, task, state)
    return FINISHED if state.status == "finished" else ENDED_EARLY


def _say(options: argparse.Namespace, task: ArrayTask, state: BatchState) -> None:
    if options.json:
        return  # the last line of progress is the state
    print_now(f"Task {task} {state.status}: {progress_text(state)}", file=sys.stderr)
    if state.message:
        print_now(state.message, file=sys.stderr)
    for text, count in state.problems[:5]:
        print_now(f"  {count:,} × {text}", file=sys.stderr)


def merge_run(options: argparse.Namespace) -> int:
    """Puts together what the tasks did, here and in copies, and ingests it."""
    folder = folder_named(runs_root(options), options.name)
    state = merge(folder, [Path(path).expanduser() for path in options.copies])
    used = ingest(options, folder)
    if options.json:
        print_now(json.dumps(full_status_json(folder)))
    else:
        print_now(f"{status_label(folder, state)}: {progress_text(state)}")
        for sentence in (state.message, used):
            if sentence:
                print_now(sentence, file=sys.stderr)
    return FINISHED if state.status == "finished" else ENDED_EARLY


def script(options: argparse.Namespace) -> int:
    """Prints a file that does a run on Slurm, Ray or SkyPilot."""
    folder = folder_named(runs_root(options), options.name)
    system = system_of(options)
    job = array_job(options, folder)
    if system == SLURM:
        text = sbatch_script(job, options)
        make_output_folder(job)
    elif system == RAY:
        if options.workers is not None:
            raise BadInput("--array is the number of Ray's workers: leave out --workers.")
        resume = [*_PROGRAM, "resume", folder.run_id, *_location(options), *_data(options)]
        text = ray_script(job, [*resume, *_worker_options(options)], options)
    else:
        text = skypilot_file(
            job, ["runs", "work", folder.run_id, *_worker_options(options)], options
        )
    print(text, end="")
    return FINISHED


def array_job(options: argparse.Namespace, folder: RunFolder) -> ArrayJob:
    """The array of a run: what a task is begun with, and what ends it."""
    program, location, data = _PROGRAM, _location(options), _data(options)
    more = _worker_options(options)
    return ArrayJob(
        f"The run “{folder.summary()['name']}”",
        f"truehue-{folder.run_id[:8]}",
        [*program, "work", folder.run_id, *location, *more],
        [*program, "merge", folder.run_id, *location, *data],
        folder.path,
        RunWork(folder.path).needs_device(),
    )


def _location(options: argparse.Namespace) -> list[str]:
    return ["--shared", str(runs_root(options).resolve())]


def _data(options: argparse.Namespace) -> list[str]:
    return ["--data", str(Path(options.data).expanduser().resolve())]


def _worker_options(options: argparse.Namespace) -> list[str]:
    """What a worker is told, as it was typed."""
    words = []
    for name in ("workers", "models", "endpoints"):
        if (value := getattr(options, name)) is not None:
            words += [f"--{name}", str(value)]
    return words
