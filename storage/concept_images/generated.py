"""Images by the prompt that they were generated from, outside of runs: generated here or imported.

An image belongs to its prompt's text. Attempts that ask for a color are left out: there the color
was set, and says nothing about the concept.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from truehue.storage.database.connection import Database, aware

_VARIANT = """
    CASE WHEN json_exists(options, '$.cfr') THEN 'CFR'
        ELSE coalesce(nullif(options->>'failure', 'none'), '') END
"""
"""Refined images and simulated failures are not what the model makes by itself."""

_ROWS = f"""
    SELECT text, model, source, {_VARIANT} AS variant, guidance, seed, image_id, created_at
    FROM drawings SEMI JOIN images USING (image_id)
    WHERE status = 'drawn' AND text <> '' AND len(asked) = 0
"""


@dataclass(frozen=True)
class ImageGroup:
    """How many images a model has of one prompt at one guidance scale.

    ``source`` is ``drawn`` or ``imported``; ``variant`` is ``CFR``, the name of a simulated
    failure, or empty. ``newest`` is when the last of them came.
    """

    text: str
    model: str
    source: str
    variant: str
    guidance: float | None
    images: int
    newest: datetime


@dataclass(frozen=True)
class GeneratedImage:
    """One image of a prompt; ``seed`` and ``guidance`` are None where nobody knows them."""

    image_id: str
    text: str
    guidance: float | None
    seed: int | None


class GeneratedImages:
    """Images generated here or imported, by prompt. Any thread may use it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def groups(self) -> list[ImageGroup]:
        """Return every group, the one with the newest image first. The same image of the same seed
        counts once, however often it was generated."""
        rows = self._database.rows(
            f"""
            SELECT text, model, source, variant, guidance,
                count(DISTINCT (image_id, seed)), max(created_at)
            FROM ({_ROWS}) GROUP BY ALL
            ORDER BY max(created_at) DESC, text, model, source, variant, guidance
            """
        )
        return [
            ImageGroup(text, model, source, variant, guidance, int(images), aware(newest))
            for text, model, source, variant, guidance, images, newest in rows
        ]

    def prompt_sets(self) -> list[tuple[str, str, int]]:
        """Return the models that have images, with each prompt set that these are of (empty where
        it is not known) and how many: the set with a model's newest image first."""
        rows = self._database.rows("""
            SELECT model, prompt_source, count(*) FROM drawings
            WHERE status = 'drawn' AND image_id IS NOT NULL
            GROUP BY ALL ORDER BY max(number) DESC
        """)
        return [(str(model), str(source), int(images)) for model, source, images in rows]

    def images(
        self, texts: Collection[str], model: str, source: str, variant: str
    ) -> list[GeneratedImage]:
        """Return the images of these prompts, each of a guidance scale and seed once, in the order
        in which they came."""
        rows = self._database.rows(
            f"""
            SELECT image_id, text, guidance, seed FROM ({_ROWS})
            WHERE model = ? AND source = ? AND variant = ?
                AND text IN (SELECT unnest(?::VARCHAR[]))
            GROUP BY ALL ORDER BY min(created_at), text, guidance, seed, image_id
            """,
            [model, source, variant, sorted(texts)],
        )
        return [GeneratedImage(*row) for row in rows]
