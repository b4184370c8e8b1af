"""The leaderboard as CSV, and the paper's Table 4 beside it: unchanged, never ranked with ours."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypedDict

from truehue.core.analysis.leaderboard import AVERAGE, AVERAGED, TABLE_TASKS, LeaderboardEntry, Rate
from truehue.core.analysis.records import NO_SYSTEM, RunRecord
from truehue.core.published import LEADERBOARD, Column, counterpart, table
from truehue.core.runs.protocols import protocol_text
from truehue.core.runs.score import CAUSES
from truehue.core.spreadsheets import escape_formula
from truehue.core.verdict.rules import rule
from truehue.tabs.explore.leaderboard_rows import EACH, LeaderboardData
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor

RATE_FIELDS = tuple(field.name for field in fields(Rate))
PEOPLE_FIELDS = ("percent", "low", "high", "judged", "images")
CORRECTED_FIELDS = ("percent", "low", "high", "reason")
UNSCORED_FOR = tuple(CAUSES)[tuple(CAUSES).index("no-image") :]
"""The causes of CAUSES that leave a picture without a score."""
_RUN = (
    "run_id",
    "run_name",
    "model",
    "set_name",
    "prompts",
    "pictures_a_prompt",
    "masks",
    "k",
    "pictures_planned",
    "pictures_in",
    "rule",
    "rule_version",
    "limits",
    "systems",
    "unscored_are",
    "protocol",
    "system",
)


def leaderboard_csv(context: Context, params: Mapping[str, str], actor: Actor | None = None) -> str:
    """CSV with a heading: a row for each run, and with ``systems=each`` one more for each color
    system. Percents are not rounded; empty where there is no number. Accuracies by people where the
    ``actor`` may see studies. Raises BadInput."""
    data = LeaderboardData(context, params, actor)
    buffer = io.StringIO()
    columns = [*TABLE_TASKS, AVERAGE]
    heading = [*_RUN, *(f"{column}_{name}" for column in columns for name in RATE_FIELDS)]
    heading += ["not_averaged_for", *map(_unscored, UNSCORED_FOR)]
    heading += [f"{column}_rank_{end}" for column in columns for end in ("best", "worst")]
    heading += [f"by_people_{name}" for name in PEOPLE_FIELDS]
    heading += [f"{column}_corrected_{name}" for column in columns for name in CORRECTED_FIELDS]
    writer = csv.DictWriter(buffer, [*heading, "corrected_by"])
    writer.writeheader()
    for run in data.runs:
        writer.writerows(map(_guarded, _rows(data, run)))
    for run, why in data.unread:
        head = {"run_id": run.run_id, "run_name": run.name, "not_averaged_for": why}
        writer.writerow(_guarded(head))
    return buffer.getvalue()


def _guarded(row: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers stay as they are, to the last digit."""
    return {
        name: escape_formula(value) if isinstance(value, str) else value
        for name, value in row.items()
    }


def _rows(data: LeaderboardData, run: RunRecord) -> Iterator[dict[str, Any]]:
    head = _head(data, run)
    row = data.rows.get(run.run_id)
    if row is None:
        yield head
        return
    counts = dict.fromkeys(map(_unscored, UNSCORED_FOR), 0)
    for cause_count in data.causes[run.run_id]:
        counts[_unscored(cause_count.cause)] += cause_count.count
    rates = {task: cell.rate for task, cell in row.cells.items()}
    yield {
        **head,
        "system": _meant(row, data.systems),
        **_rate_columns({**rates, AVERAGE: row.average}),
        "not_averaged_for": " ".join(row.missing),
        **counts,
        **_trust_columns(data, run.run_id),
    }
    if data.systems == EACH:
        below = {
            task: {**cell.parts, **({NO_SYSTEM: cell.apart} if cell.apart else {})}
            for task, cell in row.cells.items()
        }
        for system in dict.fromkeys(name for parts in below.values() for name in parts):
            parts = {
                task: by_system[system] for task, by_system in below.items() if system in by_system
            }
            yield {**head, "system": system, **_rate_columns(parts)}


def _head(data: LeaderboardData, run: RunRecord) -> dict[str, Any]:
    values = (
        run.run_id,
        run.name,
        run.model,
        run.set_name,
        run.summary["prompts"],
        run.summary["images"],
        run.summary["masker"]["kind"],
        run.summary["k"],
        run.total,
        run.items,
        data.rule_id,
        dict(run.rules).get(data.rule_id, rule(data.rule_id).version),
        " ".join(f"{name}:{value:g}" for name, value in data.limits.items()) or "the rule's own",
        data.systems,
        data.unscored,
        protocol_text(run.summary).removeprefix("protocol "),
        "",
    )
    return dict(zip(_RUN, values, strict=True))


def _meant(row: LeaderboardEntry, systems: str) -> str:
    """The systems that the row speaks of, as they stand in its cells."""
    names = dict.fromkeys(name for cell in row.cells.values() for name in cell.parts)
    return systems if systems in names else " ".join(names)


def _rate_columns(rates: Mapping[str, Rate]) -> dict[str, Any]:
    return {
        f"{column}_{name}": getattr(rate, name)
        for column, rate in rates.items()
        for name in RATE_FIELDS
    }


def _trust_columns(data: LeaderboardData, run_id: str) -> dict[str, Any]:
    """Ranks, the accuracy by people, and corrected accuracies, where there are any."""
    columns: dict[str, Any] = {}
    for column, ranked in data.ranks.get(run_id, {}).items():
        columns |= {f"{column}_rank_best": ranked.best, f"{column}_rank_worst": ranked.worst}
    people = data.people.get(run_id)
    if people is not None:
        columns |= {f"by_people_{name}": getattr(people, name) for name in PEOPLE_FIELDS}
    for column, cell in data.corrections.by_run.get(run_id, {}).items():
        columns |= {f"{column}_corrected_{name}": getattr(cell, name) for name in CORRECTED_FIELDS}
    if run_id in data.corrections.by_run:
        columns["corrected_by"] = data.corrections.choice
    return columns


def _unscored(cause: str) -> str:
    return f"unscored_{cause.replace('-', '_')}"


class PublishedCell(TypedDict):
    """A number as printed, and what is doubtful about it."""

    text: str
    doubt: str


class RunHere(TypedDict):
    """A run by its id and name."""

    id: str
    name: str


class PublishedRow(TypedDict):
    """A row of the paper's table; ``here`` and ``runs`` are those that may be of the same model."""

    name: str
    facts: str
    here: list[str]
    runs: list[RunHere]
    here_note: str
    cells: dict[str, PublishedCell]


class PublishedTable(TypedDict):
    """A table of the paper as printed."""

    title: str
    source: str
    url: str
    how: str
    told: str
    notes: list[str]
    rows: list[PublishedRow]


def _columns_note(columns: Mapping[str, Column]) -> str:
    """The tasks of the heading, spelled out as the paper has them."""
    return "; ".join(f"{task.upper()}: {columns[task].name}" for task in TABLE_TASKS) + "."


def published_view(runs: Sequence[RunRecord], rule_id: str, systems: str) -> PublishedTable:
    """The paper's Table 4 as printed, with the runs here whose model may be the same."""
    published_table = table(LEADERBOARD)
    columns = {column.ours: column for column in published_table.columns}
    shown: list[PublishedRow] = []
    for row in published_table.rows:
        model = row.keys["model"]
        selection = counterpart(published_table.paper.id, model)
        own = [run for run in runs if run.model in selection.ids]
        available = [run.name for run in own]
        kind = f"{row.keys['resolution']} px · {row.keys['type']}"
        shown.append(
            {
                "name": model,
                "facts": kind,
                "here": available,
                "runs": [
                    {"id": run.run_id, "name": run.name}
                    for run in own
                    if rule_id in dict(run.rules)
                ],
                "here_note": selection.note if available else "",
                "cells": {
                    key: {
                        "text": row.printed[column.name] or "–",
                        "doubt": published_table.doubt(row, column.name),
                    }
                    for key, column in columns.items()
                },
            }
        )
    sentences = ["Do not compare your numbers above with these."] if runs else []
    if runs and rule_id != published_table.protocol:
        sentences.append(f"Yours are by {rule(rule_id).name}, these by {published_table.protocol}.")
    if runs and systems not in (AVERAGED, EACH):
        sentences.append("These average L2, L3 and CSS; yours above do not.")
    sentences.append(
        "Published numbers are the authors' own: their images, their prompt list and their k, "
        "which the paper does not give, and no intervals."
    )
    return {
        "title": f"{published_table.number}, as published",
        "source": published_table.source,
        "url": published_table.paper.url,
        "how": published_table.how,
        "told": " ".join(sentences),
        "notes": [_columns_note(columns), *published_table.notes],
        "rows": shown,
    }
