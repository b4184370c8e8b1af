"""GenColorBench's objects and templates, as its appendices print them.

arXiv:2510.20586, Tables 8 and 9 (objects) and Appendix D (templates). The README beside the files
lists our additions to the printed tables.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from truehue.core.color.systems import ColorTarget, parse_target
from truehue.core.errors import BadInput, TrueHueError

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "prompts"

FILES: Mapping[str, str] = MappingProxyType(
    {
        "objects": "b6fc4ba939c593d8ba2a9ea68864b8fb9a2496f60804014e97f6123b9fe30a80",
        "object_focused": "867cd37e54cda31c1b7be0362945783169e7db60584a7fcc045767f630b5a0a2",
        "contextual": "2935621a0ce21f0210111fe6f710adb75afa3913eeb4004a36e11f11d017ea7b",
        "scenes": "06ce1d8e50bbfc60b5c59534b65fa166c9cf8c489f4ae3bdc2369963b9ba21e4",
        "implicit": "aab994fd401f9eb064b9a721889ef905a8411cbf8ac93029919aa013874cec9a",
        "css_words": "b94ad0f12cec9f757b65d675a7950bacd0780bb0588c7c5df9c344c6bd60868c",
    }
)
"""The tables of ``assets/prompts/gencolorbench`` and the SHA-256 of each."""


@dataclass(frozen=True, slots=True)
class ObjectRow:
    """One row of Tables 8 and 9. ``phrase`` is what a sentence says for ``name``."""

    id: int
    dataset: str
    category: str
    name: str
    phrase: str
    negative_labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FocusedTemplate:
    """D.1: one object. ``notation`` is ``name``, ``hex`` or ``rgb``."""

    id: str
    notation: str
    text: str


@dataclass(frozen=True, slots=True)
class ContextTemplate:
    """D.2: a colored object and a second one. ``second_colors`` is what that one has anyway."""

    id: str
    object: str
    second_object: str
    second_colors: tuple[ColorTarget, ...]
    text: str


@dataclass(frozen=True, slots=True)
class SceneTemplate:
    """D.3: two or three colored objects, in the order of their slots."""

    id: str
    objects: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ImplicitTemplate:
    """D.4: a colored object and one that has to share its color."""

    id: str
    object: str
    reference_object: str
    text: str


def _rows(table: str) -> list[dict[str, str]]:
    return read_rows(f"gencolorbench/{table}.csv", FILES[table])


@cache
def objects() -> tuple[ObjectRow, ...]:
    """The 108 rows in printed order; the object ``sink`` stands twice, with other labels."""
    return tuple(
        ObjectRow(
            int(row["id"]),
            row["dataset"],
            row["category"],
            row["name"],
            row["phrase"],
            listed(row["negative_labels"]),
        )
        for row in _rows("objects")
    )


SURFACE_LABELS = frozenset(
    [
        "basin",
        "coat pattern",
        "cover",
        "dimples",
        "dust jacket",
        "fabric folds",
        "feather",
        "fleece texture",
        "floret",
        "fur",
        "fur pattern",
        "fur texture",
        "glaze",
        "panel",
        "panel seams",
        "pattern",
        "peel",
        "peel texture",
        "pores",
        "scales",
        "shell",
        "skin folds",
        "spots",
        "stripes",
        "tabletop",
        "upholstery",
        "wax coating",
        "wool",
    ]
)
"""Negative labels that name the surface whose color people mean by the object's: a cat's fur."""


def part_labels(labels: tuple[str, ...]) -> tuple[str, ...]:
    """The negative labels without those of the object's own surface (:data:`SURFACE_LABELS`)."""
    return tuple(label for label in labels if label not in SURFACE_LABELS)


@cache
def object_called(name: str) -> ObjectRow | None:
    """The first row of that name, or None where the tables have none."""
    return next((row for row in objects() if row.name == name), None)


@cache
def focused_templates(notation: str) -> tuple[FocusedTemplate, ...]:
    """The object-focused templates of a notation: 12 ``name``, 10 ``hex``, 5 ``rgb``.

    Raises BadInput for any other word.
    """
    every = (
        FocusedTemplate(row["id"], row["notation"], row["text"]) for row in _rows("object_focused")
    )
    templates = tuple(template for template in every if template.notation == notation)
    if not templates:
        raise BadInput(f'There is no notation "{notation}". It is one of name, hex, rgb.')
    return templates


@cache
def context_templates() -> tuple[ContextTemplate, ...]:
    """The 63 contextual templates."""
    return tuple(
        ContextTemplate(
            row["id"],
            row["object"],
            row["second_object"],
            tuple(parse_target(color) for color in listed(row["second_color"])),
            row["text"],
        )
        for row in _rows("contextual")
    )


@cache
def scene_templates() -> tuple[SceneTemplate, ...]:
    """The 30 scenes."""
    return tuple(
        SceneTemplate(row["id"], listed(row["objects"]), row["text"]) for row in _rows("scenes")
    )


@cache
def implicit_templates() -> tuple[ImplicitTemplate, ...]:
    """The 100 sentences of the 93 implicit items; ``D.4.2a`` and ``D.4.2b`` are of one item."""
    return tuple(
        ImplicitTemplate(row["id"], row["object"], row["reference_object"], row["text"])
        for row in _rows("implicit")
    )


@cache
def css_spellings() -> Mapping[str, str]:
    """The 148 names of CSS as they are written in a sentence: ``"light goldenrod yellow"``."""
    return MappingProxyType({row["name"]: row["words"] for row in _rows("css_words")})


def read_rows(name: str, sha256: str) -> list[dict[str, str]]:
    """The rows of ``assets/prompts/<name>``, by the words of its header line.

    A prompt's id stands for its sentence only while the tables are the very same bytes. Raises
    TrueHueError when the file is missing or its SHA-256 is another.
    """
    path = FOLDER / name
    restore = f"Restore it with: git checkout -- assets/prompts/{name}"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TrueHueError(
            f"A table of the prompts cannot be read from {path}. {restore}"
        ) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise TrueHueError(
            f"{path} was changed: its SHA-256 is another, so the ids of prompts would no longer "
            f"name the same sentences. {restore}"
        )
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"))))


def listed(cell: str) -> tuple[str, ...]:
    """The parts of a cell that holds a list: ``"stem; leaf"`` as ``("stem", "leaf")``."""
    return tuple(part for part in cell.split("; ") if part)
