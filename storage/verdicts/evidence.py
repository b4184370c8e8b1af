"""Evidence: verdicts with all their numbers, added and never overwritten, and their images.

A verdict is stored with the key of its expectation. A generation is stored with a list of keys for
each expectation of its prompt: the keys of the verdicts that answer it. Both keys come from
:mod:`truehue.core.verdict.expectations`, which alone knows the rule
(:mod:`truehue.storage.database.expectation_keys`); this module joins equal keys. Without an
expectation, every verdict of the image counts. By one rule a generation is ``fail`` if a verdict
fails, else ``unscored`` if one is unscored or an expectation has none, else ``pass``: an image is
correct only if all of its objects are (GenColorBench, arXiv:2510.20586, section 3.2: COA, MOC and
ICA).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.records import Badge, EvidenceRecord
from truehue.core.verdict.expectations import key_of_verdict
from truehue.core.verdict.rules import STATUSES
from truehue.storage.concept_images.images import OF_IMAGES, Images, Masks, by_image
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.makers import VERDICT, note_maker

# The latest row is the last by its time. Times may be equal, then the order of adding decides; it
# alone would take what was deleted and put back for the newest.
LATEST = """
    SELECT image_id, protocol, expectation AS key,
        arg_max(status, (created_at, rowid)) AS status
    FROM evidence {where}
    GROUP BY image_id, protocol, expectation
"""
"""SQL of the rows that count: per image, rule and key the latest. ``where`` narrows evidence."""

TOGETHER = """
    CASE
        WHEN bool_or({status} = 'fail') THEN 'fail'
        WHEN bool_or({status} = 'unscored') THEN 'unscored'
        ELSE 'pass'
    END
"""
"""SQL of what several statuses say together: one fail is a fail, then one unscored is unscored."""

COUNTS = "(len(asked) = 0 OR list_contains(flatten(asked), key))"
"""SQL of whether the verdict ``key`` counts for what was ``asked``."""

ANSWERED = "len(list_filter(asked, lambda keys: list_has_any(keys, judged)))"
"""SQL of how many of the expectations ``asked`` have one of the keys ``judged``."""


def verdicts(drawings: str, condition: str = "") -> str:
    """Return SQL of what each rule says of each drawing that it judged: ``number``, ``prompt_id``,
    ``protocol`` and ``status``.

    ``drawings`` is SQL of rows with ``number``, ``prompt_id``, ``image_id`` and ``asked``;
    ``condition`` narrows evidence. One placeholder, after theirs, is for the rule, or NULL for all.
    """
    # One object that was judged at all is all of it; only for several is there more to look up.
    several = "FILTER (len(asked) > 1)"
    return f"""
        SELECT number, prompt_id, protocol,
            CASE
                WHEN status = 'pass' AND asked IS NOT NULL AND {ANSWERED} < len(asked)
                THEN 'unscored'
                ELSE status
            END AS status
        FROM (
            SELECT number, protocol, any_value(prompt_id) AS prompt_id,
                {TOGETHER.format(status="latest.status")} AS status,
                any_value(asked) {several} AS asked, list(key) {several} AS judged
            FROM {drawings} JOIN ({LATEST.format(where=condition)}) AS latest USING (image_id)
            WHERE {COUNTS} AND protocol = coalesce(?, protocol)
            GROUP BY number, protocol
        )
    """


_COLUMNS = (
    "evidence_id, image_id, mask_id, object_name, target, protocol, version, parameters, "
    "status, reason, numbers, expectation, created_at"
)
_NAMES = _COLUMNS.split(", ")
_KINDS = ["VARCHAR"] * (len(_NAMES) - 1) + ["TIMESTAMP"]


class Evidence:
    """The stored verdicts, keyed by what was asked, of which pixels, by which rule."""

    def __init__(self, database: Database, images: Images, masks: Masks) -> None:
        self._database = database
        self._images = images
        self._masks = masks
        self.changes = 0
        """The number of additions since the start; a change invalidates values computed of rows."""

    def add(self, evidence: EvidenceRecord) -> EvidenceRecord:
        """Store ``evidence`` and return it with its ``evidence_id``, the key of the ``expectation``
        that it answers, and ``created_at``.

        The id is the SHA-256 of image, mask, object, target, protocol, version and parameters;
        whatever id, key and time come in are ignored. If that id is stored, the stored row comes
        back unchanged: a new computation needs a new version or other parameters. Raises
        :class:`NotStored` for an unknown image or mask and :class:`BadInput`, naming the field,
        for a mask of another image, an unknown status, empty names, or what is not plain JSON
        (NaN and infinity: give None).
        """
        return self.add_many([evidence])[0]

    def add_many(self, evidence: Sequence[EvidenceRecord], maker: str = "") -> list[EvidenceRecord]:
        """Store rows in their order, all of them or none, and return each as it is stored.

        The rows, ids and errors are those of :meth:`add`; a batch waits for the disk once.
        ``maker`` is who has them kept (:func:`truehue.storage.makers.note_maker`).
        """
        images: dict[str, str] = {}
        masks: dict[tuple[str, str], str] = {}
        rows = [self._row(record, images, masks) for record in evidence]
        # Of one id the first row stays, in a batch as between batches.
        first: dict[str, tuple[Any, ...]] = {}
        for row in rows:
            first.setdefault(row[0], row)
        new = list(first.values())
        if not new:
            return []
        columns = list(zip(*new, strict=True))
        lists = ", ".join(
            f"unnest(?::{kind}[]) AS {name}" for name, kind in zip(_NAMES, _KINDS, strict=True)
        )
        with self._database.transaction() as cursor:
            inserted = cursor.execute(
                # Nobody else writes now. ON CONFLICT would not keep the order of the rows, which
                # says what is the latest (truehue.storage.verdicts.evidence).
                f"INSERT INTO evidence ({_COLUMNS}) SELECT {_COLUMNS} "
                f"FROM (SELECT {lists}, unnest(range(?)) AS place) "
                "ANTI JOIN evidence USING (evidence_id) ORDER BY place RETURNING evidence_id",
                [*([*column] for column in columns), len(new)],
            ).fetchall()
            new_ids = {evidence_id for (evidence_id,) in inserted}
            is_new = {evidence_id: evidence_id in new_ids for evidence_id in first}
            note_maker(self._database, cursor, VERDICT, is_new, maker)
        self.changes += bool(new_ids)
        ids = [row[0] for row in rows]
        records = self._records("WHERE evidence_id IN (SELECT unnest(?::VARCHAR[]))", [ids])
        stored = {record.evidence_id: record for record in records}
        return [stored[evidence_id] for evidence_id in ids]

    def _row(
        self, evidence: EvidenceRecord, images: dict[str, str], masks: dict[tuple[str, str], str]
    ) -> tuple[Any, ...]:
        """The columns of a row, checked; ``images`` and ``masks`` hold what was looked up."""
        if evidence.image_id not in images:
            images[evidence.image_id] = self._images.get(evidence.image_id).image_id
        image_id = images[evidence.image_id]
        mask_id = evidence.mask_id
        if mask_id is not None:
            if (image_id, mask_id) not in masks:
                masks[image_id, mask_id] = self._mask_id(image_id, mask_id)
            mask_id = masks[image_id, mask_id]
        if evidence.status not in STATUSES:
            raise BadInput(f"status is {evidence.status!r}: give one of {', '.join(STATUSES)}.")
        object_name = canonical.text(evidence.object_name, "object_name")
        target = canonical.mapping(evidence.target, "target")
        key = {
            "image_id": image_id,
            "mask_id": mask_id,
            "object_name": object_name,
            "target": target,
            "protocol": canonical.require_text(evidence.protocol, "protocol"),
            "version": canonical.require_text(evidence.version, "version"),
            "parameters": canonical.mapping(evidence.parameters, "parameters"),
        }
        return (
            canonical.digest(key),
            image_id,
            mask_id,
            object_name,
            canonical.dump(target),
            key["protocol"],
            key["version"],
            canonical.dump(key["parameters"]),
            evidence.status,
            canonical.text(evidence.reason, "reason"),
            canonical.dump(canonical.mapping(evidence.numbers, "numbers")),
            key_of_verdict(object_name, target),
            self._database.now(),
        )

    def draft(self, evidence: EvidenceRecord) -> tuple[EvidenceRecord, bool]:
        """Return ``evidence`` with the id that :meth:`add` would give, as it is stored if it is,
        and whether it is. Raises as :meth:`add` does.

        Its image and mask are whole ids of what is stored, which is not looked up again.
        """
        image_id, mask_id = evidence.image_id, evidence.mask_id
        masks = {} if mask_id is None else {(image_id, mask_id): mask_id}
        evidence_id = self._row(evidence, {image_id: image_id}, masks)[0]
        rows = self._records("WHERE evidence_id = ?", [evidence_id])
        return (rows[0], True) if rows else (replace(evidence, evidence_id=evidence_id), False)

    def get(self, evidence_id: str) -> EvidenceRecord:
        """Return one row by its id or the first 8 or more characters of it.

        Raises :class:`NotStored` if none or more than one fits.
        """
        return _record(self._database.row_by_id("evidence", _COLUMNS, "evidence_id", evidence_id))

    def for_image(self, image_id: str) -> list[EvidenceRecord]:
        """Return the rows of a stored image, last added first; :class:`NotStored` if there is none
        such image."""
        image = self._images.get(image_id)
        return self._records(
            "WHERE image_id = ? ORDER BY created_at DESC, rowid DESC", [image.image_id]
        )

    def for_images(self, image_ids: Collection[str]) -> dict[str, list[EvidenceRecord]]:
        """Return the rows of many images, by image and last added first; an image without any, or
        one that is not stored, is left out. The ids are whole ones."""
        return by_image(
            self._records(f"{OF_IMAGES} ORDER BY created_at DESC, rowid DESC", [sorted(image_ids)])
        )

    def newest_time(self) -> datetime:
        """Return the time of the newest row, UTC without a zone; the first of all if there is
        none."""
        rows = self._database.rows("SELECT max(created_at) FROM evidence")
        return rows[0][0] or datetime.min

    def recent(self, limit: int = 50, offset: int = 0) -> list[EvidenceRecord]:
        """Return ``limit`` rows, last added first, after leaving out ``offset`` of them."""
        return self._records(
            "ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?",
            [max(limit, 0), max(offset, 0)],
        )

    def count(self) -> int:
        """Return the number of stored rows."""
        return self._database.count("evidence")

    def badges(self, image_ids: Sequence[str]) -> dict[str, tuple[Badge, ...]]:
        """Return what each rule says of each image of ``image_ids`` (whole ids), rules by name.

        Of each rule, object and color the latest row counts. What the drawings that show the image
        asked for, taken together, decides which verdicts count and whether any is missing
        (:mod:`truehue.storage.verdicts.evidence`). An image without verdicts, or not stored, has an
        empty tuple.
        """
        badges: dict[str, tuple[Badge, ...]] = dict.fromkeys(image_ids, ())
        rows = self._database.rows(
            f"""
            WITH asking AS (
                SELECT image_id, list_distinct(flatten(list(asked))) AS asked
                FROM drawings {OF_IMAGES} GROUP BY image_id
            ),
            found AS (
                SELECT image_id, protocol, {TOGETHER.format(status="status")} AS status,
                    count(*) AS objects, any_value(asked) AS asked, list(key) AS judged
                FROM (
                    SELECT latest.*, coalesce(asked, []) AS asked
                    FROM ({LATEST.format(where=OF_IMAGES)}) AS latest
                    LEFT JOIN asking USING (image_id)
                )
                WHERE {COUNTS}
                GROUP BY image_id, protocol
            )
            SELECT image_id, protocol, status, objects, {ANSWERED} AS answered, len(asked)
            FROM found ORDER BY image_id, protocol
            """,
            [list(badges), list(badges)],
        )
        for image_id, rule, status, objects, answered, asked_count in rows:
            whole = "unscored" if status == "pass" and answered < asked_count else status
            badges[image_id] += (Badge(rule, whole, objects, answered, asked_count),)
        return badges

    def _mask_id(self, image_id: str, id_text: str) -> str:
        mask = self._masks.get(id_text)
        if mask.image_id != image_id:
            raise BadInput(
                f"mask_id {mask.mask_id} belongs to the image {mask.image_id}, not to {image_id}."
            )
        return mask.mask_id

    def _records(self, clauses: str, values: Sequence[Any]) -> list[EvidenceRecord]:
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM evidence {clauses}", values)
        return [_record(row) for row in rows]


def _record(row: tuple[Any, ...]) -> EvidenceRecord:
    fields = dict(zip(_NAMES, row, strict=True))
    for name in ("target", "parameters", "numbers"):
        fields[name] = json.loads(fields[name])
    fields["created_at"] = aware(fields["created_at"])
    return EvidenceRecord(**fields)
