"""Why our numbers are not the printed ones: the share of each difference, for the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from truehue.core.reproduce.attribution import Difference, Gap


class GapColumn(TypedDict):
    """A column in which ours has a number; ``part`` stands above its name, empty for none."""

    id: str
    short: str
    part: str


class GapRow(TypedDict):
    """A difference that was switched alone: what our number moves by in each column, with its
    sign."""

    name: str
    sentence: str
    ours: str
    theirs: str
    cells: dict[str, str]


class GapRun(TypedDict):
    """A difference that needs a run, and the command that starts it (or none)."""

    name: str
    sentence: str
    ours: str
    theirs: str
    command: str


class GapView(TypedDict):
    """The gap of one of ours (a run, an evaluation) and one printed row.

    ``missing`` is what our number would have to move by. Without ``columns`` there is no number of
    ours: ``sentence`` says why, and ``command`` starts what is missing, where a command does.
    """

    name: str
    sentence: str
    columns: list[GapColumn]
    missing: dict[str, str]
    rows: list[GapRow]
    runs: list[GapRun]
    command: str


class GapsView(TypedDict):
    """A gap for each of ours, else one that says how to begin."""

    gaps: list[GapView]


def without_gap(name: str, sentence: str, command: str = "") -> GapView:
    """What stands in place of a gap where ours has no number."""
    return {
        "name": name,
        "sentence": sentence,
        "columns": [],
        "missing": {},
        "rows": [],
        "runs": [],
        "command": command,
    }


def gap_json(
    name: str,
    gaps: Mapping[str, Gap],
    titles: Mapping[str, str],
    parts: Mapping[str, str] | None = None,
) -> GapView:
    """The gaps of one of ours, called ``name``, by column, in the order of ``titles``; ``parts``
    are what stands above a title."""
    order = [column for column in titles if column in gaps]
    switched: dict[str, GapRow] = {}
    needing: dict[str, GapRun] = {}
    for column in order:
        for entry in gaps[column].differences:
            if entry.points is None:
                needing.setdefault(entry.name, {**_facts(entry), "command": entry.command})
                continue
            row = switched.setdefault(entry.name, {**_facts(entry), "cells": {}})
            row["cells"][column] = _signed(entry.points, gaps[column].unit)
    return {
        "name": name,
        "sentence": "",
        "columns": [
            {"id": column, "short": titles[column], "part": (parts or {}).get(column, "")}
            for column in order
        ],
        "missing": {column: _signed(gaps[column].points, gaps[column].unit) for column in order},
        "rows": list(switched.values()),
        "runs": [run for name, run in needing.items() if name not in switched],
        "command": "",
    }


class _Facts(TypedDict):
    name: str
    sentence: str
    ours: str
    theirs: str


def _facts(entry: Difference) -> _Facts:
    return {
        "name": entry.name,
        "sentence": entry.sentence,
        "ours": entry.ours,
        "theirs": entry.theirs,
    }


def _signed(points: float, unit: str) -> str:
    """With its sign: percent with one decimal, other units with three, as they are printed."""
    decimals = 1 if unit == "percent" else 3
    rounded = round(points, decimals)
    return f"{rounded:+.{decimals}f}" if rounded else f"{0:.{decimals}f}"
