"""The leaderboard of Explore: how well each run painted what was asked, and the paper's Table 4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.analysis.board import AVERAGE, TABLE_TASKS, BoardRow, Rate
from core.prompts.prompt import TASKS
from core.verdict.rules import RULES, rule
from tabs.explore.board_csv import published_view
from tabs.explore.board_groups import groups
from tabs.explore.board_rows import SYSTEM_CHOICES, UNSCORED_CHOICES, Found
from tabs.explore.limits import limits_view
from tabs.library.service import Library
from tabs.page.context import Context
from tabs.runs.list import MOVES


def board_view(context: Context, params: Mapping[str, str]) -> dict[str, Any]:
    """What the page shows for ``rule``, ``systems`` and ``unscored``.

    Raises BadInput for a choice that there is not.
    """
    found = Found(context, params)
    by_group = groups(found.runs, found.rule_id, context.service(Library).sets(), found.pictured)
    return {
        "rule": {"id": found.rule_id, "name": rule(found.rule_id).name},
        "systems": found.systems,
        "unscored": found.unscored,
        "columns": [
            *({"id": task, "short": task.upper(), "name": TASKS[task]} for task in TABLE_TASKS),
            {"id": AVERAGE, "short": "Average", "name": "Mean of the five tasks"},
        ],
        "choices": {
            "rules": [
                {"id": one.id, "name": one.name, "title": one.description, "main": one.main}
                for one in RULES
            ],
            "systems": _choices(SYSTEM_CHOICES),
            "unscored": _choices(UNSCORED_CHOICES),
        },
        "groups": [
            {
                "id": group.id,
                "name": group.name,
                "words": group.words,
                "rows": found.rows_json(group.runs),
            }
            for group in by_group
        ]
        + found.unread_group(),
        "limits": limits_view(found.rule_id, found.limits),
        "about": found.about(),
        "without": found.without_words(),
        "published": published_view(found.runs, found.rule_id, found.systems),
        "busy": any(state in MOVES for state in found.states.values()),
    }


def _choices(choices: Mapping[str, tuple[str, str]]) -> list[dict[str, str]]:
    return [{"id": key, "name": name, "title": title} for key, (name, title) in choices.items()]


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
