"""The step of long work and of who brought what."""

from __future__ import annotations

import duckdb


def jobs_and_makers(cursor: duckdb.DuckDBPyConnection) -> None:
    """Long work, a row each that changes until it has ended; and which visitors brought or made a
    thing: a thing without a row is nobody's, and only the owner of the folder may change it."""
    cursor.execute("""
        CREATE TABLE jobs (
            job_id    VARCHAR NOT NULL,
            kind      VARCHAR NOT NULL,
            title     VARCHAR NOT NULL,
            actor     VARCHAR NOT NULL,
            status    VARCHAR NOT NULL,
            done      BIGINT NOT NULL,
            total     BIGINT NOT NULL,
            words     VARCHAR NOT NULL,
            result    JSON NOT NULL,
            problem   VARCHAR NOT NULL,
            began_at  TIMESTAMP NOT NULL,
            ended_at  TIMESTAMP
        )
    """)
    cursor.execute("""
        CREATE TABLE makers (
            kind        VARCHAR NOT NULL,
            thing       VARCHAR NOT NULL,
            actor       VARCHAR NOT NULL,
            created_at  TIMESTAMP NOT NULL
        )
    """)
