"""The records of a reproduction: writers, needs, recipes, and what a switched difference moves."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.empty_data import empty_data
from tests.storage.run_samples import sample_plan, sample_run
from truehue.core.errors import BadInput
from truehue.core.generation.registry import RENDERER
from truehue.core.published import table
from truehue.core.reproduce.attribution import Gap, Switch, gap_lines, switched_alone
from truehue.core.reproduce.fidelity_sets import shared_option
from truehue.core.reproduce.needs import lacking, model_need, run_needs
from truehue.core.reproduce.recipe import ReproduceContext, Step, find, located_steps
from truehue.core.reproduce.recipes import RECIPES
from truehue.core.reproduce.stored import run_notes
from truehue.core.reproduce.table import (
    FORMATS,
    ReproducedCell,
    ReproducedRow,
    ReproducedTable,
    as_csv,
    as_latex,
    as_text,
    make_table,
)
from truehue.storage import Storage

if TYPE_CHECKING:
    from truehue.core.runs.records import RunPlan

CNA = "Color Name Accuracy"


@pytest.fixture
def made() -> ReproducedTable:
    published = table("gencolorbench-table4")
    row = published.row(model="Sana")
    cell = ReproducedCell(48.2, 46.1, 50.24, 1200, 12, row.values[CNA], "percent")
    cells = {CNA: ReproducedCell(31.0), "Avg.": ReproducedCell(note="no average: COA in part")}
    other = ReproducedRow({"model": "", "ours": "=my_model"}, cells)
    rows = [ReproducedRow({**row.keys, "ours": "sana-1.6b"}, {CNA: cell}), other]
    return make_table(
        published, "gencolorbench-paper", rows, methods="We drew & counted.", notes=("Half of λ.",)
    )


@pytest.fixture
def gap() -> Gap:
    return switched_alone(
        {"model": "Sana", "ours": "sana-1.6b"},
        CNA,
        48.2,
        49.85,
        [
            Switch("Images a prompt", "one more", "1", "4", None, "truehue runs start --images 4"),
            Switch("Rule", "released", "paper", "released", lambda: 49.2),
            Switch("Not found", "incorrect", "left out", "incorrect", lambda: 45.2),
        ],
    )


def test_text_says_ours_with_interval_and_count_beside_the_printed(made: ReproducedTable) -> None:
    text = as_text(made)
    assert "Sana · 1024 · DM · sana-1.6b" in text
    assert "ours 48.20 (46.10–50.24, n 1,200, unscored 12), printed 49.85, difference -1.65" in text
    assert "ours 31.00, printed –" in text
    assert "ours –, printed –" in text  # a task that was not run is no zero
    assert "ours – (no average: COA in part), printed –" in text
    assert "Methods\nWe drew & counted." in text


def test_csv_has_every_cell_unrounded_and_no_formula(made: ReproducedTable, gap: Gap) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(made, [gap]))))
    cells = [row for row in rows if row["kind"] == "cell"]
    assert len(cells) == 2 * 6
    first = cells[0]
    assert (first["model"], first["ours"], first["column"]) == ("Sana", "sana-1.6b", CNA)
    assert (first["value"], first["high"], first["published"]) == ("48.2", "50.24", "49.85")
    assert not cells[6]["ours"].startswith("=")
    assert [row["points"] for row in rows if row["kind"] == "difference"] == ["-3.0", "1.0", ""]


def test_latex_has_booktabs_and_escapes(made: ReproducedTable, gap: Gap) -> None:
    text = as_latex(made, [gap])
    assert text.count(r"\\") == 1 + 2 + 1 + 1  # the heading, two rows of ours, one printed, its n
    assert r"\textit{n (unscored)} &  &  &  & \textit{1,200 (12)}" in text
    assert r"\textit{not printed}" in text
    assert "Half of $\\lambda$.\\par" in text
    assert "Avg.: no average: COA in part." in text
    assert r"48.20 {\scriptsize [46.10, 50.24]}" in text
    assert r"\textit{49.85}" in text
    assert r"my\_model" in text
    assert all(line.startswith("%") for line in text.splitlines() if "needs a run" in line)


def test_every_format_writes_an_empty_table(made: ReproducedTable) -> None:
    empty = make_table(table("gencolorbench-table4"), "gencolorbench-paper", [])
    for write in FORMATS.values():
        assert write(empty, [])


def test_a_difference_is_switched_alone(gap: Gap) -> None:
    assert [(entry.name, entry.evaluable) for entry in gap.differences] == [
        ("Not found", True),
        ("Rule", True),
        ("Images a prompt", False),
    ]
    assert [entry.points for entry in gap.differences] == pytest.approx([-3.0, 1.0, None])
    assert gap.points == pytest.approx(1.65)
    text = "\n".join(gap_lines([gap]))
    assert "They do not add up" in text
    assert "needs a run" in text
    assert "truehue runs start --images 4" in text
    assert "Runs of these commands are compared here" in text
    assert "passes the printed number" not in text
    far = switched_alone(gap.keys, CNA, 48.2, 49.85, [Switch("Rule", "r", "", "", lambda: 60.0)])
    assert "+11.8  Rule: r It passes the printed number." in "\n".join(gap_lines([far]))


def test_needs_name_what_gets_them(tmp_path: Path) -> None:
    from truehue.core.generation.weights.sources import Sources

    sources = Sources(tmp_path, None)
    need = model_need("sd3-medium", sources)
    assert (need.kind, need.available) == ("weights", False)
    assert need.command == "truehue models download sd3-medium"
    folder = model_need("omnigen2", sources)
    assert folder.kind == "data"
    assert "--images-from" in folder.command
    assert lacking([need, model_need("reference-renderer", sources)]) == [need]


def test_recipes_are_found_by_paper_and_number() -> None:
    assert find(RECIPES, "gencolorbench", "table", "4").number == "4"
    with pytest.raises(BadInput, match="gencolorbench"):
        find(RECIPES, "genbench", "table", "4")
    with pytest.raises(BadInput, match="--table 4"):
        find(RECIPES, "gencolorbench", "figure", "4")
    keys = [(recipe.paper, recipe.kind, recipe.number) for recipe in RECIPES]
    assert len(set(keys)) == len(keys)


def test_steps_are_commands_of_ours(tmp_path: Path) -> None:
    from truehue.tabs.command.main import COMMANDS, command_of

    context = ReproduceContext(tmp_path, limit=8)
    for recipe in RECIPES:
        for step in recipe.steps(context):
            assert step.command[0] in COMMANDS
            command_of(step.command[0]).parser().parse_args(step.command[1:])
    assert Step("", ("runs", "start", "--set", "a b")).text == "truehue runs start --set 'a b'"


def test_a_protocol_of_another_paper_is_refused(tmp_path: Path) -> None:
    recipe = find(RECIPES, "gencolorbench", "table", "4")
    assert recipe.protocol(ReproduceContext(tmp_path)) == recipe.protocols[0]
    with pytest.raises(BadInput, match="gencolorbench-released"):
        recipe.protocol(ReproduceContext(tmp_path, protocol="cfd"))


def context_of(data: Path, plans: list[RunPlan], **more: Any) -> ReproduceContext:
    """What recipes may look at, of a step that starts these runs."""
    return ReproduceContext(data, plans=lambda step: plans, **more)


START = Step("Images", ("runs", "start", "--set", "mini"))


def test_an_image_that_failed_is_not_stored(tmp_path: Path) -> None:
    data, plan = empty_data(tmp_path / "data"), sample_plan(RENDERER, 12, 3)
    folder = sample_run(data / "runs", plan)
    with Storage.open(data) as storage:
        storage.runs.ingest(folder)
        context = context_of(data, [plan], storage=storage)
        failed = context.run_images(folder.run_id).failed
        assert failed
        needs = run_needs([plan], context.run_roots, context.sources, 1, "", context.run_images)
        assert needs[0].detail == f"{36 - failed} of 36 images are stored, {failed} failed"
        assert needs[0].command.startswith(f"truehue runs retry {folder.run_id} --shared")
        assert lacking(needs) == [needs[0]]
        (step,) = located_steps([START], context)
        assert (step.done, step.note) == (True, f"{failed} of its images failed.")
        (note,) = run_notes(context, [(RENDERER, folder.run_id)])
        assert f"{36 - failed} of 36 images so far, {failed} failed" in note


def test_the_runs_of_a_step_are_made_in_the_shared_folder(tmp_path: Path) -> None:
    plans = [sample_plan(model, 2, 1) for model in ("model-a", "model-b")]
    shared = tmp_path / "shared"
    for some in (plans, plans[:1]):
        context = context_of(tmp_path, some, shared=(shared,), new_in_shared=True)
        (step,) = located_steps([START], context)
        assert step.command == (*START.command, "--shared", str(shared))


def test_a_run_is_measured_in_the_folder_that_its_step_names(tmp_path: Path) -> None:
    plan = sample_plan("model-a", 2, 1)
    own = tmp_path / "own"
    for words in (("--shared", str(own)), (f"--shared={own}",)):
        step = Step("Images", (*START.command, *words))
        context = context_of(tmp_path, [plan], shared=(own,))
        assert shared_option(context, step, plan) == ("--shared", str(own))
        assert located_steps([step], context) == (step,)
    assert shared_option(context, START, plan) == ()
    # A finished run is read where it lies: it is not made again.
    sample_run(tmp_path / "runs", plan)
    assert shared_option(context, step, plan) == ()
