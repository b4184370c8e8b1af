"""ColorConceptBench's recipe: the table of given distributions, and why it is not the printed one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from truehue.core.color.uw71 import COUNT
from truehue.core.concepts.records import EXTRACTED, ConceptCell
from truehue.core.prompts.concepts import build_concepts, concepts
from truehue.core.published import value
from truehue.core.reproduce.recipe import Recipe, ReproduceContext, find
from truehue.core.reproduce.recipes import RECIPES
from truehue.core.runs.plan import run_id
from truehue.core.runs.records import RunPlan

BASES = [concept for concept in concepts() if not concept.modifier][:4]
PLAN = RunPlan(
    "sd3", "concepts", build_concepts()[:2], "sd3-medium", images=5, steps=28, protocol="colorconceptbench"
)  # fmt: skip
COLORS = np.eye(COUNT)


@pytest.fixture
def recipe() -> Recipe:
    return find(RECIPES, "colorconceptbench", "table", "1")


@pytest.fixture
def context(tmp_path: Path) -> ReproduceContext:
    """A run whose colors are those of ``others``, and half of those of the chosen people."""
    weights = {entry.id: COLORS[index] for index, entry in enumerate(BASES)}
    mixed = {entry.id: (COLORS[index] + COLORS[40]) / 2 for index, entry in enumerate(BASES)}
    cells = [
        ConceptCell(run_id(PLAN), concept_id, "photo", None, EXTRACTED, 5, 0, own)
        for concept_id, own in weights.items()
    ]
    return ReproduceContext(
        tmp_path,
        ("sd3-medium",),
        plans=lambda step: [PLAN],
        people=lambda: ("designers", mixed),
        other_people=lambda: {"others": weights},
        cells=lambda runs: [cell for cell in cells if cell.run_id in runs],
    )


def test_the_row_stands_beside_the_printed_one(recipe: Recipe, context: ReproduceContext) -> None:
    table = recipe.table(context)
    (row,) = table.rows
    name = "Stable Diffusion 3 (2B)"
    assert dict(row.keys) == {"model": name, "ours": "sd3-medium"}
    cell = row.cells["Original Natural PCC"]
    printed = value("colorconceptbench-table1", "Original Natural PCC", model=name)
    assert (cell.n, cell.published) == (4, printed)
    assert row.cells["Original Clipart PCC"].value is None
    assert "designers, 4 concepts" in table.methods
    empty = recipe.table(replace(context, people=lambda: ("", {})))
    assert all(cell.value is None for cell in empty.rows[0].cells.values())
    assert "no people's colors" in empty.notes[0]


def test_other_people_are_switched_and_settings_need_a_run(
    recipe: Recipe, context: ReproduceContext
) -> None:
    gaps = {gap.column: gap for gap in recipe.attribution(context)}
    assert set(gaps) == {"Original Natural PCC", "Original Natural EMD", "Original Natural ED"}
    gap = gaps["Original Natural PCC"]
    named = {entry.name: entry for entry in gap.differences}
    points = named["People (others)"].points
    assert points is not None
    assert gap.ours + points == pytest.approx(1.0)  # the run has exactly their colors
    assert not named["People"].evaluable
    assert "--protocol colorconceptbench" in named["Settings"].command


def test_people_and_weights_are_needs(recipe: Recipe, context: ReproduceContext) -> None:
    kinds = {need.kind: need for need in recipe.needs(context)}
    assert kinds["people"].available
    assert kinds["disk"].available
    lacking = recipe.needs(replace(context, people=lambda: ("", {})))
    assert [need.available for need in lacking if need.kind == "people"] == [False]
