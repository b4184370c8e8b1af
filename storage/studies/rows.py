"""Shared parts of the study tables: JSON values, times, and rows that must exist."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import duckdb

from truehue.core.errors import BadInput, NotStored

MARK_COLUMNS = "participant_id, position, kind, value, reason, author, number, created_at"
"""Of the table of marks of colorings."""


def json_text(content: Mapping[str, Any], field: str) -> str:
    """``content`` as JSON. Raises :class:`BadInput`, naming ``field``, for what is none."""
    try:
        text = json.dumps(dict(content), ensure_ascii=False, allow_nan=False)
        text.encode()  # half a character (a lone surrogate) is no text
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(
            f"{field} cannot be stored as JSON: {error}. Send text, whole numbers, finite numbers, "
            "true, false, null, lists and objects.",
            field,
        ) from None
    return text


def naive_utc(time: datetime) -> datetime:
    """A time with its zone as it is stored: UTC without one."""
    return time.astimezone(UTC).replace(tzinfo=None)


def single_row(
    cursor: duckdb.DuckDBPyConnection, sql: str, values: Sequence[Any]
) -> tuple[Any, ...]:
    """The one row that a question has as its answer."""
    row: tuple[Any, ...] | None = cursor.execute(sql, list(values)).fetchone()
    if row is None:
        raise NotStored("Nothing is stored there.")
    return row


def require_study(cursor: duckdb.DuckDBPyConnection, study_id: str) -> None:
    """Raises :class:`NotStored` where there is no such study."""
    if not cursor.execute("SELECT 1 FROM studies WHERE study_id = ?", [study_id]).fetchall():
        raise not_stored("study", study_id)


def not_stored(label: str, id_text: str) -> NotStored:
    """The error that no ``what`` has this id."""
    return NotStored(f"There is no {label} {str(id_text)[:80]!r}: it may have been deleted.")
