"""The recipes of ColorConceptBench: Tables 1 and 2, color distributions of models against people's."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from truehue.core.concepts.metrics import METRICS, TABLE_1, TABLE_2, of_table
from truehue.core.concepts.tables import Alignment, TableChoice, alignment
from truehue.core.generation.registry import DRAWABLE, name_of
from truehue.core.generation.registry import model as registered
from truehue.core.published import Column, PublishedRow, PublishedTable, bibtex, counterpart, table
from truehue.core.reproduce.attribution import Gap, row_gaps
from truehue.core.reproduce.concepts_gap import (
    PROTOCOL,
    STYLES,
    ConceptChoice,
    alignment_numbers,
    choice_switches,
    run_switches,
)
from truehue.core.reproduce.needs import Need, model_need, run_needs
from truehue.core.reproduce.recipe import (
    Recipe,
    ReproduceContext,
    Step,
    generator_of,
    imported_runs,
    listed_id,
    trial_of,
)
from truehue.core.reproduce.stored import partly_text, run_notes
from truehue.core.reproduce.table import ReproducedCell, ReproducedRow, ReproducedTable, make_table
from truehue.core.runs.plan import plan_json, run_id
from truehue.core.runs.protocols import protocol as preset
from truehue.core.runs.protocols import protocol_text

PAPER = "colorconceptbench"
TABLES = {
    "1": ("colorconceptbench-table1", TABLE_1),
    "2": ("colorconceptbench-table2", TABLE_2),
}
"""By number: the published table, and the table of ours with the same metrics."""


def _models(context: ReproduceContext) -> tuple[str, ...]:
    printed = [row.keys["model"] for row in table(TABLES["1"][0]).rows]
    named = context.models or [ids[0] for name in printed if (ids := counterpart(PAPER, name).ids)]
    return tuple(dict.fromkeys(generator_of(context, name) for name in named))


def _steps(context: ReproduceContext) -> tuple[Step, ...]:
    steps = []
    for model_id in _models(context):
        if registered(model_id).kind not in (*DRAWABLE, "served"):
            continue
        command = ["runs", "start", "--protocol", PROTOCOL, "--model", model_id]
        command += ["--set", context.set or preset(PROTOCOL).set]
        command += [] if context.limit is None else ["--limit", str(context.limit)]
        command += ["--workers", str(context.workers)] if context.workers else []
        command += context.options
        steps.append(Step(f"Images and colors of {name_of(model_id)}", tuple(command)))
    return tuple(steps)


def _needs(context: ReproduceContext) -> tuple[Need, ...]:
    steps = _steps(context)
    plans = [plan for step in steps for plan in context.plans(step)]
    start = f"truehue runs start --protocol {PROTOCOL} --images-from FOLDER --model"
    imported = [
        replace(
            model_need(model_id, context.sources),
            available=bool(run),
            command=f"{start} {model_id}",
        )
        for model_id, run in _imported(context).items()
    ]
    needs = run_needs(
        plans,
        context.run_roots,
        context.sources,
        context.workers or 1,
        trial_of(steps),
        context.run_images,
        context.servers,
    )
    return (*needs, *imported, _people_need(context))


def _imported(context: ReproduceContext) -> dict[str, str]:
    return imported_runs(context, PROTOCOL, _models(context), preset(PROTOCOL).set)


def _people_need(context: ReproduceContext) -> Need:
    name, people = context.people()
    if people:
        return Need("people", name, True, f"distributions of {len(people):,} concepts")
    detail = (
        "The paper's 6,369 colorings are not public. Run a study of colorings, or import "
        "distributions in Compare, People and files."
    )
    return Need("people", "people's colors", False, detail, "truehue serve")


def _made(number: str) -> Recipe:
    table_id, ours = TABLES[number]

    def table_of(context: ReproduceContext) -> ReproducedTable:
        return _table(context, table_id, ours)

    title = f"ColorConceptBench, Table {number}"

    def gaps_of(context: ReproduceContext) -> tuple[Gap, ...]:
        return _gaps(context, table_id, ours)

    return Recipe(PAPER, number, title, (PROTOCOL,), _needs, _steps, table_of, gaps_of)


def _table(context: ReproduceContext, table_id: str, ours: str) -> ReproducedTable:
    published = table(table_id)
    plans = [plan for step in _steps(context) for plan in context.plans(step)]
    name, people = context.people()
    runs = [(plan.model, run_id(plan)) for plan in plans]
    runs += [item for item in _imported(context).items() if item[1]]
    cells = context.cells([run for _, run in runs]) if people else ()
    made = alignment(cells, people, TableChoice(metrics=of_table(ours))) if cells else None
    by_model = _printed(published)
    rows = []
    for model_id, run in runs:
        printed = by_model.get(listed_id(model_id))
        keys = {"model": printed.keys["model"] if printed else "", "ours": model_id}
        values: Mapping[str, float | None] = printed.values if printed else {}
        row_cells = {
            column.name: _cell(made, run, column, values.get(column.name))
            for column in published.columns
        }
        rows.append(ReproducedRow(keys, row_cells))
    notes = list(published.notes)
    if not people:
        notes.insert(0, "There are no people's colors here, so nothing could be compared.")
    return make_table(
        published,
        PROTOCOL,
        rows,
        methods=_methods(context, {cell.run_id for cell in cells}, name, len(people)),
        citations=bibtex([table_id]),
        notes=[
            *notes,
            *(run_notes(context, runs) if context.storage else ()),
            *preset(PROTOCOL).unmet,
        ],
    )


def _gaps(context: ReproduceContext, table_id: str, ours: str) -> tuple[Gap, ...]:
    """The gaps of base concepts in the natural style, each difference switched alone."""
    published, (name, people) = table(table_id), context.people()
    columns = [
        column
        for column in published.columns
        if (column.parts["concept"], column.parts["style"]) == ("base", "natural")
    ]
    others = {
        other: (lambda weights=weights: weights)
        for other, weights in context.other_people().items()
    }
    gaps: list[Gap] = []
    for plan in (plan for step in _steps(context) for plan in context.plans(step)):
        run, printed = run_id(plan), _printed(published).get(listed_id(plan.model))
        cells = context.cells([run]) if people else ()
        if not cells or printed is None:
            continue
        numbers, choice = alignment_numbers(run, columns, ours), ConceptChoice(cells, people)
        switches = [
            *choice_switches(numbers, choice, name, others),
            *run_switches(plan_json(plan), plan.model, plan.set_name),
        ]
        keys = {**printed.keys, "ours": plan.model}
        gaps += row_gaps(keys, numbers(choice), printed, columns, lambda by: by.name, switches)
    return tuple(gaps)


def _printed(published: PublishedTable) -> dict[str, PublishedRow]:
    """The printed rows by our ids of their models."""
    return {
        model_id: row
        for row in published.rows
        for model_id in counterpart(PAPER, row.keys["model"]).ids
    }


def _cell(
    made: Alignment | None, run: str, column: Column, printed: float | None
) -> ReproducedCell:
    parts = column.parts
    metric = next(by for by in METRICS.values() if by.name == parts["metric"])
    if made is None:
        return ReproducedCell(published=printed, unit=column.unit)
    number = made.number(run, parts["concept"], STYLES[parts["style"]], metric.id)
    return ReproducedCell(
        number.value,
        number.low,
        number.high,
        number.count if number.value is not None else None,
        sum(number.left_out.values()),
        printed,
        column.unit,
    )


def _methods(
    context: ReproduceContext, compared: Collection[str], people: str, concepts: int
) -> str:
    """Of the runs that are ``compared`` with people; empty before there is one."""
    plans = [plan for step in _steps(context) for plan in context.plans(step)]
    plans = [plan for plan in plans if run_id(plan) in compared]
    if not plans:
        return ""
    plan = plans[0]
    names = ", ".join(name_of(entry.model) for entry in plans)
    scales = ", ".join(f"{scale:g}" for scale in plan.guidances) or "the model's own"
    return (
        f"{names} generated {plan.seeds} images for each of {len(plan.prompts):,} prompts of the set "
        f"{plan.set_name} at guidance {scales} ({protocol_text(plan_json(plan)) or PROTOCOL})."
        f"{partly_text(context, plans)} "
        "The colors of each object were extracted as in ColorConceptBench, C.3, over the 71 colors "
        "of UW-71, all scales of a "
        f"concept together, and compared with those of people ({people}, {concepts:,} concepts). A "
        "number is the mean over concepts; n counts them, unscored those without a distribution of "
        "the model or of people; intervals are 95% over concepts."
    )


RECIPES = (_made("1"), _made("2"))
