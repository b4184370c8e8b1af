"""Step 5: the index of run results, as numbers and dictionaries of what they stand for.

The large tables have neither primary key nor index: an index over ten million rows costs more than
all questions together. That nothing is counted twice is the ledger's part (``run_shards``).
"""

from __future__ import annotations

import duckdb


def runs_and_results(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make the tables of runs."""
    for statement in (*_DICTIONARIES, *_RUNS, *_RESULTS):
        cursor.execute(statement)


_DICTIONARIES = (
    # Numbers count from 0 within a kind: task, system, object, category, cause, step, rule. A
    # rule's number is its place in the two bits a rule of run_items.statuses.
    """
    CREATE TABLE known_names (
        kind  VARCHAR NOT NULL,
        no    INTEGER NOT NULL,
        name  VARCHAR NOT NULL,
        PRIMARY KEY (kind, no)
    )
    """,
    # ``sector`` and ``asked_l2`` are places in truehue.core.analysis.records.SECTORS and in level 2
    # of ISCC-NBS; ``traits`` has a bit for each of truehue.storage.runs.dictionaries.TRAITS.
    """
    CREATE TABLE known_colors (
        color_no  INTEGER PRIMARY KEY,
        value     VARCHAR NOT NULL,
        system    VARCHAR NOT NULL,
        name      VARCHAR NOT NULL,
        hex       VARCHAR NOT NULL,
        l         DOUBLE NOT NULL,
        a         DOUBLE NOT NULL,
        b         DOUBLE NOT NULL,
        sector    UTINYINT NOT NULL,
        asked_l2  UTINYINT NOT NULL,
        traits    UTINYINT NOT NULL
    )
    """,
    # ``first_asked`` is the first target that a verdict is needed on, ``opens`` the object and the
    # color that Inspect starts with.
    """
    CREATE TABLE known_prompts (
        prompt_no    INTEGER PRIMARY KEY,
        key          VARCHAR NOT NULL,
        source       VARCHAR NOT NULL,
        prompt_id    VARCHAR NOT NULL,
        text         VARCHAR NOT NULL,
        task_no      UTINYINT NOT NULL,
        system_no    UTINYINT NOT NULL,
        first_asked  TINYINT,
        opens        JSON NOT NULL,
        targets      JSON NOT NULL
    )
    """,
    # ``color_no`` is the color that a verdict compares with: a bystander's is the main object's,
    # which it must not have, so ``matches`` is false. NULL where no verdict is needed.
    """
    CREATE TABLE known_targets (
        prompt_no    INTEGER NOT NULL,
        target       TINYINT NOT NULL,
        object_no    INTEGER NOT NULL,
        category_no  INTEGER NOT NULL,
        color_no     INTEGER,
        matches      BOOLEAN,
        PRIMARY KEY (prompt_no, target)
    )
    """,
)

_RUNS = (
    """
    CREATE TABLE run_numbers (
        run_no      INTEGER PRIMARY KEY,
        run_id      VARCHAR NOT NULL,
        summary     JSON NOT NULL,
        created_at  TIMESTAMP NOT NULL
    )
    """,
    # The row of the highest version says how a run is called and whether it is shown.
    """
    CREATE TABLE run_views (
        run_no      INTEGER NOT NULL,
        version     INTEGER NOT NULL,
        name        VARCHAR NOT NULL,
        hidden      BOOLEAN NOT NULL,
        created_at  TIMESTAMP NOT NULL,
        PRIMARY KEY (run_no, version)
    )
    """,
    """
    CREATE TABLE run_prompts (
        run_no     INTEGER NOT NULL,
        prompt     INTEGER NOT NULL,
        prompt_no  INTEGER NOT NULL
    )
    """,
    # The ledger: a shard stands here once all its rows are stored.
    """
    CREATE TABLE run_shards (
        shard_no     INTEGER PRIMARY KEY,
        run_no       INTEGER NOT NULL,
        name         VARCHAR NOT NULL,
        items        INTEGER NOT NULL,
        ingested_at  TIMESTAMP NOT NULL
    )
    """,
)

_RESULTS = (
    # The attempt that counts of each picture. ``statuses`` holds what each rule says of it in two
    # bits: 0 nothing, 1 pass, 2 fail, 3 unscored.
    """
    CREATE TABLE run_items (
        run_no           INTEGER NOT NULL,
        position         INTEGER NOT NULL,
        prompt_no        INTEGER NOT NULL,
        image            INTEGER NOT NULL,
        task_no          UTINYINT NOT NULL,
        system_no        UTINYINT NOT NULL,
        statuses         BIGINT NOT NULL,
        drawn            BOOLEAN NOT NULL,
        attempt          INTEGER NOT NULL,
        shard_no         INTEGER NOT NULL,
        seed             BIGINT,
        width            INTEGER NOT NULL,
        height           INTEGER NOT NULL,
        seconds          FLOAT,
        scoring_seconds  FLOAT,
        worker           VARCHAR NOT NULL,
        reason           VARCHAR NOT NULL,
        notes            VARCHAR[] NOT NULL,
        image_id         VARCHAR NOT NULL
    )
    """,
    # Attempts that do not count any more: another one of the same picture came later.
    """
    CREATE TABLE run_attempts (
        run_no           INTEGER NOT NULL,
        position         INTEGER NOT NULL,
        attempt          INTEGER NOT NULL,
        shard_no         INTEGER NOT NULL,
        drawn            BOOLEAN NOT NULL,
        reason           VARCHAR NOT NULL,
        image_id         VARCHAR NOT NULL,
        seed             BIGINT,
        seconds          FLOAT,
        scoring_seconds  FLOAT,
        worker           VARCHAR NOT NULL
    )
    """,
    """
    CREATE TABLE run_masks (
        run_no    INTEGER NOT NULL,
        position  INTEGER NOT NULL,
        target    TINYINT NOT NULL,
        mask_id   VARCHAR NOT NULL
    )
    """,
    # One row an object, rule and picture. What belongs to the asked color and the prompt is written
    # again in each row, so that no question has to join. ``firsts`` and ``first_traits`` mark the
    # first row of a picture and rule that has this object, category, color, …: counting those
    # counts pictures (truehue.storage.runs.dictionaries). ``picture_reason`` is NULL where it
    # equals ``told``; ``statuses`` is the picture's, as in run_items.
    """
    CREATE TABLE run_verdicts (
        run_no              INTEGER NOT NULL,
        rule_no             UTINYINT NOT NULL,
        leads               BOOLEAN NOT NULL,
        single              BOOLEAN NOT NULL,
        position            INTEGER NOT NULL,
        prompt_no           INTEGER NOT NULL,
        image               INTEGER NOT NULL,
        target              TINYINT NOT NULL,
        shard_no            INTEGER NOT NULL,
        task_no             UTINYINT NOT NULL,
        system_no           UTINYINT NOT NULL,
        object_no           INTEGER,
        category_no         INTEGER,
        matches             BOOLEAN,
        color_no            INTEGER,
        sector              UTINYINT,
        asked_l2            UTINYINT,
        found_l2            UTINYINT,
        traits              UTINYINT NOT NULL,
        firsts              UTINYINT NOT NULL,
        first_traits        UTINYINT NOT NULL,
        status              UTINYINT NOT NULL,
        picture_status      UTINYINT NOT NULL,
        statuses            BIGINT NOT NULL,
        cause_no            UTINYINT NOT NULL,
        step_no             UTINYINT NOT NULL,
        l                   FLOAT,
        a                   FLOAT,
        b                   FLOAT,
        delta_e00           FLOAT,
        delta_chroma        FLOAT,
        hue_deg             FLOAT,
        misfit              FLOAT,
        confidence_percent  FLOAT,
        told                VARCHAR NOT NULL,
        picture_reason      VARCHAR
    )
    """,
)
