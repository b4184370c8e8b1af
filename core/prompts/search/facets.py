"""The facets of prompts: by which of their properties they can be narrowed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.core.color.difference import HUE_GATE_CHROMA, delta_e00
from truehue.core.color.systems import SYSTEMS, ColorTarget
from truehue.core.color.systems import system as color_system
from truehue.core.prompts.prompt import LEVELS, TASKS, Prompt
from truehue.core.prompts.search.columns import Column, ValueList, several, single

OBJECT_COUNTS = ("no object", "one object", "several objects")
NO_COLOR = -1
_SHORT_SYSTEM = {"css": "CSS", "l1": "L1", "l2": "L2", "l3": "L3"}


@dataclass(frozen=True, eq=False)
class Targets:
    """The objects and colors of all prompts, each object and color once.

    ``object_rows``/``object_codes`` and ``color_rows``/``color_codes`` are pairs of prompt and
    value; ``first_object`` and ``first_color`` int32 ``(N,)`` are those of the first target that
    has one, or -1.
    """

    objects: list[str]
    colors: list[ColorTarget]
    object_rows: list[int]
    object_codes: list[int]
    color_rows: list[int]
    color_codes: list[int]
    category_rows: list[int]
    category_codes: list[int]
    categories: list[str]
    first_object: np.ndarray
    first_color: np.ndarray


def targets_of(prompts: Sequence[Prompt]) -> Targets:
    """Collects what all prompts ask for, in one pass."""
    objects: dict[str, int] = {}
    categories: dict[str, int] = {}
    values: dict[str, int] = {}
    colors: list[ColorTarget] = []
    # A set shares its color records, so that most are known by identity before they are compared.
    seen: dict[int, int] = {}
    object_rows: list[int] = []
    object_codes: list[int] = []
    color_rows: list[int] = []
    color_codes: list[int] = []
    category_rows: list[int] = []
    category_codes: list[int] = []
    first_object = np.full(len(prompts), -1, dtype=np.int32)
    first_color = np.full(len(prompts), NO_COLOR, dtype=np.int32)
    for row, prompt in enumerate(prompts):
        if prompt.category:
            category_rows.append(row)
            category_codes.append(categories.setdefault(prompt.category, len(categories)))
        for target in prompt.targets:
            code = objects.setdefault(target.name, len(objects))
            object_rows.append(row)
            object_codes.append(code)
            if first_object[row] < 0:
                first_object[row] = code
            if target.category and target.category != prompt.category:
                category_rows.append(row)
                category_codes.append(categories.setdefault(target.category, len(categories)))
            color = target.color
            if color is None:
                continue
            color_code = seen.get(id(color))
            if color_code is None:
                color_code = seen[id(color)] = values.setdefault(color.value, len(values))
                if color_code == len(colors):
                    colors.append(color)
            color_rows.append(row)
            color_codes.append(color_code)
            if first_color[row] < 0:
                first_color[row] = color_code
    return Targets(
        list(objects),
        colors,
        object_rows,
        object_codes,
        color_rows,
        color_codes,
        category_rows,
        category_codes,
        list(categories),
        first_object,
        first_color,
    )


def columns_of(prompts: Sequence[Prompt], targets: Targets) -> dict[str, Column]:
    """The columns of all facets that do not change, by their name."""
    size = len(prompts)

    def of(
        name: str, title: str, fixed: Sequence[str] = (), titles: Mapping[str, str] | None = None
    ) -> Column:
        return single(name, title, [getattr(prompt, name) for prompt in prompts], fixed, titles)

    counts = [OBJECT_COUNTS[min(len(prompt.targets), 2)] for prompt in prompts]
    color, hue = _color_columns(size, targets)
    columns = [
        single("set", "Set", [prompt.source for prompt in prompts]),
        of("task", "Task", list(TASKS), TASKS),
        single("objects", "Number of objects", counts, OBJECT_COUNTS),
        of("system", "Color system", list(SYSTEMS), SYSTEMS),
        color,
        hue,
        several(
            "category",
            "Category",
            size,
            targets.category_rows,
            targets.category_codes,
            ValueList(targets.categories),
        ),
        several(
            "object",
            "Object",
            size,
            targets.object_rows,
            targets.object_codes,
            ValueList(targets.objects),
        ),
        of("level", "Level of difficulty", sorted(set(LEVELS.values()))),
        of("notation", "Notation"),
        of("template", "Template", sorted({prompt.template for prompt in prompts}, key=_natural)),
        of("concept", "Concept"),
        of("modifier_kind", "Kind of modifier"),
        of("modifier", "Modifier"),
        of("style", "Style"),
    ]
    return {column.name: column for column in columns}


def hue_ranks(colors: Sequence[ColorTarget]) -> np.ndarray:
    """int32 ``(len(colors),)``: dense ranks around the color circle by CIELAB hue, the darker
    first; after them the grays (C*ab below 5, whose hue says nothing) by L*."""
    lab = _lab(colors)
    gray = np.hypot(lab[:, 1], lab[:, 2]) < HUE_GATE_CHROMA
    hue_deg = np.degrees(np.arctan2(lab[:, 2], lab[:, 1])) % 360.0
    keys = np.stack([gray, np.where(gray, 0.0, hue_deg), lab[:, 0]], axis=1)
    return dense_ranks(keys)


def lightness_ranks(colors: Sequence[ColorTarget]) -> np.ndarray:
    """int32 ``(len(colors),)``: dense ranks by L*, the darkest first."""
    return dense_ranks(_lab(colors)[:, :1])


def dense_ranks(keys: np.ndarray) -> np.ndarray:
    """int32 ``(N,)`` ranks of the rows of ``(N, K)`` keys, equal rows alike."""
    if len(keys) == 0:
        return np.zeros(0, dtype=np.int32)
    _, ranks = np.unique(keys, axis=0, return_inverse=True)
    return ranks.reshape(-1).astype(np.int32)


def _lab(colors: Sequence[ColorTarget]) -> np.ndarray:
    return np.array([color.lab for color in colors], dtype=np.float64).reshape(-1, 3)


def _color_columns(size: int, targets: Targets) -> tuple[Column, Column]:
    """The colors themselves, and the nearest of the 13 names of ISCC-NBS level 1 of each."""
    colors = targets.colors
    labels = [color.label for color in colors]
    shared = {label for label, times in Counter(labels).items() if times > 1}
    labels = [
        f"{label} ({_SHORT_SYSTEM[color.system]})" if label in shared and color.system else label
        for label, color in zip(labels, colors, strict=True)
    ]
    column = several(
        "color",
        "Color",
        size,
        targets.color_rows,
        targets.color_codes,
        ValueList([color.value for color in colors], labels, [color.hex for color in colors]),
    )
    families = color_system("l1")
    nearest = np.zeros(len(colors), dtype=np.int64)
    lab = _lab(colors)
    for start in range(0, len(colors), 4096):
        part = slice(start, start + 4096)
        nearest[part] = delta_e00(families.lab, lab[part, None, :]).argmin(axis=1)
    hue = several(
        "hue",
        "Hue",
        size,
        targets.color_rows,
        nearest[np.asarray(targets.color_codes, dtype=np.int64)],
        ValueList(
            [family.name for family in families.colors],
            hexes=[family.hex for family in families.colors],
        ),
    )
    ranks = hue_ranks(colors)
    # Colors of equal coordinates have one rank: the order of listing then tells them apart.
    column.hue_order = np.argsort(np.lexsort((column.label_ranks, ranks)))
    hue.order = np.arange(len(families.colors), dtype=np.int32)
    return column, hue


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """``D.1.10`` after ``D.1.9``."""
    return tuple(
        (0, int(part), "")
        if part.isdecimal() and part.isascii() and len(part) < 10
        else (1, 0, part)
        for part in re.split(r"([0-9]+)", text)
        if part
    )
