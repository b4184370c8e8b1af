"""The papers' tables over concepts beside ours: unchanged, never mixed with ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from truehue.core.analysis.records import RunRecord
from truehue.core.published import Column, counterpart, table

PAPER = "colorconceptbench"
WHY_OTHERS = (
    "Published numbers come from the authors' data: colors of 168 designers (not published) "
    "and the authors' own images, masks and prompts; no intervals. Your numbers use imported "
    "colors and your images, so they differ for that reason alone. The two are never averaged "
    "or ranked together."
)
KINDS: Mapping[str, str] = {
    "base": "Base concepts",
    "visual state": "Visual state",
    "emotional": "Emotional",
}
"""How ColorConceptBench's three kinds of concepts are called on the page."""
STYLES: Mapping[str, str] = {"natural": "Natural photo", "clipart": "Clip-art"}
ARROWS = {"higher": " ↑", "lower": " ↓"}


class HeadColumn(TypedDict):
    """A column of a table of numbers."""

    id: str
    name: str
    title: str


class StyleColumns(TypedDict):
    """The columns of one style; ``name`` is empty where there is one for all."""

    name: str
    columns: list[HeadColumn]


class KindColumns(TypedDict):
    """The columns of one kind of concepts, by style."""

    name: str
    styles: list[StyleColumns]


class PrintedNumber(TypedDict):
    """A number as printed; ``doubt`` says why it may be wrong."""

    text: str
    doubt: str


class PrintedRow(TypedDict):
    """A row of the paper; ``here`` names the runs whose model may be the same."""

    name: str
    here: list[str]
    note: str
    cells: dict[str, PrintedNumber]


class PrintedTable(TypedDict):
    """A table of the paper; ``first`` is the heading of its rows."""

    id: str
    title: str
    source: str
    url: str
    how: str
    notes: list[str]
    groups: list[KindColumns]
    rows: list[PrintedRow]
    first: str


class PrintedTables(TypedDict):
    """What the paper prints; ``told`` and ``after`` stand before and after its tables."""

    title: str
    told: str
    after: str
    tables: list[PrintedTable]


def published(
    ids: Sequence[str], runs: Iterable[RunRecord], title: str, after: str = ""
) -> PrintedTables:
    """Tables of the paper by their ids, with the runs whose model may be the same."""
    shown = list(runs)
    return {
        "title": title,
        "told": WHY_OTHERS,
        "after": after,
        "tables": [_table(table_id, shown) for table_id in ids],
    }


def _table(table_id: str, runs: Sequence[RunRecord]) -> PrintedTable:
    published_table = table(table_id)
    rows: list[PrintedRow] = []
    for row in published_table.rows:
        name = next(iter(row.keys.values()))
        partner = counterpart(PAPER, name) if "model" in row.keys else None
        available = [run.name for run in runs if partner and run.model in partner.ids]
        rows.append(
            {
                "name": name,
                "here": available,
                "note": partner.note if partner and available else "",
                "cells": {
                    column.name: {
                        "text": row.printed[column.name] or "–",
                        "doubt": published_table.doubt(row, column.name),
                    }
                    for column in published_table.columns
                },
            }
        )
    return {
        "id": table_id,
        "title": f"{published_table.number}: {published_table.title}",
        "source": published_table.source,
        "url": published_table.paper.url,
        "how": published_table.how,
        "notes": list(published_table.notes),
        "groups": _groups(published_table.columns),
        "rows": rows,
        "first": published_table.keys[0].capitalize(),
    }


def _groups(columns: Iterable[Column]) -> list[KindColumns]:
    """The columns under a heading of two lines, in the order in which they are printed."""
    groups: dict[str, dict[str, list[HeadColumn]]] = {}
    for column in columns:
        parts = column.parts
        crossed = "metric" in parts
        kind = KINDS.get(parts.get("concept", ""), "") if crossed else "Ratio of shifts"
        style = STYLES.get(parts.get("style", ""), "") if crossed else ""
        name = parts["metric"] + ARROWS.get(column.better, "") if crossed else column.name
        groups.setdefault(kind, {}).setdefault(style, []).append(
            {"id": column.name, "name": name, "title": f"{column.meaning}, {column.unit}"}
        )
    return [
        {
            "name": kind,
            "styles": [
                {"name": style, "columns": style_columns} for style, style_columns in by.items()
            ],
        }
        for kind, by in groups.items()
    ]
