"""Steps 10 to 17: users of judgments; accounts and studies; colorings; keys of expectations; scores;
evaluations of vision-language models and their answers; accounts of Hugging Face; measured colors."""

from __future__ import annotations

import duckdb

from truehue.storage.database.expectation_keys import fill_keys


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


def accounts_and_studies(cursor: duckdb.DuckDBPyConnection) -> None:
    """Accounts with their sessions; studies, links, participants, what they saw and what they did.

    Of secrets only hashes are stored: of passwords by argon2id, of the tokens of sessions, links
    and participants, which are of 256 bits of chance, by SHA-256.
    """
    _accounts(cursor)
    _studies(cursor)
    _participants(cursor)


def _accounts(cursor: duckdb.DuckDBPyConnection) -> None:
    cursor.execute("""
        CREATE TABLE accounts (
            account_id     VARCHAR PRIMARY KEY,
            name           VARCHAR NOT NULL,
            role           VARCHAR NOT NULL,
            password_hash  VARCHAR NOT NULL,
            closed         BOOLEAN NOT NULL,
            created_at     TIMESTAMP NOT NULL
        )
    """)
    cursor.execute("""
        CREATE TABLE account_sessions (
            session_hash  VARCHAR PRIMARY KEY,
            account_id    VARCHAR NOT NULL,
            created_at    TIMESTAMP NOT NULL,
            expires_at    TIMESTAMP NOT NULL
        )
    """)


def _studies(cursor: duckdb.DuckDBPyConnection) -> None:
    cursor.execute("""
        CREATE TABLE studies (
            study_id    VARCHAR PRIMARY KEY,
            created_by  VARCHAR NOT NULL,
            created_at  TIMESTAMP NOT NULL
        )
    """)
    # The row of the highest version is the plan, and of the highest number the state and the rule:
    # rows are only ever added. A trial's participant names the version that they were served.
    cursor.execute("""
        CREATE TABLE study_plans (
            study_id    VARCHAR NOT NULL,
            version     INTEGER NOT NULL,
            title       VARCHAR NOT NULL,
            plan        JSON NOT NULL,
            author      VARCHAR NOT NULL,
            created_at  TIMESTAMP NOT NULL,
            PRIMARY KEY (study_id, version)
        )
    """)
    cursor.execute("""
        CREATE TABLE study_states (
            study_id    VARCHAR NOT NULL,
            number      INTEGER NOT NULL,
            state       VARCHAR NOT NULL,
            author      VARCHAR NOT NULL,
            reason      VARCHAR NOT NULL,
            created_at  TIMESTAMP NOT NULL,
            PRIMARY KEY (study_id, number)
        )
    """)
    cursor.execute("""
        CREATE TABLE study_rules (
            study_id    VARCHAR NOT NULL,
            number      INTEGER NOT NULL,
            rule        JSON NOT NULL,
            author      VARCHAR NOT NULL,
            created_at  TIMESTAMP NOT NULL,
            PRIMARY KEY (study_id, number)
        )
    """)
    cursor.execute("""
        CREATE TABLE study_invitations (
            invitation_id  VARCHAR PRIMARY KEY,
            study_id       VARCHAR NOT NULL,
            token_hash     VARCHAR NOT NULL,
            label          VARCHAR NOT NULL,
            personal       BOOLEAN NOT NULL,
            author         VARCHAR NOT NULL,
            created_at     TIMESTAMP NOT NULL,
            revoked_by     VARCHAR,
            revoked_at     TIMESTAMP
        )
    """)


def _participants(cursor: duckdb.DuckDBPyConnection) -> None:
    cursor.execute("""
        CREATE TABLE study_participants (
            participant_id  VARCHAR PRIMARY KEY,
            study_id        VARCHAR NOT NULL,
            number          INTEGER NOT NULL,
            invitation_id   VARCHAR NOT NULL,
            key_hash        VARCHAR NOT NULL,
            plan_version    INTEGER NOT NULL,
            language        VARCHAR NOT NULL,
            external        JSON NOT NULL,
            enrolled_at     TIMESTAMP NOT NULL
        )
    """)
    # What is shown is written down before it is shown.
    cursor.execute("""
        CREATE TABLE study_trials (
            participant_id  VARCHAR NOT NULL,
            position        INTEGER NOT NULL,
            stimulus_id     VARCHAR NOT NULL,
            models          VARCHAR[] NOT NULL,
            purpose         VARCHAR NOT NULL,
            propensity      DOUBLE NOT NULL,
            original        INTEGER,
            expected        INTEGER,
            assigned_at     TIMESTAMP NOT NULL,
            PRIMARY KEY (participant_id, position)
        )
    """)
    # ``event_id`` is made by the participant's page, so that the same one twice is one row.
    # ``number`` counts within the participant, in the order of storing.
    cursor.execute("""
        CREATE TABLE study_events (
            event_id        VARCHAR PRIMARY KEY,
            participant_id  VARCHAR NOT NULL,
            number          INTEGER NOT NULL,
            kind            VARCHAR NOT NULL,
            position        INTEGER,
            body            JSON NOT NULL,
            client_ms       BIGINT NOT NULL,
            created_at      TIMESTAMP NOT NULL
        )
    """)
    cursor.execute("""
        CREATE TABLE study_decisions (
            participant_id  VARCHAR NOT NULL,
            number          INTEGER NOT NULL,
            excluded        BOOLEAN NOT NULL,
            reason          VARCHAR NOT NULL,
            author          VARCHAR NOT NULL,
            created_at      TIMESTAMP NOT NULL,
            PRIMARY KEY (participant_id, number)
        )
    """)
    # All that stays of somebody who was erased: that there was a participant of that number.
    cursor.execute("""
        CREATE TABLE study_erasures (
            study_id            VARCHAR NOT NULL,
            participant_number  INTEGER NOT NULL,
            author              VARCHAR NOT NULL,
            created_at          TIMESTAMP NOT NULL,
            PRIMARY KEY (study_id, participant_number)
        )
    """)


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


def scores_of_items(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make the one table of scores, whatever the measure."""
    # No key: an index over millions of rows costs more than the questions. A row is only added, and
    # the latest counts (truehue.storage.scores.scores).
    cursor.execute("""
        CREATE TABLE scores (
            item_kind          VARCHAR NOT NULL,
            item               VARCHAR NOT NULL,
            measure            VARCHAR NOT NULL,
            version            VARCHAR NOT NULL,
            parameters         JSON NOT NULL,
            parameters_sha256  VARCHAR NOT NULL,
            value              DOUBLE,
            status             VARCHAR NOT NULL,
            reason             VARCHAR NOT NULL,
            numbers            JSON NOT NULL,
            scorer             VARCHAR NOT NULL,
            provenance         JSON NOT NULL,
            created_at         TIMESTAMP NOT NULL
        )
    """)


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


def hugging_face_accounts(cursor: duckdb.DuckDBPyConnection) -> None:
    """Who signs in with which account of Hugging Face, by the hub's id: a name there can change its
    holder."""
    cursor.execute("""
        CREATE TABLE hugging_face_accounts (
            hugging_face_id  VARCHAR PRIMARY KEY,
            account_id       VARCHAR NOT NULL
        )
    """)


def object_colors(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make the table of colors that were measured where no target color is given."""
    cursor.execute("""
        CREATE TABLE object_colors (
            image_id     VARCHAR NOT NULL,
            mask_id      VARCHAR NOT NULL,
            version      VARCHAR NOT NULL,
            lab          DOUBLE[3] NOT NULL,
            pixel_count  BIGINT NOT NULL,
            created_at   TIMESTAMP NOT NULL,
            PRIMARY KEY (image_id, mask_id, version)
        )
    """)
