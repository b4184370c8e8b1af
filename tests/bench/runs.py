"""``python -m tests.bench.runs``: what a run costs beside its pictures, and how soon it begins.

A worker scores stored pictures of 1024 x 1024 with a mask of a quarter: reading and checking the
PNG, reading the mask, judging by three rules or by one, and the line in the journal. The reference
is decoding the same PNGs, in the same run, in processor time of one core. Planning and resuming is
measured with the whole protocol: 44,464 prompts, four images each, half of them done. All times are
of the processor.
"""

from __future__ import annotations

import argparse
import platform
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import cv2

from tests.bench.scenes import photographs
from truehue.core.batch.health import done_of
from truehue.core.batch.team import Batch
from truehue.core.batch.worker import Worker
from truehue.core.color.systems import parse_target
from truehue.core.files import content_path, read_png, write_once
from truehue.core.generation.renderer import RenderRequest, render
from truehue.core.images.load import encode_png, image_id
from truehue.core.images.pixels import Mask
from truehue.core.machine import cpu_name
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.prompts.sets import prompt_set
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import make_plan, order_of
from truehue.core.runs.records import ItemResult, ScoringPlan, StoredItem, StoredMask
from truehue.core.runs.score import not_generated
from truehue.core.runs.shards import write_shard
from truehue.core.runs.worker import RunWork

GOAL_ALONE, GOAL_WHOLE, GOAL_PLAN_S, GOAL_PLAN_MB = 0.45, 0.3, 10.0, 1000.0
IMAGES, ROUNDS = 8, 7
THREE = ("paper", "released", "truehue")


def pictures(folder: Path, kind: str) -> list[StoredItem]:
    """Pictures with masks in files, all different."""
    out = []
    for number in range(IMAGES):
        if kind == "renders":
            rendering = render(
                RenderRequest("car", (200, 40 + 9 * number, 30), seed=3, size_px=1024)
            )
            srgb8, mask = rendering.srgb8, Mask(rendering.mask.pixels, "renderer")
        else:
            scene = photographs()[0]
            srgb8 = scene.srgb8.copy()
            srgb8[0, 0] = (number, 0, 0)
            mask = Mask(scene.mask, "file")
        name = image_id(srgb8)
        write_once(content_path(folder / "images", name), encode_png(srgb8))
        write_once(content_path(folder / "masks", mask.content_sha256), mask.png())
        path = str(content_path(folder / "masks", mask.content_sha256))
        known = StoredMask("0" * 64, path, mask.maker)
        out.append(
            StoredItem(0, number, name, str(content_path(folder / "images", name)), {0: known})
        )
    return out


def processor_s(calls: Sequence[Callable[[], object]]) -> list[float]:
    """The median processor time of each call, taken in turns."""
    used: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for index, call in enumerate(calls):
            began = time.process_time()
            call()
            used[index].append(time.process_time() - began)
    return [median(item) for item in used]


def scoring(kind: str, rules: tuple[str, ...]) -> None:
    """Prints the run's pictures a second over the decoder's."""
    target = ObjectTarget("car", parse_target("css:crimson"))
    prompt = Prompt("bench", "a crimson car", "cna", (target,), system="css")
    with tempfile.TemporaryDirectory() as index:
        items = pictures(Path(index), kind)
        plan = make_plan((prompt,), "bench", items=items, judging=ScoringPlan(rules=rules))
        folder = RunFolder.create(Path(index) / "runs", plan)
        worker = Worker(RunWork(folder.path), "bench", 1)
        batch = Batch(0, tuple((position, 1) for position in range(IMAGES)))

        def decode() -> None:
            for item in items:
                read_png(Path(item.file), "RGB")

        worker.work_on(batch)
        decode_s, work_s = processor_s([decode, lambda: worker.work_on(batch)])
        worker.close()
    alone = work_s - decode_s
    print(
        f"{kind:12} {', '.join(rules):26} decode {1e3 * decode_s / IMAGES:5.1f} ms"
        f"   worker {1e3 * work_s / IMAGES:5.1f} ms   scoring alone over decoding"
        f" {decode_s / alone:5.2f} ({met(decode_s / alone >= GOAL_ALONE)})"
        f"   reading included {decode_s / work_s:5.2f} ({met(decode_s / work_s >= GOAL_WHOLE)})"
    )


def planning() -> None:
    """Prints what planning, and resuming with half of it done, costs."""
    began = time.process_time()
    prompts = prompt_set("gencolorbench").prompts()
    plan = make_plan(prompts, "reference-renderer", judging=ScoringPlan(rules=THREE))
    with tempfile.TemporaryDirectory() as position:
        folder = RunFolder.create(position, plan)
        order = order_of(plan)
        planned_s = time.process_time() - began
        verdicts = not_generated("bench", plan.rules)
        for first in range(0, plan.total // 2, 500):
            rows = [
                ItemResult(
                    index,
                    index // 4,
                    index % 4,
                    1,
                    "drawn",
                    image_id=f"{index:064x}",
                    verdicts=verdicts,
                )
                for index in order[first : first + 500].tolist()
            ]
            write_shard(folder.shard_folder / f"s001w1-{first // 500:05d}.parquet", rows)
        began = time.process_time()
        there = RunFolder(folder.path)
        again = there.plan()
        done = done_of(there, again.total)
        left = int((done.attempts[order_of(again)] == 0).sum())
        resumed_s = time.process_time() - began
    used_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{plan.total:,} pictures: planned in {planned_s:.1f} s, prompts built included; resumed"
        f" with {left:,} left in {resumed_s:.1f} s (goal < {GOAL_PLAN_S:.0f}:"
        f" {met(max(planned_s, resumed_s) < GOAL_PLAN_S)}); at most {used_mb:.0f} MB"
        f" (goal < {GOAL_PLAN_MB:.0f}: {met(used_mb < GOAL_PLAN_MB)})"
    )


def met(true: bool) -> str:
    """A goal in a word."""
    return "met" if true else "missed"


def main() -> int:
    """Prints every figure; returns 0."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    cv2.setNumThreads(1)
    print(
        f"{platform.platform()}, {cpu_name()}; goals: decoding over scoring alone {GOAL_ALONE}, "
        f"over the whole worker {GOAL_WHOLE}"
    )
    planning()
    for kind in ("photograph", "renders"):
        for rules in (THREE, ("truehue",), ("paper",)):
            scoring(kind, rules)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
