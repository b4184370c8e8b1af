"""ColorBench's published rows beside our scores: unchanged, marked, never mixed with ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from truehue.core import published
from truehue.core.errors import BadInput
from truehue.core.published import PublishedRow, PublishedTable
from truehue.core.vlm.scoring import Scores
from truehue.core.vlm.tasks import ROBUSTNESS

TABLES = ("1", "8", "9", "11")
"""Of ColorBench, the tables of accuracies: models and people, models that reason, text only and
gray, and models that were tuned."""
PUBLISHED_PROTOCOL = "paper"


@dataclass(frozen=True)
class ScoreRow:
    """One line of a table of scores, in percent. None is a cell without a number.

    ``tasks`` are by task id. ``micro`` is over all questions; ``macro`` the mean of the tasks,
    which of a published row is ours, computed from its printed cells, and None where it lacks one.
    ``protocol`` is ``paper`` for what was published, else the name of what ours was made by; rows
    of different protocols are not comparable. ``doubts`` say by task id, or ``overall``, what does
    not reconcile in a published cell. ``source`` is empty for ours.
    """

    name: str
    group: str
    published: bool
    protocol: str
    source: str
    tasks: Mapping[str, float | None]
    micro: float | None
    macro: float | None
    robust: float | None
    doubts: Mapping[str, str] = field(default_factory=dict)


def join_published(ours: Mapping[str, Scores], protocol: str, *tables: str) -> tuple[ScoreRow, ...]:
    """Ours by name, then the published rows of ``tables`` (numbers of :data:`TABLES`, ``1`` without
    any) in the printed order.

    ``protocol`` names how ours were made, such as the question set and its version. Raises BadInput
    for another table, and for the protocol ``paper``, which is what was published.
    """
    if protocol == PUBLISHED_PROTOCOL or not protocol:
        raise BadInput("Our scores name a protocol of their own; paper is what was published.")
    rows = [row for number in tables or ("1",) for row in published_rows(number)]
    return (*(_our_row(name, scores, protocol) for name, scores in ours.items()), *rows)


def published_rows(number: str = "1") -> tuple[ScoreRow, ...]:
    """The rows of ColorBench's Table 1, 8, 9 or 11. Raises BadInput for any other."""
    if number not in TABLES:
        raise BadInput(f"Table {number} has no accuracies. Choose one of: {', '.join(TABLES)}.")
    table = published.table(f"colorbench-table{number}")
    columns = task_columns()
    return tuple(_published_row(table, row, columns) for row in table.rows)


def task_columns() -> dict[str, str]:
    """Task id by the column of the published tables, from Table 7, such as
    ``color_recognition`` by ``C'Recog``."""
    rows = published.table("colorbench-table7").rows
    return {row.keys["task"]: row.keys["name"].lower().replace(" ", "_") for row in rows}


def _our_row(name: str, scores: Scores, protocol: str) -> ScoreRow:
    return ScoreRow(
        name=name,
        group="ours",
        published=False,
        protocol=protocol,
        source="",
        tasks={task: tally.percent for task, tally in scores.tasks.items()},
        micro=scores.overall.percent,
        macro=scores.macro.percent if scores.macro else None,
        robust=scores.robust.as_made.percent if scores.robust else None,
    )


def _published_row(
    table: PublishedTable, row: PublishedRow, columns: Mapping[str, str]
) -> ScoreRow:
    cells = [row.values[column] for column in columns]
    numbers = [cell for cell in cells if cell is not None]
    named = {**columns, "Overall": "overall", "C'Robust": ROBUSTNESS}
    doubts = {
        ours: message
        for column, ours in named.items()
        if column in row.values and (message := table.doubt(row, column))
    }
    keys = row.keys
    return ScoreRow(
        name=" ".join(keys[key] for key in ("model", "input", "row") if keys.get(key)),
        group=keys.get("group", ""),
        published=True,
        protocol=table.protocol,
        source=table.source,
        tasks=dict(zip(columns.values(), cells, strict=True)),
        micro=row.values["Overall"],
        macro=sum(numbers) / len(numbers) if len(numbers) == len(cells) else None,
        robust=row.values.get("C'Robust"),
        doubts=doubts,
    )
