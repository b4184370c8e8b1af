"""ColorBench's recipes from a set and a tiny model to the printed table and its attribution."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

from tests.core.vlm.conftest import one_thread, tiny_vision
from tests.core.vlm.questions_made import save_set
from tests.workers_here import workers_here
from truehue.core.cli.vlm import main as vlm
from truehue.core.reproduce.colorbench import RECIPES
from truehue.core.reproduce.colorbench_evaluations import PAPER, needs, printed_name
from truehue.core.reproduce.recipe import Recipe, ReproduceContext, find
from truehue.core.reproduce.table import as_csv, as_text
from truehue.core.vlm.generators import Difficulty, GeneratedSettings, generated
from truehue.core.vlm.question_set import write_set

pytestmark = pytest.mark.weights

__all__ = ["one_thread", "tiny_vision", "workers_here"]


@pytest.fixture
def context(
    tmp_path: Path, tiny_vision: Callable[[str], Path], workers_here: None
) -> ReproduceContext:
    """A tiny model under the name of a printed one, and a set of six questions."""
    model = copytree(tiny_vision("qwen2_5_vl"), tmp_path / "Qwen2.5-VL-3B-Instruct")
    settings = GeneratedSettings({"color_counting": 3, "color_extraction": 3}, Difficulty.EASY)
    chosen = write_set(tmp_path / "set", generated(settings), "Generated", {}).folder
    return ReproduceContext(
        tmp_path / "data",
        (str(model),),
        protocol="truehue",
        set=str(chosen),
        options=("--max-tokens", "4", "--device", "cpu"),
    )


def run(recipe: Recipe, context: ReproduceContext) -> None:
    for step in recipe.steps(context):
        assert step.command[0] == "vlm"
        assert vlm([*step.command[1:]]) == 0, step.text


def test_table_1_is_made_with_its_attribution(context: ReproduceContext) -> None:
    recipe = find(RECIPES, PAPER, "table", "1")
    (step,) = recipe.steps(context)
    assert "--protocol truehue" in step.text
    assert [need.available for need in recipe.needs(context)] == [True, True, None]
    run(recipe, context)
    assert recipe.needs(context)[-1].available
    table = recipe.table(context)
    (row,) = table.rows
    assert row.keys["model"] == "Qwen2.5-VL-3B"
    assert row.cells["Overall"].published == 41.1
    assert (row.cells["Overall"].n, row.cells["C'Count"].n) == (6, 3)
    assert row.cells["C'Recog"].value is None
    (gap,) = recipe.attribution(context)
    named = {entry.name: entry for entry in gap.differences}
    assert named["parser"].evaluable
    assert not named["image codec"].evaluable
    words = named["image codec"].command.split()
    assert words[:3] == ["truehue", "vlm", "run"]
    # The command switches the codec alone, and the gap has its share then.
    assert vlm(words[2:]) == 0
    (gap,) = recipe.attribution(context)
    assert {e.name for e in gap.differences if e.evaluable} == {"parser", "image codec"}
    text = as_text(table, [gap])
    assert "Why not the paper's number? Qwen2.5-VL-3B" in text
    assert "@misc{colorbench" in text
    lines = list(csv.DictReader(io.StringIO(as_csv(table, [gap]))))
    assert {line["kind"] for line in lines} == {"cell", "difference"}


@pytest.mark.parametrize(
    ("kind", "number", "count"),
    [
        ("table", "2", 36),
        ("table", "3", 14),
        ("table", "4", 2),
        ("table", "8", 1),
        ("table", "9", 15),
        ("figure", "4", 1),
        ("figure", "5", 2),
    ],
)
def test_every_other_table_is_made(
    kind: str, number: str, count: int, context: ReproduceContext
) -> None:
    recipe = find(RECIPES, PAPER, kind, number)  # type: ignore[arg-type]
    assert recipe.steps(context)
    run(recipe, context)
    assert all(step.done for step in recipe.steps(context))
    table = recipe.table(context)
    assert len(table.rows) == count
    assert "answered the multiple-choice questions" in table.methods
    assert "protocol truehue" in as_text(table)
    cells = [cell for row in table.rows for cell in row.cells.values()]
    if number in ("3", "8", "9") or (kind, number) == ("figure", "4"):
        assert all(cell.low is not None for cell in cells if cell.value is not None)
    if (kind, number) == ("table", "2"):
        assert (
            "A correlation needs 4 answered models of known size or more; there is 1."
            in table.notes
        )
        assert "  p ≤ 0.05  ours –, printed yes" in as_text(table)
    # A change in gray is a share of what is right in color, of which a tiny model may have nothing.
    if (kind, number) == ("figure", "4") or number in ("3", "8", "9"):
        values = [cell.value for row in table.rows for cell in row.cells.values()]
        assert any(value is not None for value in values)


@pytest.mark.parametrize(("kind", "number"), [("table", "4"), ("figure", "5")])
def test_a_baseline_alone_has_no_row_of_models(
    kind: str, number: str, context: ReproduceContext
) -> None:
    alone = replace(context, models=("chance",), options=())
    recipe = find(RECIPES, PAPER, kind, number)  # type: ignore[arg-type]
    run(recipe, alone)
    made = recipe.table(alone)
    assert "Baselines are left out. Name a vision-language model with --models." in made.notes
    assert all(cell.value is None for row in made.rows for cell in row.cells.values())


def test_what_is_missing_has_its_command(tmp_path: Path) -> None:
    bare = ReproduceContext(tmp_path, ("qwen2.5-vl-7b", "gpt-4o@http://127.0.0.1:1/v1"))
    assert find(RECIPES, PAPER, "table", "1").steps(bare) == ()
    data, weights, served, _, _ = needs(bare, ("plain",))
    assert "hf download umd-zhou-lab/ColorBench --repo-type dataset" in data.command
    assert not weights.available
    assert weights.command.startswith("hf download Qwen/Qwen2.5-VL-7B-Instruct --exclude")
    assert served.available is None
    pixels = needs(ReproduceContext(tmp_path, ("pixels",)), ("plain",))[1]
    assert (pixels.available, pixels.command) == (True, "")
    assert find(RECIPES, PAPER, "table", "1").table(bare).methods == ""  # nobody was asked
    assert printed_name("gpt-4o@http://127.0.0.1:1/v1") == "GPT-4o"
    assert printed_name("my-own") == ""
    target = save_set(tmp_path / "set", 2)
    named = ReproduceContext(tmp_path, ("gpt-4o@http://127.0.0.1:1/v1",), set=str(target), limit=1)
    (step,) = find(RECIPES, PAPER, "table", "8").steps(named)
    assert step.command[-3:] == ("--no-variants", "--limit", "1")
    assert "--protocol colorbench-released --style reasoned" in step.text
