"""CSV whose texts no spreadsheet runs as a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

STARTS = ("=", "+", "-", "@", "\t", "\r")
"""Characters that begin a formula. Source: OWASP, CSV Injection."""

_PATTERN = r"^[=+\-@\t\r]"
"""The same, as Arrow's regular expressions have it."""


def escape_formula(text: str) -> str:
    """The text with ``'`` before it where a spreadsheet would run it as a formula."""
    return f"'{text}" if text.startswith(STARTS) else text


def unescape_formula(text: str) -> str:
    """The text before :func:`escape_formula`."""
    return text[1:] if text[:1] == "'" and text[1:].startswith(STARTS) else text


def guarded_table(table: Any) -> Any:
    """A pyarrow Table whose texts, also those of a dictionary, are as of :func:`escape_formula`."""
    import pyarrow as pa

    columns = [
        _guarded_column(column) if pa.types.is_string(_of(column.type)) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


def _of(kind: Any) -> Any:
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _guarded_column(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = column.cast(pa.string())
    starts = pc.fill_null(pc.match_substring_regex(texts, _PATTERN), False)
    if not pc.any(starts).as_py():
        return column
    return pc.if_else(starts, pc.binary_join_element_wise("'", texts, ""), texts)


def cell(value: Any) -> Any:
    """A value for a CSV: floats with six significant digits, nothing for None, text guarded."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return escape_formula(value)
    return "" if value is None else value


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """CSV with a heading; values as of :func:`cell`."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(cell, row) for row in rows)
    return buffer.getvalue()
