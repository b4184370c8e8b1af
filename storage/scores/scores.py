"""Scores: one row for a measure's value of an item, and SQL for the scores that count.

The latest score of an item, measure, version, parameters and scorer counts; a failed attempt does
not replace an earlier score. The value of an item is the mean over its scorers.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from truehue.core.errors import BadInput, NotStored
from truehue.core.scores.records import IMAGE, ITEM_KINDS, SCORED, UNSCORED, Measure, ScoreRecord
from truehue.core.scores.scoring import ScoreMean, score_mean
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware

OF_MEASURE = "item_kind = ? AND measure = ? AND version = ? AND parameters_sha256 = ?"

VALUES = f"""
    SELECT item, avg(value) AS value, count(*) AS scorers FROM (
        SELECT item, arg_max(value, (created_at, rowid)) AS value
        FROM scores WHERE {OF_MEASURE} AND value IS NOT NULL GROUP BY item, scorer
    ) GROUP BY item
"""
"""The value of every item that has one; the placeholders are for :func:`key_of`."""

REASONS = f"""
    SELECT item, arg_max(reason, (created_at, rowid)) AS reason
    FROM scores WHERE {OF_MEASURE} GROUP BY item HAVING count(value) = 0
"""
"""Why an item that was looked at has no value."""


def key_of(measure: Measure, item_kind: str) -> tuple[str, str, str, str]:
    """The key of the rows of a measure's current version."""
    return item_kind, measure.id, measure.version, parameters_digest(measure.parameters)


def parameters_digest(parameters: object) -> str:
    """The SHA-256 of the parameters of a score, in their one spelling."""
    return canonical.digest(canonical.mapping(parameters, "parameters"))


_COLUMNS = {
    "item_kind": "VARCHAR",
    "item": "VARCHAR",
    "measure": "VARCHAR",
    "version": "VARCHAR",
    "parameters": "VARCHAR",
    "parameters_sha256": "VARCHAR",
    "value": "DOUBLE",
    "status": "VARCHAR",
    "reason": "VARCHAR",
    "numbers": "VARCHAR",
    "scorer": "VARCHAR",
    "provenance": "VARCHAR",
    "created_at": "TIMESTAMP",
}
_READ = ", ".join(name for name in _COLUMNS if name != "parameters_sha256")
_OF_RUN = "(SELECT run_no FROM run_numbers WHERE run_id = ?)"
_PAGE = 10_000


class Scores:
    """The stored scores. A row is added once and never changed. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.changes = 0
        """How often scores were added since the start."""

    def add_many(self, scores: Sequence[ScoreRecord]) -> None:
        """Store scores in their order, all of them or none; whatever time comes in is ignored.

        Raises :class:`BadInput`, naming the field, for an unknown kind of item, a status without
        its value or its reason, empty names, or what is not plain JSON.
        """
        rows = [self._row(score) for score in scores]
        if not rows:
            return
        lists = ", ".join(f"unnest(?::{kind}[])" for kind in _COLUMNS.values())
        self._database.insert(
            f"INSERT INTO scores ({', '.join(_COLUMNS)}) SELECT {lists}",
            [list(column) for column in zip(*rows, strict=True)],
        )
        self.changes += 1

    def of_items(self, item_kind: str, items: Collection[str]) -> dict[str, list[ScoreRecord]]:
        """Return every score of some items (whole ids), oldest first; items without any are left
        out."""
        rows = self._database.rows(
            f"SELECT {_READ} FROM scores WHERE item_kind = ? "
            "AND item IN (SELECT unnest(?::VARCHAR[])) ORDER BY created_at, rowid",
            [item_kind, sorted(items)],
        )
        by_item: dict[str, list[ScoreRecord]] = {}
        for row in rows:
            record = _record(row)
            by_item.setdefault(record.item, []).append(record)
        return by_item

    def values(self, measure: Measure, item_kind: str, items: Collection[str]) -> dict[str, float]:
        """Return the value of each of some items that has one by the measure as it is now: of each
        scorer the latest, and their mean."""
        rows = self._database.rows(
            f"SELECT item, value FROM ({VALUES}) WHERE item IN (SELECT unnest(?::VARCHAR[]))",
            [*key_of(measure, item_kind), sorted(items)],
        )
        return {str(item): float(value) for item, value in rows}

    def reasons(self, measure: Measure, item_kind: str, items: Collection[str]) -> dict[str, str]:
        """Return why each of some items that were looked at has no value."""
        rows = self._database.rows(
            f"SELECT item, reason FROM ({REASONS}) WHERE item IN (SELECT unnest(?::VARCHAR[]))",
            [*key_of(measure, item_kind), sorted(items)],
        )
        return {str(item): str(reason) for item, reason in rows}

    def images_without(self, measure: Measure, run_id: str) -> list[str]:
        """Return the images of a run that have no value by the measure as it is now, each once, in
        the order of the run. Raises :class:`NotStored` for a run that is not here."""
        self._require_run(run_id)
        rows = self._database.rows(
            f"""
            SELECT image_id FROM run_items
            ANTI JOIN (SELECT item AS image_id FROM ({VALUES})) USING (image_id)
            WHERE run_no = {_OF_RUN} AND drawn
            GROUP BY image_id ORDER BY min(position)
            """,
            [*key_of(measure, IMAGE), run_id],
        )
        return [str(image_id) for (image_id,) in rows]

    def mean_of_run(self, measure: Measure, run_id: str) -> ScoreMean:
        """Return the mean over the images of a run that could be drawn, with its interval over
        prompts, and why images have no score. Raises :class:`NotStored`."""
        self._require_run(run_id)
        key = key_of(measure, IMAGE)
        rows = self._database.rows(
            f"""
            SELECT sum(value), count(value), count(*)
            FROM run_items LEFT JOIN ({VALUES}) AS v ON v.item = run_items.image_id
            WHERE run_no = {_OF_RUN} AND drawn
            GROUP BY prompt_no ORDER BY prompt_no
            """,
            [*key, run_id],
        )
        unscored = self._database.rows(
            f"""
            SELECT r.reason, count(*) AS n
            FROM run_items JOIN ({REASONS}) AS r ON r.item = run_items.image_id
            WHERE run_no = {_OF_RUN} AND drawn
            GROUP BY r.reason ORDER BY n DESC, r.reason
            """,
            [*key, run_id],
        )
        with_score = [(total, count) for total, count, _ in rows if count]
        return score_mean(
            [total for total, _ in with_score],
            [count for _, count in with_score],
            sum(items for *_, items in rows),
            {str(reason): int(count) for reason, count in unscored},
        )

    def of_run(self, run_id: str) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the scores of the images of a run, every version and scorer of them, in pages of
        rows: position, number of the image, prompt id, then the fields of the score but its
        kind. By position, measure and time. Raises :class:`NotStored`."""
        self._require_run(run_id)
        fields = ", ".join(f"s.{name}" for name in _READ.split(", ") if name != "item_kind")
        with self._database.cursor() as cursor:
            cursor.execute(
                f"""
                SELECT position, image, p.prompt_id, {fields}
                FROM run_items JOIN scores AS s ON s.item = image_id AND s.item_kind = '{IMAGE}'
                JOIN known_prompts AS p USING (prompt_no)
                WHERE run_no = {_OF_RUN} AND drawn
                ORDER BY position, s.measure, s.created_at, s.rowid
                """,
                [run_id],
            )
            while page := cursor.fetchmany(_PAGE):
                yield page

    def count(self) -> int:
        """Return the number of stored scores."""
        return self._database.count("scores")

    def _require_run(self, run_id: str) -> None:
        if not self._database.rows("SELECT 1 FROM run_numbers WHERE run_id = ?", [run_id]):
            raise NotStored(f"No run is stored under {run_id[:80]!r}.")

    def _row(self, score: ScoreRecord) -> tuple[Any, ...]:
        """The columns of a row, checked."""
        if score.item_kind not in ITEM_KINDS:
            kinds = ", ".join(ITEM_KINDS)
            raise BadInput(f"item_kind is {score.item_kind!r:.40}: give one of {kinds}.")
        if score.status not in (SCORED, UNSCORED):
            raise BadInput(f"status is {score.status!r:.40}: give {SCORED} or {UNSCORED}.")
        value = canonical.plain(score.value, "value")
        if (score.status == SCORED) != isinstance(value, (int, float)) or isinstance(value, bool):
            raise BadInput(f"value is {score.value!r:.40}, and status {score.status}.")
        if score.status == UNSCORED:
            canonical.require_text(score.reason, "reason")
        parameters = canonical.mapping(score.parameters, "parameters")
        return (
            score.item_kind,
            canonical.require_text(score.item, "item"),
            canonical.require_text(score.measure, "measure"),
            canonical.require_text(score.version, "version"),
            canonical.dump(parameters),
            parameters_digest(parameters),
            None if value is None else float(value),
            score.status,
            canonical.text(score.reason, "reason"),
            canonical.dump(canonical.mapping(score.numbers, "numbers")),
            canonical.text(score.scorer, "scorer"),
            canonical.dump(canonical.mapping(score.provenance, "provenance")),
            self._database.now(),
        )


def _record(row: tuple[Any, ...]) -> ScoreRecord:
    fields = dict(zip(_READ.split(", "), row, strict=True))
    for name in ("parameters", "numbers", "provenance"):
        fields[name] = json.loads(fields[name])
    fields["created_at"] = aware(fields["created_at"])
    return ScoreRecord(**fields)
