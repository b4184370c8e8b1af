"""Exports of studies: tables with their codebook, votes in the arena's form, and all of it."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.errors import NotAllowed, NotStored
from core.export.codebook import software
from core.export.columns import Column, arrow_schema
from core.spreadsheets import guarded_table
from tabs.page.actor import Actor, Thing, allowed, asks
from tabs.page.context import Context
from tabs.studies.copies import people_lines, study_document
from tabs.studies.metrics import metrics_of
from tabs.studies.results import REPLICATES, OfStudy, ResultsKeeper, compute
from tabs.studies.results_source import read_source, source_key
from tabs.studies.tables import BY_NAME, TABLES, StudyTable
from tabs.studies.tables_rows import ExportData, votes

NOTE = (
    "UTF-8; an empty field is nothing, never zero. Numbers have the point as decimal mark. Shares "
    "are 0 to 1. Nothing is filtered: participants who are left out of results are in every table, "
    "and `excluded` says so. In CSV a text that a spreadsheet would run as a formula, for it "
    "begins with =, +, -, @, a tab or a return, has an apostrophe before it. Lists and objects are "
    "JSON."
)
ANONYMOUS = (
    "This export is anonymous: what recruiting sites call participants, their free text, links' "
    "labels, the completion code, and the names of those who ran the study are left out. Times are "
    "kept, for the assignment cannot be checked without them: who has the log of a recruiting site "
    "could find people by them."
)
PERSONAL = (
    "This export holds personal data: what recruiting sites call participants, and their free text."
)
STUDY_FILE, PEOPLE_FILE, CODEBOOK, VOTES_FILE = (
    "study.json",
    "people.jsonl",
    "codebook.md",
    "votes.jsonl",
)
_WAIT_S = 600.0


class AskExport(OfStudy):
    """``personal`` keeps what names people; only for who may change the study."""

    personal: bool = False


@dataclass(frozen=True)
class ExportedFile:
    """A file to send: its name, what it is, and its content."""

    name: str
    media_type: str
    content: bytes


def may_personal(context: Context, actor: Actor, study_id: str) -> bool:
    """Whether the actor may have personal data of the study: who made it, admins and the owner."""
    study = context.storage.studies.get(study_id)
    return allowed(actor, "change", Thing(frozenset({study.author})))


def export_data(context: Context, actor: Actor, request: AskExport) -> ExportData:
    """A study with its results, for an export. Raises NotAllowed for personal data that are not
    for the actor."""
    study_id = context.storage.studies.get(request.study).id
    if request.personal and not may_personal(context, actor, study_id):
        raise NotAllowed(
            "Personal data of participants are for who made the study, and for admins. Leave out "
            "personal=1 for an anonymous export.",
            "personal",
        )
    key = (source_key(context, study_id), REPLICATES)
    computed = context.service(ResultsKeeper).get(
        study_id, key, lambda step: compute(context, study_id, REPLICATES, step), _WAIT_S
    )
    if computed.results is None:
        raise NotStored("The results are still being computed. Ask again in a moment.")
    source = read_source(context, study_id)
    return ExportData(source, metrics_of(context, source.plan), computed.results, request.personal)


@asks("study")
def table_list(context: Context, actor: Actor, request: OfStudy) -> dict[str, Any]:
    """The tables of a study with their addresses, and whether personal data may be asked for."""
    study = context.storage.studies.get(request.study)
    base = f"/api/studies/{study.id}"
    return {
        "tables": [
            {
                "name": table.name,
                "title": table.title,
                "row": table.row,
                "columns": [column.name for column in table.columns],
                "csv": f"{base}/tables/{table.name}.csv",
                "parquet": f"{base}/tables/{table.name}.parquet",
            }
            for table in TABLES
        ],
        "personal": may_personal(context, actor, study.id),
        "zip": f"{base}/all.zip",
        "votes": f"{base}/votes.jsonl",
        "codebook": f"{base}/codebook.md",
    }


class AskTable(AskExport):
    """One table as ``csv`` or ``parquet``."""

    table: str
    format: str


@asks("study")
def table_file(context: Context, actor: Actor, request: AskTable) -> ExportedFile:
    """One table of a study. Raises NotStored for a table or a format that there is not."""
    if request.table not in BY_NAME or request.format not in ("csv", "parquet"):
        raise NotStored(
            f"There is no table {request.table[:40]}.{request.format[:10]}. There are "
            f"{', '.join(BY_NAME)}, each as .csv and .parquet."
        )
    data = export_data(context, actor, request)
    table = BY_NAME[request.table]
    name = f"{_stem(data)}-{table.name}.{request.format}"
    if request.format == "csv":
        return ExportedFile(name, "text/csv; charset=utf-8", csv_bytes(table, data))
    return ExportedFile(name, "application/vnd.apache.parquet", parquet_bytes(table, data))


@asks("study")
def votes_file(context: Context, actor: Actor, request: AskExport) -> ExportedFile:
    """The votes of a study of pairs, a line each, in the form of LMSYS' arena."""
    data = export_data(context, actor, request)
    content = "".join(arena_lines(data)).encode()
    return ExportedFile(f"{_stem(data)}-{VOTES_FILE}", "application/jsonl; charset=utf-8", content)


@asks("study")
def codebook_file(context: Context, actor: Actor, request: AskExport) -> ExportedFile:
    """Every column of every table, with unit and values."""
    data = export_data(context, actor, request)
    return ExportedFile(
        f"{_stem(data)}-{CODEBOOK}",
        "text/markdown; charset=utf-8",
        codebook_text(data).encode(),
    )


@asks("study")
def write_archive(context: Context, actor: Actor, request: AskExport, target: Path) -> str:
    """Everything of a study as a zip at ``target``, which an import reads again; its name."""
    data = export_data(context, actor, request)
    copy = context.storage.studies.copy(data.source.study.id)
    people = "".join(people_lines(copy, personal=request.personal)).encode()
    document = {
        **study_document(copy, personal=request.personal),
        "exported_at": datetime.now(UTC).isoformat(),
        "exported_with": software(),
        "people_sha256": hashlib.sha256(people).hexdigest(),
    }
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(STUDY_FILE, json.dumps(document, ensure_ascii=False, indent=1))
        archive.writestr(PEOPLE_FILE, people)
        archive.writestr(CODEBOOK, codebook_text(data))
        archive.writestr(VOTES_FILE, "".join(arena_lines(data)))
        for table in TABLES:
            archive.writestr(f"tables/{table.name}.csv", csv_bytes(table, data))
            archive.writestr(f"tables/{table.name}.parquet", parquet_bytes(table, data))
    return f"{_stem(data)}.study.zip"


def _arrow(table: StudyTable, data: ExportData) -> Any:
    import pyarrow as pa

    rows = [dict(row) for row in table.rows(data)]
    return pa.Table.from_pylist(rows, schema=arrow_schema(table.columns))


def csv_bytes(table: StudyTable, data: ExportData) -> bytes:
    """The table as CSV with a heading: UTF-8, formulas guarded."""
    import pyarrow as pa
    from pyarrow import csv

    buffer = pa.BufferOutputStream()
    options = csv.WriteOptions(include_header=True, quoting_style="needed", quoting_header="none")
    csv.write_csv(guarded_table(_arrow(table, data)), buffer, options)
    return bytes(buffer.getvalue().to_pybytes())


def parquet_bytes(table: StudyTable, data: ExportData) -> bytes:
    """The table as Parquet, as it is."""
    import pyarrow as pa
    from pyarrow import parquet

    buffer = pa.BufferOutputStream()
    parquet.write_table(_arrow(table, data), buffer)
    return bytes(buffer.getvalue().to_pybytes())


def arena_lines(data: ExportData) -> Iterator[str]:
    """Votes as lines of JSON with the fields of FastChat's ``clean_battle_data.py``
    (github.com/lm-sys/FastChat), by time: ``model_a`` stood at the left. Ours are ``participant``,
    ``group``, ``response_ms`` and ``excluded``."""
    language = {one.number + 1: one.language for one in data.source.participants}
    rows = sorted(votes(data), key=lambda row: row["at"] or "")
    for row in rows:
        case = data.source.plan.case_by_id[row["case"]]
        winner = {"left": "model_a", "right": "model_b", "tie": "tie"}[row["outcome"]]
        line = {
            "question_id": case.id,
            "model_a": row["left"],
            "model_b": row["right"],
            "winner": winner,
            "judge": f"participant_{row['participant']}",
            "turn": 1,
            "anony": True,
            "language": language[row["participant"]],
            "tstamp": datetime.fromisoformat(row["at"]).timestamp() if row["at"] else None,
            "prompt": case.words,
            "group": case.group,
            "response_ms": row["response_ms"],
            "excluded": row["excluded"],
        }
        yield json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"


def codebook_text(data: ExportData) -> str:
    """``codebook.md``."""
    study = data.source.study
    lines = [
        f"# Codebook of the study {_cell(study.title)}",
        "",
        f"Study {study.id}, version {study.version} of its plan, {study.state}.",
        "",
        NOTE,
        "",
        PERSONAL if data.personal else ANONYMOUS,
    ]
    for table in TABLES:
        lines += [
            "",
            f"## {table.name}",
            "",
            f"{table.title}. One row is {table.row}.",
            "",
            "| column | type | unit or range | values | of | may be empty | meaning |",
            "|---|---|---|---|---|---|---|",
            *map(_line, table.columns),
        ]
    if data.metrics:
        lines += ["", "## Metrics", "", "| metric | name | turned | formula | source |"]
        lines += ["|---|---|---|---|---|"]
        lines += [
            f"| {_cell(one.id)} | {_cell(one.name)} | {'yes' if one.turned else 'no'} "
            f"| {_cell(one.formula)} | {_cell(one.source)} |"
            for one in data.metrics
        ]
    words = ", ".join(f"{name} {number}" for name, number in software().items())
    return "\n".join([*lines, "", "## Exported with", "", words, ""])


def _line(column: Column) -> str:
    cells = (
        column.name,
        column.kind,
        column.unit,
        ", ".join(column.allowed),
        column.source,
        "no" if column.always else "yes",
        column.meaning,
    )
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    """Text that cannot end a cell of a table of Markdown, or begin anything else."""
    return re.sub(r"([|\\`*_<>\[\]])", r"\\\1", " ".join(str(text).split()))


def _stem(data: ExportData) -> str:
    study = data.source.study
    name = re.sub(r"[^a-z0-9]+", "-", study.title.lower()).strip("-")[:48].strip("-")
    personal = "-personal" if data.personal else ""
    return f"{name or 'study'}-{study.id[:6]}{personal}"
