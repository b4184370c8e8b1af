"""Tables of a public page: numbers with their intervals, as text and as a bar."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truehue.tabs.studies.results_numbers import two_decimals

WIDTH = 120.0
"""Units of a bar's image, which is as wide as its column."""
_EDGE = 5.0
_PAD = 1.12
Number = Mapping[str, Any]
"""A :class:`truehue.tabs.studies.results_numbers.StudyNumberJson`."""
Format = Callable[[float], str]


@dataclass(frozen=True)
class Axis:
    """The axis that bars of a column share: from ``low`` to ``high``, with a ``mark``, such as
    chance."""

    low: float
    high: float
    mark: float | None = None

    def x(self, value: float) -> float:
        """Where a value lies in the image of a bar."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(_EDGE + share * (WIDTH - 2 * _EDGE), 1)


SHARES = Axis(0.0, 1.0)


@dataclass(frozen=True)
class Bar:
    """Where the number, the ends of its interval and the mark lie."""

    value: float
    low: float | None
    high: float | None
    mark: float | None


@dataclass(frozen=True)
class Cell:
    """A cell of a table: ``text``, the ``interval`` beside it, and ``why`` something is missing.
    ``right``: numbers stand at the right."""

    text: str
    interval: str = ""
    bar: Bar | None = None
    why: str = ""
    right: bool = False


@dataclass(frozen=True)
class Table:
    """A table with its heading; the first cell of a row names it."""

    title: str
    text: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def barred(self) -> tuple[bool, ...]:
        """Whether each column has bars, which stand in a column of their own so that they line
        up."""
        return tuple(
            any(row[index].bar is not None for row in self.rows) for index in range(len(self.heads))
        )


def share_text(value: float) -> str:
    """``62.5%``."""
    return f"{value:.1%}"


def decimal_text(value: float) -> str:
    """``0.42``, with a real minus sign."""
    return two_decimals(value)


def whole(value: float | None) -> Cell:
    """A count."""
    return Cell("–" if value is None else f"{value:,.0f}", right=True)


def number_cell(number: Number | None, text: Format, line: Axis | None = None) -> Cell:
    """A number with its 95% interval, and a bar where there is a ``line``."""
    if number is None or number["value"] is None:
        return Cell("–", why="" if number is None else number["why"], right=True)
    value, low, high = number["value"], number["low"], number["high"]
    interval = "" if low is None or high is None else f"[{text(low)}, {text(high)}]"
    return Cell(
        text(value),
        interval,
        None if line is None else bar_of(number, line),
        "" if interval else number["why"],
        right=True,
    )


def bar_of(number: Number, line: Axis) -> Bar:
    """The bar of a number that has a value."""
    ends = [None if number[name] is None else line.x(number[name]) for name in ("low", "high")]
    mark = None if line.mark is None else line.x(line.mark)
    return Bar(line.x(number["value"]), ends[0], ends[1], mark)


def axis_of(numbers: Iterable[Number], mark: float | None = None) -> Axis:
    """The axis that holds all intervals, with room."""
    values = [
        value
        for number in numbers
        for value in (number["value"], number["low"], number["high"])
        if value is not None
    ]
    if mark is not None:
        values.append(mark)
    low, high = min(values, default=0.0), max(values, default=1.0)
    middle, half = (low + high) / 2, max(high - low, 0.2) / 2 * _PAD
    return Axis(middle - half, middle + half, mark)


def listed(parts: Sequence[str]) -> str:
    """``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
