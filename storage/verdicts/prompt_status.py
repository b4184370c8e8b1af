"""Marks: what became of every prompt of a set, kept up to date row by row."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from truehue.core.prompts.search.status import PromptStatus
from truehue.storage.database.connection import Database
from truehue.storage.verdicts.answers import TOGETHER, verdicts


@dataclass(frozen=True)
class _Counts:
    """The marks of one set, with the last drawing and the last evidence they were made from, and
    how often rows had been deleted."""

    drawing: int
    evidence: int
    deletions: int
    marks: Mapping[str, PromptStatus]


class PromptStatuses:
    """The marks of the prompts, by set.

    Drawings and evidence are added, so what was counted stays counted: a call counts the prompts
    again that have new rows, and all of them after something was deleted. Any thread may call.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str | None], _Counts] = {}

    def of(self, prompt_source: str, rule: str | None = None) -> Mapping[str, PromptStatus]:
        """Return the mark of each prompt of a set that was ever drawn or tried, by its id.

        A mark's verdict is of all its judged images together, by ``rule``, or by all rules where
        that is None: ``fail`` if any fails, else ``unscored`` if any is unscored. Of one image and
        rule it is what :mod:`truehue.storage.verdicts.answers` says. The mapping never changes; ask
        again for newer marks.
        """
        with self._lock:
            earlier = self._known.get((prompt_source, rule))
            # Read before counting: rows that arrive in between are counted twice, never missed.
            deletions = self._database.deletions
            drawing, evidence = self._newest()
            if earlier is None or earlier.deletions != deletions:
                marks = self._count(prompt_source, None, rule)
            elif (earlier.drawing, earlier.evidence) == (drawing, evidence):
                return earlier.marks
            else:
                changed = self._changed(prompt_source, earlier)
                marks = {**earlier.marks, **self._count(prompt_source, changed, rule)}
            fresh = _Counts(drawing, evidence, deletions, MappingProxyType(marks))
            self._known[prompt_source, rule] = fresh
            return fresh.marks

    def _newest(self) -> tuple[int, int]:
        rows = self._database.rows("""
            SELECT (SELECT coalesce(max(number), 0) FROM drawings),
                (SELECT coalesce(max(rowid), -1) FROM evidence)
        """)
        return int(rows[0][0]), int(rows[0][1])

    def _changed(self, prompt_source: str, earlier: _Counts) -> list[str]:
        rows = self._database.rows(
            """
            SELECT DISTINCT prompt_id
            FROM drawings
            WHERE prompt_source = ? AND (
                number > ? OR image_id IN (SELECT image_id FROM evidence WHERE rowid > ?)
            )
            """,
            [prompt_source, earlier.drawing, earlier.evidence],
        )
        return [str(prompt_id) for (prompt_id,) in rows]

    def _count(
        self, prompt_source: str, only: list[str] | None, rule: str | None
    ) -> dict[str, PromptStatus]:
        """Count the prompts ``only``, or all of the set; the verdicts of ``rule``, or of all."""
        if only == []:
            return {}
        # Of a whole set, looking for its images first would take longer than it saves.
        narrow = "" if only is None else "WHERE image_id IN (SELECT image_id FROM wanted)"
        rows = self._database.rows(
            f"""
            WITH wanted AS (
                SELECT number, prompt_id, status, image_id, asked
                FROM drawings
                WHERE prompt_source = ?
                    {"" if only is None else "AND prompt_id IN (SELECT unnest(?::VARCHAR[]))"}
            ),
            counted AS (
                SELECT prompt_id,
                    count(*) FILTER (status = 'drawn') AS drawn,
                    count(*) FILTER (status = 'failed') AS failed
                FROM wanted GROUP BY prompt_id
            ),
            judged AS (
                SELECT prompt_id, {TOGETHER.format(status="status")} AS verdict
                FROM ({verdicts("wanted", narrow)})
                GROUP BY prompt_id
            )
            SELECT drawn, failed, coalesce(verdict, ''), list(prompt_id)
            FROM counted LEFT JOIN judged USING (prompt_id)
            GROUP BY ALL
            """,
            [prompt_source, *([] if only is None else [only]), rule],
        )
        marks: dict[str, PromptStatus] = {}
        for sample, failed, verdict, prompt_ids in rows:
            marks.update(dict.fromkeys(prompt_ids, PromptStatus(sample, failed, verdict)))
        return marks
