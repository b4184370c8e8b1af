"""Why not the paper's number: the differences between ours and theirs, each switched alone.

The share of a difference is how far our number moves when that one is switched to theirs and all
others stay. Shares do not add up to the gap: differences interact, some exclude each other, such as
two rules, and some need a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from truehue.core.published import Column, PublishedRow


@dataclass(frozen=True, slots=True)
class Switch:
    """A difference that can be switched. ``ours`` and ``theirs`` say the two settings.

    ``evaluate`` returns our number with theirs, from what is stored; it is None, or returns None,
    where this needs a run, which ``command`` starts (empty where nothing can: data that nobody
    published).
    """

    name: str
    sentence: str
    ours: str
    theirs: str
    evaluate: Callable[[], float | None] | None = None
    command: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference and its share: ``points`` is how far our number moves when it alone is
    switched, None where that cannot be computed from what is stored (``evaluable`` is False)."""

    name: str
    sentence: str
    ours: str
    theirs: str
    points: float | None
    evaluable: bool
    command: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """The gap of one cell: ``published`` less ``ours`` in ``unit``, and its differences, the
    largest share first and those that need a run last."""

    keys: Mapping[str, str]
    column: str
    ours: float
    published: float
    differences: tuple[Difference, ...]
    unit: str = "percent"

    @property
    def points(self) -> float:
        """What our number would have to move by to be the printed one."""
        return self.published - self.ours


def switched_alone(
    keys: Mapping[str, str],
    column: str,
    ours: float,
    published: float,
    switches: Sequence[Switch],
    unit: str = "percent",
) -> Gap:
    """The gap of a cell, each difference switched alone from ``ours``."""
    differences = []
    for switch in switches:
        theirs = switch.evaluate() if switch.evaluate else None
        differences.append(
            Difference(
                switch.name,
                switch.sentence,
                switch.ours,
                switch.theirs,
                None if theirs is None else theirs - ours,
                theirs is not None,
                "" if theirs is not None else switch.command,
            )
        )
    differences.sort(key=lambda entry: (not entry.evaluable, -abs(entry.points or 0.0)))
    return Gap(keys, column, ours, published, tuple(differences), unit)


Numbers = Mapping[str, float | None]
"""Numbers of a row by a column's key; None, or no key, where there is none."""


@dataclass(frozen=True, slots=True)
class RowSwitch:
    """A difference of all numbers of a row; ``numbers`` are ours with theirs, and else it is as a
    :class:`Switch`."""

    name: str
    sentence: str
    ours: str
    theirs: str
    numbers: Callable[[], Numbers] | None = None
    command: str = ""

    def of(self, key: str) -> Switch:
        """The difference of one column."""
        numbers = self.numbers
        evaluate = None if numbers is None else lambda: numbers().get(key)
        return Switch(self.name, self.sentence, self.ours, self.theirs, evaluate, self.command)


def row_gaps(
    keys: Mapping[str, str],
    ours: Numbers,
    printed: PublishedRow,
    columns: Sequence[Column],
    key_of: Callable[[Column], str],
    switches: Sequence[RowSwitch],
) -> tuple[Gap, ...]:
    """The gap of every column in which both have a number, each difference switched alone."""
    gaps = []
    for column in columns:
        key = key_of(column)
        own, theirs = ours.get(key), printed.values[column.name]
        if own is None or theirs is None:
            continue
        of_column = [switch.of(key) for switch in switches]
        gaps.append(switched_alone(keys, column.name, own, theirs, of_column, column.unit))
    return tuple(gaps)


def gap_lines(gaps: Sequence[Gap]) -> list[str]:
    """The attribution for people, a block a gap; nothing without one."""
    lines: list[str] = []
    for gap in gaps:
        decimals = 1 if gap.unit == "percent" else 3
        keys = " · ".join(text for text in gap.keys.values() if text)
        lines.append(
            f"Why not the paper's number? {keys}, {gap.column}: ours {gap.ours:.{decimals}f}, "
            f"printed {gap.published:.{decimals}f}, so {gap.points:+.{decimals}f} is missing."
        )
        for entry in gap.differences:
            points = "needs a run" if entry.points is None else f"{entry.points:+.{decimals}f}"
            beyond = (entry.points or 0.0) * gap.points > gap.points**2
            past = " It passes the printed number." if beyond else ""
            lines.append(f"  {points:>11}  {entry.name}: {entry.sentence}{past}")
            if entry.command:
                lines.append(f"{'':15}{entry.command}")
        lines.append("  Each is switched alone. They do not add up: some exclude each other.")
        if any(entry.command for entry in gap.differences):
            lines.append(
                "  Runs of these commands are compared here; the row stays the protocol's."
            )
        lines.append("")
    return lines
