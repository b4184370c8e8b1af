"""Step 10: who gave a judgment, so that everybody's answer to a question counts."""

from __future__ import annotations

import duckdb


def judgments_by_person(cursor: duckdb.DuckDBPyConnection) -> None:
    """Now the row of the highest ``number`` of a question *and an actor* counts.

    An answer of a visitor has a row among the makers, which says whose it is; every other one is
    the owner's. A row that takes an answer back has none: it is of whoever gave the answer before
    it, which is the one that it took back. What another person's answer had replaced counts again.
    """
    # A new table, as in step 3: its log is replayed whole.
    cursor.execute("""
        CREATE TABLE judgments_by_person (
            judgment_id  VARCHAR PRIMARY KEY,
            number       BIGINT NOT NULL,
            question     VARCHAR NOT NULL,
            actor        VARCHAR NOT NULL,
            answer       VARCHAR NOT NULL,
            reason       VARCHAR NOT NULL,
            rule         VARCHAR NOT NULL,
            statuses     JSON NOT NULL,
            image_id     VARCHAR NOT NULL,
            mask_id      VARCHAR NOT NULL,
            run_id       VARCHAR NOT NULL,
            position     INTEGER NOT NULL,
            object_name  VARCHAR NOT NULL,
            target       JSON NOT NULL,
            created_at   TIMESTAMP NOT NULL
        )
    """)
    cursor.execute("""
        INSERT INTO judgments_by_person BY NAME
        WITH of_visitors AS (
            SELECT thing AS judgment_id, min(actor) AS actor
            FROM makers WHERE kind = 'judgment' GROUP BY thing
        ),
        given AS (
            SELECT verdict_judgments.*, coalesce(actor, 'owner') AS actor
            FROM verdict_judgments LEFT JOIN of_visitors USING (judgment_id)
        )
        SELECT * REPLACE (
            CASE WHEN answer = ''
                THEN coalesce(lag(actor) OVER (PARTITION BY question ORDER BY number), actor)
                ELSE actor
            END AS actor
        )
        FROM given
        ORDER BY number
    """)
    cursor.execute("DROP TABLE verdict_judgments")
    cursor.execute("ALTER TABLE judgments_by_person RENAME TO verdict_judgments")
    # The rows themselves say it now.
    cursor.execute("DELETE FROM makers WHERE kind = 'judgment'")
