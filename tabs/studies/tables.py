"""The tables of a study for exports: their rows; tables and columns are described by data."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truehue.annotation.studies.cases import Kind
from truehue.core.export.columns import Column
from truehue.tabs.studies import tables_rows as rows
from truehue.tabs.studies.colorings import exports as colorings

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "studies"
_ROWS: Mapping[str, Callable[[rows.ExportData], Iterable[Mapping[str, Any]]]] = {
    "study": rows.study,
    "cases": rows.cases,
    "candidates": rows.candidates,
    "stimuli": rows.stimuli,
    "participants": rows.participants,
    "trials": rows.trials,
    "events": rows.events,
    "answers": rows.answers,
    "votes": rows.votes,
    "screening": rows.screening,
    "survey": rows.survey,
    "metrics": rows.metrics,
    "results": rows.results,
    "colorings": colorings.colorings,
    "actions": colorings.actions,
    "reviews": colorings.reviews,
    "review_comments": colorings.review_comments,
    "review_agreement": colorings.review_agreement,
    "concepts": colorings.concepts,
    "distributions": colorings.distributions,
    "questions": rows.questions,
}


@dataclass(frozen=True)
class StudyTable:
    """One table: what a row is, its columns, and the rows."""

    name: str
    title: str
    row: str
    columns: tuple[Column, ...]

    def rows(self, data: rows.ExportData) -> Iterable[Mapping[str, Any]]:
        """The rows of a study."""
        return _ROWS[self.name](data)


def _lines(name: str) -> Iterator[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _read() -> dict[str, tuple[StudyTable, ...]]:
    """The tables by the kind of study that has them, or ``all``."""
    columns: dict[str, list[Column]] = defaultdict(list)
    for line in _lines("codebook.csv"):
        column = Column(
            line["column"],
            line["type"],
            line["source"],
            line["meaning"],
            line["unit"],
            tuple(line["values"].split()),
            line["always"] == "yes",
        )
        columns[line["table"]].append(column)
    tables: dict[str, tuple[StudyTable, ...]] = defaultdict(tuple)
    for line in _lines("tables.csv"):
        name = line["table"]
        table = StudyTable(name, line["title"], line["row"], tuple(columns[name]))
        tables[line["studies"]] += (table,)
    return tables


_READ = _read()
TABLES = _READ["all"]
"""Of every study, in the order of the codebook."""
COLORING_TABLES, QUESTION_TABLES = _READ[Kind.COLORINGS], _READ[Kind.QUESTIONS]
OWN_TABLES = {Kind.COLORINGS: COLORING_TABLES, Kind.QUESTIONS: QUESTION_TABLES}
"""Tables that only studies of a kind have."""
_OF_MODELS = frozenset(("candidates", "votes", "metrics"))
_OF_VOTES = _OF_MODELS | {"results"}
_EMPTY = {Kind.COLORINGS: _OF_VOTES, Kind.QUESTIONS: _OF_MODELS}
"""Tables that are empty where nothing is compared, and where people color."""


def tables_of(kind: Kind) -> tuple[StudyTable, ...]:
    """The tables of a study of that kind, in the order of the codebook."""
    return (*TABLES, *OWN_TABLES.get(kind, ()))


def listed(kind: Kind) -> tuple[StudyTable, ...]:
    """The tables that say something of a study of that kind, those that are most wanted first; the
    archive has the others too."""
    empty = _EMPTY.get(kind, frozenset())
    return (*OWN_TABLES.get(kind, ()), *(table for table in TABLES if table.name not in empty))
