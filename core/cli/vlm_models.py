"""The comparison of models as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from truehue.core.cli.vlm_report import aligned

NONE = "–"
SHOWN_QUESTIONS = 20
"""Of the hardest; the JSON has all that most models answer incorrectly."""


def comparison_text(details: Mapping[str, Any]) -> str:
    """The tables for people."""
    columns = list(details["columns"])
    head = ["model", "family", "L", "V", *columns]
    rows = [head]
    for model in details["models"]:
        cells = [model["scores"].get(column) for column in columns]
        rows.append(
            [
                model["model"],
                model["family"] or NONE,
                _size(model["language_b"]),
                _size(model["vision_b"]),
                *(NONE if cell is None else f"{cell['percent']:.1f}" for cell in cells),
            ]
        )
    parts = [
        "\n".join(
            [
                f"Accuracy in percent, in color without reasoning; protocol {details['protocol']}. "
                "L and V: billions of weights of language model and vision encoder.",
                *aligned(rows),
            ]
        )
    ]
    parts += _correlation_text(details["correlations"])
    for column, best in details["best"].items():
        if best:
            rows = [["size of L", "best model", column]]
            rows += [
                [group or "not known", cell["model"], f"{cell['percent']:.1f}"]
                for group, cell in best.items()
            ]
            parts.append("\n".join(["Best model of each size", *aligned(rows)]))
    parts += _effect_text("Reasoning: percentage points more than without", details["reasoning"])
    parts += _effect_text("Grayscale: (color − gray) / color, in percent", details["gray"], 100.0)
    if details["hard"]:
        lines = [
            f"{row['wrong']} of {row['models']} wrong  {row['task']}  {row['question_id']}"
            for row in details["hard"][:SHOWN_QUESTIONS]
        ]
        count = len(details["hard"])
        more = f", the hardest {SHOWN_QUESTIONS}" if count > SHOWN_QUESTIONS else ""
        title = (
            f"Most models are wrong on {count:,} of {details['questions']:,} questions{more}; all "
            f"are right on {details['right_by_all']:,}."
        )
        parts.append("\n".join([title, *lines]))
    parts += details["left_out"]
    return "\n\n".join(parts)


def _correlation_text(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not any(row["rho"] is not None for row in rows):
        return []
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    by_name = {(row["size_of"], row["task"]): row for row in rows}
    table = [["size of", *tasks]]
    for name in dict.fromkeys(row["size_of"] for row in rows):
        table.append([name, *(_rho(by_name[name, task]) for task in tasks)])
    count = max(row["n"] for row in rows)
    title = f"Spearman's rank correlation with the size, {count} models; * p ≤ 0.05"
    return ["\n".join([title, *aligned(table)])]


def _rho(row: Mapping[str, Any]) -> str:
    if row["rho"] is None:
        return NONE
    return f"{row['rho']:.2f}" + ("*" if row["p"] <= 0.05 else " ")


def _effect_text(title: str, effects: Sequence[Mapping[str, Any]], scale: float = 1.0) -> list[str]:
    if not effects:
        return []
    rows = [["task", "models", "mean", "median", "lowest", "highest"]]
    for effect in effects:
        values = [scale * value for value in effect["models"].values()]
        numbers = (scale * effect["mean"], scale * effect["median"], min(values), max(values))
        rows.append([effect["task"], str(len(values)), *(f"{number:+.1f}" for number in numbers)])
    return ["\n".join([title, *aligned(rows)])]


def _size(value: float | None) -> str:
    return NONE if value is None else f"{value:g}"
