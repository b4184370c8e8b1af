"""Images of a run by the text of their prompts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from truehue.core.cache import LruCache
from truehue.core.errors import NotStored
from truehue.storage.database.connection import Database
from truehue.storage.runs.concepts import scale_sql
from truehue.storage.runs.runs import Runs

_KEPT = 16


@dataclass(frozen=True)
class PromptImages:
    """What a run drew of one prompt: ``pictures`` are image ids with the guidance scale of each,
    None where that is not known, in the order of their numbers, without those that could not be
    drawn. ``concept_id`` and ``style`` are ColorConceptBench's, empty for another prompt."""

    source: str
    prompt_id: str
    text: str
    task: str
    concept_id: str
    style: str
    pictures: tuple[tuple[str, float | None], ...]


class RunImages:
    """Prompts of runs with their images. Any thread may ask; what was asked is kept until
    something comes in."""

    def __init__(self, database: Database, runs: Runs) -> None:
        self._database, self._runs = database, runs
        self._saved: LruCache[tuple[PromptImages, ...]] = LruCache(_KEPT)

    def of(self, run_id: str) -> tuple[PromptImages, ...]:
        """The prompts of a run in their order, also those of which no image has come in yet.
        Raises :class:`NotStored`."""
        return self._saved.get((run_id, self._runs.changes), lambda: self._read(run_id))

    def _read(self, run_id: str) -> tuple[PromptImages, ...]:
        numbers = self._database.rows(
            "SELECT run_no, summary FROM run_numbers WHERE run_id = ?", [run_id]
        )
        if not numbers:
            raise NotStored(f"No run is stored under {run_id[:80]!r}.")
        run_no, summary = int(numbers[0][0]), json.loads(numbers[0][1])
        rows = self._database.rows(
            f"""
            SELECT p.source, p.prompt_id, p.text, n.name, coalesce(c.concept_id, ''),
                coalesce(c.style, ''), i.images, i.scales
            FROM (
                SELECT prompt_no, min(prompt) AS place FROM run_prompts
                WHERE run_no = {run_no} GROUP BY prompt_no
            ) AS r
            JOIN known_prompts AS p USING (prompt_no)
            JOIN known_names AS n ON n.kind = 'task' AND n.no = p.task_no
            LEFT JOIN known_concepts AS c USING (prompt_no)
            LEFT JOIN (
                SELECT prompt_no, list(image_id ORDER BY image, position) AS images,
                    list({scale_sql(summary)} ORDER BY image, position) AS scales
                FROM run_items WHERE run_no = {run_no} AND drawn GROUP BY prompt_no
            ) AS i USING (prompt_no)
            ORDER BY r.place
            """
        )
        return tuple(
            PromptImages(
                source, prompt_id, text, task, concept_id, style, _distinct(images, scales)
            )
            for source, prompt_id, text, task, concept_id, style, images, scales in rows
        )


def _distinct(
    images: Sequence[str] | None, scales: Sequence[float | None] | None
) -> tuple[tuple[str, float | None], ...]:
    """Images with their scales; the same pixels twice are one image."""
    return tuple(dict.fromkeys(zip(images or (), scales or (), strict=True)))
