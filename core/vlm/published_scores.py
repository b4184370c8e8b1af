"""ColorBench's published rows: unchanged and marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from truehue.core import published
from truehue.core.errors import BadInput
from truehue.core.published import PublishedRow, PublishedTable
from truehue.core.vlm.tasks import ROBUSTNESS

TABLES = ("1", "8", "9", "11")
"""Of ColorBench, the tables of accuracies: models and people, models that reason, text only and
gray, and models that were tuned."""


@dataclass(frozen=True)
class ScoreRow:
    """One line of a table of scores, in percent. None is a cell without a number.

    ``tasks`` are by task id. ``micro`` is over all questions; ``macro`` the mean of the tasks,
    computed by us from the printed cells, and None where one is missing. ``protocol`` is that of
    the paper: rows of different protocols are not comparable. ``doubts`` say by task id, or
    ``overall``, what does not reconcile in a published cell.
    """

    name: str
    group: str
    protocol: str
    source: str
    tasks: Mapping[str, float | None]
    micro: float | None
    macro: float | None
    robust: float | None
    doubts: Mapping[str, str] = field(default_factory=dict)


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
        protocol=table.protocol,
        source=table.source,
        tasks=dict(zip(columns.values(), cells, strict=True)),
        micro=row.values["Overall"],
        macro=sum(numbers) / len(numbers) if len(numbers) == len(cells) else None,
        robust=row.values.get("C'Robust"),
        doubts=doubts,
    )
