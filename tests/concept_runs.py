"""Small runs of concepts by the renderer as a model that follows modifiers, or ignores or overdoes
them, and files of people's colors made from the renderer's own table of moves."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.core.runs.samples import done
from tests.filled import copied
from truehue.core.color.spaces import hex_of, srgb8_to_lab
from truehue.core.color.uw71 import COUNT, assign
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.renderer.failures import modify_color
from truehue.core.generation.renderer.usual import concept_colors
from truehue.core.prompts.concepts import Concept, build_concepts, concepts
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import make_plan, run_id
from truehue.core.runs.records import GenerationPlan

FRUITS = ("banana", "strawberry", "lemon")
WORDS = ("", "unripe", "rotten")
SIZE_PX = 64


def fruits(
    resources: Sequence[str] = FRUITS, modifiers: Sequence[str] = WORDS
) -> tuple[Concept, ...]:
    """These things of ColorConceptBench, with these modifiers."""
    return tuple(
        concept
        for concept in concepts()
        if concept.concept in resources and concept.modifier in modifiers
    )


def prompts(chosen: Sequence[Concept], styles: Sequence[str] = ("photo",)) -> tuple[Prompt, ...]:
    """The prompts of those concepts."""
    ids = {f"{concept.id}-{style}" for concept in chosen for style in styles}
    return tuple(prompt for prompt in build_concepts() if prompt.id in ids)


def concept_run(
    root: Path,
    failure: str = "none",
    chosen: Sequence[Concept] = (),
    styles: Sequence[str] = ("photo",),
    guidances: Sequence[float] = (),
    seeds: int = 2,
) -> RunFolder:
    """A finished run of the renderer below ``root``, called by its failure: drawn once, and
    copied."""
    plan = make_plan(
        prompts(chosen or fruits(), styles),
        RENDERER,
        name=f"renderer, {failure}",
        set_name="concepts",
        drawing=GenerationPlan(
            images=seeds, guidances=guidances, size_px=SIZE_PX, options={"failure": failure}
        ),
    )

    def draw(index: Path) -> None:
        state = done(RunFolder.create(index.parent, plan))
        assert state.status == "finished"
        assert state.failed == 0

    name = run_id(plan)
    return RunFolder(copied(("concepts", name), root / name, draw))


def palette(concept: Concept) -> list[tuple[str, float]]:
    """The colors that the renderer's table has for a concept, with their weights."""
    return [
        (hex_of(modify_color(concept_color.srgb8, concept.modifier).color), concept_color.weight)
        for concept_color in concept_colors(concept.concept)
    ]


def palettes_csv(chosen: Sequence[Concept] = ()) -> bytes:
    """A file of palettes as an import reads it: one row a color."""
    rows = [["concept", "modifier", "contributor", "hex", "weight"]]
    rows += [
        [item.concept, item.modifier, "p01", color, f"{weight:.6f}"]
        for item in chosen or fruits()
        for color, weight in palette(item)
    ]
    return _csv(rows)


def ratings_csv(chosen: Sequence[Concept] = ()) -> bytes:
    """Ratings from 0 to 1 of all 71 colors: one row a concept, columns by index, no common sum."""
    rows: list[list[object]] = [["", *range(COUNT)]]
    for item in chosen or fruits():
        colors = palette(item)
        lab = srgb8_to_lab(np.array([_rgb(color) for color, _ in colors], dtype=np.uint8))
        weights = assign(lab, np.array([weight for _, weight in colors]))
        # Nobody rates a color with exactly 0.
        rows.append([item.words, *(f"{0.002 + 0.9 * value:.4f}" for value in weights)])
    return _csv(rows)


def _rgb(text: str) -> tuple[int, int, int]:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def _csv(rows: Sequence[Sequence[object]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()
