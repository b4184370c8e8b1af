"""How tests of the published tables name cells, and find those that are not what they should be."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from truehue.core.published import PublishedRow, PublishedTable

Cell = tuple[str, str]


def numbers(row: PublishedRow, columns: tuple[str, ...] | list[str]) -> list[float]:
    """The row's numbers, of which none may be missing."""
    result = [row.values[column] for column in columns]
    assert None not in result
    return [number for number in result if number is not None]


def number(row: PublishedRow, column: str) -> float:
    return numbers(row, (column,))[0]


def exact(row: PublishedRow, column: str) -> Fraction:
    """The printed digits, with no rounding of ours."""
    return Fraction(row.printed[column])


def label(row: PublishedRow) -> str:
    return " ".join(cell for cell in row.keys.values() if cell)


def doubted(table: PublishedTable, message: str) -> set[Cell]:
    """The cells whose doubts contain ``told``."""
    return {
        (label(row), column.name)
        for row in table.rows
        for column in table.columns
        if message in table.doubt(row, column.name)
    }


def off(
    table: PublishedTable,
    columns: tuple[str, ...] | list[str],
    expected: Callable[[PublishedRow, str], float | None],
    tolerance: float,
) -> set[Cell]:
    """The cells that are further than that from what they should be."""
    result = set()
    for row in table.rows:
        for column in columns:
            should = expected(row, column)
            if should is not None and abs(number(row, column) - should) > tolerance + 1e-9:
                result.add((label(row), column))
    return result
