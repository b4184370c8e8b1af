"""The schema of the database, as numbered migrations.

A released migration is never edited: a later one changes its tables. There are no secondary indexes
or foreign keys, because DuckDB refuses to alter a table that has them;
:mod:`truehue.storage.checks` checks the references.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import duckdb

from truehue.core.errors import DatabaseNewer, StorageError
from truehue.storage.database.steps_5_9 import (
    concepts_and_distributions,
    jobs_and_makers,
    runs_and_results,
    verdict_judgments,
    write_count_and_losses,
)
from truehue.storage.database.steps_10_17 import (
    accounts_and_studies,
    evaluations_and_answers,
    expectations_of_verdicts,
    hugging_face_accounts,
    judgments_by_person,
    object_colors,
    scores_of_items,
    sketches_and_colorings,
)
from truehue.storage.database.steps_18 import study_publications
from truehue.storage.database.steps_19 import own_concepts
from truehue.storage.database.steps_20 import selected_masks

# The version in pyproject.toml; a test holds the two together.
APP_VERSION = "0.1.0"


@dataclass(frozen=True)
class Migration:
    """One step: ``apply`` gets a cursor inside an open transaction and must not commit."""

    number: int
    name: str
    apply: Callable[[duckdb.DuckDBPyConnection], object]


def _images_masks_evidence(cursor: duckdb.DuckDBPyConnection) -> None:
    # Times are UTC without a zone: a zone column would be shown in the zone of the machine, and
    # needs an extension to be computed with.
    cursor.execute("""
        CREATE TABLE images (
            image_id    VARCHAR PRIMARY KEY,
            width       INTEGER NOT NULL,
            height      INTEGER NOT NULL,
            name        VARCHAR NOT NULL,
            source      VARCHAR NOT NULL,
            notes       JSON NOT NULL,
            origin      JSON NOT NULL,
            created_at  TIMESTAMP NOT NULL
        )
    """)
    cursor.execute("""
        CREATE TABLE masks (
            mask_id         VARCHAR PRIMARY KEY,
            image_id        VARCHAR NOT NULL,
            content_sha256  VARCHAR NOT NULL,
            area_px         BIGINT NOT NULL,
            maker           VARCHAR NOT NULL,
            parameters      JSON NOT NULL,
            created_at      TIMESTAMP NOT NULL
        )
    """)
    cursor.execute("""
        CREATE TABLE evidence (
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
            created_at   TIMESTAMP NOT NULL
        )
    """)


def _drawings_prompts_selections(cursor: duckdb.DuckDBPyConnection) -> None:
    # ``number`` counts in the order of adding: rows of one batch share their time. ``asked`` holds
    # the keys of truehue.storage.verdicts.evidence, so that verdicts are found without reading JSON.
    cursor.execute("""
        CREATE TABLE drawings (
            drawing_id     VARCHAR PRIMARY KEY,
            number         BIGINT NOT NULL,
            job_id         VARCHAR NOT NULL,
            source         VARCHAR NOT NULL,
            prompt_source  VARCHAR NOT NULL,
            prompt_id      VARCHAR NOT NULL,
            text           VARCHAR NOT NULL,
            targets        JSON NOT NULL,
            asked          VARCHAR[] NOT NULL,
            task           VARCHAR NOT NULL,
            model          VARCHAR NOT NULL,
            seed           BIGINT,
            guidance       DOUBLE,
            steps          INTEGER,
            width          INTEGER,
            height         INTEGER,
            negative_text  VARCHAR NOT NULL,
            options        JSON NOT NULL,
            origin         JSON NOT NULL,
            status         VARCHAR NOT NULL,
            reason         VARCHAR NOT NULL,
            image_id       VARCHAR,
            seconds        DOUBLE,
            created_at     TIMESTAMP NOT NULL
        )
    """)
    cursor.execute("""
        CREATE TABLE prompt_sets (
            set_id        VARCHAR PRIMARY KEY,
            content_id    VARCHAR NOT NULL,
            name          VARCHAR NOT NULL,
            file_name     VARCHAR NOT NULL,
            kind          VARCHAR NOT NULL,
            sha256        VARCHAR NOT NULL,
            report        JSON NOT NULL,
            prompt_count  INTEGER NOT NULL,
            created_at    TIMESTAMP NOT NULL
        )
    """)
    cursor.execute("""
        CREATE TABLE prompts (
            set_id     VARCHAR NOT NULL,
            position   INTEGER NOT NULL,
            prompt_id  VARCHAR NOT NULL,
            body       JSON NOT NULL,
            PRIMARY KEY (set_id, prompt_id)
        )
    """)
    # Whether a set is shown, and what a selection holds, is what the row of the highest version
    # says: rows are only ever added.
    cursor.execute("""
        CREATE TABLE prompt_set_views (
            set_id      VARCHAR NOT NULL,
            version     INTEGER NOT NULL,
            hidden      BOOLEAN NOT NULL,
            created_at  TIMESTAMP NOT NULL,
            PRIMARY KEY (set_id, version)
        )
    """)
    cursor.execute("""
        CREATE TABLE selections (
            name        VARCHAR NOT NULL,
            version     INTEGER NOT NULL,
            refs        JSON NOT NULL,
            removed     BOOLEAN NOT NULL,
            created_at  TIMESTAMP NOT NULL,
            PRIMARY KEY (name, version)
        )
    """)


def _target_by_name(cursor: duckdb.DuckDBPyConnection) -> None:
    # One list of keys for each object and color, so that one without a verdict is seen. The
    # expression is a copy: what truehue.storage.verdicts.evidence says may change later, a step may
    # not.
    named = "lower(trim(t.object)) || chr(10) || upper(t.hex)"
    targets = """
        list_filter(
            from_json(
                targets,
                '[{"object": "VARCHAR", "role": "VARCHAR", "color": "VARCHAR", "hex": "VARCHAR"}]'
            ),
            lambda t: t.hex IS NOT NULL AND t.role <> 'bystander'
        )
    """
    # A new table: after ALTER … TYPE … USING, DuckDB cannot replay its log (found with 2.0.0).
    cursor.execute("""
        CREATE TABLE drawings_by_target (
            drawing_id     VARCHAR PRIMARY KEY,
            number         BIGINT NOT NULL,
            job_id         VARCHAR NOT NULL,
            source         VARCHAR NOT NULL,
            prompt_source  VARCHAR NOT NULL,
            prompt_id      VARCHAR NOT NULL,
            text           VARCHAR NOT NULL,
            targets        JSON NOT NULL,
            asked          VARCHAR[][] NOT NULL,
            task           VARCHAR NOT NULL,
            model          VARCHAR NOT NULL,
            seed           BIGINT,
            guidance       DOUBLE,
            steps          INTEGER,
            width          INTEGER,
            height         INTEGER,
            negative_text  VARCHAR NOT NULL,
            options        JSON NOT NULL,
            origin         JSON NOT NULL,
            status         VARCHAR NOT NULL,
            reason         VARCHAR NOT NULL,
            image_id       VARCHAR,
            seconds        DOUBLE,
            created_at     TIMESTAMP NOT NULL
        )
    """)
    cursor.execute(f"""
        INSERT INTO drawings_by_target BY NAME
        SELECT * REPLACE (
            list_transform(
                list_sort(list_distinct(list_transform({targets}, lambda t: {named}))),
                lambda named: list_sort(list_distinct(flatten(list_transform(
                    list_filter({targets}, lambda t: {named} = named),
                    lambda t: [
                        {named}, lower(trim(t.object)) || chr(10) || t.color,
                        chr(10) || upper(t.hex), chr(10) || t.color
                    ]
                ))))
            ) AS asked
        )
        FROM drawings
        ORDER BY number
    """)
    cursor.execute("DROP TABLE drawings")
    cursor.execute("ALTER TABLE drawings_by_target RENAME TO drawings")


def _target_of_bystanders(cursor: duckdb.DuckDBPyConnection) -> None:
    # A bystander must not have the first main object's color, and a reference without a color has
    # to have it: both are asked for from now on. A copy of truehue.storage.verdicts.evidence, as in
    # the step before.
    targets = """
        from_json(
            targets,
            '[{"object": "VARCHAR", "role": "VARCHAR", "color": "VARCHAR", "hex": "VARCHAR"}]'
        )
    """
    first = f"list_filter({targets}, lambda m: m.role = 'main' AND m.hex IS NOT NULL)[1]"
    others = "t.role = 'bystander' OR (t.role = 'reference' AND t.hex IS NULL)"
    names_sql = f"""
        list_filter(
            list_transform({targets}, lambda t: {{
                'name': lower(trim(t.object)),
                'color': CASE WHEN {others} THEN {first}.color ELSE t.color END,
                'hex': upper(CASE WHEN {others} THEN {first}.hex ELSE t.hex END),
                'rest': CASE WHEN t.role = 'bystander' THEN chr(10) || 'differs' ELSE '' END
            }}),
            lambda w: w.hex IS NOT NULL
        )
    """
    named = "w.name || chr(10) || w.hex || w.rest"
    cursor.execute(f"""
        CREATE TEMPORARY TABLE asked_now AS
        SELECT drawing_id, list_transform(
            list_sort(list_distinct(list_transform({names_sql}, lambda w: {named}))),
            lambda named: list_sort(list_distinct(flatten(list_transform(
                list_filter({names_sql}, lambda w: {named} = named),
                lambda w: [
                    {named}, w.name || chr(10) || w.color || w.rest,
                    chr(10) || w.hex || w.rest, chr(10) || w.color || w.rest
                ]
            ))))
        ) AS asked
        FROM drawings
    """)
    cursor.execute("""
        UPDATE drawings SET asked = asked_now.asked FROM asked_now
        WHERE drawings.drawing_id = asked_now.drawing_id AND drawings.asked <> asked_now.asked
    """)
    cursor.execute("DROP TABLE asked_now")


class FeatureTables(Protocol):
    """Tables that a feature brings: its ``name``, and ``steps`` that are only ever added to. Each
    gets a cursor inside an open transaction and must not commit."""

    name: str
    steps: Sequence[Callable[[duckdb.DuckDBPyConnection], object]]

    def __init__(self, database: Any) -> None: ...


MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, "images-masks-evidence", _images_masks_evidence),
    Migration(2, "drawings-prompts-selections", _drawings_prompts_selections),
    Migration(3, "asked-by-target", _target_by_name),
    Migration(4, "asked-of-bystanders", _target_of_bystanders),
    Migration(5, "runs-and-results", runs_and_results),
    Migration(6, "concepts-and-distributions", concepts_and_distributions),
    Migration(7, "write-count-and-losses", write_count_and_losses),
    Migration(8, "verdict-judgments", verdict_judgments),
    Migration(9, "jobs-and-makers", jobs_and_makers),
    Migration(10, "judgments-by-person", judgments_by_person),
    Migration(11, "accounts-and-studies", accounts_and_studies),
    Migration(12, "sketches-and-colorings", sketches_and_colorings),
    Migration(13, "expectations-of-verdicts", expectations_of_verdicts),
    Migration(14, "scores-of-items", scores_of_items),
    Migration(15, "evaluations-and-answers", evaluations_and_answers),
    Migration(16, "hugging-face-accounts", hugging_face_accounts),
    Migration(17, "object-colors", object_colors),
    Migration(18, "study-publications", study_publications),
    Migration(19, "own-concepts", own_concepts),
    Migration(20, "selected-masks", selected_masks),
)


def applied(cursor: duckdb.DuckDBPyConnection) -> list[tuple[int, str]]:
    """Return number and name of every step that the database has, in order.

    Raises :class:`duckdb.Error` if there is no table ``schema_migrations`` with those columns.
    """
    return cursor.execute("SELECT number, name FROM schema_migrations ORDER BY number").fetchall()


def migrate(
    cursor: duckdb.DuckDBPyConnection, migrations: Sequence[Migration], now: datetime
) -> list[int]:
    """Apply the steps that are missing and return their numbers.

    Each step and its record are one transaction: a step that fails, or a machine that stops,
    leaves the database at the step before. ``now`` is UTC without a zone. Raises
    :class:`StorageError` naming the step that failed.
    """
    cursor.execute("""
        CREATE TABLE IF NOT EXISTS schema_migrations (
            number       INTEGER PRIMARY KEY,
            name         VARCHAR NOT NULL,
            applied_at   TIMESTAMP NOT NULL,
            app_version  VARCHAR NOT NULL
        )
    """)
    done = {number for number, _ in applied(cursor)}
    missing = [step for step in migrations if step.number not in done]
    for step in missing:
        cursor.execute("BEGIN TRANSACTION")
        try:
            step.apply(cursor)
            cursor.execute(
                "INSERT INTO schema_migrations VALUES (?, ?, ?, ?)",
                [step.number, step.name, now, APP_VERSION],
            )
            cursor.execute("COMMIT")
        except Exception as error:
            _roll_back(cursor)
            raise StorageError(
                f"The database could not be brought to step {step.number} ({step.name}): {error}. "
                f"It is as it was before that step. Keep a copy of the file and report this."
            ) from error
    return [step.number for step in missing]


def migrate_feature(
    cursor: duckdb.DuckDBPyConnection,
    name: str,
    steps: Sequence[Callable[[duckdb.DuckDBPyConnection], object]],
    now: datetime,
) -> None:
    """Apply the steps of a feature's tables that are missing, in the open transaction of
    ``cursor``.

    ``now`` is UTC without a zone. Raises :class:`DatabaseNewer` where more steps were applied than
    there are.
    """
    cursor.execute("""
        CREATE TABLE IF NOT EXISTS feature_migrations (
            feature      VARCHAR NOT NULL,
            number       INTEGER NOT NULL,
            applied_at   TIMESTAMP NOT NULL,
            app_version  VARCHAR NOT NULL,
            PRIMARY KEY (feature, number)
        )
    """)
    sql = "SELECT count(*) FROM feature_migrations WHERE feature = ?"
    ((done,),) = cursor.execute(sql, [name]).fetchall()
    if done > len(steps):
        raise DatabaseNewer(
            f"The tables of {name} are at step {done}, and this TrueHue knows {len(steps)}. "
            "Install the version that made them."
        )
    for number, step in enumerate(steps[done:], done + 1):
        step(cursor)
        cursor.execute(
            "INSERT INTO feature_migrations VALUES (?, ?, ?, ?)", [name, number, now, APP_VERSION]
        )


def _roll_back(cursor: duckdb.DuckDBPyConnection) -> None:
    try:
        cursor.execute("ROLLBACK")
    except duckdb.TransactionException:
        # DuckDB has already rolled back what could not be committed.
        return
