"""The prompts that pictures were drawn of, and the pictures of a prompt's text, whether somebody
drew them, imported them, or a run did."""

from __future__ import annotations

from collections.abc import Collection

from truehue.storage.database.connection import Database

_TEXTS = """
    SELECT image_id, text, 1 AS rank, number AS place FROM drawings
    WHERE image_id IS NOT NULL AND text <> ''
    UNION ALL
    SELECT image_id, p.text, 0 AS rank, position AS place
    FROM run_items JOIN known_prompts AS p USING (prompt_no) WHERE drawn AND p.text <> ''
"""
"""Drawings that somebody asked for come before what a run drew of the same pixels."""


def prompt_texts(database: Database, image_ids: Collection[str]) -> dict[str, str]:
    """The text of each of some images (whole ids) that has one, of its latest drawing."""
    rows = database.rows(
        f"""
        SELECT image_id, arg_max(text, (rank, place)) FROM ({_TEXTS})
        WHERE image_id IN (SELECT unnest(?::VARCHAR[])) GROUP BY image_id
        """,
        [sorted(set(image_ids))],
    )
    return {str(image_id): str(text) for image_id, text in rows}


def images_of_text(database: Database, text: str, limit: int) -> list[str]:
    """The stored images of a prompt's text, at most ``limit``, by id."""
    rows = database.rows(
        f"""
        SELECT DISTINCT image_id FROM ({_TEXTS}) SEMI JOIN images USING (image_id)
        WHERE text = ? ORDER BY image_id LIMIT ?
        """,
        [text, max(limit, 0)],
    )
    return [str(image_id) for (image_id,) in rows]
