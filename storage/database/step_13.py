"""Step 13: which expectation each verdict answers."""

from __future__ import annotations

import duckdb

from truehue.storage.database.expectation_keys import fill_keys


def expectations_of_verdicts(cursor: duckdb.DuckDBPyConnection) -> None:
    """Every verdict has the key of the expectation that it answers, and every drawing the keys that
    answer its own, as :mod:`truehue.core.verdict.expectations` gives them to new rows.

    A later step that changes the keys fills them again.
    """
    # A new table, as in step 3: its log is replayed whole.
    cursor.execute("""
        CREATE TABLE evidence_by_expectation (
            evidence_id  VARCHAR PRIMARY KEY,
            image_id     VARCHAR NOT NULL,
            mask_id      VARCHAR,
            object_name  VARCHAR NOT NULL,
            target       JSON NOT NULL,
            protocol     VARCHAR NOT NULL,
            version      VARCHAR NOT NULL,
            parameters   JSON NOT NULL,
            status       VARCHAR NOT NULL,
            reason       VARCHAR NOT NULL,
            numbers      JSON NOT NULL,
            expectation  VARCHAR NOT NULL DEFAULT '',
            created_at   TIMESTAMP NOT NULL
        )
    """)
    # In the order of adding, which tells equal times apart.
    cursor.execute(
        "INSERT INTO evidence_by_expectation BY NAME SELECT * FROM evidence ORDER BY rowid"
    )
    cursor.execute("DROP TABLE evidence")
    cursor.execute("ALTER TABLE evidence_by_expectation RENAME TO evidence")
    fill_keys(cursor)
