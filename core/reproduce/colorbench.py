"""The recipes of ColorBench (arXiv:2504.10514): Tables 1 to 4, 8 and 9, Figures 4 and 5."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean

from truehue.core.analysis.intervals import Interval
from truehue.core.published import Column, PublishedRow, PublishedTable, bibtex, table
from truehue.core.reproduce.attribution import Gap
from truehue.core.reproduce.colorbench_evaluations import (
    PAPER,
    PROTOCOLS,
    VARIATIONS,
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
from truehue.core.vlm.differences import rights_of
from truehue.core.vlm.evaluation.log import EvaluationLog
from truehue.core.vlm.model_comparison import (
    MICRO,
    MIN_MODELS,
    ROBUST,
    Effect,
    ModelComparison,
    compare_models,
    correlations,
    gray_effects,
    mean_interval,
    of_task,
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
        cells = {}
        for column in published.columns:
            ends = found.interval if found and column.name == "Spearman" else None
            cells[column.name] = ReproducedCell(
                values[column.name],
                low=ends[0] if ends else None,
                high=ends[1] if ends else None,
                n=found.n if found else None,
                published=row.values[column.name],
                unit=column.unit,
            )
        rows.append(ReproducedRow(row.keys, cells))
    notes = ["Sizes are those of assets/vlm/model_sizes.csv; n counts our models of known size."]
    known = sum(size is not None for size in sizes.values())
    if known < MIN_MODELS:
        notes.append(
            f"A correlation needs {MIN_MODELS} answered models of known size or more; there "
            f"{'is' if known == 1 else 'are'} {known}."
        )
    notes.append("Its interval is over models, by Fisher's z (Bonett and Wright 2000).")
    return _make_table(context, published, rows, notes)


def _table_3(context: ReproduceContext) -> ReproducedTable:
    published = table("colorbench-table3")
    scores = {
        model: score(logs["plain"].questions, logs["plain"].answers)
        for model, logs in logs_of(context, ("plain",)).items()
    }
    rows = []
    for row in published.rows:
        task = task_of(row.keys["measure"])
        of_group = {
            model: (tally.percent, tally.interval)
            for model, by in scores.items()
            if (tally := tally_named(by, task)) is not None
            and tally.percent is not None
            and group_of(model) == row.keys["group"]
        }
        best = max(of_group, key=lambda model: of_group[model][0], default="")
        value, ends = of_group.get(best, (None, None))
        cell = ReproducedCell(
            value,
            low=ends[0] if ends else None,
            high=ends[1] if ends else None,
            n=len(of_group),
            published=row.values["Best"],
            unit="percent",
        )
        rows.append(ReproducedRow({**row.keys, "ours": best}, {"Best": cell}))
    notes = (
        "n counts our models of the group; the interval is the best one's, as if it had been "
        "chosen before.",
    )
    return _make_table(context, published, rows, notes)


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
            value, ends = _of_effect(effect, model, "Average")
            cells[column.name] = ReproducedCell(
                value,
                low=ends[0] if ends else None,
                high=ends[1] if ends else None,
                n=len(effect.by_model) if effect and model == "Average" else None,
                published=printed.values[column.name] if printed else None,
                unit=column.unit,
            )
        keys = {"model": printed.keys["model"] if printed else "", "ours": model}
        rows.append(ReproducedRow(keys, cells))
    notes = (
        *_none_compared(context, comparison),
        "n of Average counts models. A model's interval is Newcombe's of paired shares, that of "
        "Average a bootstrap over questions.",
    )
    return _make_table(context, published, rows, notes)


def _of_effect(
    effect: Effect | None, model: str, mean: str
) -> tuple[float | None, Interval | None]:
    """The value of a model with its interval; of the row called ``mean`` that of all models."""
    if effect is None:
        return None, None
    if model == mean:
        return effect.mean, effect.mean_interval
    return effect.by_model.get(model), effect.intervals.get(model)


def _none_compared(context: ReproduceContext, comparison: ModelComparison | None) -> list[str]:
    """A note where there are evaluations of baselines alone."""
    if comparison is not None or not logs_of(context, tuple(VARIATIONS), robust=False):
        return []
    return ["Baselines are left out. Name a vision-language model with --models."]


def _table_9(context: ReproduceContext) -> ReproducedTable:
    published = table("colorbench-table9")
    logs = logs_of(context, tuple(INPUTS.values()), robust=False)
    rows = []
    for row in published.rows:
        variation = INPUTS[row.keys["input"]]
        of_group = [
            log
            for model, of_model in logs.items()
            if (log := of_model.get(variation)) is not None and group_of(model) == row.keys["group"]
        ]
        scores = [score(log.questions, log.answers) for log in of_group]
        rights = [rights_of(log.questions, log.answers) for log in of_group]
        cells = {}
        for column in published.columns:
            task = task_of(column.name)
            known = [value for by in scores if (value := percent_of(by, task)) is not None]
            ends = mean_interval([of_task(by, task) for by in rights])
            cells[column.name] = ReproducedCell(
                fmean(known) if known else None,
                low=ends[0] if ends else None,
                high=ends[1] if ends else None,
                n=len(known) or None,
                published=row.values[column.name],
                unit=column.unit,
            )
        rows.append(ReproducedRow(row.keys, cells))
    notes = (
        "Means over the models of a size; n counts them. Intervals are a bootstrap over questions.",
    )
    return _make_table(context, published, rows, notes)


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
            value, ends = _of_effect(effect, model, "")
            if effect is not None and model == "Median":
                value = effect.median
            cells[column.name] = ReproducedCell(
                None if value is None else 100.0 * value,
                100.0 * ends[0] if ends else None,
                100.0 * ends[1] if ends else None,
                unit="percent",
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
        notes=(
            *_none_compared(context, comparison),
            "The figure prints no numbers. A model's interval is Bonett and Price's of a ratio of "
            "paired shares; the median of models has none.",
        ),
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
    is_model = any(log.model.kind != "baseline" for log in logs)
    return compare_models(logs) if is_model else None


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
        f"answers count as incorrect. Intervals are 95%, those of accuracies Wilson's.{part}{partly}"
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
