"""Steps 7 to 9: how many transactions there were and which are missing; judgments of people; jobs,
and who brought what."""

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


def verdict_judgments(cursor: duckdb.DuckDBPyConnection) -> None:
    """What people say of verdicts. Rows are only added: the one of the highest ``number`` of a
    question counts, and an empty ``answer`` takes it back. ``statuses`` holds what each rule said
    when the person looked, as ``{rule: {version, status}}``; ``position`` is -1 outside of runs."""
    cursor.execute("""
        CREATE TABLE verdict_judgments (
            judgment_id  VARCHAR PRIMARY KEY,
            number       BIGINT NOT NULL,
            question     VARCHAR NOT NULL,
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
