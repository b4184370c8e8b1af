"""The recipes of "Too Vivid to Be Real?": Tables 1 to 5, Figure 1, the saturation sweep, and
Figures 4 and 9.

Its photographs, captions and ratings are not public, so every recipe takes data of one's own below
``fidelity/`` of the data folder. What is there and what is missing is said before anything runs.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from truehue.core.analysis.intervals import wilson
from truehue.core.published import Column, bibtex, paper
from truehue.core.reproduce.fidelity_data import (
    PAPER,
    PAPER_ID,
    PRESET,
    cfm_need,
    file_of,
    own_options,
    registration_of,
    table_id,
)
from truehue.core.reproduce.fidelity_groups import group_recipe
from truehue.core.reproduce.fidelity_models import figure_recipe
from truehue.core.reproduce.fidelity_sets import set_recipe
from truehue.core.reproduce.needs import Need
from truehue.core.reproduce.recipe import Recipe, ReproduceContext, Step
from truehue.core.reproduce.table import ReproducedCell, ReproducedRow, ReproducedTable


def _table_of_photographs(context: ReproduceContext) -> Path:
    return Path(context.set) if context.set else file_of(context, "photographs.csv")


def _sweep_steps(context: ReproduceContext) -> tuple[Step, ...]:
    photographs, captions = file_of(context, "photographs"), _table_of_photographs(context)
    if not photographs.is_dir():
        return ()
    command = ["fidelity", "sweep", str(photographs), "--all", *own_options(context)]
    command += ["--out", str(file_of(context, "reproduce") / "sweep")]
    if captions.is_file():
        command += ["--captions", str(captions)]
        command += ["--registered"] if registration_of(context) is not None else []
    return (Step("Photographs at other saturations", (*command, *context.options)),)


def _sweep_needs(context: ReproduceContext) -> tuple[Need, ...]:
    photographs, captions = file_of(context, "photographs"), _table_of_photographs(context)
    return (
        Need("data", "photographs", photographs.is_dir(), f"a folder {photographs}"),
        Need(
            "data",
            "captions of photographs",
            captions.is_file(),
            f"file and caption at {captions}, for CFM, CLIPScore and others that read prompts",
        ),
        cfm_need(context),
    )


_SWEEP_COLUMNS = tuple(
    Column(name, meaning, unit, better, "", MappingProxyType({}))
    for name, meaning, unit, better in (
        ("best scale", "the saturation with the best mean", "times", "nearest to 1"),
        ("best at 1", "photographs that are best as they are", "percent", "higher"),
    )
)


def _sweep_table(context: ReproduceContext) -> ReproducedTable:
    folder = file_of(context, "reproduce") / "sweep"
    path = folder / "sweep.csv"
    by_metric: dict[str, list[Mapping[str, str]]] = {}
    if path.is_file():
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                by_metric.setdefault(row["metric"], []).append(row)
    rows = []
    for name, lines in by_metric.items():
        count, unscored = int(lines[0]["photographs"]), int(lines[0]["unscored"])
        best = next(float(line["scale"]) for line in lines if line["best"] == "1")
        at_1 = next(int(line["best_of"]) for line in lines if float(line["scale"]) == 1)
        numbers = (best, None, None), (100 * at_1 / count, *wilson(at_1 / count, count))
        cells = {
            column.name: ReproducedCell(*ends, count, unscored, None, column.unit)
            for column, ends in zip(_SWEEP_COLUMNS, numbers, strict=True)
        }
        rows.append(ReproducedRow({"metric": name}, cells))
    notes = [
        "The figure prints no numbers. By it, CFM is best at 1 and the other metrics above it."
    ]
    if rows:
        notes.append(f"The curves are drawn in {folder / 'sweep.svg'}.")
    return ReproducedTable(
        "Figure 1, A.2: what saturation each metric prefers",
        f"{paper(PAPER_ID).title}, Figure 1",
        ("metric",),
        _SWEEP_COLUMNS,
        "photographs of one's own",
        tuple(rows),
        _sweep_methods(by_metric),
        bibtex([table_id("3")]),
        tuple(notes),
    )


def _sweep_methods(by_metric: Mapping[str, list[Mapping[str, str]]]) -> str:
    """Of the sweep that is stored; empty before there is one."""
    scales = sorted({float(line["scale"]) for lines in by_metric.values() for line in lines})
    if not scales:
        return ""
    count = max(int(lines[0]["photographs"]) for lines in by_metric.values())
    return (
        f"The HSV saturation of {count:,} photographs was set to {scales[0]:g} to {scales[-1]:g} times "
        "their own, and each image scored. Color space and scales are ours; the paper names none. "
        "Intervals are Wilson's 95%, over photographs."
    )


RECIPES = (
    group_recipe("1"),
    group_recipe("2"),
    set_recipe("3"),
    group_recipe("4"),
    set_recipe("5"),
    Recipe(
        PAPER,
        "1",
        "Too Vivid to Be Real?, Figure 1",
        (PRESET,),
        _sweep_needs,
        _sweep_steps,
        _sweep_table,
        kind="figure",
    ),
    figure_recipe("4"),
    figure_recipe("9"),
)
