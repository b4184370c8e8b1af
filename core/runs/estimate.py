"""The estimated cost of a run before it begins: images, time, disk, and the estimate's basis."""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np

from truehue.core.batch.team import Batch
from truehue.core.batch.worker import Worker
from truehue.core.errors import TrueHueError
from truehue.core.generation.registry import RENDERER, model
from truehue.core.machine import usable_cores
from truehue.core.runs.folder import RunFolder, run_folders
from truehue.core.runs.plan import batch_at, batch_of, order_of, plan_json
from truehue.core.runs.records import ALL, DRAWN, KEPT_ONE_IN, NONE, SAMPLE, RunPlan
from truehue.core.runs.shards import read_columns
from truehue.core.runs.worker import RunWork, WorkerSettings

TRIED = 3
"""Images that a trial draws; the first one, which loads the model, is not counted in the pace."""

SHARDS_READ = 20
"""Of an earlier run at the most; a shard holds up to 500 images."""

_PNG_SHARE = 0.55
"""Of an image's raw bytes, what its PNG takes, where nothing was measured yet."""

_ROW_BYTES = 1500


@dataclass(frozen=True)
class Estimate:
    """What is expected. ``seconds_a_picture`` is one worker's, None where nothing is known;
    ``basis`` says in a sentence where it comes from. ``seconds`` is for all ``pictures`` with
    ``workers``; ``disk_bytes`` what the run's folder will take."""

    pictures: int
    workers: int
    seconds_a_picture: float | None
    basis: str
    seconds: float | None
    disk_bytes: int


def free_bytes(root: Path | str) -> int:
    """Bytes that are free where runs below ``root`` are written, also where it is not there yet."""
    index = Path(root).absolute()
    while not index.exists():
        index = index.parent
    return shutil.disk_usage(index).free


def estimate(plan: RunPlan, root: Path | str, workers: int = 1) -> Estimate:
    """What the plan will cost, judged by the newest run below ``root`` that does the same work.

    That is one of the same model, size, steps, guidance, batch, masker and rules. The pace is the
    mean over images from all over it: a median would hide the few dear ones, such as the renderer's
    first image of each scene. Where there is no such run no time is given: :func:`trial`
    measures one.
    """
    measurement = _measured_pace(plan, Path(root))
    if measurement is None:
        basis = "Run a short test to estimate it."
        return _estimate(plan, workers, None, basis)
    seconds, count, name = measurement
    return _estimate(
        plan, workers, seconds, f"Based on the mean of {count:,} images of the run “{name}”."
    )


def trial(
    plan: RunPlan, settings: WorkerSettings | None = None, workers: int = 1, threads: int = 0
) -> Estimate:
    """Draws (or reads) and judges a few images, spread over the plan, and throws them away.

    With so many ``threads``, 0 for all. Of a plan with batches, as many whole batches.

    Raises what opening the model raises, and TrueHueError where no image could be made.
    """
    positions = order_of(plan)[np.linspace(0, plan.total - 1, min(TRIED, plan.total)).astype(int)]
    if batch_of(plan.options) > 1:  # the last batch of a prompt may be a small one
        positions -= positions % plan.images % plan.seeds
    with tempfile.TemporaryDirectory(prefix="truehue-trial-") as location:
        folder = RunFolder.create(location, replace(plan, keep_images=ALL))
        work = RunWork(folder.path, settings)
        work.controls = False
        worker = Worker(work, "trial", threads)
        seconds_each, problem, count = [], "", 0
        try:
            batches = dict.fromkeys(batch_at(plan, position) for position in positions.tolist())
            for number, together in enumerate(batches):
                began = time.perf_counter()
                done = worker.work_on(Batch(number, tuple((index, 1) for index in together)))
                seconds_each.append((time.perf_counter() - began) / len(together))
                count += len(together)
                failed = (reason for _, status, reason in done if status == "failed")
                problem = problem or next(failed, "")
        finally:
            worker.close()
        if problem:
            raise TrueHueError(f"An image of the test failed: {problem}")
        images, masks = (
            sum(file.stat().st_size for file in path.rglob("*.png"))
            for path in (folder.images, folder.masks)
        )
        stored = _kept_bytes(plan, images) + masks
    counted = seconds_each[1:] or seconds_each
    batch = batch_of(plan.options)
    item, items = (
        ("image", "images") if batch == 1 else (f"batch of {batch}", f"batches of {batch}")
    )
    basis = f"Median of {len(counted)} {items} generated now, after one that loaded the model."
    if len(seconds_each) == 2:
        basis = f"One {item} generated now, after one that loaded the model."
    if len(seconds_each) == 1:
        basis = f"One {item} generated now, loading included."
    estimate_without_disk = _estimate(plan, workers, median(counted), basis)
    return replace(
        estimate_without_disk,
        disk_bytes=int(plan.total * (stored / count + _ROW_BYTES)),
    )


def by_trial(plan: RunPlan, tried: Estimate, workers: int = 1) -> Estimate:
    """What the plan will cost by a trial of one like it, made with other workers or images."""
    estimate_without_disk = _estimate(plan, workers, tried.seconds_a_picture, tried.basis)
    return replace(
        estimate_without_disk, disk_bytes=tried.disk_bytes // max(tried.pictures, 1) * plan.total
    )


def pace_of(folder: RunFolder) -> float | None:
    """Seconds that an image of a run took one worker; None without any. Raises BadInput."""
    total, count = _seconds(folder.shards())
    return total / count if count else None


def _measured_pace(plan: RunPlan, root: Path) -> tuple[float, int, str] | None:
    """Seconds an image in the run that tells most, of how many images, and its name."""
    settings_json = {name: getattr(plan, name) for name in ("model", "kind", "size_px", "steps")}
    settings_json |= {
        "guidance": plan.guidance,
        "masker": asdict(plan.masker),
        "rules": [list(rule) for rule in plan.rules],
    }
    prompts = plan_json(plan)["prompts_sha256"]
    candidates: list[tuple[bool, int, float, str]] = []
    for folder in run_folders(root):
        try:
            summary = folder.summary()
            scales = tuple(summary.get("guidances") or ())
            if scales != plan.guidances or any(
                summary.get(name) != value for name, value in settings_json.items()
            ):
                continue
            # Two passes take twice the time of one.
            if summary["options"].get("cfr") != plan.options.get("cfr"):
                continue
            # Images of a batch share their time.
            if batch_of(summary["options"]) != batch_of(plan.options):
                continue
            total, count = _seconds(folder.shards())
        except TrueHueError:
            continue
        if count:
            alike = summary.get("prompts_sha256") == prompts
            candidates.append((alike, count, total / count, str(summary["name"])))
    # Scenes differ in cost: the same prompts tell most, then the most images.
    if not candidates:
        return None
    _, count, seconds, name = max(candidates, key=lambda candidate: candidate[:2])
    return seconds, count, name


def _seconds(shards: list[Path]) -> tuple[float, int]:
    """What the images took that some shards hold, evenly spaced, and how many these are."""
    some = (
        {shards[index * len(shards) // SHARDS_READ] for index in range(SHARDS_READ)}
        if shards
        else ()
    )
    total, count = 0.0, 0
    for shard in some:
        table = read_columns(shard, ("status", "seconds", "scoring_seconds"))
        for row in table.to_pylist():
            if row["status"] == "drawn":
                total += (row["seconds"] or 0.0) + (row["scoring_seconds"] or 0.0)
                count += 1
    return total, count


def _estimate(plan: RunPlan, workers: int, seconds: float | None, basis: str) -> Estimate:
    # Where only this machine's cores work, workers beyond them wait for each other.
    cores_alone = plan.masker.kind != "grounded" and (plan.kind != DRAWN or plan.model == RENDERER)
    at_once = max(1, min(workers, plan.total, usable_cores() if cores_alone else workers))
    whole = None if seconds is None else seconds * plan.total / at_once
    stored = int(_pixels(plan) * 3 * _PNG_SHARE) if plan.kind == DRAWN else 0
    disk_bytes = plan.total * (_kept_bytes(plan, stored) + _ROW_BYTES)
    return Estimate(plan.total, workers, seconds, basis, whole, disk_bytes)


def _kept_bytes(plan: RunPlan, image_bytes: int) -> int:
    """Of the bytes of all images, those of the images that the plan keeps."""
    return {ALL: image_bytes, SAMPLE: image_bytes // KEPT_ONE_IN, NONE: 0}[plan.keep_images]


def _pixels(plan: RunPlan) -> int:
    """Pixels of an image: of the size that is asked for, else of the model's own, else 1024²."""
    own = model(plan.model).defaults
    if plan.size_px is not None or own is None:
        return (plan.size_px or 1024) ** 2
    return own.width * own.height
