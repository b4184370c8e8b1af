"""``python -m tests.bench.diagnose``: how long the diagnostic set takes, and what of it is scoring.

One worker's processor time over a few objects, each with its tracing, under one light that casts
soft shadows and one hard one; from it the time of the whole default set on this machine's cores.
Scoring is compared with decoding the picture's own PNG: all rules against one color, and against
the six colors that the diagnosis asks for, for which much is computed once.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from functools import partial
from importlib import metadata
from io import BytesIO
from typing import Any

import cv2
import numpy as np
from PIL import Image

from truehue.core.color.systems import find
from truehue.core.diagnosis.colors import (
    DEFAULT_LIGHTS,
    DEFAULT_SIZE_PX,
    SET_SYSTEMS,
    ColorQuery,
    make_query,
    render_image,
)
from truehue.core.diagnosis.plan import RuleUsed, Task, renderer_tasks, rules_used
from truehue.core.diagnosis.scoring import judge_image, rows_of
from truehue.core.generation.renderer import OBJECTS
from truehue.core.machine import cpu_name
from truehue.core.verdict.measure import measure_by_rules
from truehue.core.verdict.rules import RULES

SOME_OBJECTS = ("sphere", "mug", "car", "teapot")
SOME_LIGHTS = ("overcast", "hard")
EVERY = 8
SCORED = (("sphere", "yellow"), ("car", "crimson"), ("teddy bear", "saddlebrown"))
THREE = ("paper", "released", "truehue")
GOAL_DECODE, GOAL_MINUTES, GOAL_CORES = 1.5, 15.0, 2


def tasks(
    rules: tuple[RuleUsed, ...], objects: tuple[str, ...], lights: tuple[str, ...], every: int
) -> list[Task]:
    """Tasks of the default seed, size and systems."""
    return renderer_tasks(rules, objects, lights, (0,), SET_SYSTEMS, DEFAULT_SIZE_PX, every)


def nothing() -> None:
    """The step of a task that nobody watches."""


def processor_s(call: Callable[[], object]) -> float:
    """Processor time of one call."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def least_ms(call: Callable[[], object], runs: int = 7) -> float:
    """The least processor time of some calls, in milliseconds: what else runs only adds to it."""
    call()
    return min(processor_s(call) for _ in range(runs)) * 1e3


def whole_set() -> None:
    """Pictures a second, and the time of the whole set."""
    rules = rules_used()
    tracing = judging = 0.0
    stored_images = 0
    some = tasks(rules, SOME_OBJECTS, SOME_LIGHTS, EVERY)
    for task in some:
        # The first picture costs the tracing; the others take what it found.
        view = task.object, task.light, task.seed, "#FF0000", task.size_px
        tracing += processor_s(partial(render_image, *view, "#F2F2F2" if task.two else None))
        judging += processor_s(partial(rows_of, task, nothing))
        stored_images += task.images
    default = tasks(rules, OBJECTS, DEFAULT_LIGHTS, 1)
    images = sum(task.images for task in default)
    each_ms, trace_s = judging / stored_images * 1e3, tracing / len(some)
    work_s = images * judging / stored_images + len(default) * trace_s
    minutes = work_s / 60 / GOAL_CORES
    met = "met" if minutes < GOAL_MINUTES else "NOT MET"
    print(
        f"{len(rules)} rules, {DEFAULT_SIZE_PX} px, {stored_images} pictures of {len(some)} tasks"
    )
    print(f"  drawing and judging against six colors {each_ms:8.1f} ms a picture")
    print(f"  that is                                {1e3 / each_ms:8.1f} a second and core")
    print(f"  tracing                                {trace_s:8.2f} s an object and light")
    print(f"  whole set: {images:,} pictures, {work_s:.0f} s of processor time")
    print(f"  on {GOAL_CORES} cores about {minutes:.1f} min; goal under {GOAL_MINUTES:g}: {met}")


def scoring(size_px: int) -> None:
    """Scoring against decoding, for three objects of one size."""
    print(f"\nscoring / decoding its PNG, {size_px} px")
    every = tuple(by.id for by in RULES)
    for object_name, color in SCORED:
        color_query = make_query(color, "css")
        srgb8, mask = render_image(object_name, "studio", 0, find(color, "css").hex, size_px)
        file = BytesIO()
        Image.fromarray(srgb8).save(file, "png")
        decode_ms = least_ms(partial(decode, file.getvalue()))
        three_ms = least_ms(partial(by_three, srgb8, mask, color_query))
        all_ms = least_ms(partial(by_all, srgb8, mask, color_query, every))
        ratio = three_ms / decode_ms
        text = ""
        if size_px == 1024:
            met = "met" if ratio <= GOAL_DECODE else "NOT MET"
            text = f"  goal at most {GOAL_DECODE:g}: {met}"
        row(object_name, "three rules, one color", three_ms, decode_ms, text)
        row(object_name, f"{len(every)} rules, six colors", all_ms, decode_ms, "")


def decode(png: bytes) -> np.ndarray:
    """PNG bytes to an array, as every scorer needs it first."""
    return np.asarray(Image.open(BytesIO(png)))


def by_three(srgb8: np.ndarray, mask: np.ndarray, color_query: ColorQuery) -> object:
    """What Inspect asks for: three rules and one color."""
    return list(measure_by_rules(srgb8, mask, color_query.true, THREE))


def by_all(
    srgb8: np.ndarray, mask: np.ndarray, color_query: ColorQuery, every: tuple[str, ...]
) -> object:
    """What a diagnosis asks for: all rules and six colors."""
    about: dict[str, Any] = {
        "object": "",
        "light": "",
        "seed": 0,
        "system": "css",
        "color": "",
        "second": "",
    }
    return list(judge_image(srgb8, mask, color_query, every, **about))


def row(name: str, label: str, ours_ms: float, decode_ms: float, text: str) -> None:
    """One line of the table."""
    ratio = ours_ms / decode_ms
    print(f"  {name:<11}{label:<24}{ours_ms:8.2f} ms /{decode_ms:7.2f} ms {ratio:7.2f}{text}")


def main() -> None:
    """Prints both tables."""
    cv2.setNumThreads(1)
    load = os.getloadavg()[0]
    print(
        f"{cpu_name()}, {os.cpu_count()} cores (load {load:.1f}), Python "
        f"{platform.python_version()}, numpy {metadata.version('numpy')}"
    )
    whole_set()
    for size_px in (DEFAULT_SIZE_PX, 1024):
        scoring(size_px)


if __name__ == "__main__":
    main()
