"""The step of people's judgments of verdicts."""

from __future__ import annotations

import duckdb


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
