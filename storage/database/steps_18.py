"""Step 18: public pages of results of studies."""

from __future__ import annotations

import duckdb


def study_publications(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make the table of public pages. A row that is not revoked is the page of its study."""
    cursor.execute("""
        CREATE TABLE study_publications (
            study_id    VARCHAR NOT NULL,
            number      INTEGER NOT NULL,
            token       VARCHAR NOT NULL,
            images      BOOLEAN NOT NULL,
            author      VARCHAR NOT NULL,
            created_at  TIMESTAMP NOT NULL,
            revoked_by  VARCHAR,
            revoked_at  TIMESTAMP,
            PRIMARY KEY (study_id, number)
        )
    """)
