"""Images and masks of a run in the form of Inspect, beside images that users added."""

from __future__ import annotations

import json

import duckdb

from truehue.core.errors import BadInput
from truehue.core.runs.records import IMAGE_FILE, NOT_KEPT
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database

ARCHIVE = "archive"
"""Source of an image of an imported run: its file may not have been part of the export."""

_IS_KEPT = f"coalesce(json_extract_string(origin, '$.{IMAGE_FILE}') <> '{NOT_KEPT}', true)"

_MASKS = """
    SELECT position, unnest(masks, recursive := true)
    FROM (SELECT position, masks FROM new_items WHERE drawn)
"""


def store_images(
    cursor: duckdb.DuckDBPyConnection, model_id: str, database: Database, imported: bool
) -> None:
    """Inspect's record of an image. One that is stored keeps its first record, which only learns that
    the pixels are there now."""
    from truehue.core.generation.registry import RENDERER, model

    try:
        name = model(model_id).name
    except BadInput:
        name = model_id
    cursor.execute(
        f"""
        INSERT INTO images (image_id, width, height, name, source, notes, origin, created_at)
        SELECT image_id, width, height,
            CASE WHEN length(text) <= 90 THEN text ELSE text[:89] || '…' END
                || ' · ' || $model
                || CASE WHEN seed IS NULL THEN '' ELSE ' · seed ' || seed END,
            CASE WHEN {_IS_KEPT} THEN $source ELSE '{NOT_KEPT}' END, '[]',
            json_merge_patch(origin::JSON, opens), $now
        FROM new_items WHERE drawn ORDER BY {_IS_KEPT} DESC, position
        ON CONFLICT (image_id) DO UPDATE SET source = excluded.source
            WHERE images.source = '{NOT_KEPT}'
        """,
        {
            "model": name,
            "source": ARCHIVE if imported else "render" if model_id == RENDERER else "generated",
            "now": database.now(),
        },
    )


def store_masks(cursor: duckdb.DuckDBPyConnection, run_no: int, database: Database) -> None:
    """The masks with their target, so that two of one name are told apart; ids as in
    :mod:`truehue.storage.concept_images.images`."""
    rows = cursor.execute(f"""
        SELECT m.position, m.target, i.image_id, m.content_sha256, m.area_px, m.maker,
            m.parameters, names.name, stored.mask_id
        FROM ({_MASKS}) AS m JOIN new_items AS i USING (position)
        LEFT JOIN known_targets AS t ON t.prompt_no = i.prompt_no AND t.target = m.target
        LEFT JOIN (SELECT no, name FROM known_names WHERE kind = 'object') AS names
            ON names.no = t.object_no
        LEFT JOIN masks AS stored ON stored.mask_id = m.mask_id AND stored.image_id = i.image_id
        ORDER BY m.position, m.target
    """).fetchall()
    mask_rows, partial_type = [], []
    for position, target, image_id, content, area, maker, parameters, name, stored in rows:
        mask_id = stored
        if mask_id is None:
            mask_parameters = {**json.loads(parameters), "target": target, "object": name or ""}
            key = {"image_id": image_id, "content_sha256": content, "maker": maker}
            mask_id = canonical.digest({**key, "parameters": mask_parameters})
            mask_rows.append(
                (mask_id, image_id, content, area, maker, canonical.dump(mask_parameters))
            )
        partial_type.append((position, target, mask_id))
    if mask_rows:
        cursor.execute(
            "INSERT INTO masks (mask_id, image_id, content_sha256, area_px, maker, parameters, "
            "created_at) SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[]), "
            "unnest(?::BIGINT[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[]), ? "
            "ON CONFLICT DO NOTHING",
            [*(list(column) for column in zip(*mask_rows, strict=True)), database.now()],
        )
    if partial_type:
        cursor.execute(
            f"INSERT INTO run_masks SELECT {run_no}, unnest(?::INTEGER[]), unnest(?::TINYINT[]), "
            "unnest(?::VARCHAR[])",
            [list(column) for column in zip(*partial_type, strict=True)],
        )
