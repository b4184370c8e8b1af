"""Figures 4 and 9 of "Too Vivid to Be Real?": models compared by CFM, by category of the captions, and
by other metrics. The figures print no numbers, so nothing stands beside ours."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from truehue.core.fidelity.groups import CATEGORIES, category_of
from truehue.core.generation.registry import model as entry_of
from truehue.core.generation.registry import name_of
from truehue.core.published import Column, bibtex, paper
from truehue.core.reproduce.fidelity_data import (
    PAPER,
    PAPER_ID,
    PRESET,
    own_options,
    registered_key,
    registration_of,
    table_id,
)
from truehue.core.reproduce.fidelity_sets import (
    captions_of,
    cfm_name,
    image_needs,
    number_cell,
    numbers_file,
    numbers_of,
    run_step,
    shared_option,
)
from truehue.core.reproduce.needs import Need
from truehue.core.reproduce.recipe import Recipe, ReproduceContext, Step
from truehue.core.reproduce.stored import partly_text, plans_with_images
from truehue.core.reproduce.table import ReproducedCell, ReproducedRow, ReproducedTable
from truehue.core.runs.plan import run_id
from truehue.core.scores.learned import LEARNED, Learned
from truehue.core.scores.sets import CATEGORIES as BY_CATEGORY
from truehue.core.scores.sets import CFM, SetNumber, read_set
from truehue.core.vlm.model_comparison import spearman, spearman_interval

if TYPE_CHECKING:
    from truehue.core.runs.records import RunPlan

MODELS = (
    *("sdxl-base-1.0", "sd3-medium", "sd3.5-large", "pixart-sigma", "kolors", "cogview4-6b"),
    *("hunyuan-dit-1.2", "flux.1-dev", "qwen-image", "playground-2.5", "srpo"),
)
"""The eleven of CFD-Test; the paper names no size of SD3.5."""
TITLES = {
    "4": "Figure 4: CFM of models, over all captions and by category",
    "9": "Figure 9: models ranked by several metrics",
}
_OURS = "ours"
DELTA_SAT = "delta_sat_of_mean"


def _column(name: str, meaning: str, key: str, better: str = "higher") -> Column:
    return Column(name, meaning, "", better, key, MappingProxyType({}))


COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "4": (
        _column("CFM", "mean over all images", CFM),
        *(_column(name, "mean over images of the category", CFM) for name in CATEGORIES),
    ),
    "9": (
        _column("CFM", "mean over all images", CFM),
        _column("ΔSat", "of the set's mean saturation", DELTA_SAT, "lower"),
        *(_column(measure.name, measure.formula, measure.id) for measure in LEARNED),
    ),
}


def _models(context: ReproduceContext) -> tuple[str, ...]:
    return tuple(entry_of(name).id for name in context.models) or MODELS


def _run_steps(context: ReproduceContext) -> list[tuple[str, Step]]:
    captions = captions_of(context)
    if not captions:
        return []
    return [(name, run_step(context, captions, name, "images")) for name in _models(context)]


def _steps(context: ReproduceContext, number: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    for model_id, step in _run_steps(context):
        steps.append(step)
        for plan in context.plans(step):
            command = ["fidelity", "set", "--run", run_id(plan)]
            command += ["--measure", "delta_sat"] if number == "4" else []
            command += [*own_options(context), *shared_option(context, step, plan)]
            done = _are_stored(context, step, plan, number)
            steps.append(Step(f"Numbers of {name_of(model_id)}", tuple(command), done))
    return tuple(steps)


def _are_stored(context: ReproduceContext, step: Step, plan: RunPlan, number: str) -> bool:
    """Whether every number that can be computed here is stored, over all images of a finished run."""
    images, numbers = context.run_images(run_id(plan)), numbers_of(context, step)
    keys = [DELTA_SAT]
    if (registration := registration_of(context)) is not None:
        keys.append(registered_key(registration))
        by = numbers.get(keys[-1])
        named = any(prompt.category for prompt in plan.prompts)
        if by is not None and named and BY_CATEGORY not in by.about:
            return False
    if number == "9":
        keys += [measure.id for measure in LEARNED if measure.is_local(context.sources)]
    return images.done >= plan.total and all(
        key in numbers and numbers[key].images + numbers[key].unscored == images.stored
        for key in keys
    )


def _needs(context: ReproduceContext, number: str) -> tuple[Need, ...]:
    plans = [plan for _, step in _run_steps(context) for plan in context.plans(step)]
    columns = "(id, text, category: 1,000 of each in the paper)" if number == "4" else "(id, text)"
    needs = image_needs(context, _models(context), plans, columns)
    if number == "4":
        return needs
    return needs + tuple(need for measure in LEARNED for need in _measure_needs(context, measure))


def _measure_needs(context: ReproduceContext, measure: Learned) -> list[Need]:
    """A measure's package and weights. Where it could not be loaded when runs were measured: why, and
    for each run the command that measures it."""
    needs = []
    for _, step in _run_steps(context):
        for plan in context.plans(step):
            number = read_set(numbers_file(context, plan)).get(measure.id)
            if number is not None and (reason := number.about.get("reason")):
                command = ["truehue", "fidelity", "set", "--run", run_id(plan)]
                command += ["--measure", measure.id, *own_options(context)]
                command += shared_option(context, step, plan)
                needs.append(Need("weights", measure.name, False, reason, shlex.join(command)))
    is_local = measure.is_local(context.sources)
    return needs or [Need("weights", measure.name, is_local, measure.how_to)]


def _number(
    numbers: Mapping[str, SetNumber], column: Column, context: ReproduceContext
) -> SetNumber | None:
    key = cfm_name(context, numbers) if column.ours == CFM else column.ours
    number = numbers.get(key)
    if number is None or column.name not in CATEGORIES:
        return number
    parts = number.about.get(BY_CATEGORY, {})
    part = next((part for name, part in parts.items() if category_of(name) == column.name), None)
    return None if part is None else SetNumber(**part, about={})


def _table(context: ReproduceContext, number: str) -> ReproducedTable:
    columns, rows = COLUMNS[number], []
    for model_id, step in _run_steps(context):
        numbers = numbers_of(context, step)
        cells = {
            column.name: number_cell(_number(numbers, column, context), None, column)
            for column in columns
        }
        rows.append(ReproducedRow({_OURS: model_id}, cells))
    notes = ["The figure prints no numbers."]
    if number == "4":
        notes += _other_categories(context)
    if number == "9":
        rows, order = _ranked(rows, columns), _orders(rows, columns)
        notes += order
    return ReproducedTable(
        TITLES[number],
        f"{paper(PAPER_ID).title}, Figure {number}",
        (_OURS,),
        columns,
        "one image a caption, each model's own guidance",
        tuple(rows),
        _methods(context),
        bibtex([table_id("3")]),
        tuple(notes),
    )


def _other_categories(context: ReproduceContext) -> list[str]:
    """How many prompts are of no column, where there are some."""
    for _, step in _run_steps(context):
        for plan in context.plans(step):
            named = [prompt.category for prompt in plan.prompts]
            others = Counter(name for name in named if not category_of(name))
            if others:
                names = ", ".join(filter(None, others))
                stated = f" ({names:.80})" if names else ""
                return [
                    f"{others.total():,} of {len(named):,} prompts are in none of the twelve "
                    f"categories{stated}. Their images are in the column CFM alone."
                ]
    return []


def _values(rows: Sequence[ReproducedRow], column: Column) -> dict[str, float]:
    """By model, turned so that more is better."""
    sign = 1 if column.better == "higher" else -1
    cells = {row.keys[_OURS]: row.cells[column.name].value for row in rows}
    return {name: sign * value for name, value in cells.items() if value is not None}


def _ranked(rows: Sequence[ReproducedRow], columns: Sequence[Column]) -> list[ReproducedRow]:
    """Each number with its rank among the models."""

    def cell(row: ReproducedRow, column: Column) -> ReproducedCell:
        values = _values(rows, column)
        own = values.get(row.keys[_OURS])
        if own is None:
            return row.cells[column.name]
        rank = 1 + sum(value > own for value in values.values())
        return replace(row.cells[column.name], note=f"rank {rank} of {len(values)}")

    return [
        ReproducedRow(row.keys, {column.name: cell(row, column) for column in columns})
        for row in rows
    ]


def _orders(rows: Sequence[ReproducedRow], columns: Sequence[Column]) -> list[str]:
    """How far each metric orders the models as CFM does."""
    first, *others = columns
    by_cfm, notes = _values(rows, first), []
    for column in others:
        values = _values(rows, column)
        models = [name for name in by_cfm if name in values]
        rho, _ = spearman([(by_cfm[name], values[name]) for name in models])
        if rho is not None:
            interval = spearman_interval(rho, len(models))
            text = f" ({interval[0]:.2f} to {interval[1]:.2f})" if interval else ""
            notes.append(
                f"{column.name} and CFM: Spearman's correlation over {len(models)} models is "
                f"{rho:.2f}{text}."
            )
    return notes


def _methods(context: ReproduceContext) -> str:
    """Of what is stored; empty before there is a run."""
    steps = _run_steps(context)
    plans = plans_with_images(context, [plan for _, step in steps for plan in context.plans(step)])
    if not plans:
        return ""
    names = ", ".join(name_of(plan.model) for plan in plans)
    registration = registration_of(context)
    with_cfm = (
        f" CFM is {registration.name}, checkpoint {registration.version}, read with "
        f"{registration.instruction_text}."
        if registration is not None
        else ""
    )
    return (
        f"{names} generated one image for each of {len(plans[0].prompts):,} prompts of "
        f"{plans[0].set_name}, seed {plans[0].seed}.{partly_text(context, plans)}{with_cfm} Intervals "
        "are 95% over prompts."
    )


def figure_recipe(number: str) -> Recipe:
    """The recipe of Figure 4 or 9."""
    return Recipe(
        PAPER,
        number,
        f"Too Vivid to Be Real?, Figure {number}",
        (PRESET,),
        lambda context: _needs(context, number),
        lambda context: _steps(context, number),
        lambda context: _table(context, number),
        kind="figure",
    )
