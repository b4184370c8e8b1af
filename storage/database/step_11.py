"""Step 11: accounts of those who sign in, and studies with people."""

from __future__ import annotations

import duckdb


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
