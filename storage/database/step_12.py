"""Step 12: sketches, colorings, and what is said of the colorings of a study."""

from __future__ import annotations

import duckdb


def sketches_and_colorings(cursor: duckdb.DuckDBPyConnection) -> None:
    """Sketches with their ink as a file; colorings that people made for themselves; of the
    colorings of studies, which lie in the events, marks and what was seen when they were drawn
    again."""
    cursor.execute("""
        CREATE TABLE sketches (
            sketch_id       VARCHAR PRIMARY KEY,
            content_sha256  VARCHAR NOT NULL,
            width           INTEGER NOT NULL,
            height          INTEGER NOT NULL,
            words           VARCHAR NOT NULL,
            source          VARCHAR NOT NULL,
            note            VARCHAR NOT NULL,
            maker           VARCHAR NOT NULL,
            warnings        JSON NOT NULL,
            closing         INTEGER NOT NULL,
            created_at      TIMESTAMP NOT NULL
        )
    """)
    # Which sketch is taken for its words: rows are added, and the last one of the words holds.
    cursor.execute("""
        CREATE TABLE sketch_uses (
            number      INTEGER PRIMARY KEY,
            sketch_id   VARCHAR NOT NULL,
            words       VARCHAR NOT NULL,
            maker       VARCHAR NOT NULL,
            created_at  TIMESTAMP NOT NULL
        )
    """)
    cursor.execute("""
        CREATE TABLE colorings (
            coloring_id  VARCHAR PRIMARY KEY,
            sketch_id    VARCHAR NOT NULL,
            words        VARCHAR NOT NULL,
            actions      JSON NOT NULL,
            maker        VARCHAR NOT NULL,
            created_at   TIMESTAMP NOT NULL
        )
    """)
    cursor.execute("""
        CREATE TABLE coloring_marks (
            study_id        VARCHAR NOT NULL,
            number          INTEGER NOT NULL,
            participant_id  VARCHAR NOT NULL,
            position        INTEGER NOT NULL,
            kind            VARCHAR NOT NULL,
            value           VARCHAR NOT NULL,
            reason          VARCHAR NOT NULL,
            author          VARCHAR NOT NULL,
            created_at      TIMESTAMP NOT NULL,
            PRIMARY KEY (study_id, number)
        )
    """)
    # Whose answers are in a set that was made of a study: it goes when one of them is erased.
    cursor.execute("""
        CREATE TABLE study_sets (
            set_id              VARCHAR NOT NULL,
            study_id            VARCHAR NOT NULL,
            participant_number  INTEGER NOT NULL,
            PRIMARY KEY (set_id, study_id, participant_number)
        )
    """)
    # Made of the events whenever it is missing: a row says that the file was made, and from what.
    cursor.execute("""
        CREATE TABLE coloring_layers (
            event_id        VARCHAR PRIMARY KEY,
            participant_id  VARCHAR NOT NULL,
            position        INTEGER NOT NULL,
            checksum        VARCHAR NOT NULL,
            matches         BOOLEAN NOT NULL,
            colored         DOUBLE NOT NULL,
            created_at      TIMESTAMP NOT NULL
        )
    """)
