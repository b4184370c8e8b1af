"""Step 7: how many transactions there were, and which of them were found missing."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

import duckdb


def write_count_and_losses(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make the counter that every transaction raises, and the list of what was found missing."""
    # One row. ``database_id`` tells this database from another one that is put in its place.
    cursor.execute("""
        CREATE TABLE write_count (
            database_id  VARCHAR NOT NULL,
            writes       BIGINT NOT NULL,
            written_at   TIMESTAMP NOT NULL
        )
    """)
    cursor.execute(
        "INSERT INTO write_count VALUES (?, 0, ?)",
        [secrets.token_hex(16), datetime.now(UTC).replace(tzinfo=None)],
    )
    # ``since`` is the time of the last write that is there, ``until`` of the last that is not.
    cursor.execute("""
        CREATE TABLE losses (
            number    INTEGER PRIMARY KEY,
            writes    BIGINT NOT NULL,
            since     TIMESTAMP,
            until     TIMESTAMP NOT NULL,
            replaced  BOOLEAN NOT NULL,
            log_copy  VARCHAR NOT NULL,
            found_at  TIMESTAMP NOT NULL
        )
    """)
    cursor.execute("""
        CREATE TABLE losses_read (
            number   INTEGER PRIMARY KEY,
            read_at  TIMESTAMP NOT NULL
        )
    """)
