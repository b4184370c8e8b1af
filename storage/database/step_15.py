"""Step 15: evaluations of vision-language models, and their answers."""

from __future__ import annotations

import duckdb


def evaluations_and_answers(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make the index of the folders in ``askings/``, which can be built again from them."""
    cursor.execute("""
        CREATE TABLE evaluations (
            evaluation_no  INTEGER PRIMARY KEY,
            evaluation_id  VARCHAR NOT NULL,
            set_sha256     VARCHAR NOT NULL,
            model          VARCHAR NOT NULL,
            kind           VARCHAR NOT NULL,
            settings       JSON NOT NULL,
            parser         VARCHAR NOT NULL,
            questions      INTEGER NOT NULL,
            created_at     TIMESTAMP NOT NULL
        )
    """)
    # A row a question: the latest attempt counts.
    cursor.execute("""
        CREATE TABLE evaluation_answers (
            evaluation_no  INTEGER NOT NULL,
            position       INTEGER NOT NULL,
            question_id    VARCHAR NOT NULL,
            task           VARCHAR NOT NULL,
            attempt        INTEGER NOT NULL,
            words          VARCHAR NOT NULL,
            cut_off        BOOLEAN NOT NULL,
            seconds        DOUBLE,
            tokens_in      BIGINT,
            tokens_out     BIGINT
        )
    """)
    cursor.execute("""
        CREATE TABLE evaluation_readings (
            evaluation_no  INTEGER NOT NULL,
            position       INTEGER NOT NULL,
            parser         VARCHAR NOT NULL,
            reading        VARCHAR,
            outcome        VARCHAR NOT NULL,
            reason         VARCHAR NOT NULL
        )
    """)
