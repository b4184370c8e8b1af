"""Step 6: what pictures and people say of the colors of concepts."""

from __future__ import annotations

import duckdb

from truehue.core.prompts.concepts import build_concepts


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
    # One row a picture of a run and object; of the attempt that counts, like run_items.
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
    # Of pictures that were drawn: why the object's colors could not be measured.
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
    # Profiles of stored pictures outside of runs, measured once.
    f"""
    CREATE TABLE picture_profiles (
        image_id  VARCHAR NOT NULL,
        mask_id   VARCHAR NOT NULL,
        version   VARCHAR NOT NULL,{_PROFILE},
        PRIMARY KEY (image_id, mask_id, version)
    )
    """,
    # Pictures that belong together: uploads of a concept, or people's colorings of it.
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
