"""Generations: one row for each attempt to generate and for each imported image."""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypedDict, Unpack

from truehue.core.errors import BadInput, NotStored
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.prompts.search.columns import PromptStatus
from truehue.core.records import GenerationRecord
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.database.expectation_keys import target_keys, targets_of
from truehue.storage.verdicts.evidence import TOGETHER, verdicts


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
        rule it is what :mod:`truehue.storage.verdicts.evidence` says. The mapping never changes; ask
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


STATUSES = ("drawn", "failed")
UNDECIDED = "undecided"
VERDICTS = ("pass", "fail", "unscored", UNDECIDED, "")

SOURCES = ("drawn", "imported")

# Name and type of each column that a record fills, in the order of DrawingRecord's use.
_COLUMNS = {
    "drawing_id": "VARCHAR",
    "job_id": "VARCHAR",
    "source": "VARCHAR",
    "prompt_source": "VARCHAR",
    "prompt_id": "VARCHAR",
    "text": "VARCHAR",
    "targets": "VARCHAR",
    "task": "VARCHAR",
    "model": "VARCHAR",
    "seed": "BIGINT",
    "guidance": "DOUBLE",
    "steps": "INTEGER",
    "width": "INTEGER",
    "height": "INTEGER",
    "negative_text": "VARCHAR",
    "options": "VARCHAR",
    "origin": "VARCHAR",
    "status": "VARCHAR",
    "reason": "VARCHAR",
    "image_id": "VARCHAR",
    "seconds": "DOUBLE",
}
_READ = ", ".join([*_COLUMNS, "created_at"])
_ID = re.compile("[0-9a-f]{64}")


class Generations:
    """The stored drawings. A row is added once and never changed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._marks = PromptStatuses(database)

    def add(self, drawing: GenerationRecord) -> GenerationRecord:
        """Store one drawing and return it with its ``drawing_id`` and ``created_at``.

        See :meth:`add_many`.
        """
        return self.add_many([drawing])[0]

    def add_many(self, drawings: Sequence[GenerationRecord]) -> list[GenerationRecord]:
        """Store drawings, all of them or none, and return them as stored, in their order.

        The images are stored before (``truehue.storage.concept_images.images.Images.add``). An id
        that is given (64 hexadecimal characters) is kept; without one a drawn row gets a new one,
        so that each attempt counts, and an imported row gets the SHA-256 of image, prompt, model,
        settings and its origin's ``content_key``, so that the same folder imported twice counts
        once, and two files of equal pixels twice. An id that is stored already keeps its first row.
        Raises :class:`NotStored` for an unknown image and :class:`BadInput`, naming the field, for
        what cannot be stored.
        """
        rows = [_row(drawing) for drawing in drawings]
        if not rows:
            return []
        self._require_images({row["image_id"] for row in rows} - {None})
        columns = ", ".join(_COLUMNS)
        lists = ", ".join(f"unnest(?::{kind}[]) AS {name}" for name, kind in _COLUMNS.items())
        with self._database.transaction() as cursor:
            cursor.execute(
                f"INSERT INTO drawings ({columns}, asked, number, created_at) "
                f"SELECT {columns}, asked, "
                "place + (SELECT coalesce(max(number), 0) FROM drawings), ? "
                f"FROM (SELECT {lists}, unnest(?::VARCHAR[][][]) AS asked, "
                "unnest(range(1, ? + 1)) AS place) ON CONFLICT DO NOTHING",
                [
                    self._database.now(),
                    *([row[name] for row in rows] for name in _COLUMNS),
                    [target_keys(drawing.targets) for drawing in drawings],
                    len(rows),
                ],
            )
        ids = [row["drawing_id"] for row in rows]
        stored = {
            record.drawing_id: record
            for record in self._records("WHERE drawing_id IN (SELECT unnest(?::VARCHAR[]))", [ids])
        }
        return [stored[drawing_id] for drawing_id in ids]

    def get(self, drawing_id: str) -> GenerationRecord:
        """Return one drawing by its id or the first 8 or more characters of it.

        Raises :class:`NotStored` if none or more than one fits.
        """
        full = self._database.full_id("drawings", "drawing_id", drawing_id)
        return self._records("WHERE drawing_id = ?", [full])[0]

    def recent(
        self, limit: int = 50, offset: int = 0, **filters: Unpack[GenerationFilters]
    ) -> list[GenerationRecord]:
        """Return ``limit`` drawings, newest first, after leaving out ``offset`` of them.

        The filters are those of :class:`truehue.storage.verdicts.generations.GenerationFilters`. Raises
        :class:`BadInput` for an unknown status or verdict.
        """
        drawing_filter = filter_of(**filters)
        return self._records(
            f"{drawing_filter.clause} ORDER BY number DESC LIMIT ? OFFSET ?",
            [*drawing_filter.values, max(limit, 0), max(offset, 0)],
        )

    def count(self, **filters: Unpack[GenerationFilters]) -> int:
        """Return how many drawings there are; the filters are those of :meth:`recent`."""
        drawing_filter = filter_of(**filters)
        return int(
            self._database.rows(
                f"SELECT count(*) FROM drawings {drawing_filter.clause}", drawing_filter.values
            )[0][0]
        )

    def of_model(self, model: str) -> list[GenerationRecord]:
        """Return every drawing of a model that has an image, oldest first."""
        return self._records("WHERE model = ? AND status = 'drawn' ORDER BY number", [model])

    def of_seed(self, model: str, text: str, seed: int, limit: int) -> list[GenerationRecord]:
        """Return the drawings with an image that a model made of a text and a seed, by whatever
        settings, ``limit`` at most, newest first."""
        return self._records(
            "WHERE model = ? AND text = ? AND seed = ? AND status = 'drawn' "
            "ORDER BY number DESC LIMIT ?",
            [model, text, seed, limit],
        )

    def of_job(self, job_id: str, limit: int) -> list[GenerationRecord]:
        """Return the drawings of a job, ``limit`` at most, newest first."""
        return self._records("WHERE job_id = ? ORDER BY number DESC LIMIT ?", [job_id, limit])

    def images_of_job(self, job_id: str) -> list[str]:
        """Return the ids of the images that a job drew or imported, each once, oldest first."""
        rows = self._database.rows(
            "SELECT image_id FROM drawings WHERE job_id = ? AND image_id IS NOT NULL "
            "GROUP BY image_id ORDER BY min(number)",
            [job_id],
        )
        return [str(image_id) for (image_id,) in rows]

    def for_image(self, image_id: str) -> list[GenerationRecord]:
        """Return the drawings that show a stored image, newest first; an upload has none.

        ``image_id`` may be its first 8 or more characters. Raises :class:`NotStored`.
        """
        full = self._database.full_id("images", "image_id", image_id)
        return self._records("WHERE image_id = ? ORDER BY number DESC", [full])

    def imported_keys(self) -> dict[str, str]:
        """Return the ``file_key`` and ``content_key`` of every imported image, by which
        :func:`truehue.core.image_sets.records.read` knows what is stored already, with the ids of
        the images."""
        rows = self._database.rows("""
            SELECT unnest([origin->>'file_key', origin->>'content_key']), image_id
            FROM drawings WHERE source = 'imported' ORDER BY number
        """)
        return {str(key): str(image_id) for key, image_id in rows if key is not None}

    def marks(self, prompt_source: str, rule: str | None = None) -> Mapping[str, PromptStatus]:
        """Return what became of the prompts of a set, by prompt id; see :class:`PromptStatuses`."""
        return self._marks.of(prompt_source, rule)

    def models(self) -> list[tuple[str, int]]:
        """Return every model that has drawings and how many, the most first."""
        rows = self._database.rows(
            "SELECT model, count(*) FROM drawings GROUP BY model ORDER BY count(*) DESC, model"
        )
        return [(str(model), int(number)) for model, number in rows]

    def _require_images(self, image_ids: set[str]) -> None:
        unknown = self._database.rows(
            "SELECT image_id FROM (SELECT unnest(?::VARCHAR[]) AS image_id) "
            "ANTI JOIN images USING (image_id) ORDER BY image_id LIMIT 1",
            [sorted(image_ids)],
        )
        if unknown:
            raise NotStored(
                f"Nothing is stored under the image id {unknown[0][0][:80]}: add the image first, "
                "and give its whole id."
            )

    def _records(self, clauses: str, values: Sequence[Any]) -> list[GenerationRecord]:
        rows = self._database.rows(f"SELECT {_READ} FROM drawings {clauses}", values)
        return [_record(row) for row in rows]


def _row(drawing: GenerationRecord) -> dict[str, Any]:
    """The columns of a drawing, checked."""
    for name, choices in (("source", SOURCES), ("status", STATUSES)):
        if getattr(drawing, name) not in choices:
            raise BadInput(
                f"{name} is {getattr(drawing, name)!r}: give one of {', '.join(choices)}."
            )
    texts = {
        name: canonical.text(getattr(drawing, name), name)
        for name in (
            "job_id",
            "source",
            "prompt_source",
            "prompt_id",
            "text",
            "task",
            "negative_text",
            "status",
            "reason",
        )
    }
    if drawing.status == "failed":
        canonical.require_text(drawing.reason, "reason")
        if drawing.image_id is not None:
            raise BadInput("image_id is given, but a generation that failed has no image.")
    else:
        canonical.require_text(drawing.image_id, "image_id")
    row = {
        **texts,
        "model": canonical.require_text(drawing.model, "model"),
        "targets": canonical.dump(_targets_json(drawing.targets)),
        "options": canonical.dump(canonical.mapping(drawing.options, "options")),
        "origin": canonical.dump(canonical.mapping(drawing.origin, "origin")),
        "image_id": drawing.image_id,
        "seed": _whole(drawing.seed, "seed", 2**63),
        **{
            name: _whole(getattr(drawing, name), name, 2**31)
            for name in ("steps", "width", "height")
        },
        **{name: _number(getattr(drawing, name), name) for name in ("guidance", "seconds")},
    }
    row["drawing_id"] = _id(drawing, row)
    return row


def _id(drawing: GenerationRecord, row: Mapping[str, Any]) -> str:
    drawing_id = drawing.drawing_id
    if drawing_id:
        if not isinstance(drawing_id, str) or not _ID.fullmatch(drawing_id):
            raise BadInput(
                f"drawing_id {drawing_id!r:.80} is not 64 hexadecimal characters: leave it."
            )
        return drawing_id
    if drawing.source == "drawn":
        return secrets.token_hex(32)
    names = set(_COLUMNS) - {"drawing_id", "job_id", "origin", "seconds"}
    key = {name: row[name] for name in names}
    if "content_key" in drawing.origin:
        key["content_key"] = drawing.origin["content_key"]
    return canonical.digest(key)


def _whole(value: object, field: str, below: int) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadInput(f"{field} is {value!r:.60}: give a whole number from 0 to {below - 1}.")
    if not 0 <= canonical.plain(value, field) < below:
        raise BadInput(f"{field} is {value!r:.60}: give a whole number from 0 to {below - 1}.")
    return value


def _number(value: object, field: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadInput(f"{field} is {value!r:.60}: give a number.")
    try:
        return float(canonical.plain(float(value), field))
    except OverflowError as error:
        raise BadInput(f"{field} is larger than any number that can be stored.") from error


def _targets_json(targets: Sequence[ObjectTarget]) -> list[dict[str, Any]]:
    # The prompt's own spelling is the only one; a prompt is what knows it.
    for target in targets:
        canonical.text(target.name, "targets")
    prompt = Prompt(id="-", text="-", task="free", targets=tuple(targets))
    spelled: list[dict[str, Any]] = canonical.plain(prompt.as_json()["targets"], "targets")
    return spelled


def _record(row: tuple[Any, ...]) -> GenerationRecord:
    fields = dict(zip(_READ.split(", "), row, strict=True))
    fields["targets"] = targets_of(fields["targets"])
    for name in ("options", "origin"):
        fields[name] = json.loads(fields[name])
    fields["created_at"] = aware(fields["created_at"])
    return GenerationRecord(**fields)


class GenerationFilters(TypedDict, total=False):
    """What a drawing has to be; None, or nothing at all, leaves it open.

    ``prompt`` is the set's id and the prompt's id. ``verdict`` is ``pass``, ``fail``, ``unscored``
    or, for generations without any, empty: of each rule as
    :mod:`truehue.storage.verdicts.evidence` says, and over all rules one fail makes a fail, then
    one unscored makes unscored. ``undecided`` are the images that are unscored or have no verdict.
    ``rule`` has that rule alone decide.
    """

    model: str | None
    prompt: tuple[str, str] | None
    job_id: str | None
    status: str | None
    verdict: str | None
    rule: str | None


@dataclass(frozen=True)
class Filter:
    """The SQL of what was wanted: ``clause`` is empty or begins with WHERE."""

    clause: str
    values: tuple[Any, ...]


def filter_of(
    model: str | None = None,
    prompt: tuple[str, str] | None = None,
    job_id: str | None = None,
    status: str | None = None,
    verdict: str | None = None,
    rule: str | None = None,
) -> Filter:
    """Return the filter of a :class:`GenerationFilters`. Raises :class:`BadInput` for an unknown
    status or verdict."""
    if status is not None and status not in STATUSES:
        raise BadInput(f"status is {status!r}: give one of {', '.join(STATUSES)}.")
    if verdict is not None and verdict not in VERDICTS:
        raise BadInput(
            f"verdict is {verdict!r}: give pass, fail, unscored, undecided or an empty text."
        )
    source, prompt_id = prompt or (None, None)
    fields = {
        "model": model,
        "prompt_source": source,
        "prompt_id": prompt_id,
        "job_id": job_id,
        "status": status,
    }
    tests = [f"{name} = ?" for name, value in fields.items() if value is not None]
    values: list[Any] = [value for value in fields.values() if value is not None]
    if verdict is not None:
        operator = "NOT IN" if verdict in ("", UNDECIDED) else "IN"
        tests.append(f"number {operator} ({_verdict_sql(verdict)})")
        values.append(rule)
    if verdict == UNDECIDED:
        tests.append("image_id IS NOT NULL")
    return Filter(f"WHERE {' AND '.join(tests)}" if tests else "", tuple(values))


def _verdict_sql(verdict: str) -> str:
    """The SQL of the generations with that verdict; with any where it is empty, and with a pass or a
    fail for ``undecided``."""
    condition = "<> 'unscored'" if verdict == UNDECIDED else f"= '{verdict}'"
    together = TOGETHER.format(status="status")
    return f"""
        SELECT number FROM ({verdicts("drawings")}) GROUP BY number
        {f"HAVING {together} {condition}" if verdict else ""}
    """
