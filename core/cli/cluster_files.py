"""Files that do long work on Ray and SkyPilot, beside that for Slurm (:mod:`truehue.core.cli.slurm`).

Options of SkyPilot are those of its schema (0.14), ``RAY_ADDRESS`` is what Ray's job server gives an
entrypoint (2.60). Nothing here talks to either.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import truehue
from truehue.core.cli.slurm import SCRIPT_OPTIONS, ArrayJob, checked_tasks
from truehue.core.command import arg, flag, group, typed
from truehue.core.errors import BadInput

SLURM, RAY, SKYPILOT = SYSTEMS = ("slurm", "ray", "skypilot")
CLUSTER_OPTIONS = group(
    "other systems",
    flag("--ray", "a shell script for a Ray cluster with a common folder; --array are its workers"),
    flag("--skypilot", "a task of SkyPilot whose nodes each do a share; --array are the nodes"),
    arg("--accelerator NAME", "SkyPilot: the GPU of a node (default A100)", default="A100"),
    arg(
        "--mount PATH=SOURCE",
        "SkyPilot: what nodes have at a path, such as /models=s3://bucket/models; may be given "
        "several times",
        action="append",
        default=[],
    ),
)
REMOTE_RUNS = "~/truehue-runs"
"""The folder of runs on a node of SkyPilot."""

_COMMON = {"--array", "--setup"}
_NODE = {"--gpus", "--cpus", "--memory"}
_TAKES = {
    SLURM: {"--slurm", "--time", "--sbatch", *_COMMON, *_NODE},
    RAY: {"--ray", *_COMMON},
    SKYPILOT: {"--skypilot", "--accelerator", "--mount", *_COMMON, *_NODE},
}
_GIGABYTES = re.compile(r"(\d+) ?G(?:i?B)?", re.IGNORECASE)


def system_of(options: argparse.Namespace) -> str:
    """The one of :data:`SYSTEMS` that the file is for. Raises BadInput where none or several are
    named, and for an option that it does not take."""
    named = [system for system in SYSTEMS if getattr(options, system)]
    if len(named) != 1:
        raise BadInput("Say for which system the file is: --slurm, --ray or --skypilot.")
    (system,) = named
    known = set().union(*_TAKES.values())
    words = typed([SCRIPT_OPTIONS, CLUSTER_OPTIONS], options)
    others = [word for word in words if word in known - _TAKES[system]]
    if others:
        raise BadInput(f"A file for {system} has no {', '.join(others)}: leave it out.")
    if any("\n" in line or "\r" in line for line in options.setup):
        raise BadInput("Each option of the script is one line.")
    return system


def ray_script(job: ArrayJob, resume: Sequence[str], options: argparse.Namespace) -> str:
    """A shell script that does the work by Ray's actors, with ``resume`` as its command."""
    workers = checked_tasks(options.array)
    return "\n".join(
        [
            "#!/bin/bash",
            f"# {' '.join(job.title.split())}",
            "# On any node of the cluster, with its RAY_AUTH_MODE:  RAY_ADDRESS=HEAD:6379 bash FILE",
            "# Or by its job server, which gives the address itself:",
            "#   ray job submit --address http://HEAD:8265 --no-wait -- bash /path/to/FILE",
            "# All nodes need this folder, the work's and the packages under the same paths.",
            "# Run it again to continue: what is done is not done again.",
            "set -eu",
            ': "${RAY_ADDRESS:?is the address of the cluster, such as HEAD:6379}"',
            *options.setup,
            f"cd {shlex.quote(str(job.folder))}",
            f'exec {shlex.join(resume)} --workers {workers} --ray "$RAY_ADDRESS"',
            "",
        ]
    )


def skypilot_file(job: ArrayJob, work: Sequence[str], options: argparse.Namespace) -> str:
    """A task of SkyPilot: every node gets a copy of the work's folder and of this checkout, and does
    ``work``, arguments of truehue, with its share. Raises BadInput."""
    nodes = checked_tasks(options.array)
    gpus = options.gpus if options.gpus is not None else int(job.needs_device)
    if options.cpus < 1 or gpus < 0:
        raise BadInput("A node has at least one core, and no fewer than 0 GPUs.")
    memory = _GIGABYTES.fullmatch(options.memory.strip())
    if memory is None:
        raise BadInput(f"Memory of SkyPilot's nodes is in gigabytes: 64G, not {options.memory!r}.")
    project = Path(truehue.__file__).resolve().parents[1]
    if not (project / "core").is_dir() or not (project / "Makefile").is_file():
        raise BadInput("SkyPilot's nodes get a copy of a checkout of TrueHue: run this in one.")
    remote, name = f"{REMOTE_RUNS}/{job.work.name}", job.name
    mounts = {remote: str(job.work.resolve()), **dict(map(_mount, options.mount))}
    accelerators = [f"  accelerators: {_text(f'{options.accelerator}:{gpus}')}"] if gpus else []
    fetch = f"truehue-runs/{job.work.name}/"
    copies = job.merge.index("merge") + 2  # behind the name
    return "\n".join(
        [
            f"# {' '.join(job.title.split())}",
            "# Each node does its share on its own disk, and talks to no other.",
            f"#   sky launch -c {name} FILE",
            f"# When all have ended (sky queue {name}), from {job.folder}:",
            f"#   rsync -a --mkpath {name}:{fetch} copies/0/{job.work.name}/",
            f"#   for i in $(seq {nodes - 1}); do rsync -a --mkpath {name}-worker$i:{fetch} "
            f"copies/$i/{job.work.name}/; done",
            f"#   {shlex.join(job.merge[:copies])} copies/*/{job.work.name} "
            f"{shlex.join(job.merge[copies:])}",
            f"#   sky down {name}",
            f"name: {_text(name)}",
            f"num_nodes: {nodes}",
            "resources:",
            *accelerators,
            f'  cpus: "{options.cpus}+"',
            f'  memory: "{memory[1]}+"',
            f"workdir: {_text(str(project))}",
            "file_mounts:",
            *(f"  {_text(path)}: {_text(source)}" for path, source in mounts.items()),
            "setup: |",
            "  make",
            "run: |",
            *(f"  {line}" for line in options.setup),
            f"  .venv/bin/python -m truehue {shlex.join(work)} --shared {REMOTE_RUNS} "
            '--shard "$((SKYPILOT_NODE_RANK + 1))/$SKYPILOT_NUM_NODES"',
            "",
        ]
    )


def _mount(text: str) -> tuple[str, str]:
    """Path and source of ``--mount``."""
    path, mark, source = text.partition("=")
    if not (path.startswith(("/", "~/")) and mark and source):
        raise BadInput(f"--mount is written as /models=s3://bucket/models, not {text[:80]!r}.")
    return path, source


def _text(value: str) -> str:
    """As YAML reads it back: its double-quoted form has that of JSON."""
    return json.dumps(value)
