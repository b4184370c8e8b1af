"""``python -m tests.bench [FILE ...]``: how fast a verdict is, as ratios measured in one run.

On two photographs and two seeded images, or on the image files that are named.

Seconds differ from machine to machine; ratios of two ways on the same machine much less. Times are of
the processor, on one core, so that other work on the machine counts little. Goals are judged on
photographs. The exit status is 0 whether they are met or not, and 1 when the two ways disagree
about a number, because then their times say nothing.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable
from importlib import metadata
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from tests.bench import per_pixel, reference
from tests.bench.scenes import PHOTOGRAPHS, Scene, photograph, scenes
from truehue.core.color.difference import delta_e00
from truehue.core.color.dominant import nearest_share, released
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.color.systems import ColorTarget, parse_target
from truehue.core.images.pixels import masked_colors, masked_lab
from truehue.core.machine import cpu_name
from truehue.core.verdict.measure import Measurement, measure, measure_by_rules
from truehue.core.verdict.rules import RULES, Rule

RUNS = 5
MIN_S = 0.03
SAMPLE = 2_000
TOLERANCE = 1e-6
TARGET = "l3:vivid reddish orange"
GOAL_DECODE, GOAL_COLOUR, GOAL_LOOP, GOAL_SCORING, GOAL_PUBLIC = 1.4, 7.0, 80.0, 2.5, 50.0
# The rules whose numbers colour-science gives too.
PLAIN = [known for known in RULES if not (known.lit or known.reconstructed)]


class Disagreement(Exception):
    """Two ways to the same number gave different ones."""


def medians_ms(*calls: Callable[[], object]) -> list[float]:
    """Median processor time of ``RUNS`` runs of each call after one to warm up, in milliseconds.

    The calls take turns, so that whatever else the machine is doing meets all of them, and a run
    of a short call is as many of it as fill ``MIN_S``.
    """
    often = []
    for call in calls:
        call()
        start = time.process_time()
        call()
        often.append(max(1, round(MIN_S / max(1e-6, time.process_time() - start))))
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(RUNS):
        for call, count, used in zip(calls, often, times, strict=True):
            start = time.process_time()
            for _ in range(count):
                call()
            used.append((time.process_time() - start) / count)
    return [statistics.median(names_used) * 1e3 for names_used in times]


def decode(png: bytes) -> None:
    """PNG bytes to pixels in Pillow's memory."""
    Image.open(BytesIO(png)).load()


def check(label: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    """Raises Disagreement beyond ``TOLERANCE``."""
    worst = float(np.max(np.abs(np.asarray(ours) - np.asarray(theirs))))
    if not worst <= TOLERANCE:
        raise Disagreement(f"{label}: {ours} here, {theirs} there, {worst:.2g} apart")


def check_verdict(
    label: str, measurement: Measurement, lab: np.ndarray, metrics: dict[str, float]
) -> None:
    """The dominant color and the metrics, against the reference's."""
    check(f"{label}, Lab", np.array(measurement.verdict.lab), lab)
    for metric in measurement.verdict.metrics:
        check(f"{label}, {metric.name}", np.array(metric.value), np.array(metrics[metric.name]))


def goal(ratio: float, limit: float, *, at_most: bool, judged: bool) -> str:
    """The goal in words and whether it is met; empty for an image that is for information."""
    if not judged:
        return ""
    met = ratio <= limit if at_most else ratio >= limit
    return f"goal {'at most' if at_most else 'at least'} {limit:g}: {'met' if met else 'NOT MET'}"


def row(label: str, ours: float, other: str, theirs: float, ratio: float, text: str) -> None:
    """One line of the table; ``ours`` and ``theirs`` in milliseconds."""
    line = f"  {label:<21}{ours:8.2f} ms  {other:<16}{theirs:9.2f} ms  {ratio:7.2f}  {text}"
    print(line.rstrip(), flush=True)


def rule_rows(scene: Scene, by: Rule, target: ColorTarget, judged: bool) -> None:
    """(a) against decoding and (b) against colour-science, for one rule."""
    target_lab = np.array(target.lab)

    def ours() -> Measurement:
        return measure(scene.srgb8, scene.mask, target, by.id)

    def theirs() -> tuple[np.ndarray, dict[str, float]]:
        return reference.numbers(scene.srgb8, scene.mask, target_lab, by)

    check_verdict(f"{scene.name}, {by.id}", ours(), *theirs())
    ours_ms, decode_ms, theirs_ms = medians_ms(ours, lambda: decode(scene.png), theirs)
    ratio = ours_ms / decode_ms
    text = goal(ratio, GOAL_DECODE, at_most=True, judged=judged)
    row(by.id, ours_ms, "/ decoding", decode_ms, ratio, text)
    ratio = theirs_ms / ours_ms
    text = goal(ratio, GOAL_COLOUR, at_most=False, judged=judged)
    row("", ours_ms, "colour-science /", theirs_ms, ratio, text)


def inspect_rows(scene: Scene, target: ColorTarget, judged: bool) -> None:
    """(a) and (b) for the four rules of the paper and of its code, in one call."""
    target_lab = np.array(target.lab)
    ids = [by.id for by in PLAIN]

    def ours() -> list[Measurement]:
        return list(measure_by_rules(scene.srgb8, scene.mask, target, ids))

    def theirs() -> list[tuple[np.ndarray, dict[str, float]]]:
        return reference.by_rules(scene.srgb8, scene.mask, target_lab, PLAIN)

    for mine, numbers in zip(ours(), theirs(), strict=True):
        check_verdict(f"{scene.name}, {mine.verdict.rule}", mine, *numbers)
    ours_ms, decode_ms, theirs_ms = medians_ms(ours, lambda: decode(scene.png), theirs)
    text = goal(ours_ms / decode_ms, GOAL_SCORING, at_most=True, judged=judged)
    row("these four in one", ours_ms, "/ decoding", decode_ms, ours_ms / decode_ms, text)
    text = goal(theirs_ms / ours_ms, GOAL_COLOUR, at_most=False, judged=judged)
    row("", ours_ms, "colour-science /", theirs_ms, theirs_ms / ours_ms, text)


def scoring_rows(scene: Scene, target: ColorTarget, judged: bool) -> None:
    """(d) what scoring costs against looking: truehue, three rules, and all, against decoding."""
    for label, ids in (
        ("truehue", ["truehue"]),
        ("paper released truehue", ["paper", "released", "truehue"]),
        ("all rules, as Inspect", [by.id for by in RULES]),
    ):

        def ours(ids: list[str] = ids) -> list[Measurement]:
            return list(measure_by_rules(scene.srgb8, scene.mask, target, ids))

        ours_ms, decode_ms = medians_ms(ours, lambda: decode(scene.png))
        ratio = ours_ms / decode_ms
        limit = GOAL_DECODE if len(ids) == 1 else GOAL_SCORING
        text = goal(ratio, limit, at_most=True, judged=judged)
        row(label, ours_ms, "/ decoding", decode_ms, ratio, text)


def conversion_rows(scene: Scene, target: ColorTarget) -> None:
    """(f) CIELAB and CIEDE2000 of each distinct color, against colour-science on the same colors."""
    colors = masked_colors(scene.srgb8, scene.mask)
    srgb8, lab, target_lab = colors.srgb8, colors.lab, np.array(target.lab)
    ways: dict[str, tuple[Callable[[], np.ndarray], Callable[[], np.ndarray]]] = {
        "CIELAB": (lambda: srgb8_to_lab(srgb8), lambda: reference.lab_of(srgb8)),
        "CIEDE2000": (
            lambda: delta_e00(lab, target_lab),
            lambda: reference.delta_e00(lab, target_lab),
        ),
    }
    for label, (ours, theirs) in ways.items():
        check(f"{scene.name}, {label}", ours(), theirs())
        ours_ms, theirs_ms = medians_ms(ours, theirs)
        row(label, ours_ms, "colour-science /", theirs_ms, theirs_ms / ours_ms, "each color once")


def public_rows(scene: Scene, target: ColorTarget, judged: bool) -> None:
    """(e) the rule ``released`` against the public code's way to the same verdict, whole.

    The public way is timed once: it takes seconds.
    """
    target_lab = np.array(target.lab)

    def ours() -> Measurement:
        return measure(scene.srgb8, scene.mask, target, "released")

    (ours_ms,) = medians_ms(ours)
    start = time.process_time()
    numbers = reference.public_way(scene.srgb8, scene.mask, target_lab)
    public_ms = (time.process_time() - start) * 1e3
    check_verdict(f"{scene.name}, the public way", ours(), *numbers)
    ratio = public_ms / ours_ms
    text = goal(ratio, GOAL_PUBLIC, at_most=False, judged=judged)
    row("released", ours_ms, "public way /", public_ms, ratio, text)


def loop_rows(scene: Scene, target: ColorTarget, judged: bool) -> None:
    """(c) the target-guided step as a loop over pixels, against the same step of ours."""
    target_lab = np.array(target.lab)
    colors = masked_colors(scene.srgb8, scene.mask)
    dominant = released(colors.lab, colors.counts, target_lab=target_lab)
    if len(dominant.steps) < 3:
        raise Disagreement(f"{scene.name}: no guided step, the object counts as achromatic")
    seen = dominant.steps[-2][1]
    every = masked_lab(scene.srgb8, scene.mask)
    sample = every[np.random.default_rng(0).integers(0, len(every), SAMPLE)]

    def loop(difference: Callable[[per_pixel.Lab, per_pixel.Lab], float]) -> list[float]:
        return per_pixel.distances(sample, target.lab, difference)

    for difference in (per_pixel.BY_MATH, per_pixel.BY_NUMPY):
        ours = delta_e00(sample, target_lab)
        check(f"{scene.name}, CIEDE2000", ours, np.array(loop(difference)))
    # The colors that reach the step: those that are left when it is not taken.
    keep = released(colors.lab, colors.counts).used > 0
    ours_ms, *samples_ms = medians_ms(
        lambda: nearest_share(colors.lab, colors.counts, keep, target_lab),
        lambda: loop(per_pixel.BY_MATH),
        lambda: loop(per_pixel.BY_NUMPY),
    )
    names = ("math loop /", "numpy loop /")
    for label, other, sample_ms in zip(("guided step", ""), names, samples_ms, strict=True):
        loop_ms = sample_ms * seen / SAMPLE
        ratio = loop_ms / ours_ms
        text = goal(ratio, GOAL_LOOP, at_most=False, judged=judged)
        row(label, ours_ms, other, loop_ms, ratio, text)
    print(f"    (loops: {SAMPLE:,} pixels timed, extrapolated to the {seen:,} that the step sees)")


def main() -> int:
    """Prints the table; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="images instead of the built-in ones")
    files = parser.parse_args().files
    images = [photograph(path.stem, path) for path in files] or scenes()
    versions = ", ".join(
        f"{name} {metadata.version(name)}" for name in ("numpy", "Pillow", "colour-science")
    )
    print(f"{cpu_name()}; Python {platform.python_version()}, {versions}")
    print(
        f"Processor time, medians of {RUNS} runs after a warm-up; target color {TARGET}. Ratios are"
    )
    print("  ours / decoding the same image from PNG by Pillow, and")
    print("  the same numbers by colour-science or by a loop over pixels / ours. The loops call")
    print("  CIEDE2000 once a pixel, by math's functions and, as the released code, by numpy's;")
    print("  the public way is the whole rule with that loop.")
    target = parse_target(TARGET)
    cv2.setNumThreads(1)
    try:
        for number, scene in enumerate(images):
            judged = number < (len(files) or len(PHOTOGRAPHS))
            height, width, _ = scene.srgb8.shape
            distinct = masked_colors(scene.srgb8, scene.mask).srgb24.size
            print(
                f"\n{scene.name}{'' if judged else ' (for information)'}: {width} x {height}, "
                f"{scene.mask.sum():,} pixels of {distinct:,} colors inside the mask"
            )
            for by in PLAIN:
                rule_rows(scene, by, target, judged)
            inspect_rows(scene, target, judged)
            scoring_rows(scene, target, judged)
            conversion_rows(scene, target)
            public_rows(scene, target, judged)
            loop_rows(scene, target, judged)
    except Disagreement as error:
        print(f"The numbers disagree. {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
