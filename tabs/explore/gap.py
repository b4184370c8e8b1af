"""Why a run's numbers are not the printed ones: the share of each difference, for the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from truehue.core.analysis.leaderboard import AVERAGE, AVERAGED, TABLE_TASKS
from truehue.core.analysis.records import choice_for
from truehue.core.published import LEADERBOARD, counterpart, table
from truehue.core.reproduce.leaderboard_gap import Counting, run_gaps
from truehue.core.verdict.rules import DEFAULT_RULE, rule
from truehue.tabs.explore.leaderboard_rows import EACH
from truehue.tabs.explore.limits import limits_of
from truehue.tabs.page.context import Context


class GapColumn(TypedDict):
    """A column in which the run has a number."""

    id: str
    short: str


class GapRow(TypedDict):
    """A difference that was switched alone: points by column, with their sign."""

    name: str
    sentence: str
    ours: str
    theirs: str
    cells: dict[str, str]


class GapRun(TypedDict):
    """A difference that needs a run, and the command that starts it (or none)."""

    name: str
    sentence: str
    ours: str
    theirs: str
    command: str


class GapView(TypedDict):
    """The gap of one run and one printed row. ``missing`` is what our number would have to move
    by; without a run ``command`` starts one."""

    run: str
    columns: list[GapColumn]
    missing: dict[str, str]
    rows: list[GapRow]
    runs: list[GapRun]
    command: str


def gap_view(context: Context, params: Mapping[str, str]) -> GapView:
    """The gap of the run ``run`` to the printed row of ``model``, counted by ``rule``, ``systems``,
    ``unscored`` and limits as the leaderboard is. Raises BadInput for what is unknown, NotStored for
    the run."""
    published = table(LEADERBOARD)
    printed = published.row(model=params.get("model", ""))
    rule_id = rule(params.get("rule") or DEFAULT_RULE).id
    ids = counterpart(published.paper.id, printed.keys["model"]).ids
    command = f"truehue reproduce gencolorbench --table 4 --models {ids[0]}" if ids else ""
    if not params.get("run"):
        return {
            "run": "",
            "columns": [],
            "missing": {},
            "rows": [],
            "runs": [],
            "command": command,
        }
    run = context.storage.runs.get(params["run"])
    others = [other for other in context.storage.runs.all() if other.items and not other.hidden]
    systems = params.get("systems") or AVERAGED
    counting = Counting(
        rule_id,
        AVERAGED if systems == EACH else systems,
        choice_for(rule_id, params.get("unscored") or ""),
        limits_of(params, rule_id),
    )
    results = context.storage.results
    gaps = {
        published.column(gap.column).ours: gap
        for gap in run_gaps(results, run, others, counting, printed, published.columns)
    }
    order = [column for column in (*TABLE_TASKS, AVERAGE) if column in gaps]
    first = gaps[order[0]].differences if order else ()
    switched: dict[str, GapRow] = {}
    for column in order:
        for entry in gaps[column].differences:
            if entry.points is None:
                continue
            row = switched.setdefault(
                entry.name,
                {
                    "name": entry.name,
                    "sentence": entry.sentence,
                    "ours": entry.ours,
                    "theirs": entry.theirs,
                    "cells": {},
                },
            )
            row["cells"][column] = f"{entry.points:+.1f}"
    return {
        "run": run.name,
        "columns": [
            {"id": column, "short": "Average" if column == AVERAGE else column.upper()}
            for column in order
        ],
        "missing": {column: f"{gap.points:+.1f}" for column, gap in gaps.items()},
        "rows": list(switched.values()),
        "runs": [
            {
                "name": entry.name,
                "sentence": entry.sentence,
                "ours": entry.ours,
                "theirs": entry.theirs,
                "command": entry.command,
            }
            for entry in first
            if entry.name not in switched
        ],
        "command": command,
    }
