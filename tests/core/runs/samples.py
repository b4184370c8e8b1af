"""Small plans of real prompts, and a process that executes a run and can be killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.prompts.prompt import Prompt
from core.prompts.sets import prompt_set
from core.runs.execute import Crew, execute
from core.runs.folder import RunFolder
from core.runs.plan import make_plan
from core.runs.records import ItemResult, RunPlan
from core.runs.shards import read_shard

ROOT = Path(__file__).resolve().parents[3]
RULES = ("paper", "released", "truehue")


def some_prompts(
    count: int, tasks: Iterable[str] = ("cna", "ncu", "coa", "moc", "ica")
) -> list[Prompt]:
    """Prompts of the Mini set, evenly spread over each of the tasks."""
    wanted = [one for one in prompt_set("mini").prompts() if one.task in set(tasks)]
    return [wanted[place * len(wanted) // count] for place in range(count)]


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
            scenes.setdefault(tuple(one.name for one in prompt.targets), []).append(prompt)
    chosen = [
        prompt for scene in list(scenes.values())[:: len(scenes) // 20] for prompt in scene[:20]
    ]
    return [*single[: count - several], *chosen[:several]]


def small_plan(
    prompts: Iterable[Prompt],
    images: int = 1,
    options: Mapping[str, Any] | None = None,
    **more: Any,
) -> RunPlan:
    """A run of the renderer at its smallest size."""
    return make_plan(
        tuple(prompts), "reference-renderer", images=images, size_px=64, options=options,
        set_name="mini", rules=RULES, **more,
    )  # fmt: skip


def rows(folder: RunFolder) -> list[ItemResult]:
    """All rows of all shards by position and attempt, without what is never the same twice."""
    found = [one for path in folder.shards() for one in read_shard(path)]
    found.sort(key=lambda one: (one.position, one.attempt))
    return [replace(one, seconds=None, scoring_seconds=None, worker="") for one in found]


def begun(folder: RunFolder, workers: int = 2) -> subprocess.Popen[bytes]:
    """A process that executes the run."""
    command = [sys.executable, "-m", "tests.core.runs.samples", str(folder.path), str(workers)]
    return subprocess.Popen(command, cwd=ROOT)


if __name__ == "__main__":
    there = RunFolder(sys.argv[1])
    there.set_wish("run")
    execute(there, Crew(workers=int(sys.argv[2])))
