"""Shared parts of the figures of Compare's analyses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from truehue.core.spreadsheets import csv_text
from truehue.tabs.charts.analyses import FigureLine
from truehue.tabs.charts.figure_parts import label

MAX_NAME = 36
MAX_LINES = 200
"""Rows of the table on the page; the CSV has all."""


@dataclass(frozen=True)
class Row:
    """One row of a figure's numbers; ``open`` is the place in ``opens`` that it opens."""

    values: tuple[Any, ...]
    open: int | None = None
    hexes: tuple[str, ...] = ()


class OpenedConcept(TypedDict):
    """What opens a concept: its id, the sources ``d`` that are compared, and their method."""

    concept: str
    d: str
    method: str


class ChartJson(TypedDict):
    """A figure with its numbers; ``more`` rows are in the CSV alone."""

    name: str
    title: str
    words: str
    figure: dict[str, Any] | None
    stands: str
    empty: str
    source: str
    columns: list[str]
    lines: list[FigureLine]
    more: int
    opens: list[OpenedConcept]


@dataclass(frozen=True)
class Chart:
    """A figure with its numbers: its chart or, where there is too little, ``empty`` words.

    ``stands`` says on what it stands and what is excluded; ``opens`` what points and rows open.
    """

    name: str
    title: str
    words: str
    figure: dict[str, Any] | None
    columns: tuple[str, ...]
    rows: tuple[Row, ...] = field(repr=False)
    stands: str = ""
    empty: str = ""
    source: str = ""
    opens: tuple[OpenedConcept, ...] = field(default=(), repr=False)

    def as_json(self) -> ChartJson:
        """As the page draws it."""
        return {
            "name": self.name,
            "title": self.title,
            "words": self.words,
            "figure": self.figure,
            "stands": self.stands,
            "empty": self.empty,
            "source": self.source,
            "columns": [column.replace("_", " ") for column in self.columns],
            "lines": [
                {
                    "cells": [format_value(value) for value in row.values],
                    "pick": row.open,
                    "hexes": list(row.hexes),
                }
                for row in self.rows[:MAX_LINES]
            ],
            "more": max(len(self.rows) - MAX_LINES, 0),
            "opens": list(self.opens),
        }

    def csv(self) -> str:
        """The numbers as CSV, all rows."""
        return csv_text(self.columns, (row.values for row in self.rows))


def format_value(value: Any) -> str:
    """A value for people."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def interval_text(interval: tuple[float, float] | None, digits: int) -> str:
    """``0.61–0.72``; empty for none."""
    return "" if interval is None else f"{interval[0]:.{digits}f}–{interval[1]:.{digits}f}"


def run_names(runs: Mapping[str, str]) -> dict[str, str]:
    """Names of runs for a figure, shortened and told apart by a piece of the id where need be."""
    short = {run: label(name, MAX_NAME) for run, name in runs.items()}
    often = Counter(short.values())
    return {
        run: name if often[name] == 1 else f"{label(runs[run], MAX_NAME - 6)} {run[:4]}"
        for run, name in short.items()
    }
