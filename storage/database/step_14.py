"""Step 14: scores of items by measures."""

from __future__ import annotations

import duckdb


def scores_of_items(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make the one table of scores, whatever the measure."""
    # No key: an index over millions of rows costs more than the questions. A row is only added, and
    # the latest counts (truehue.storage.scores.values).
    cursor.execute("""
        CREATE TABLE scores (
            item_kind          VARCHAR NOT NULL,
            item               VARCHAR NOT NULL,
            measure            VARCHAR NOT NULL,
            version            VARCHAR NOT NULL,
            parameters         JSON NOT NULL,
            parameters_sha256  VARCHAR NOT NULL,
            value              DOUBLE,
            status             VARCHAR NOT NULL,
            reason             VARCHAR NOT NULL,
            numbers            JSON NOT NULL,
            scorer             VARCHAR NOT NULL,
            provenance         JSON NOT NULL,
            created_at         TIMESTAMP NOT NULL
        )
    """)
