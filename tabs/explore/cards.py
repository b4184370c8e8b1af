"""What a run came to, in the line that its card in Runs shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.analysis.board import BoardRow, Rate
from tabs.explore.board_rows import Found
from tabs.page.context import Context


def cards_view(context: Context, params: Mapping[str, str]) -> dict[str, Any]:
    """The result of every run that has one by ``rule`` (else the usual): ``words`` and ``title``
    by run id. Raises BadInput for a rule that there is not."""
    found = Found(context, {"rule": params.get("rule", "")})
    out = {}
    for run in found.runs:
        row = found.rows.get(run.run_id)
        if row is not None and (words := result_words(row)):
            out[run.run_id] = {"words": f"{words} by {found.rule_id}", "title": found.about()}
    return {"rule": found.rule_id, "runs": out}


def result_words(row: BoardRow) -> str:
    """``45.7% (36.0–54.9) mean of the five tasks``, or task by task where not all are there."""
    if row.average.percent is not None:
        return f"{_rate(row.average)} pass, mean of the five tasks"
    parts = [
        f"{task.upper()} {_rate(cell.rate)}"
        for task, cell in row.cells.items()
        if cell.rate.percent is not None
    ]
    parts += [
        f"{task} {_rate(rate)}" for task, rate in row.others.items() if rate.percent is not None
    ]
    return f"{', '.join(parts)} pass" if parts else ""


def _rate(rate: Rate) -> str:
    between = "" if rate.low is None else f" ({rate.low:.1f}–{rate.high:.1f})"
    return f"{rate.percent:.1f}%{between}"
