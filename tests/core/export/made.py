"""Small runs as their folders lie on the disk: drawn by the renderer, judged by the real rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Event

from tests.core.runs.samples import planned
from truehue.core.color.systems import parse_target
from truehue.core.files import content_path, write_once
from truehue.core.generation.backends.reference import ReferenceRenderer
from truehue.core.images.load import encode_png, image_id
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import prompt_and_image_at, request_of
from truehue.core.runs.records import ItemResult, MaskResult, RunPlan
from truehue.core.runs.score import not_generated, score
from truehue.core.runs.shards import write_shard
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.expectations import Localization

EVIL = "</script><script>document.title='broken'</script>${1+1} <b>\"'`\\u2028\u2028"
"""Text of a prompt that must stay text wherever it goes."""

RULES = ("paper", "truehue")


def prompts() -> tuple[Prompt, ...]:
    """Four prompts of three tasks, one of them with hostile text."""

    def of(name: str, color: str, role: str = "main") -> ObjectTarget:
        return ObjectTarget(name, parse_target(color), (), role, "kitchen")

    apple = of("apple", "l2:Red")
    plate = ObjectTarget("plate", None, (), "bystander", "kitchen")
    return (
        Prompt("p1", "A vivid red apple", "cna", (apple,), "l2", "tests", "D.1.1", "name"),
        Prompt("p2", f"A mug {EVIL}", "cna", (of("mug", "css:seagreen"),), "css", "tests"),
        Prompt("p3", "A red apple on a plate", "coa", (apple, plate), "l2", "tests"),
        Prompt(
            "p4",
            "A blue vase, a yellow ball",
            "moc",
            (of("vase", "l2:Blue"), of("ball", "l2:Yellow")),
            "l2",
            "tests",
        ),
    )


def plan(name: str = "A small run", images: int = 2, rules: Sequence[str] = RULES) -> RunPlan:
    """The plan of a run of the renderer at its smallest size, where two objects exchange
    their colors."""
    return planned(
        prompts(),
        name=name,
        set_name="tests",
        images=images,
        size_px=64,
        options={"light": "overcast", "failure": "swapped"},
        rules=rules,
    )


def make_run(
    root: Path,
    made: RunPlan | None = None,
    *,
    failed: Sequence[int] = (3,),
    shards: int = 2,
    leave_out: Sequence[int] = (),
) -> RunFolder:
    """The run's folder with all its results in ``shards`` files, dealt out as workers would."""
    made = made or plan()
    folder = RunFolder.create(root, made)
    results = [
        _failed(made, position) if position in failed else _drawn(made, folder, position)
        for position in range(made.total)
        if position not in leave_out
    ]
    for number in range(shards):
        write_shard(folder.shard_folder / f"w{number}-1.parquet", results[number::shards])
    return folder


def _failed(made: RunPlan, position: int, attempt: int = 1) -> ItemResult:
    prompt, image = prompt_and_image_at(made, position)
    why = "The model gave up."
    return ItemResult(
        position,
        prompt,
        image,
        attempt,
        "failed",
        why,
        seed=image,
        worker="w0",
        verdicts=not_generated(why, made.rules),
    )


def _drawn(made: RunPlan, folder: RunFolder, position: int) -> ItemResult:
    prompt, image = prompt_and_image_at(made, position)
    sample = _pictures(made.prompts[prompt], image, made)
    result = {item.target: Localization(item.mask.pixels) for item in sample.masks}
    content = encode_png(sample.srgb8)
    name = image_id(sample.srgb8)
    write_once(content_path(folder.images, name), content)
    masks = []
    for mask in sample.masks:
        write_once(content_path(folder.masks, mask.mask.content_sha256), mask.mask.png())
        masks.append(
            MaskResult(
                mask.target,
                mask.mask.content_sha256,
                mask.mask.area_px,
                mask.mask.maker,
                dict(mask.mask.parameters),
            )
        )
    verdicts = score(made.prompts[prompt], sample.srgb8, result, made.rules, Acceptance())
    height, width, _ = sample.srgb8.shape
    return ItemResult(
        position,
        prompt,
        image,
        1,
        "drawn",
        "",
        name,
        width,
        height,
        image,
        0.5,
        0.1,
        "w0",
        sample.origin,
        sample.notes,
        tuple(masks),
        verdicts,
    )


def _pictures(prompt: Prompt, image: int, made: RunPlan):  # type: ignore[no-untyped-def]
    return _cached(prompt, image, tuple(sorted(made.options.items())))


@cache
def _cached(prompt: Prompt, image: int, options):  # type: ignore[no-untyped-def]
    made = planned([prompt], images=image + 1, size_px=64, options=dict(options))
    (sample,) = ReferenceRenderer().draw([request_of(made, image)], lambda report: None, Event())
    return sample
