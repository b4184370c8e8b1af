"""Exports of studies: tables with their codebook, votes in the arena's format, and everything."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, TypedDict, TypeVar

from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.errors import NotStored
from truehue.core.export.codebook import software
from truehue.core.export.columns import Column, arrow_schema
from truehue.core.spreadsheets import guarded_table
from truehue.core.study_copy import StudyCopy
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import NOBODY, Actor
from truehue.tabs.sources.studies import read_source, source_key
from truehue.tabs.studies.colorings.exports import coloring_export, sketch_records, write_images
from truehue.tabs.studies.colorings.facts import moment_of
from truehue.tabs.studies.copies import Counts, people_lines, study_document
from truehue.tabs.studies.live import current
from truehue.tabs.studies.metrics import metrics_of
from truehue.tabs.studies.results import (
    REPLICATES,
    NotReady,
    ResultsService,
    StudyReference,
    computed_of,
    digest,
)
from truehue.tabs.studies.results_numbers import FEW
from truehue.tabs.studies.rights import may_personal, require_personal
from truehue.tabs.studies.tables import OWN_TABLES, StudyTable, listed, tables_of
from truehue.tabs.studies.tables_rows import ExportData, votes

NOTE = (
    "UTF-8; an empty field is nothing, never zero. Numbers have the point as decimal mark. Shares "
    "are 0 to 1. Nothing is filtered: participants who are left out of results are in every table, "
    "and `excluded` says so. In CSV a text that a spreadsheet would run as a formula, for it "
    "begins with =, +, -, @, a tab or a return, has an apostrophe before it. Lists and objects are "
    "JSON."
)
ANONYMOUS = (
    "This export is anonymous: what recruiting sites call participants, their free text, answers "
    "about them that are personal data, links' "
    "labels, what the endings give, the names of those who ran the study, the text to agree to, "
    "which has these names (its version stays), the reasons for opening and closing, what was "
    "written to single participants of their practice and of second colorings, and notes on "
    "sketches are left out. Reasons for leaving a participant out of results, and experts' "
    "comments, stay: results cannot be understood without them. Times are kept, for the assignment "
    "cannot be checked without them: who has the log of a recruiting site could find people by them."
)
PERSONAL = (
    "This export holds personal data: what recruiting sites call participants, their free text, and "
    "answers about them."
)
STUDY_FILE, PEOPLE_FILE, CODEBOOK, VOTES_FILE = (
    "study.json",
    "people.jsonl",
    "codebook.md",
    "votes.jsonl",
)
_WAIT_S = 600.0
_ROWS_AT_ONCE = 20_000
_Read = TypeVar("_Read")


class StudyExportRequest(StudyReference):
    """``personal`` keeps what names people; only for who may change the study."""

    personal: bool = False


@dataclass(frozen=True)
class ExportedFile:
    """A file to send: its name, what it is, and its content."""

    name: str
    media_type: str
    content: bytes


def export_data(context: Context, actor: Actor, request: StudyExportRequest) -> ExportData:
    """A study with its results, for an export: all of one moment. Raises NotAllowed for personal
    data that are not for the actor."""
    return _of_one_moment(context, actor, request, lambda _: None)[0]


def anonymous_data(context: Context, study_id: str, wait_s: float) -> ExportData:
    """The same without personal data, for nobody in particular. Raises NotReady where it is not
    computed after ``wait_s`` seconds."""
    request = StudyExportRequest(study=study_id)
    return _of_one_moment(context, NOBODY, request, lambda _: None, wait_s)[0]


def _of_one_moment(
    context: Context,
    actor: Actor,
    request: StudyExportRequest,
    read: Callable[[str], _Read],
    wait_s: float = _WAIT_S,
) -> tuple[ExportData, _Read]:
    """An export's data, and what ``read`` reads of the study with that id at the same moment."""
    study = context.storage.studies.get(request.study)
    study_id = study.id
    if request.personal:
        require_personal(actor, study, "Leave out personal=1 for an anonymous export.")
    with context.storage.snapshot():
        key, source = source_key(context, study_id), read_source(context, study_id)
        moment = moment_of(context, source) if source.plan.kind is Kind.COLORINGS else None
        more = read(study_id)
    service = context.service(ResultsService)

    def make(step: Callable[[str], None]) -> Mapping[str, Any]:
        return computed_of(context, source, key, REPLICATES, step)

    computed = service.get(study_id, (key, REPLICATES), make, wait_s)
    if computed.results is not None and computed.results["of"] != digest(key):
        # What the page asked for began before an answer that it has seen.
        computed = service.get(study_id, (key, REPLICATES, "export"), make, wait_s)
    if computed.results is None or computed.stale:
        raise NotReady("The results are still being computed. Try again in a moment.")
    data = ExportData(
        source,
        metrics_of(context, source.plan),
        computed.results,
        request.personal,
        coloring_export(context, moment, wait_s) if moment is not None else None,
    )
    _require_all(context, data)
    return data, more


def _require_all(context: Context, data: ExportData) -> None:
    """Raises NotReady where somebody of an export was erased since it was read."""
    source = data.source
    if context.storage.participants.erasures(source.study.id) != source.erased:
        for service in context.services.values():
            if isinstance(service, ResultsService):
                service.forget(source.study.id)
        raise NotReady("A participant was erased in the meantime. Try again.")


class TableJson(TypedDict):
    """A table with its addresses; ``row`` says what a row is."""

    name: str
    title: str
    row: str
    columns: list[str]
    csv: str
    parquet: str


class TableList(TypedDict):
    """The files of a study; ``votes`` is empty where there is none."""

    tables: list[TableJson]
    personal: bool
    zip: str
    votes: str
    codebook: str


@requires("study")
def table_list(context: Context, actor: Actor, request: StudyReference) -> TableList:
    """The tables of a study with their addresses, and whether the user may request personal data."""
    study = context.storage.studies.get(request.study)
    plan: StudyPlan = current(context, study)
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
            for table in listed(plan.kind)
        ],
        "personal": may_personal(actor, study),
        "zip": f"{base}/all.zip",
        "votes": "" if plan.kind in OWN_TABLES else f"{base}/votes.jsonl",
        "codebook": f"{base}/codebook.md",
    }


class StudyTableRequest(StudyExportRequest):
    """One table as ``csv`` or ``parquet``."""

    table: str
    format: str


@requires("study")
def table_file(context: Context, actor: Actor, request: StudyTableRequest) -> ExportedFile:
    """One table of a study. Raises NotStored for a table or a format that there is not."""
    study = context.storage.studies.get(request.study)
    by_name = {table.name: table for table in tables_of(current(context, study).kind)}
    if request.table not in by_name or request.format not in ("csv", "parquet"):
        raise NotStored(
            f"There is no table {request.table[:40]}.{request.format[:10]}. There are "
            f"{', '.join(by_name)}, each as .csv and .parquet."
        )
    data = export_data(context, actor, request)
    table = by_name[request.table]
    name = f"{file_stem(data)}-{table.name}.{request.format}"
    if request.format == "csv":
        return ExportedFile(name, "text/csv; charset=utf-8", csv_bytes(table, data))
    return ExportedFile(name, "application/vnd.apache.parquet", parquet_bytes(table, data))


@requires("study")
def votes_file(context: Context, actor: Actor, request: StudyExportRequest) -> ExportedFile:
    """The votes of a pairwise study, a line each, in the format of LMSYS' arena."""
    data = export_data(context, actor, request)
    content = "".join(arena_lines(data)).encode()
    return ExportedFile(
        f"{file_stem(data)}-{VOTES_FILE}", "application/jsonl; charset=utf-8", content
    )


@requires("study")
def codebook_file(context: Context, actor: Actor, request: StudyExportRequest) -> ExportedFile:
    """Every column of every table, with unit and values."""
    data = export_data(context, actor, request)
    return ExportedFile(
        f"{file_stem(data)}-{CODEBOOK}",
        "text/markdown; charset=utf-8",
        codebook_text(data).encode(),
    )


@requires("study")
def write_archive(context: Context, actor: Actor, request: StudyExportRequest, target: Path) -> str:
    """Everything of a study as a zip at ``target``, which an import reads again; its name."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:

        def write(study_id: str) -> tuple[StudyCopy, Counts, str]:
            copy = context.storage.studies.copy(study_id)
            return copy, *_write_people(context, archive, study_id, request.personal)

        data, (copy, counts, people_sha256) = _of_one_moment(context, actor, request, write)
        sketches = sketch_records(context, copy)
        document = {
            **study_document(copy, counts, personal=request.personal, sketches=sketches),
            "exported_at": datetime.now(UTC).isoformat(),
            "exported_with": software(),
            "people_sha256": people_sha256,
        }
        archive.writestr(STUDY_FILE, json.dumps(document, ensure_ascii=False, indent=1))
        archive.writestr(CODEBOOK, codebook_text(data))
        archive.writestr(VOTES_FILE, "".join(arena_lines(data)))
        for table in tables_of(data.source.plan.kind):
            archive.writestr(f"tables/{table.name}.csv", csv_bytes(table, data))
            archive.writestr(f"tables/{table.name}.parquet", parquet_bytes(table, data))
        if data.colorings is not None:
            write_images(context, archive, sketches, data.colorings)
    _require_all(context, data)  # actions and pictures are read as they are written
    return f"{file_stem(data)}.study.zip"


def _write_people(
    context: Context, archive: zipfile.ZipFile, study_id: str, personal: bool
) -> tuple[Counts, str]:
    """Writes the participants, a few at a time: with every action of theirs all together are
    gigabytes of text. Returns how many they are, and the digest of what was written."""
    counts, sha256 = Counts(), hashlib.sha256()
    with archive.open(PEOPLE_FILE, "w", force_zip64=True) as file:
        people = context.storage.studies.people(study_id)
        for line in people_lines(people, counts, personal=personal):
            sha256.update(line.encode())
            file.write(line.encode())
    return counts, sha256.hexdigest()


def _arrow(table: StudyTable, data: ExportData) -> Any:
    import pyarrow as pa

    schema, rows = arrow_schema(table.columns), iter(table.rows(data))
    # In parts: as Python's objects the actions of a large study would take gigabytes.
    parts = iter(lambda: [dict(row) for row in islice(rows, _ROWS_AT_ONCE)], [])
    batches = [pa.RecordBatch.from_pylist(part, schema=schema) for part in parts]
    return pa.Table.from_batches(batches, schema=schema)


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
    language = {
        participant.number + 1: participant.language for participant in data.source.participants
    }
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


def codebook_text(
    data: ExportData, tables: Sequence[StudyTable] | None = None, about: str = ""
) -> str:
    """``codebook.md``: of ``tables``, all of the study's where None, with ``about`` on what is left
    out of them."""
    study = data.source.study
    lines = [
        f"# Codebook of the study {_cell(study.title)}",
        "",
        f"Study {study.id}, version {study.version} of its plan, {study.state}.",
        "",
        NOTE,
        "",
        about or (PERSONAL if data.personal else ANONYMOUS),
        "",
        f"{FEW} Here {data.results['everybody']['people']:,} answered, of whom "
        f"{data.results['included']['people']:,} are in. Intervals of metrics resample cases, and "
        "say nothing of other people.",
    ]
    for table in tables_of(data.source.plan.kind) if tables is None else tables:
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
            f"| {_cell(metric.id)} | {_cell(metric.name)} | {'yes' if metric.turned else 'no'} "
            f"| {_cell(metric.formula)} | {_cell(metric.source)} |"
            for metric in data.metrics
        ]
    text = ", ".join(f"{name} {number}" for name, number in software().items())
    return "\n".join([*lines, "", "## Exported with", "", text, ""])


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


def file_stem(data: ExportData) -> str:
    """How the names of a study's files begin."""
    study = data.source.study
    name = re.sub(r"[^a-z0-9]+", "-", study.title.lower()).strip("-")[:48].strip("-")
    personal = "-personal" if data.personal else ""
    return f"{name or 'study'}-{study.id[:6]}{personal}"
