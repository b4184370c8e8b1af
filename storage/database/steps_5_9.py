"""Steps 5 to 9: the index of run results; colors of concepts; losses, judgments and jobs.

Step 5 stores the results of runs as numbers, and dictionaries of their meanings. Its large tables
have neither primary key nor index: an index over ten million rows costs more than all queries
together. The ledger (``run_shards``) ensures that nothing is counted twice.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

import duckdb

from truehue.core.prompts.concepts import build_concepts


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
    # The attempt that counts of each image. ``statuses`` holds what each rule says of it in two
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
    # Attempts that do not count any more: another one of the same image came later.
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
    # One row an object, rule and image. What belongs to the target color and the prompt is written
    # again in each row, so that no question has to join. ``firsts`` and ``first_traits`` mark the
    # first row of an image and rule that has this object, category, color, …: counting those
    # counts images (truehue.storage.runs.dictionaries). ``picture_reason`` is NULL where it
    # equals ``told``; ``statuses`` is the image's, as in run_items.
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


def concepts_and_distributions(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make the tables of profiles and distributions, and tell which known prompts are concepts."""
    for statement in _TABLES:
        cursor.execute(statement)
    # As truehue.core.runs.concepts.concept_of tells a new one: word for word, whatever set it came
    # in.
    texts = {prompt.id: prompt.text for prompt in build_concepts()}
    rows = cursor.execute("SELECT prompt_no, prompt_id, text FROM known_prompts").fetchall()
    for prompt_no, prompt_id, text in rows:
        if texts.get(prompt_id) == text:
            cursor.execute(
                "INSERT INTO known_concepts VALUES (?, ?, ?)",
                [prompt_no, *prompt_id.rsplit("-", 1)],
            )


# The columns of truehue.core.concepts.records.ColorProfile.
_PROFILE = """
        mask_px         BIGINT NOT NULL,
        sampled_px      INTEGER NOT NULL,
        dominant_srgb   DOUBLE[3] NOT NULL,
        dominant_share  DOUBLE NOT NULL,
        cells           USMALLINT[] NOT NULL,
        counts          INTEGER[] NOT NULL,
        sums            INTEGER[] NOT NULL,
        bins            UTINYINT[] NOT NULL,
        bin_counts      INTEGER[] NOT NULL"""

_TABLES = (
    # ``concept_id`` and ``style`` together are the id of the prompt in its set.
    """
    CREATE TABLE known_concepts (
        prompt_no   INTEGER PRIMARY KEY,
        concept_id  VARCHAR NOT NULL,
        style       VARCHAR NOT NULL
    )
    """,
    # One row an image of a run and object; of the attempt that counts, like run_items.
    f"""
    CREATE TABLE run_profiles (
        run_no    INTEGER NOT NULL,
        position  INTEGER NOT NULL,
        prompt_no INTEGER NOT NULL,
        target    TINYINT NOT NULL,
        guidance  DOUBLE,
        version   VARCHAR NOT NULL,{_PROFILE}
    )
    """,
    # Of images that were drawn: why the object's colors could not be measured.
    """
    CREATE TABLE run_unmeasured (
        run_no    INTEGER NOT NULL,
        position  INTEGER NOT NULL,
        prompt_no INTEGER NOT NULL,
        target    TINYINT NOT NULL,
        guidance  DOUBLE,
        reason    VARCHAR NOT NULL
    )
    """,
    # Extraction of a run's concept, kept; good while ``pictures`` is how many are stored of it.
    """
    CREATE TABLE concept_cells (
        run_no     INTEGER NOT NULL,
        prompt_no  INTEGER NOT NULL,
        guidance   DOUBLE,
        method     VARCHAR NOT NULL,
        version    VARCHAR NOT NULL,
        pictures   INTEGER NOT NULL,
        images     INTEGER NOT NULL,
        unscored   INTEGER NOT NULL,
        weights    DOUBLE[71]
    )
    """,
    # Profiles of stored images outside of runs, measured once.
    f"""
    CREATE TABLE picture_profiles (
        image_id  VARCHAR NOT NULL,
        mask_id   VARCHAR NOT NULL,
        version   VARCHAR NOT NULL,{_PROFILE},
        PRIMARY KEY (image_id, mask_id, version)
    )
    """,
    # Images that belong together: uploads of a concept, or people's colorings of it.
    """
    CREATE TABLE picture_sets (
        set_id      VARCHAR PRIMARY KEY,
        words       VARCHAR NOT NULL,
        of_people   BOOLEAN NOT NULL,
        created_at  TIMESTAMP NOT NULL
    )
    """,
    """
    CREATE TABLE picture_set_images (
        set_id       VARCHAR NOT NULL,
        place        INTEGER NOT NULL,
        image_id     VARCHAR NOT NULL,
        mask_id      VARCHAR NOT NULL,
        contributor  VARCHAR NOT NULL,
        PRIMARY KEY (set_id, place)
    )
    """,
    # Distributions as a file gave them. ``kind`` is a key of truehue.core.concepts.records.KINDS.
    """
    CREATE TABLE distribution_sets (
        set_id      VARCHAR PRIMARY KEY,
        kind        VARCHAR NOT NULL,
        of_people   BOOLEAN NOT NULL,
        file_name   VARCHAR NOT NULL,
        source      VARCHAR NOT NULL,
        notes       VARCHAR[] NOT NULL,
        created_at  TIMESTAMP NOT NULL
    )
    """,
    """
    CREATE TABLE distribution_rows (
        set_id       VARCHAR NOT NULL,
        place        INTEGER NOT NULL,
        words        VARCHAR NOT NULL,
        contributor  VARCHAR NOT NULL,
        people       INTEGER NOT NULL,
        weights      DOUBLE[71] NOT NULL,
        given        JSON NOT NULL,
        PRIMARY KEY (set_id, place)
    )
    """,
    # How a set of either kind is called and whether it is shown: the row of the highest version.
    """
    CREATE TABLE set_views (
        set_id      VARCHAR NOT NULL,
        version     INTEGER NOT NULL,
        name        VARCHAR NOT NULL,
        hidden      BOOLEAN NOT NULL,
        created_at  TIMESTAMP NOT NULL,
        PRIMARY KEY (set_id, version)
    )
    """,
)


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
