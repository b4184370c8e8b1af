"""``python -m tests.bench.new_ground SET [RULES]``: rules in tinted light, on patterns and on metals.

Each image is scored for its true color, for five near names of its system and for five of the other
one; in tinted light as it is, and balanced by its gray backdrop: in the file, and for objects of one
material also before clipping, as from a raw file. docs/science/rule_accuracy.md
describes both sets: the choosing one may be looked at as often as one likes, the reporting one once
per version of a rule.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from truehue.core.color.spaces import linear1_to_srgb1, srgb8_to_linear1
from truehue.core.color.systems import ColorTarget, find, parse_target
from truehue.core.diagnosis.colors import (
    CORNER_PARTS,
    MATERIALS,
    SET_SYSTEMS,
    TWO_MATERIAL_OBJECTS,
    balance_by_backdrop,
    make_query,
    near_colors,
    render_image,
)
from truehue.core.diagnosis.figures import rate_percent
from truehue.core.diagnosis.plan import HELD_OUT_OBJECTS, TUNED_OBJECTS, Task
from truehue.core.diagnosis.scoring import second_hex
from truehue.core.errors import BadInput
from truehue.core.generation.renderer import TINTED_LIGHTS, RenderRequest, render
from truehue.core.generation.renderer.illuminants import to_illuminant
from truehue.core.generation.renderer.two_materials import PATTERNED, PATTERNS
from truehue.core.images.white_balance import adaptation
from truehue.core.verdict.measure import MaskCache, measure
from truehue.core.verdict.rules import PASS

SETS = {"choosing": (TUNED_OBJECTS, 5101), "reporting": (HELD_OUT_OBJECTS, 6203)}
PLAIN = "plain"
LIGHTS = {PLAIN: ("overcast", "hard"), "lamp": ("lamp",), "shade": ("shade",)}
ONE = "one"
KINDS = (ONE, "two", *MATERIALS)
MAIN_RULES = ("truehue", "released", "paper")
SIZE_PX, EVERY = 128, 24
TRUE, NEAR, OTHER = "true", "near", "other"


class Part(NamedTuple):
    """What a rate is of. ``way`` is "as is" or how it is balanced; ``relation`` of the scored color."""

    light: str
    kind: str
    way: str
    rule: str
    system: str
    relation: str


Counts = dict[Part, list[int]]
"""Passed, and scored."""


def tasks(
    objects: tuple[str, ...], seed: int, kind: str, light: str, rules: tuple[str, ...]
) -> Iterator[Task]:
    """The images of a set, of one kind of material in one light."""
    patterned = kind in PATTERNS
    able = PATTERNED if patterned else TWO_MATERIAL_OBJECTS if kind == "two" else objects
    for number, name in enumerate(object_name for object_name in objects if object_name in able):
        yield Task(
            f"{kind}--{name}--{light}--{seed}",
            rules,
            name,
            light,
            seed,
            SIZE_PX,
            SET_SYSTEMS,
            EVERY,
            number % EVERY,
            two=patterned or kind == "two",
            material=kind if kind in MATERIALS else "",
        )


def targets(name: str, system_id: str) -> Iterator[tuple[str, ColorTarget]]:
    """The colors that an image is scored for, each with its relation to the true one."""
    query = make_query(name, system_id)
    yield TRUE, query.true
    for target in query.near:
        yield NEAR, target
    other = next(key for key in SET_SYSTEMS if key != system_id)
    for color in near_colors(query.true.srgb8, other):
        yield OTHER, parse_target(color.name, other)


def count(task: Task, light: str, kind: str, counts: Counts) -> None:
    """Adds the verdicts on a task's images. An image that cannot be balanced passes for nothing."""
    for system_id, name in task.colors:
        color = find(name, system_id)
        second = second_hex(task, color) if task.two else ""
        srgb8, mask = render_image(
            task.object, task.light, task.seed, color.hex, task.size_px, second, task.material
        )
        ways: list[tuple[str, np.ndarray | None]] = [("as is", srgb8)]
        if light != PLAIN:
            ways.append(("balanced", balanced(srgb8)))
            if kind == ONE:
                ways.append(("balanced raw", balanced_raw(task, color.srgb8)))
        for way, pixels in ways:
            cache = MaskCache()
            for relation, target in targets(name, system_id):
                for rule_id in task.rule_ids:
                    part = Part(light, kind, way, rule_id, system_id, relation)
                    passed_of = counts.setdefault(part, [0, 0])
                    passed_of[1] += 1
                    if pixels is not None:
                        verdict = measure(pixels, mask, target, rule_id, cache=cache).verdict
                        passed_of[0] += verdict.status == PASS


def balanced(srgb8: np.ndarray) -> np.ndarray | None:
    """The image balanced by its backdrop, None where that tells no tint."""
    try:
        return balance_by_backdrop(srgb8)
    except BadInput:
        return None


def balanced_raw(task: Task, albedo_srgb8: tuple[int, int, int]) -> np.ndarray:
    """The same image balanced before its channels are clipped and rounded."""
    rendering = render(RenderRequest(task.object, albedo_srgb8, task.light, task.seed, SIZE_PX))
    plain1 = rendering.shade[..., None] * srgb8_to_linear1(np.array(albedo_srgb8))
    plain1 = plain1 + rendering.highlight[..., None]
    linear1 = to_illuminant(plain1, TINTED_LIGHTS[task.light].illuminant)
    side = SIZE_PX // CORNER_PARTS
    neutral1 = linear1[:side, :side].reshape(-1, 3).mean(axis=0)
    adapted = np.clip(linear1 @ adaptation(neutral1).T, 0.0, 1.0)
    return np.rint(255.0 * linear1_to_srgb1(adapted)).astype(np.uint8)


def table(counts: Counts) -> Iterator[str]:
    """A line for each light, kind, way and rule: hits and false accepts of both systems, and names
    of the other system, with the number of images."""
    yield f"{'light, material, way, rule':<44}{'images':>7}" + "".join(
        f"{head:>20}" for head in ("l2 hits", "css hits", "l2 false", "css false", "other names")
    )
    for row in dict.fromkeys(part[:4] for part in counts):
        cells = [[(row, s, TRUE)] for s in SET_SYSTEMS] + [[(row, s, NEAR)] for s in SET_SYSTEMS]
        cells.append([(row, s, OTHER) for s in SET_SYSTEMS])
        images = sum(counts[Part(*row, s, TRUE)][1] for s in SET_SYSTEMS)
        texts = []
        for cell in cells:
            both = [counts[Part(*r, system, relation)] for r, system, relation in cell]
            percent, low, high = rate_percent(*(sum(column) for column in zip(*both, strict=True)))
            texts.append(f"{percent:.1f} ({low:.1f}-{high:.1f})")
        yield f"{', '.join(row):<44}{images:>7}" + "".join(f"{text:>20}" for text in texts)


def main(name: str, rules: tuple[str, ...]) -> None:
    """Prints the table of a set."""
    objects, seed = SETS[name]
    counts: Counts = {}
    for label, lights in LIGHTS.items():
        for kind in KINDS:
            for light in lights:
                for task in tasks(objects, seed, kind, light, rules):
                    count(task, label, kind, counts)
    print(*table(counts), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1], tuple(sys.argv[2:]) or MAIN_RULES)
