"""The files of ``assets/published``, verified when they are read."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from truehue.core.errors import TrueHueError
from truehue.core.published.records import (
    Column,
    Counterpart,
    Doubt,
    Paper,
    PublishedRow,
    PublishedTable,
)

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "published"


@cache
def read_papers() -> tuple[Paper, ...]:
    """The four papers, in the order of the index."""
    return tuple(
        Paper(
            entry["id"],
            entry["title"],
            tuple(entry["authors"]),
            entry["year"],
            entry["arxiv"],
            entry["url"],
        )
        for entry in _index()["papers"]
    )


@cache
def read_tables() -> tuple[PublishedTable, ...]:
    """All tables, in the order of the index. Raises TrueHueError when a file is missing or its
    SHA-256 is not the one of the index."""
    papers = {paper.id: paper for paper in read_papers()}
    return tuple(_table(entry, papers[entry["paper"]]) for entry in _index()["tables"])


@cache
def read_counterparts() -> Mapping[tuple[str, str], Counterpart]:
    """By paper and published name."""
    rows = csv.DictReader(io.StringIO(_bytes("models.csv").decode("utf-8")))
    return MappingProxyType(
        {
            (row["paper"], row["published"]): Counterpart(
                tuple(row["ours"].split("; ")), row["exact"] == "yes", row["note"]
            )
            for row in rows
        }
    )


def _table(entry: Mapping[str, Any], paper: Paper) -> PublishedTable:
    content = _bytes(entry["file"])
    digest = hashlib.sha256(content).hexdigest()
    if digest != entry["sha256"]:
        raise TrueHueError(
            f"{FOLDER / entry['file']} was changed: its SHA-256 is not that of the published "
            f"table. Restore it with: git checkout -- assets/published/{entry['file']}"
        )
    keys = tuple(entry["keys"])
    columns = tuple(_column(column) for column in entry["columns"])
    names = tuple(column.name for column in columns)
    lines = csv.DictReader(io.StringIO(content.decode("utf-8")))
    if tuple(lines.fieldnames or ()) != keys + names:
        raise TrueHueError(
            f"{FOLDER / 'index.json'} was changed: it names other columns than {entry['file']} "
            "has. Restore it with: git checkout -- assets/published/index.json"
        )
    doubts = tuple(
        Doubt(MappingProxyType(doubt["where"]), doubt["column"], doubt["told"])
        for doubt in entry["doubts"]
    )
    return PublishedTable(
        id=entry["id"],
        paper=paper,
        number=entry["number"],
        title=entry["title"],
        protocol=entry["protocol"],
        how=entry["how"],
        comparable_with=tuple(entry["comparable_with"]),
        keys=keys,
        columns=columns,
        notes=tuple(entry["notes"]),
        doubts=doubts,
        sha256=digest,
        rows=tuple(_row(line, keys, names) for line in lines),
    )


def _column(entry: Mapping[str, Any]) -> Column:
    return Column(
        name=entry["name"],
        meaning=entry["meaning"],
        unit=entry["unit"],
        better=entry["better"],
        ours=entry.get("ours", ""),
        parts=MappingProxyType(entry.get("parts", {})),
    )


def _row(row: Mapping[str, str], keys: tuple[str, ...], columns: tuple[str, ...]) -> PublishedRow:
    printed = {name: row[name] for name in columns}
    return PublishedRow(
        MappingProxyType({key: row[key] for key in keys}),
        MappingProxyType(printed),
        MappingProxyType({name: float(cell) if cell else None for name, cell in printed.items()}),
    )


@cache
def _index() -> Mapping[str, Any]:
    index: Mapping[str, Any] = json.loads(_bytes("index.json"))
    return index


def _bytes(name: str) -> bytes:
    path = FOLDER / name
    try:
        return path.read_bytes()
    except OSError as error:
        raise TrueHueError(
            f"A published table cannot be read from {path}. Restore it with: "
            f"git checkout -- assets/published/{name}"
        ) from error


def entry(paper: Paper) -> str:
    """One ``@misc`` entry, with only what is known of the paper."""
    fields = {
        "title": f"{{{paper.title}}}",
        "author": " and ".join(paper.authors),
        "year": str(paper.year or ""),
        "eprint": paper.arxiv,
        "archiveprefix": "arXiv" if paper.arxiv else "",
        "url": paper.url,
    }
    lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
    return "\n".join([f"@misc{{{paper.id},", *lines, "}"])


def entries(papers: Iterable[Paper]) -> str:
    """All entries, each paper once, ready to be written to a file."""
    return "".join(f"{entry(paper)}\n\n" for paper in dict.fromkeys(papers)).rstrip("\n") + "\n"
