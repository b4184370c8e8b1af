"""The recipes of GenColorBench (arXiv:2510.20586): Table 4, models on the five tasks, and Table 11,
by category of object."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from truehue.core.analysis.groups import OVERALL, CategoryCell, category_cells
from truehue.core.analysis.leaderboard import (
    AVERAGE,
    AVERAGED,
    SYSTEM_NAMES,
    LeaderboardEntry,
    Rate,
    leaderboard,
    part_note,
)
from truehue.core.analysis.records import (
    TABLE_SYSTEMS,
    Count,
    PromptTally,
    RunRecord,
    Slice,
    choice_for,
    default_for,
    note_for,
)
from truehue.core.generation.registry import DRAWABLE, name_of
from truehue.core.generation.registry import model as registered
from truehue.core.published import PublishedRow, PublishedTable, bibtex, counterpart, table
from truehue.core.reproduce.attribution import Gap
from truehue.core.reproduce.leaderboard_gap import CategoryNumbers, Counting, RunNumbers, run_gaps
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
from truehue.core.reproduce.stored import (
    partly_text,
    plans_with_images,
    run_notes,
    stored_runs,
)
from truehue.core.reproduce.table import ReproducedCell, ReproducedRow, ReproducedTable, make_table
from truehue.core.runs.plan import plan_json, run_id
from truehue.core.runs.protocols import protocol as preset
from truehue.core.runs.protocols import protocol_text
from truehue.core.runs.summary import seeds_text

if TYPE_CHECKING:
    from truehue.core.runs.records import RunPlan

PAPER = "gencolorbench"
TABLE_4, TABLE_11 = "gencolorbench-table4", "gencolorbench-table11"
PROTOCOLS = ("gencolorbench-paper", "gencolorbench-released")


def models_of(context: ReproduceContext, published: PublishedTable) -> tuple[str, ...]:
    """The ids to run: those that were chosen, else our counterpart of each published model."""
    named = context.models or [
        ids[0] for row in published.rows if (ids := counterpart(PAPER, row.keys["model"]).ids)
    ]
    return tuple(dict.fromkeys(generator_of(context, name) for name in named))


def published_row(published: PublishedTable, model_id: str, **keys: str) -> PublishedRow | None:
    """The printed row of the model that one of ours stands for, None where the paper has none."""
    for row in published.find(**keys):
        if listed_id(model_id) in counterpart(PAPER, row.keys["model"]).ids:
            return row
    return None


def run_steps(context: ReproduceContext, published: PublishedTable) -> tuple[Step, ...]:
    """A run for each model that can generate here."""
    protocol = context.protocol or PROTOCOLS[0]
    steps = []
    for model_id in models_of(context, published):
        if registered(model_id).kind not in (*DRAWABLE, "served"):
            continue
        command = ["runs", "start", "--protocol", protocol, "--set", context.set or PAPER]
        command += ["--model", model_id]
        command += [] if context.limit is None else ["--limit", str(context.limit)]
        command += ["--workers", str(context.workers)] if context.workers else []
        command += context.options
        steps.append(Step(f"Images and verdicts of {name_of(model_id)}", tuple(command)))
    return tuple(steps)


def needs(context: ReproduceContext, published: PublishedTable) -> tuple[Need, ...]:
    """Weights, hours and disk of the runs, and the images of models that do not generate here."""
    steps = run_steps(context, published)
    plans = [plan for step in steps for plan in context.plans(step)]
    start = (
        f"truehue runs start --protocol {context.protocol or PROTOCOLS[0]} "
        f"--set {shlex.quote(context.set or PAPER)} --images-from FOLDER --model"
    )
    imported = [
        replace(
            model_need(model_id, context.sources),
            available=bool(run),
            command=f"{start} {model_id}",
        )
        for model_id, run in imported_runs(
            context, PROTOCOLS[0], models_of(context, published), PAPER
        ).items()
    ]
    return (
        *run_needs(
            plans,
            context.run_roots,
            context.sources,
            context.workers or 1,
            trial_of(steps),
            context.run_images,
            context.servers,
        ),
        *imported,
    )


def rows_of(context: ReproduceContext, published: PublishedTable) -> list[tuple[str, str]]:
    """The model and the run of each row: what the steps start, and what was imported."""
    plans = [plan for step in run_steps(context, published) for plan in context.plans(step)]
    made = [(plan.model, run_id(plan)) for plan in plans]
    return made + [
        item
        for item in imported_runs(
            context, PROTOCOLS[0], models_of(context, published), PAPER
        ).items()
        if item[1]
    ]


def _table_4(context: ReproduceContext) -> ReproducedTable:
    published = table(TABLE_4)
    protocol = context.protocol or PROTOCOLS[0]
    rule_id = preset(protocol).rule
    plans = [plan for step in run_steps(context, published) for plan in context.plans(step)]
    made = rows_of(context, published)
    entries = entries_of(context, [run for _, run in made], rule_id)
    rows = []
    for model_id, run in made:
        printed = published_row(published, model_id)
        keys = dict(printed.keys) if printed else dict.fromkeys(published.keys, "")
        keys["ours"] = model_id
        rows.append(ReproducedRow(keys, _cells(published, printed, entries.get(run))))
    return make_table(
        published,
        protocol,
        rows,
        methods=methods(context, plans, protocol, rule_id),
        citations=bibtex([TABLE_4]),
        notes=[
            note
            for note in (
                *run_notes(context, made),
                *_outside_notes(context, made, rule_id),
                note_for(rule_id),
                *published.notes,
                *preset(protocol).unmet,
            )
            if note
        ],
    )


def _outside_notes(
    context: ReproduceContext, made: Sequence[tuple[str, str]], rule_id: str
) -> list[str]:
    """Of each run how many images are in no cell, for their color system is in no published table."""
    notes = []
    for model_id, run in made:
        counts: dict[str, int] = {}
        for tally in tallies_of(context, [run], rule_id):
            if tally.system and tally.system not in TABLE_SYSTEMS:
                name = SYSTEM_NAMES.get(tally.system, tally.system)
                counts[name] = counts.get(name, 0) + tally.images * tally.prompts
        parts = [
            f"{count:,} image{'s' if count > 1 else ''} of {name}" for name, count in counts.items()
        ]
        if parts:
            notes.append(
                f"{model_id}: {', '.join(parts)} not in this table, which averages L2, L3 and CSS."
            )
    return notes


def tallies_of(
    context: ReproduceContext, runs: Sequence[str], rule_id: str, unscored: str = ""
) -> Sequence[PromptTally]:
    """The counts of those of the runs that are stored."""
    stored = stored_runs(context)
    ids = tuple(run for run in dict.fromkeys(runs) if run in stored)
    if context.storage is None or not ids:
        return ()
    tallies: Sequence[PromptTally] = context.storage.results.leaderboard(
        rule_id, ids, None, choice_for(rule_id, unscored)
    )
    return tallies


def entries_of(
    context: ReproduceContext, runs: Sequence[str], rule_id: str, unscored: str = ""
) -> Mapping[str, LeaderboardEntry]:
    """The rows of the leaderboard of those runs that are stored, by run id."""
    tallies = tallies_of(context, runs, rule_id, unscored)
    return leaderboard(tallies, AVERAGED, choice_for(rule_id, unscored))


def _cells(
    published: PublishedTable, printed: PublishedRow | None, entry: LeaderboardEntry | None
) -> dict[str, ReproducedCell]:
    cells = {}
    for column in published.columns:
        rate: Rate | None = None
        note = "" if entry is None else "no images of this task"
        if entry is not None and column.ours == AVERAGE:
            rate, note = entry.average, _average_note(entry)
        elif entry is not None and (cell := entry.cells.get(column.ours)) is not None:
            rate, note = cell.rate, part_note(cell)
        made = rate_cell(rate, printed.values[column.name] if printed else None, column.unit)
        cells[column.name] = replace(made, note=note)
    return cells


def _average_note(entry: LeaderboardEntry) -> str:
    """Why a run has no average; empty for one that has."""
    if not entry.missing:
        return ""
    parts = [
        f"{task.upper()} {'in part' if task in entry.cells else 'missing'}"
        for task in entry.missing
    ]
    return f"no average: {', '.join(parts)}"


def rate_cell(rate: Rate | None, published: float | None, unit: str) -> ReproducedCell:
    """An accuracy of ours beside a printed one."""
    if rate is None or rate.percent is None:
        return ReproducedCell(published=published, unit=unit)
    return ReproducedCell(
        rate.percent, rate.low, rate.high, rate.scored, rate.unscored, published, unit
    )


def methods(
    context: ReproduceContext, plans: Sequence[RunPlan], protocol: str, rule_id: str
) -> str:
    """A paragraph for a paper: what was generated, found and counted. Empty before there is a run."""
    plans = plans_with_images(context, plans)
    if not plans:
        return ""
    plan = plans[0]
    names = ", ".join(name_of(entry.model) for entry in plans)
    masks = plan.masker
    objects = (
        f"{masks.detector} and {masks.segmenter} by the variant {masks.variant}"
        + (f", presence by {masks.presence}" if masks.presence else "")
        if masks.kind == "grounded"
        else f"the masker {masks.kind}"
    )
    seeds = seeds_text(plan_json(plan))
    version = dict(plan.rules).get(rule_id, "")
    unscored = {
        "left-out": "Images without a score are left out.",
        "not-found": "Images whose object was not found count as incorrect.",
        "wrong": "Every image without a score counts as incorrect.",
    }[default_for(rule_id)]
    return (
        f"{names} generated {plan.seeds} image{'s' if plan.seeds > 1 else ''} for each of "
        f"{len(plan.prompts):,} prompts of the set {plan.set_name} ({seeds}; "
        f"{protocol_text(plan_json(plan)) or protocol}).{partly_text(context, plans)} "
        f"Objects were found by {objects}. "
        f"Verdicts are by the rule {rule_id} {version} with k = {plan.k}. {unscored} A task's "
        "accuracy is the mean of those on ISCC-NBS level 2, level 3 and CSS; intervals are 95% over "
        "prompts."
    )


def _table_11(context: ReproduceContext) -> ReproducedTable:
    published = table(TABLE_11)
    protocol = context.protocol or PROTOCOLS[0]
    rule_id = preset(protocol).rule
    plans = [plan for step in run_steps(context, published) for plan in context.plans(step)]
    runs = rows_of(context, published)
    stored = stored_runs(context)
    ids = tuple(run for run in dict.fromkeys(run for _, run in runs) if run in stored)
    counts: Sequence[Count] = ()
    if context.storage is not None and ids:
        selection = Slice(rule_id, ids, task="cna", unscored=choice_for(rule_id))
        counts = context.storage.results.groups(selection, ("run", "system", "category"), True)
    cells = {
        (cell.run, cell.system, cell.category): cell for cell in category_cells(counts, ids)[1]
    }
    rows = []
    for model_id, run in runs:
        for color_type in dict.fromkeys(row.keys["color_type"] for row in published.rows):
            printed = published_row(published, model_id, color_type=color_type)
            keys = dict(printed.keys) if printed else {"model": "", "color_type": color_type}
            made = {
                column.name: _category_cell(
                    cells.get((run, color_type, column.ours)),
                    printed.values[column.name] if printed else None,
                )
                for column in published.columns
            }
            rows.append(ReproducedRow({**keys, "ours": model_id}, made))
    note = "Intervals are 95% over images, as in the category figure of Explore."
    return make_table(
        published,
        protocol,
        rows,
        methods=methods(context, plans, protocol, rule_id),
        citations=bibtex([TABLE_11]),
        notes=[
            text
            for text in (*run_notes(context, runs), note_for(rule_id), note, *published.notes)
            if text
        ],
    )


def _gaps_4(context: ReproduceContext) -> tuple[Gap, ...]:
    """The gaps of the average of each model, or of its tasks where it has none."""
    published, gaps = table(TABLE_4), list[Gap]()
    for model_id, run in _stored_runs(context, published):
        printed = published_row(published, model_id)
        own = _gaps_of(context, run, published, printed)
        average = [gap for gap in own if published.column(gap.column).ours == AVERAGE]
        gaps += average or own
    return tuple(gaps)


def _gaps_11(context: ReproduceContext) -> tuple[Gap, ...]:
    """The gaps of each category over all color systems, or in each system where it has no such
    number."""
    published, gaps = table(TABLE_11), list[Gap]()
    types = tuple(dict.fromkeys(row.keys["color_type"] for row in published.rows))
    for model_id, run in _stored_runs(context, published):
        by_type = {}
        for color_type in types:
            printed = published_row(published, model_id, color_type=color_type)
            numbers = CategoryNumbers(context.storage.results, color_type)
            by_type[color_type] = _gaps_of(context, run, published, printed, numbers)
        gaps += by_type[OVERALL] or [gap for own in by_type.values() for gap in own]
    return tuple(gaps)


def _stored_runs(
    context: ReproduceContext, published: PublishedTable
) -> list[tuple[str, RunRecord]]:
    """The model and the run of each row that is stored."""
    if context.storage is None:
        return []
    stored = {run.run_id: run for run in context.storage.runs.all() if run.items}
    rows = rows_of(context, published)
    return [(model_id, stored[run]) for model_id, run in rows if run in stored]


def _gaps_of(
    context: ReproduceContext,
    run: RunRecord,
    published: PublishedTable,
    printed: PublishedRow | None,
    numbers: RunNumbers | None = None,
) -> tuple[Gap, ...]:
    if printed is None:
        return ()
    counting = Counting(preset(context.protocol or PROTOCOLS[0]).rule)
    others = [other for other in context.storage.runs.all() if other.items]
    results = context.storage.results
    return run_gaps(results, run, others, counting, printed, published.columns, numbers)


def _category_cell(cell: CategoryCell | None, printed: float | None) -> ReproducedCell:
    if cell is None:
        return ReproducedCell(published=printed, unit="percent", note="no images of this category")
    if cell.percent is None:
        note = "all unscored" if cell.rate and cell.rate.unscored else "no images of this category"
        note = "not every color system has a number" if cell.system == OVERALL else note
        return ReproducedCell(published=printed, unit="percent", note=note)
    low, high = cell.interval or (None, None)
    unscored = cell.rate.unscored if cell.rate else None
    return ReproducedCell(cell.percent, low, high, cell.scored, unscored, printed, "percent")


RECIPES = (
    Recipe(
        PAPER,
        "4",
        "GenColorBench, Table 4",
        PROTOCOLS,
        lambda context: needs(context, table(TABLE_4)),
        lambda context: run_steps(context, table(TABLE_4)),
        _table_4,
        _gaps_4,
    ),
    Recipe(
        PAPER,
        "11",
        "GenColorBench, Table 11",
        PROTOCOLS,
        lambda context: needs(context, table(TABLE_11)),
        lambda context: run_steps(context, table(TABLE_11)),
        _table_11,
        _gaps_11,
    ),
)
