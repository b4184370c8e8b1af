"""Parts of the figures of Explore's analyses: choices, heat maps, rows of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import Any

from truehue.core.analysis.intervals import Rate
from truehue.core.analysis.records import Slice

NOTHING = -1
"""The choice of a part that nothing stands behind."""
MAX_LABEL = 20
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "star", "triangle-down")


def line_style(index: int) -> tuple[str, str]:
    """Dash and shape of the line at that place: lines are told apart without color, which is for
    data alone."""
    return DASHES[index % len(DASHES)], SHAPES[index % len(SHAPES)]


@dataclass(frozen=True)
class FigureRow:
    """One row of the numbers. ``pick`` is the choice behind it, ``hexes`` the colors it names."""

    values: tuple[Any, ...]
    pick: int = NOTHING
    hexes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plot:
    """A figure as it is answered: its chart, the choices, the numbers, and what they stand on.

    ``figure`` is None where there is too little to draw; ``empty`` then says so. ``notes`` are
    sentences about what was left out. ``unit`` is what the figure counts, ``task`` the task of its
    images where it has one of its own.
    """

    figure: dict[str, Any] | None
    picks: Picks
    columns: tuple[str, ...]
    lines: tuple[FigureRow, ...]
    stands: Rate
    notes: tuple[str, ...] = ()
    empty: str = ""
    left_out: str = "unscored and in no share"
    unit: str = "object"
    task: str = ""

    def without(self, count: int) -> Plot:
        """The same where ``count`` objects have no measured color; the figure has the others."""
        measured = Rate(self.stands.passes, self.stands.fails + self.stands.unscored, count)
        return replace(self, stands=measured, left_out="not measured and not in the figure")


@dataclass(frozen=True)
class Published:
    """A published figure that stands beside ours: its title, a sentence, and where it is from."""

    figure: dict[str, Any]
    title: str
    words: str
    source: str


@dataclass
class Picks:
    """The choices of a figure: what the slice is narrowed by when a part of it is chosen.

    A choice is in use when the slice says all that it would say.
    """

    meant: Slice
    all: list[dict[str, Any]] = field(default_factory=list)
    _at: dict[str, int] = field(default_factory=dict, repr=False)

    def add(self, **changes: Any) -> int:
        """The number of a choice; the same changes have the same one."""
        index = self._at.setdefault(repr(sorted(changes.items())), len(self.all))
        if index == len(self.all):
            self.all.append(changes)
        return index

    def used(self, pick: int) -> bool:
        """Whether the slice is narrowed by it now."""
        return pick != NOTHING and all(
            (list(self.meant.runs) if name == "runs" else getattr(self.meant, name)) == value
            for name, value in self.all[pick].items()
        )

    @property
    def in_use(self) -> list[int]:
        """The choices in use."""
        return [pick for pick in range(len(self.all)) if self.used(pick)]


def label(text: str, limit: int = MAX_LABEL) -> str:
    """Text for a figure: plotly would read tags in it."""
    return escape(text if len(text) <= limit else text[: limit - 1] + "…", quote=False)


def short_names(runs: Mapping[str, str]) -> dict[str, str]:
    """Short names of runs that stay apart where the shortened ones would not."""
    names: dict[str, str] = {}
    for run, name in runs.items():
        short = label(name)
        used = short in names.values()
        names[run] = f"{label(name, MAX_LABEL - 5)} {run[:4]}" if used else short
    return names


def rate_text(percent: float) -> str:
    """One decimal, two where one would turn almost all into all, or almost none into none."""
    close = 99.95 <= percent < 100.0 or 0.0 < percent < 0.05
    return f"{min(percent, 99.99):.2f}" if close else f"{percent:.1f}"


def interval_text(low: float, high: float, percent: float) -> str:
    """``99.9 to 100.0``, with the most decimals that :func:`rate_text` gives an end or the
    ``percent`` between."""
    decimals = max(len(rate_text(value).partition(".")[2]) for value in (low, high, percent))
    return f"{low:.{decimals}f} to {high:.{decimals}f}"


def percent_text(percent: float | None) -> str:
    """As :func:`rate_text`; a dash for none."""
    return "–" if percent is None else rate_text(percent)


def cell_text(percent: float | None, scored: int, text: str = "") -> str:
    """The number of a cell and below it, smaller, of how many; a dash alone without a number."""
    if percent is None:
        return "–"
    return f"{text or percent_text(percent)}<br><span style='font-size:8px'>n {scored:,}</span>"


def mean_text(percent: float | None, interval: tuple[float, float] | None, scored: int) -> str:
    """A mean over the systems with its interval, for a hover."""
    between = "" if interval is None else f" ({interval[0]:.1f} to {interval[1]:.1f})"
    return f"mean of the three systems: {percent_text(percent)}%{between}<br>n {scored:,}"


def format_rate(rate: Rate) -> str:
    """Share, interval and counts of a rate, for a hover."""
    if rate.percent is None or rate.interval is None:
        return f"none scored; {rate.unscored:,} unscored"
    low, high = rate.interval
    unscored = f"; {rate.unscored:,} unscored" if rate.unscored else ""
    return (
        f"{percent_text(rate.percent)}% pass ({low:.1f} to {high:.1f})<br>"
        f"{rate.passes:,} of {rate.scored:,}{unscored}"
    )


def rate_values(rate: Rate) -> tuple[Any, ...]:
    """The columns of :data:`RATE_COLUMNS`."""
    low, high = rate.interval or (None, None)
    return rate.percent, low, high, rate.passes, rate.scored, rate.unscored


RATE_COLUMNS = ("percent", "low", "high", "passes", "scored", "unscored")


@dataclass(frozen=True)
class HeatCell:
    """One cell: how strong its shade is (0 to 100, None for empty), its text, hover and choice."""

    shade: float | None
    text: str
    hover: str
    pick: int = NOTHING


def heat_map(
    cells: Sequence[Sequence[HeatCell]],
    across: Sequence[str],
    down: Sequence[str],
    picks: Picks | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A heat map in grays; the first row stands on top. Cells of a choice in use get a frame.

    ``more`` are of the chart, such as ``row_px``, the height of a row, ``gap``, the pixels between
    cells, and ``text_px``, the size of the texts in them, None for cells without text.
    """
    used = picks.in_use if picks else ()
    rows = [[asdict(cell) | {"used": cell.pick in used} for cell in row] for row in cells]
    return {"cells": rows, "across": list(across), "down": list(down), **more}
