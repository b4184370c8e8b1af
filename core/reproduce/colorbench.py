"""The recipes of ColorBench (arXiv:2504.10514): Tables 1 to 4, 8 and 9, Figures 4 and 5."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean

from truehue.core.published import Column, PublishedRow, PublishedTable, bibtex, table
from truehue.core.reproduce.attribution import Gap
from truehue.core.reproduce.colorbench_evaluations import (
    PAPER,
    PROTOCOLS,
    group_of,
    logs_of,
    needs,
    printed_name,
    steps,
    task_of,
)
from truehue.core.reproduce.colorbench_gap import attribution
from truehue.core.reproduce.recipe import Kind, Recipe, ReproduceContext
from truehue.core.reproduce.table import ReproducedCell, ReproducedRow, ReproducedTable, make_table
from truehue.core.vlm.evaluation.log import EvaluationLog
from truehue.core.vlm.model_comparison import (
    MICRO,
    ROBUST,
    ModelComparison,
    compare_models,
    correlations,
    gray_effects,
    percent_of,
    reasoning_effects,
    tally_named,
)
from truehue.core.vlm.model_sizes import ModelSize, published_sizes, size_of
from truehue.core.vlm.presentation import RELEASED
from truehue.core.vlm.published_scores import task_columns
from truehue.core.vlm.scoring import score

INPUTS = {"Text-only": "black", "Gray+Text": "gray", "RGB+Text": "plain"}
_TABLE_4 = {"Gemini-2-flash": "Gemini-2"}


def score_cells(
    log: EvaluationLog | None, printed: PublishedRow | None, columns: Sequence[Column]
) -> dict[str, ReproducedCell]:
    """Accuracies beside the printed ones."""
    scores = score(log.questions, log.answers) if log else None
    cells = {}
    for column in columns:
        published = printed.values.get(column.name) if printed else None
        tally = tally_named(scores, task_of(column.name)) if scores else None
        if tally is None or tally.percent is None:
            cells[column.name] = ReproducedCell(published=published, unit=column.unit)
            continue
        low, high = tally.interval or (None, None)
        cells[column.name] = ReproducedCell(
            tally.percent, low, high, tally.total, tally.unanswered, published, column.unit
        )
    return cells


def _scores_table(
    number: str, variation: str, robust: bool, context: ReproduceContext
) -> ReproducedTable:
    """Tables 1 and 8: a row a model."""
    published = table(f"colorbench-table{number}")
    rows = []
    for model, logs in logs_of(context, (variation,), robust).items():
        name = printed_name(model) + (" (CoT)" if variation == "reasoned" else "")
        printed = next((row for row in published.rows if row.keys["model"] == name), None)
        keys = dict(printed.keys) if printed else dict.fromkeys(published.keys, "")
        cells = score_cells(logs[variation], printed, published.columns)
        rows.append(ReproducedRow({**keys, "ours": model.partition("@")[0]}, cells))
    return _make_table(context, published, rows)


def _table_2(context: ReproduceContext) -> ReproducedTable:
    published = table("colorbench-table2")
    percents, sizes = _percents(context)
    ours = {(row.size_of, row.task): row for row in correlations(percents, sizes)}
    rows = []
    for row in published.rows:
        found = ours.get((row.keys["size_of"], task_of(row.keys["task"])))
        values = {
            "Spearman": found.rho if found else None,
            "p ≤ 0.05": None if not found or found.p is None else float(found.p <= 0.05),
        }
        cells = {
            column.name: ReproducedCell(
                values[column.name],
                n=found.n if found else None,
                published=row.values[column.name],
                unit=column.unit,
            )
            for column in published.columns
        }
        rows.append(ReproducedRow(row.keys, cells))
    return _make_table(
        context, published, rows, ("Sizes are those of assets/vlm/model_sizes.csv.",)
    )


def _table_3(context: ReproduceContext) -> ReproducedTable:
    published = table("colorbench-table3")
    percents, _ = _percents(context)
    rows = []
    for row in published.rows:
        task = task_of(row.keys["measure"])
        of_group = {
            model: percent
            for model, values in percents.items()
            if (percent := values.get(task)) is not None and group_of(model) == row.keys["group"]
        }
        best = max(of_group, key=lambda model: of_group[model], default="")
        cell = ReproducedCell(
            of_group.get(best), n=len(of_group), published=row.values["Best"], unit="percent"
        )
        rows.append(ReproducedRow({**row.keys, "ours": best}, {"Best": cell}))
    return _make_table(context, published, rows, ("n counts our models of the group.",))


def _table_4(context: ReproduceContext) -> ReproducedTable:
    published = table("colorbench-table4")
    comparison = _comparison(context, ("plain", "reasoned"))
    effects = {e.task: e for e in reasoning_effects(comparison)} if comparison else {}
    models = [model.name for model in comparison.models] if comparison else []
    rows = []
    for model in [*models, "Average"]:
        name = printed_name(model) or model
        printed = next(
            (row for row in published.rows if row.keys["model"] == _TABLE_4.get(name, name)), None
        )
        cells = {}
        for column in published.columns:
            effect = effects.get(task_of(column.name))
            value = (
                None
                if effect is None
                else effect.mean
                if model == "Average"
                else effect.by_model.get(model)
            )
            cells[column.name] = ReproducedCell(
                value,
                n=len(effect.by_model) if effect and model == "Average" else None,
                published=printed.values[column.name] if printed else None,
                unit=column.unit,
            )
        keys = {"model": printed.keys["model"] if printed else "", "ours": model}
        rows.append(ReproducedRow(keys, cells))
    return _make_table(context, published, rows, ("n of Average counts models.",))


def _table_9(context: ReproduceContext) -> ReproducedTable:
    published = table("colorbench-table9")
    logs = logs_of(context, tuple(INPUTS.values()), robust=False)
    rows = []
    for row in published.rows:
        variation = INPUTS[row.keys["input"]]
        of_group = [
            score(log.questions, log.answers)
            for model, of_model in logs.items()
            if (log := of_model.get(variation)) is not None and group_of(model) == row.keys["group"]
        ]
        cells = {}
        for column in published.columns:
            values = [percent_of(scores, task_of(column.name)) for scores in of_group]
            known = [value for value in values if value is not None]
            cells[column.name] = ReproducedCell(
                fmean(known) if known else None,
                n=len(known) or None,
                published=row.values[column.name],
                unit=column.unit,
            )
        rows.append(ReproducedRow(row.keys, cells))
    return _make_table(
        context, published, rows, ("Means over the models of a size; n counts them.",)
    )


def _figure_4(context: ReproduceContext) -> ReproducedTable:
    printed = {row.keys["model"]: row for row in table("colorbench-table1").rows}
    published = table("colorbench-table1")
    columns = tuple(published.column(name) for name in ("Overall", "C'Robust"))
    families = {size.model: size.family for size in published_sizes()}
    rows = []
    for model, logs in logs_of(context, ("plain",)).items():
        name = printed_name(model)
        keys = {"family": families.get(name, ""), "model": name, "ours": model.partition("@")[0]}
        rows.append(ReproducedRow(keys, score_cells(logs["plain"], printed.get(name), columns)))
    rows.sort(key=lambda row: (row.keys["family"], _language_b(row.keys["ours"])))
    return ReproducedTable(
        "Figure 4: Performance by size within a family",
        published.source,
        ("family", "model"),
        columns,
        context.protocol or PROTOCOLS[0],
        tuple(rows),
        citations=bibtex([published.id]),
        notes=("The figure prints no numbers; those beside ours are of Table 1.",),
    )


def _figure_5(context: ReproduceContext) -> ReproducedTable:
    published = table("colorbench-table1")
    comparison = _comparison(context, ("plain", "gray"), robust=False)
    effects = {e.task: e for e in gray_effects(comparison)} if comparison else {}
    columns = tuple(column for column in published.columns if column.name != "C'Robust")
    rows = []
    for model in [*([m.name for m in comparison.models] if comparison else []), "Median"]:
        cells = {}
        for column in columns:
            effect = effects.get(task_of(column.name))
            value = (
                None
                if effect is None
                else effect.median
                if model == "Median"
                else effect.by_model.get(model)
            )
            cells[column.name] = ReproducedCell(
                None if value is None else 100.0 * value, unit="percent"
            )
        rows.append(ReproducedRow({"model": printed_name(model), "ours": model}, cells))
    return ReproducedTable(
        "Figure 5: Change of accuracy in grayscale, (color − gray) / color",
        published.source.replace(published.number, "Figure 5"),
        ("model",),
        columns,
        context.protocol or PROTOCOLS[0],
        tuple(rows),
        citations=bibtex([published.id]),
        notes=("The figure prints no numbers.",),
    )


def _percents(
    context: ReproduceContext,
) -> tuple[dict[str, dict[str, float | None]], dict[str, ModelSize | None]]:
    """In color without reasoning, by model and task; and the models' sizes."""
    percents: dict[str, dict[str, float | None]] = {}
    names = [*task_columns().values(), MICRO, ROBUST]
    for model, logs in logs_of(context, ("plain",)).items():
        scores = score(logs["plain"].questions, logs["plain"].answers)
        percents[model] = {name: percent_of(scores, name) for name in names}
    return percents, {model: size_of([model.partition("@")[0]]) for model in percents}


def _comparison(
    context: ReproduceContext, variations: Sequence[str], robust: bool = True
) -> ModelComparison | None:
    logs = [
        log
        for of_model in logs_of(context, variations, robust).values()
        for log in of_model.values()
    ]
    return compare_models(logs) if logs else None


def _language_b(model: str) -> float:
    size = size_of([model])
    return (size.language_b or 0.0) if size else 0.0


def _methods(context: ReproduceContext, variations: Sequence[str], robust: bool) -> str:
    """What was asked and how it was counted; empty before there is an answer."""
    logs = {
        (printed_name(model) or Path(model.partition("@")[0]).name, variation): log
        for model, by_variation in logs_of(context, variations, robust).items()
        for variation, log in by_variation.items()
        if log.answers
    }
    if not logs:
        return ""
    names = ", ".join(dict.fromkeys(model for model, _ in logs))
    partly = "".join(
        f" Of {model} ({variation}) {len(log.answers):,} of {len(log.questions):,} answers are there."
        for (model, variation), log in logs.items()
        if len(log.answers) < len(log.questions)
    )
    protocol = context.protocol or PROTOCOLS[0]
    how = (
        "prompts, pixels, JPEG codec, token limits and parser are those of ColorBench's released "
        "code at 3079d46"
        if protocol == RELEASED
        else "the prompt is that of the paper's Appendix F, images are lossless, and TrueHue's "
        "parser reads the answers"
    )
    part = "" if context.limit is None else f" At most {context.limit} questions of each task."
    return (
        f"{names} answered the multiple-choice questions of ColorBench (protocol {protocol}: {how}); "
        "the likeliest token was taken. Overall is the micro average over perception and reasoning, "
        "C'Robust the share of seeds that are right with all their variants. Unreadable and missing "
        f"answers count as incorrect. Intervals are Wilson's 95%.{part}{partly}"
    )


def _make_table(
    context: ReproduceContext,
    published: PublishedTable,
    rows: Sequence[ReproducedRow],
    notes: Sequence[str] = (),
) -> ReproducedTable:
    return make_table(
        published,
        context.protocol or PROTOCOLS[0],
        rows,
        citations=bibtex([published.id]),
        notes=[*notes, *published.notes],
    )


def _recipe(
    number: str,
    title: str,
    made: Callable[[ReproduceContext], ReproducedTable],
    variations: Sequence[str],
    robust: bool = True,
    kind: Kind = "table",
    reason: Callable[[ReproduceContext], tuple[Gap, ...]] = lambda context: (),
) -> Recipe:
    return Recipe(
        PAPER,
        number,
        title,
        PROTOCOLS,
        partial(needs, variations=variations, robust=robust),
        partial(steps, variations=variations, robust=robust),
        lambda context: replace(made(context), methods=_methods(context, variations, robust)),
        reason,
        kind,
    )


RECIPES: tuple[Recipe, ...] = (
    _recipe(
        "1",
        "ColorBench, Table 1: models on all tasks",
        partial(_scores_table, "1", "plain", True),
        ("plain",),
        reason=partial(attribution, "1", "plain", True),
    ),
    _recipe("2", "ColorBench, Table 2: rank correlation with size", _table_2, ("plain",)),
    _recipe("3", "ColorBench, Table 3: the best model of each size", _table_3, ("plain",)),
    _recipe("4", "ColorBench, Table 4: what reasoning adds", _table_4, ("plain", "reasoned")),
    _recipe(
        "8",
        "ColorBench, Table 8: models that reason",
        partial(_scores_table, "8", "reasoned", False),
        ("reasoned",),
        robust=False,
        reason=partial(attribution, "8", "reasoned", False),
    ),
    _recipe(
        "9",
        "ColorBench, Table 9: text only, gray and color",
        _table_9,
        tuple(INPUTS.values()),
        robust=False,
    ),
    _recipe("4", "ColorBench, Figure 4: size in a family", _figure_4, ("plain",), kind="figure"),
    _recipe(
        "5",
        "ColorBench, Figure 5: accuracy without color",
        _figure_5,
        ("plain", "gray"),
        robust=False,
        kind="figure",
    ),
)
