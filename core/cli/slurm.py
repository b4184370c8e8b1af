"""A file for Slurm's sbatch that does long work as a job array (:mod:`truehue.core.batch.array`).

Options are those of sbatch's manual. Nothing here talks to Slurm.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from truehue.core.batch.array import MAX_TASKS, TASKS
from truehue.core.command import arg, flag, group
from truehue.core.errors import BadInput

GRACE_S = 120
"""Slurm asks a task to pause so long before its time is over; a pause takes at most as long."""

SCRIPT_OPTIONS = group(
    "job array",
    flag("--slurm", "a file for sbatch"),
    arg("--array N", "tasks of the array (default 16)", default=16),
    arg("--gpus N", "GPUs of a task (default: 1 where models need one, else 0)", type=int),
    arg("--cpus N", "cores of a task (default 8)", default=8),
    arg("--memory SIZE", "main memory of a task, as sbatch has it (default 64G)", default="64G"),
    arg("--time LIMIT", "of a task, as sbatch has it (default 24:00:00)", default="24:00:00"),
    arg(
        "--sbatch OPTION",
        "more for sbatch, such as partition=gpu; may be given several times",
        action="append",
        default=[],
    ),
    arg(
        "--setup LINE",
        "a line of shell before the work, such as 'module load cuda'; may be given several times",
        action="append",
        default=[],
    ),
)


@dataclass(frozen=True)
class ArrayJob:
    """What one task does: ``command`` with ``--shard K/N`` after it, in ``folder``. ``title`` is
    for people, ``name`` for Slurm; ``merge`` is the command for when all tasks have ended, and
    ``work`` the folder of the work, which has the tasks' output in its ``tasks/``."""

    title: str
    name: str
    command: Sequence[str]
    merge: Sequence[str]
    work: Path
    needs_device: bool
    folder: Path = field(default_factory=Path.cwd)


def sbatch_script(job: ArrayJob, options: argparse.Namespace) -> str:
    """The file. Raises BadInput for options that cannot be."""
    if not options.slurm:
        raise BadInput("Say for which system the script is: --slurm.")
    checked_tasks(options.array)
    gpus = options.gpus if options.gpus is not None else int(job.needs_device)
    if options.cpus < 1 or gpus < 0:
        raise BadInput("A task has at least one core, and no fewer than 0 GPUs.")
    texts = (options.memory, options.time, *options.sbatch, *options.setup)
    if any("\n" in text or "\r" in text for text in texts):
        raise BadInput("Each option of the script is one line.")
    output = job.work.resolve() / TASKS
    settings = [
        f"job-name={job.name}",
        f"array=1-{options.array}",
        "nodes=1",
        "ntasks=1",
        f"cpus-per-task={options.cpus}",
        f"mem={options.memory}",
        f"time={options.time}",
        *([f"gres=gpu:{gpus}"] if gpus else []),
        "requeue",
        f"signal=B:TERM@{GRACE_S}",
        "open-mode=append",
        f"output={_quoted(f'{output}/%A_%a.log')}",
        *(option.removeprefix("--") for option in options.sbatch),
    ]
    return "\n".join(
        [
            "#!/bin/bash",
            f"# {' '.join(job.title.split())}",
            "# Each task does its share, and talks to no other. Submit this file again to continue:",
            "# what is done is not done again. Some tasks alone: sbatch --array=3,7 FILE",
            "# When all have ended:",
            f"#   cd {shlex.quote(str(job.folder))} && {shlex.join(job.merge)}",
            *(f"#SBATCH --{setting}" for setting in settings),
            "set -eu",
            *options.setup,
            f"cd {shlex.quote(str(job.folder))}",
            f'exec {shlex.join(job.command)} --shard "$SLURM_ARRAY_TASK_ID/{options.array}"',
            "",
        ]
    )


def checked_tasks(count: int) -> int:
    """The number of tasks itself. Raises BadInput for one that no array has."""
    if not 1 <= count <= MAX_TASKS:
        raise BadInput(f"An array has 1 to {MAX_TASKS:,} tasks, not {count}.")
    return count


def make_output_folder(job: ArrayJob) -> None:
    """Makes the folder of the tasks' output: Slurm makes none, and a job whose output cannot be
    written fails. Raises BadInput."""
    try:
        (job.work / TASKS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{job.work / TASKS} cannot be made: {error.strerror}.") from error


def _quoted(text: str) -> str:
    """As a line of #SBATCH has it, where a blank ends an option."""
    return f'"{text}"' if any(character.isspace() for character in text) else text
