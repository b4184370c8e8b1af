"""The columns of exported tables, as ``assets/export`` has them, for the tables and their codebooks."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truehue.core.color.uw71 import uw71
from truehue.core.prompts.prompt import LEVELS, ROLES, TASKS
from truehue.core.runs.score import CAUSES
from truehue.core.verdict.expectations import STEPS

CODEBOOK_KEY = b"truehue_codebook"
"""In the metadata of a Parquet file: codebook.json."""
TEXT, WHOLE, NUMBER, TRUTH = "text", "integer", "number", "boolean"
MEASURED, UNMEASURED = "measured", "unmeasured"
FOLDER = Path(__file__).resolve().parents[2] / "assets" / "export"


@dataclass(frozen=True)
class Column:
    """One column. ``unit`` holds the unit or the range, ``allowed`` the values where they are few,
    ``source`` whom it speaks of. ``always`` is False where a row may have nothing there. ``field``
    is where its value is copied from, such as ``verdict.rule``; empty where it is computed."""

    name: str
    kind: str
    source: str
    meaning: str
    unit: str = ""
    allowed: tuple[str, ...] = ()
    always: bool = False
    field: str = ""

    def as_json(self) -> dict[str, Any]:
        """Plain JSON for ``codebook.json``."""
        return {
            "name": self.name,
            "type": self.kind,
            "source": self.source,
            "meaning": self.meaning,
            "unit_or_range": self.unit,
            "allowed_values": list(self.allowed),
            "may_be_empty": not self.always,
        }


_VALUES = {
    "task": tuple(TASKS),
    "level": tuple(dict.fromkeys(LEVELS.values())),
    "role": ROLES,
    "step": ("image", *STEPS),
    "cause": tuple(CAUSES),
}


def _columns(table: str, known: Sequence[Column] = ()) -> tuple[Column, ...]:
    """The columns of a file; one with nothing but a name is the one of ``known``."""
    by_name = {column.name: column for column in known}
    with (FOLDER / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            _column(row) if row["type"] else by_name[row["name"]] for row in csv.DictReader(file)
        )


def _column(row: dict[str, str]) -> Column:
    return Column(
        row["name"],
        row["type"],
        row["of"],
        row["meaning"],
        row["unit"],
        tuple(row["values"].split("; ")) if row["values"] else _VALUES.get(row["name"], ()),
        row["always"] == "yes",
        row["field"],
    )


COLUMNS = _columns("results")
NAMES = tuple(column.name for column in COLUMNS)
SCORE_COLUMNS = _columns("scores")
SHARES = tuple(
    Column(
        bin_.hex,
        NUMBER,
        "the object's pixels",
        f"Share of mask_px that is nearest to bin {bin_.index} of UW-71, {bin_.name}.",
        "0 to 1; the 71 sum to 1",
    )
    for bin_ in uw71()
)
COLOR_COLUMNS = (*_columns("colors", COLUMNS), *SHARES)


def copied_columns(of: str, columns: Sequence[Column] = COLUMNS) -> dict[str, str]:
    """The columns that are copied from fields of ``of``, such as ``verdict``, with the field of
    each."""
    pairs = ((column.name, column.field.partition(".")) for column in columns)
    return {name: field for name, (source, _, field) in pairs if source == of}


def arrow_schema(columns: Sequence[Column] = COLUMNS) -> Any:
    """The columns as a pyarrow schema, in their order."""
    import pyarrow as pa

    kinds = {TEXT: pa.string(), WHOLE: pa.int64(), NUMBER: pa.float64(), TRUTH: pa.bool_()}
    return pa.schema([pa.field(column.name, kinds[column.kind]) for column in columns])
