"""The comparison of models as plain JSON and as CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from truehue.core.spreadsheets import csv_text
from truehue.core.vlm.model_comparison import (
    MICRO,
    ROBUST,
    ComparedModel,
    Difficulty,
    Effect,
    ModelComparison,
    best_of_sizes,
    correlations,
    difficulties,
    gray_effects,
    reasoning_effects,
    tally_named,
)
from truehue.core.vlm.tasks import ROBUSTNESS, Category

CSV_COLUMNS = (
    "protocol",
    "model",
    "family",
    "language_b",
    "vision_b",
    "task",
    "right",
    "asked",
    "percent",
    "low",
    "high",
)


def comparison_json(comparison: ModelComparison) -> dict[str, Any]:
    """All of it. Shares are in percent, sizes in billions of weights."""
    scores, columns = comparison.scores(), columns_of(comparison)
    models = {model.name: model for model in comparison.models}
    percents = {
        name: {
            column: tally.percent if (tally := tally_named(of_model, column)) else None
            for column in columns
        }
        for name, of_model in scores.items()
    }
    sizes = {name: model.size for name, model in models.items()}
    hard = difficulties(comparison)
    return {
        "protocol": comparison.protocol,
        "columns": columns,
        "models": [
            {**model_json(model), "scores": _scores_json(scores.get(name), columns)}
            for name, model in models.items()
        ],
        "correlations": [vars_of(row) for row in correlations(percents, sizes)],
        "best": {
            column: {
                group: {"model": name, "percent": percent}
                for group, (name, percent) in best_of_sizes(
                    {name: of_model[column] for name, of_model in percents.items()}, sizes
                ).items()
            }
            for column in (MICRO, ROBUST)
            if column in columns
        },
        "reasoning": [_effect(effect) for effect in reasoning_effects(comparison)],
        "gray": [_effect(effect) for effect in gray_effects(comparison)],
        "hard": [_difficulty(row) for row in hard if row.most_wrong],
        "questions": len(hard),
        "right_by_all": sum(row.wrong == 0 for row in hard),
        "left_out": list(comparison.left_out),
    }


def columns_of(comparison: ModelComparison) -> list[str]:
    """The tasks, then Perception and Reasoning where there are both, then the averages."""
    tasks = [task for task in comparison.tasks if task != ROBUSTNESS]
    names = {name for scores in comparison.scores().values() for name in scores.categories}
    ordered = [str(c) for c in (Category.PERCEPTION, Category.REASONING) if str(c) in names]
    robust = any(scores.robust for scores in comparison.scores().values())
    return [*tasks, *ordered, MICRO, *([ROBUST] if robust else [])]


def model_json(model: ComparedModel) -> dict[str, Any]:
    """Its name, family and sizes, and which evaluations of it there are."""
    size = model.size
    return {
        "model": model.name,
        "family": model.family,
        "language_b": size.language_b if size else None,
        "vision_b": size.vision_b if size else None,
        "language": size.language if size else "",
        "vision": size.vision if size else "",
        "group": size.group if size else "",
        "evaluations": {
            kind: log.folder.name
            for kind in ("plain", "reasoned", "gray", "black")
            if (log := getattr(model, kind)) is not None
        },
    }


def vars_of(row: Any) -> dict[str, Any]:
    """The fields of a frozen record."""
    return {name: getattr(row, name) for name in row.__dataclass_fields__}


def _scores_json(scores: Any, columns: Sequence[str]) -> dict[str, Any]:
    out = {}
    for column in columns:
        tally = tally_named(scores, column) if scores else None
        if tally is not None and tally.total:
            low, high = tally.interval or (None, None)
            out[column] = {
                "right": tally.right,
                "asked": tally.total,
                "percent": tally.percent,
                "low": low,
                "high": high,
            }
    return out


def _effect(effect: Effect) -> dict[str, Any]:
    return {
        "task": effect.task,
        "mean": effect.mean,
        "median": effect.median,
        "models": dict(effect.by_model),
    }


def _difficulty(row: Difficulty) -> dict[str, Any]:
    question = row.question
    return {
        "question_id": question.question_id,
        "task": question.task,
        "text": question.text,
        "wrong": row.wrong,
        "models": row.models,
    }


def comparison_csv(details: Mapping[str, Any]) -> str:
    """A line for every model and task."""
    rows = [
        (
            details["protocol"],
            *(model[key] for key in ("model", "family", "language_b", "vision_b")),
            column,
            *(cell[key] for key in ("right", "asked", "percent", "low", "high")),
        )
        for model in details["models"]
        for column, cell in model["scores"].items()
    ]
    return csv_text(CSV_COLUMNS, rows)
