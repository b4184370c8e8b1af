"""Small plans of real prompts, and a process that executes a run and can be killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from tests.core.batch import hold
from tests.core.batch.here import InProcess
from tests.shards import read_shard
from truehue.core.batch import journal
from truehue.core.batch.array import array_task
from truehue.core.batch.records import BatchState
from truehue.core.color.systems import parse_target
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.prompts.sets import prompt_set
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import make_plan
from truehue.core.runs.records import GenerationPlan, ItemResult, RunPlan, ScoringPlan
from truehue.core.runs.worker import ExecutionSettings, RunWork, execute

ROOT = Path(__file__).resolve().parents[3]
RULES = ("paper", "released", "truehue")
# Here and not below: the worker processes of a run that ``begun`` starts import this module too.
hold.unload_requested()


def some_prompts(
    count: int, tasks: Iterable[str] = ("cna", "ncu", "coa", "moc", "ica")
) -> list[Prompt]:
    """Prompts of the Mini set, evenly spread over each of the tasks."""
    wanted = [prompt for prompt in prompt_set("mini").prompts() if prompt.task in set(tasks)]
    return [wanted[index * len(wanted) // count] for index in range(count)]


OBJECTS = ("apple", "banana", "car", "vase", "chair", "backpack", "book", "toothbrush")


def many_prompts(count: int, several: int, objects: Iterable[str] = OBJECTS) -> list[Prompt]:
    """``count`` prompts of the full set in few scenes, ``several`` of them of several objects: a
    scene costs most of a second, the same one in other colors next to nothing."""
    every = prompt_set("gencolorbench").prompts()
    few = set(objects)
    single = [p for p in every if p.task in ("cna", "ncu") and p.targets[0].name in few]
    scenes: dict[tuple[str, ...], list[Prompt]] = {}
    for prompt in every:
        if prompt.task in ("coa", "moc", "ica"):
            scenes.setdefault(tuple(target.name for target in prompt.targets), []).append(prompt)
    chosen = [
        prompt for scene in list(scenes.values())[:: len(scenes) // 20] for prompt in scene[:20]
    ]
    return [*single[: count - several], *chosen[:several]]


def planned(prompts: Iterable[Prompt], model: str = "reference-renderer", **values: Any) -> RunPlan:
    """A plan of plain fields: what a record of :func:`truehue.core.runs.plan.make_plan` has goes
    there."""
    drawing, judging = (
        {
            name: values.pop(name)
            for name in [field.name for field in fields(record)]
            if name in values
        }
        for record in (GenerationPlan, ScoringPlan)
    )
    return make_plan(
        tuple(prompts),
        model,
        drawing=GenerationPlan(**drawing),
        judging=ScoringPlan(**judging),
        **values,
    )


def small_plan(
    prompts: Iterable[Prompt],
    images: int = 1,
    options: Mapping[str, Any] | None = None,
    **more: Any,
) -> RunPlan:
    """A run of the renderer at its smallest size."""
    return planned(
        prompts,
        images=images,
        size_px=64,
        options=options or {},
        set_name="mini",
        rules=RULES,
        **more,
    )


def rows(folder: RunFolder) -> list[ItemResult]:
    """All rows of all shards by position and attempt, without what is never the same twice."""
    ones = [item for path in folder.shards() for item in read_shard(path)]
    ones.sort(key=lambda item: (item.position, item.attempt))
    return [replace(item, seconds=None, scoring_seconds=None, worker="") for item in ones]


def workers_of(folder: RunFolder) -> set[str]:
    """The workers whose rows these are."""
    return {item.worker for path in folder.shards() for item in read_shard(path)}


def apples(count: int) -> list[Prompt]:
    """Prompts of one apple in so many colors, at most 12: one scene, drawn in no time."""
    colors = (
        "red",
        "blue",
        "green",
        "gold",
        "navy",
        "pink",
        "teal",
        "tan",
        "plum",
        "lime",
        "gray",
        "olive",
    )
    return [
        Prompt(
            f"apple-{color}",
            f"a {color} apple",
            "free",
            (ObjectTarget("apple", parse_target(f"css:{color}")),),
        )
        for color in colors[:count]
    ]


def in_process(folder: RunFolder) -> InProcess:
    """A team of this process for a run."""
    return InProcess(RunWork(folder.path))


def done(folder: RunFolder) -> BatchState:
    """The run executed to its end in this process."""
    return execute(folder, team=in_process(folder))


def begun(
    folder: RunFolder,
    workers: int,
    hold_at: int,
    most_lines: int = journal.MAX_LINES,
    share: str = "",
) -> subprocess.Popen[bytes]:
    """A process that executes the run, or a share such as ``3/16`` of it, until it is killed: each
    of its workers waits for that after ``hold_at`` rows. At most ``most_lines`` rows are in a
    shard."""
    command = [sys.executable, "-m", "tests.core.runs.samples", str(folder.path), str(workers)]
    command += [share] if share else []
    return subprocess.Popen(command, cwd=ROOT, env=hold.environment(hold_at, most_lines))


if __name__ == "__main__":
    there = RunFolder(sys.argv[1])
    there.set_desired_state("run")
    task = array_task(sys.argv[3]) if len(sys.argv) > 3 else None
    execute(there, ExecutionSettings(workers=int(sys.argv[2])), task=task)
