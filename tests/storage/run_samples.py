"""Small runs to fill a database with: real prompts, small pictures of disks, real verdicts.

No renderer and no model: every object is a disk in a color that is near the asked one or not,
decided by a seeded draw, and judged by the rules as a run does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from tests.filled import copied, filled_into
from truehue.core.color.spaces import lab_to_srgb8
from truehue.core.files import content_path, write_once
from truehue.core.images.load import encode_png, image_id
from truehue.core.images.pixels import Mask
from truehue.core.prompts.gencolorbench import build
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import run_id
from truehue.core.runs.records import EVERY_RULE, ItemResult, MaskResult, RunPlan
from truehue.core.runs.score import not_generated, score
from truehue.core.runs.shards import write_shard
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.expectations import ABSENT, Localization, expectations_of
from truehue.core.verdict.rules import FAIL, UNSCORED, rule
from truehue.storage import Storage

SIZE = 32
RULES = tuple((rule(item).id, rule(item).version) for item in EVERY_RULE)


@cache
def sample_prompts(count: int) -> tuple[Prompt, ...]:
    """``count`` prompts of the reconstruction: of every task and color system in turn."""
    groups: dict[tuple[str, str], list[Prompt]] = {}
    for prompt in build():
        groups.setdefault((prompt.task, prompt.system), []).append(prompt)
    rounds = -(-count // len(groups))
    steps = {key: max(1, len(ones) // rounds) for key, ones in groups.items()}
    picked = [
        groups[key][(steps[key] * index) % len(groups[key])]
        for index in range(rounds)
        for key in groups
    ]
    return tuple(dict.fromkeys(picked))[:count]


def sample_plan(model: str = "model-a", prompts: int = 60, images: int = 2) -> RunPlan:
    """A plan of a drawn run by all rules."""
    return RunPlan(
        name=f"{model} on a sample",
        set_name="gencolorbench",
        prompts=sample_prompts(prompts),
        model=model,
        images=images,
        seed=7,
        rules=RULES,
        size_px=SIZE,
    )


def fill(
    storage: Storage,
    root: Path,
    models: Sequence[str] = ("model-a", "model-b"),
    prompts: int = 60,
    images: int = 2,
) -> list[str]:
    """Make a finished run of each model below ``root``, ingest it, and return the ids."""
    made = [sample_run(root, sample_plan(model, prompts, images)) for model in models]
    for folder in made:
        storage.runs.ingest(folder)
    return [folder.run_id for folder in made]


def fill_copied(
    storage: Storage,
    root: Path,
    models: Sequence[str] = ("model-a", "model-b"),
    prompts: int = 60,
    images: int = 2,
) -> list[str]:
    """As ``fill``, with rows that were ingested once: a fresh storage gets them as they were."""
    made = [sample_run(root, sample_plan(model, prompts, images)) for model in models]
    return ingest_copied(storage, made)


def ingest_copied(storage: Storage, folders: Sequence[RunFolder]) -> list[str]:
    """Ingests whole runs, once in a process: a storage without runs gets the rows as they were."""
    ids = [folder.run_id for folder in folders]

    def ingest(own: Storage) -> None:
        for folder in folders:
            own.runs.ingest(folder)

    filled_into(storage, ("runs", *ids), ingest)
    return ids


def sample_run(root: Path, plan: RunPlan, shards: int = 2) -> RunFolder:
    """The folder of a run with all its results in ``shards`` shards: drawn once, and copied."""
    goal = Path(root) / run_id(plan)
    if goal.exists():
        return _sample_run(root, plan, shards)
    copied((goal.name, shards), goal, lambda index: _sample_run(index.parent, plan, shards))
    return RunFolder(goal)


def _sample_run(root: Path, plan: RunPlan, shards: int) -> RunFolder:
    folder = RunFolder.create(root, plan)
    results = [sample_result(folder, plan, position) for position in range(plan.total)]
    for index in range(shards):
        write_shard(folder.shard_folder / f"w{index}-0.parquet", results[index::shards])
    return folder


def sample_result(
    folder: RunFolder, plan: RunPlan, position: int, attempt: int = 1, failed: bool | None = None
) -> ItemResult:
    """One picture with its files; one of 29 could not be drawn, unless ``failed`` says."""
    number, image = divmod(position, plan.images)
    prompt, seed = plan.prompts[number], plan.seed + image
    random = np.random.default_rng([*plan.model.encode(), number, image, attempt])
    result = ItemResult(
        position,
        number,
        image,
        attempt,
        "drawn",
        seed=seed,
        seconds=0.25,
        scoring_seconds=0.05,
        worker="w0",
        origin={"model": plan.model, "seed": seed},
    )
    if failed is None:
        failed = (position + sum(plan.model.encode())) % 29 == 11
    if failed:
        reason = "The model ran out of memory: give it a smaller size."
        verdicts = not_generated(reason, plan.rules)
        return replace(result, status="failed", reason=reason, seed=seed, verdicts=verdicts)
    srgb8, masks = _picture(prompt, random)
    findings = {key: Localization(mask) for key, mask in masks.items()}
    if len(masks) > 1 and random.random() < 0.15:
        gone = max(masks)
        srgb8[masks.pop(gone)] = 128
        findings[gone] = ABSENT
    elif random.random() < 0.05:
        findings.pop(min(masks))
        masks.pop(min(masks))
    made = [(key, Mask(mask, "renderer", {"seed": seed})) for key, mask in masks.items()]
    for _, mask in made:
        write_once(content_path(folder.masks, mask.content_sha256), mask.png())
    name = image_id(srgb8)
    write_once(content_path(folder.images, name), encode_png(srgb8))
    return replace(
        result,
        image_id=name,
        width=SIZE,
        height=SIZE,
        masks=tuple(
            MaskResult(index, mask.content_sha256, mask.area_px, mask.maker, mask.parameters)
            for index, mask in made
        ),
        verdicts=score(prompt, srgb8, findings, plan.rules, Acceptance(k=plan.k)),
    )


def _picture(
    prompt: Prompt, random: np.random.Generator
) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """uint8 (H, W, 3) with a disk for each object, and the disks by target."""
    srgb8 = np.full((SIZE, SIZE, 3), random.integers(110, 146), dtype=np.uint8)
    expectations = expectations_of(prompt.targets)
    masks = {}
    for index, expectation in enumerate(expectations):
        middle = SIZE * (index + 0.5) / len(expectations)
        mask = _disk(middle, SIZE / (2.4 * len(expectations)))
        lab = np.array(expectation.color.lab)
        kind = random.random()
        if expectation.relation == "differs" and kind < 0.6:
            lab = np.array([60.0, 0.0, 0.0])
        elif kind < 0.45:
            lab = lab + random.normal(0, 1.2, 3)
        elif kind < 0.6:
            lab = lab + np.array([random.normal(0, 18), 0.0, 0.0])
        else:
            lab = lab + random.normal(0, 16, 3)
        srgb8[mask] = lab_to_srgb8(lab[None, :] + random.normal(0, 0.4, (int(mask.sum()), 3)))
        masks[expectation.position] = mask
    return srgb8, masks


@cache
def _disk(middle: float, radius: float) -> np.ndarray:
    y, x = np.mgrid[:SIZE, :SIZE]
    return np.hypot(y - SIZE / 2, x - middle) <= radius


def as_counted(item: ItemResult) -> ItemResult:
    """The image as it counts where unscored images are left out: one that fails by one object, and
    has another without a score, has none, and the first object without one leads."""
    first: dict[str, int] = {}
    for verdict in item.verdicts:
        if (verdict.status, verdict.picture_status) == (UNSCORED, FAIL):
            first.setdefault(verdict.rule, verdict.target)
    verdicts = tuple(
        verdict
        if verdict.rule not in first
        else replace(
            verdict,
            picture_status=UNSCORED,
            picture_reason=verdict.told,
            leads=verdict.target == first[verdict.rule],
        )
        for verdict in item.verdicts
    )
    return replace(item, verdicts=verdicts)
