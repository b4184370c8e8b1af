"""Step 20: the mask that is selected on an image."""

from __future__ import annotations

import duckdb


def selected_masks(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make the table of selections. An image without a row has had none since this step."""
    cursor.execute("""
        CREATE TABLE selected_masks (
            image_id     VARCHAR PRIMARY KEY,
            mask_id      VARCHAR,
            selected_at  TIMESTAMP NOT NULL
        )
    """)
