"""The files of a public page: the columns of an export that may be public, and their codebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from truehue.annotation.studies.cases import Kind
from truehue.core.export.columns import TEXT, Column
from truehue.tabs.studies.exports import codebook_text, csv_bytes
from truehue.tabs.studies.tables import StudyTable, tables_of
from truehue.tabs.studies.tables_rows import ExportData

CODEBOOK = "codebook.md"
_TRIAL = ("participant", "position", "case", "group", "purpose")
_REVIEWED = ("colored", "background", "background_part", "flagged", "yes", "no", "outcome")
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "results": (
        *("over", "measure", "group", "model", "other", "value", "low", "high", "number"),
        *("people", "why"),
    ),
    "questions": (
        *("case", "question", "task", "words", "form", "choices", "right", "image", "answers"),
        *("skips", "answers_included", "skips_included"),
    ),
    "concepts": (
        *("case", "words", "level", "colorings", "pairs", "emd_lab", "flagged", "width_lab"),
        "narrowing_lab",
    ),
    "distributions": ("case", "words", "level", "colorings", "bin", "hex", "share"),
    "colorings": (
        *(*_TRIAL, "words", "original", "response_ms", "active_ms", "actions", "revisions"),
        *(*_REVIEWED, "kept_majority", "kept_marks", "weights"),
    ),
    "answers": (
        *(*_TRIAL, "stimulus", "kind", "value", "chosen", "response_ms", "revisions", "right"),
        "excluded",
    ),
    "cases": ("case", "words", "group"),
}
"""The public columns by table, in the order of the page. Whatever is not named here is not public:
times, texts of participants and researchers, and what a later version adds."""
_TABLES: Mapping[Kind, tuple[str, ...]] = {
    Kind.COLORINGS: ("concepts", "distributions", "colorings"),
    Kind.QUESTIONS: ("results", "questions", "answers"),
}
_VOTES = ("results", "answers", "cases")
PARTICIPANT = Column(
    "participant",
    TEXT,
    "TrueHue's analysis",
    "A random name, the same in all files of this page.",
    always=True,
)
NAME_LENGTH = 10
"""Hexadecimal characters. A name stays when others are erased, and another page of the study has
other names."""
ABOUT = (
    "These files are public and hold no personal data: participants have random names, and there are "
    "no times, no ids of recruiting sites, no answers of participants about themselves, no comments, "
    "and nothing in their own words or in those of a researcher about them."
)


@dataclass(frozen=True)
class PublicTable(StudyTable):
    """A table with its public columns only. ``names`` are those of participants by number from 1;
    rows that have one are sorted by it."""

    whole: StudyTable
    names: Mapping[int, str]

    def rows(self, data: ExportData) -> Iterable[Mapping[str, Any]]:
        """The rows of a study."""
        rows = (
            {column.name: row[column.name] for column in self.columns}
            for row in self.whole.rows(data)
        )
        if PARTICIPANT not in self.columns:
            return rows
        named = ({**row, "participant": self.names[row["participant"]]} for row in rows)
        return sorted(named, key=lambda row: (row["participant"], row["position"]))


def public_tables(
    data: ExportData, token: str, signature: Callable[[str], str]
) -> tuple[PublicTable, ...]:
    """The tables of the page with that ``token``. ``signature`` has a key that is never published:
    who knows a participant's id cannot find their rows."""
    by_name = {table.name: table for table in tables_of(data.source.plan.kind)}
    names = {
        participant.number + 1: signature(f"{token} {participant.id}")[:NAME_LENGTH]
        for participant in data.source.participants
    }
    return tuple(
        PublicTable(name, table.title, table.row, _columns(table), table, names)
        for name in _TABLES.get(data.source.plan.kind, _VOTES)
        for table in (by_name[name],)
    )


def _columns(table: StudyTable) -> tuple[Column, ...]:
    by_name = {column.name: column for column in table.columns}
    columns = (by_name[name] for name in COLUMNS[table.name])
    return tuple(PARTICIPANT if column.name == PARTICIPANT.name else column for column in columns)


def files_of(data: ExportData, tables: Iterable[PublicTable]) -> dict[str, bytes]:
    """The files by name: a CSV file per table, and the codebook."""
    tables = tuple(tables)
    files = {f"{table.name}.csv": csv_bytes(table, data) for table in tables}
    return {**files, CODEBOOK: codebook_text(data, tables, ABOUT).encode()}
