"""Sets of color distributions, from files or from a study: added, never changed.

Their names and their visibility are versions in a table of their own."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import duckdb
import numpy as np

from truehue.core.color.distances import checked
from truehue.core.concepts.matching import normal
from truehue.core.concepts.records import (
    KINDS,
    DistributionFile,
    DistributionRow,
    DistributionSetRecord,
)
from truehue.core.errors import BadInput, NotStored, StorageError
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.makers import CONCEPT_SET, forget_makers, note_maker

MAX_NAME = 200

NEWEST = """
    SELECT set_id, arg_max(name, version) AS name, arg_max(hidden, version) AS hidden
    FROM set_views GROUP BY set_id
"""
"""Name and ``hidden`` of every set that has a view."""


class NamedSets:
    """The common part of stored sets of either kind; ``table`` has their ids."""

    def __init__(self, database: Database, table: str) -> None:
        self._database, self._table = database, table

    def rename(self, set_id: str, name: str) -> None:
        """Give a set another name; the old one stays in the database. Raises :class:`NotStored`,
        and :class:`BadInput` for a name that is none."""
        full, plain = self._full(set_id), canonical.one_line(name, "name", MAX_NAME)
        with self._database.transaction() as cursor:
            change(self._database, cursor, full, name=plain)

    def hide(self, set_id: str, hidden: bool = True) -> None:
        """Take a set out of ``all``, or show it again; nothing is lost. Raises
        :class:`NotStored`."""
        full = self._full(set_id)
        with self._database.transaction() as cursor:
            change(self._database, cursor, full, hidden=hidden)

    def _full(self, set_id: str) -> str:
        return self._database.full_id(self._table, "set_id", set_id)


def begin(database: Database, cursor: duckdb.DuckDBPyConnection, set_id: str, name: str) -> None:
    """The first version of a new set; one that is stored is shown again, under its own name."""
    if _newest(cursor, set_id) is None:
        _add(database, cursor, set_id, 1, name, False)
    else:
        change(database, cursor, set_id, hidden=False)


def change(
    database: Database,
    cursor: duckdb.DuckDBPyConnection,
    set_id: str,
    name: str | None = None,
    hidden: bool | None = None,
) -> None:
    """Adds a version with another name or another ``hidden``, unless it is so already."""
    newest = _newest(cursor, set_id)
    version, old_name, old_hidden = newest or (0, name or set_id, False)
    state = (old_name if name is None else name, old_hidden if hidden is None else hidden)
    if newest is None or state != (old_name, old_hidden):
        _add(database, cursor, set_id, version + 1, *state)


def _newest(cursor: duckdb.DuckDBPyConnection, set_id: str) -> tuple[int, str, bool] | None:
    row = cursor.execute(
        "SELECT version, name, hidden FROM set_views WHERE set_id = ? "
        "ORDER BY version DESC LIMIT 1",
        [set_id],
    ).fetchone()
    return None if row is None else (int(row[0]), str(row[1]), bool(row[2]))


def _add(
    database: Database,
    cursor: duckdb.DuckDBPyConnection,
    set_id: str,
    version: int,
    name: str,
    hidden: bool,
) -> None:
    cursor.execute(
        "INSERT INTO set_views (set_id, version, name, hidden, created_at) VALUES (?, ?, ?, ?, ?)",
        [set_id, version, name, hidden, database.now()],
    )


_OF_SET = ("distribution_rows", "set_views", "distribution_sets", "study_sets")


def note_people(
    cursor: duckdb.DuckDBPyConnection, set_id: str, study_id: str, numbers: Collection[int]
) -> None:
    """Store that a set holds what these participants of a study answered, by their numbers."""
    cursor.executemany(
        "INSERT INTO study_sets (set_id, study_id, participant_number) VALUES (?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        [[set_id, study_id, number] for number in sorted(set(numbers))],
    )


def delete_with(cursor: duckdb.DuckDBPyConnection, study_id: str, number: int) -> tuple[str, ...]:
    """Delete the sets of a study that hold what a participant of that number answered, in the
    transaction that erases them; returns what the sets were called."""
    rows = cursor.execute(
        f"SELECT set_id, coalesce(name, '') FROM study_sets LEFT JOIN ({NEWEST}) USING (set_id) "
        "WHERE study_id = ? AND participant_number = ? ORDER BY ALL",
        [study_id, number],
    ).fetchall()
    for set_id, _ in rows:
        for table in _OF_SET:
            cursor.execute(f"DELETE FROM {table} WHERE set_id = ?", [set_id])
        forget_makers(cursor, CONCEPT_SET, set_id)
    return tuple(str(name) for _, name in rows)


_COLUMNS = "set_id, kind, of_people, file_name, source, notes, created_at"
_SELECT = f"""
    SELECT set_id, name, kind, of_people, file_name, source, notes, rows, concepts, contributors,
        coalesce(hidden, false), created_at
    FROM distribution_sets
    LEFT JOIN ({NEWEST}) USING (set_id)
    LEFT JOIN (
        SELECT set_id, count(*) AS rows, count(DISTINCT words) AS concepts,
            count(DISTINCT contributor) FILTER (contributor <> '') AS contributors
        FROM distribution_rows GROUP BY set_id
    ) USING (set_id)
"""
_PART = 2_000


class DistributionSets(NamedSets):
    """The stored sets of distributions. A set is added once and never changed; it can be given
    another name and be hidden."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, "distribution_sets")

    def add(
        self,
        file: DistributionFile,
        name: str,
        file_name: str,
        source: str,
        of_people: bool,
        maker: str = "",
    ) -> str:
        """Store what was read of a file, all of it or nothing, and return its ``set_id``.

        The id is made of the kind, ``of_people`` and the rows in any order: the same content gives
        the set that is stored, under its own name, and shows it again if it was hidden. ``maker``
        is who brings it (:func:`truehue.storage.makers.note_maker`). Raises
        :class:`BadInput` for a name that is none, no row, a kind that is unknown, a row that is no
        distribution and text that cannot be stored.
        """
        name = canonical.one_line(name, "name", MAX_NAME)
        if file.kind not in KINDS:
            raise BadInput(f"There is no kind {file.kind[:40]!r}: it is one of {', '.join(KINDS)}.")
        if not file.rows:
            raise BadInput("The file holds no distribution, so there is nothing to store.")
        rows = [_plain(row, index) for index, row in enumerate(file.rows)]
        set_id = _id(file.kind, of_people, rows)
        head = [
            set_id,
            file.kind,
            bool(of_people),
            canonical.text(file_name, "file_name"),
            canonical.text(source, "source").strip(),
            [canonical.text(note, "a note") for note in file.notes],
            self._database.now(),
        ]
        with self._database.transaction() as cursor:
            stored = cursor.execute(
                "SELECT 1 FROM distribution_sets WHERE set_id = ?", [set_id]
            ).fetchone()
            if not stored:
                cursor.execute(
                    f"INSERT INTO distribution_sets ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", head
                )
                _insert(cursor, set_id, rows)
            begin(self._database, cursor, set_id, name)
            note_maker(self._database, cursor, CONCEPT_SET, {set_id: not stored}, maker)
        self._database.checkpoint()
        return set_id

    def of_study(self, set_id: str, study_id: str, numbers: Collection[int]) -> None:
        """Store that a set was made of what these participants of a study answered: when one of
        them is erased, it is deleted. Raises :class:`NotStored` for a set that is not here, or
        where one of them was erased meanwhile; the set is deleted then."""
        full = self._full(set_id)
        with self._database.transaction() as cursor:
            note_people(cursor, full, study_id, numbers)
            erased = cursor.execute(
                "SELECT participant_number FROM study_erasures WHERE study_id = ?", [study_id]
            ).fetchall()
            gone = {int(number) for (number,) in erased} & set(numbers)
            for number in gone:
                delete_with(cursor, study_id, number)
        if gone:
            self._database.checkpoint()
            raise NotStored("A participant was erased meanwhile. Reload.")

    def get(self, set_id: str) -> DistributionSetRecord:
        """Return one set, hidden or not, by its id or the first 8 or more characters of it.

        Raises :class:`NotStored` if none or more than one fits.
        """
        full = self._full(set_id)
        return self._records("WHERE set_id = ?", [full])[0]

    def all(self, hidden: bool = False) -> list[DistributionSetRecord]:
        """Return the sets that are shown, newest first; with ``hidden`` the hidden ones too."""
        condition = "" if hidden else "WHERE NOT coalesce(hidden, false)"
        return self._records(f"{condition} ORDER BY created_at DESC, set_id", [])

    def words(self, set_id: str) -> list[str]:
        """Return the concepts of a set in the order of its file; :class:`NotStored`."""
        rows = self._database.rows(
            "SELECT words FROM distribution_rows WHERE set_id = ? GROUP BY words "
            "ORDER BY min(place)",
            [self._full(set_id)],
        )
        return [str(text) for (text,) in rows]

    def rows(self, set_id: str, text: str | None = None) -> list[DistributionRow]:
        """Return the distributions of a set in the order of its file.

        ``text`` asks for one concept's, in any spelling that has the same normal form; there may
        be none. Raises :class:`NotStored`.
        """
        condition, values = "set_id = ?", [self._full(set_id)]
        if text is not None:
            condition, values = f"{condition} AND words = ?", [*values, normal(text)]
        rows = self._database.rows(
            "SELECT words, contributor, people, weights, given FROM distribution_rows "
            f"WHERE {condition} ORDER BY place",
            values,
        )
        return [_row(*row) for row in rows]

    def _records(self, clauses: str, values: Sequence[Any]) -> list[DistributionSetRecord]:
        return [_record(row) for row in self._database.rows(f"{_SELECT} {clauses}", values)]


def _plain(row: DistributionRow, index: int) -> tuple[str, str, int, list[float], dict[str, Any]]:
    """A row as it is stored, checked."""
    location = f"Row {index + 1}"
    if not normal(row.words):
        raise BadInput(f"{location} has no concept.")
    if row.people < 0:
        raise BadInput(f"{location} is of {row.people} people: give 0 where nobody knows.")
    weights = np.asarray(row.weights, dtype=np.float64)
    checked(weights, location)
    return (
        normal(canonical.text(row.words, f"{location}, words")),
        canonical.text(row.contributor, f"{location}, contributor"),
        int(row.people),
        weights.tolist(),
        canonical.mapping(row.given, f"{location}, given"),
    )


def _id(
    kind: str, of_people: bool, rows: Sequence[tuple[str, str, int, list[float], Mapping[str, Any]]]
) -> str:
    spelled = sorted(
        canonical.digest(
            {
                "words": text,
                "contributor": contributor,
                "people": people,
                "weights": weights,
                "given": original,
            }
        )
        for text, contributor, people, weights, original in rows
    )
    return canonical.digest({"kind": kind, "of_people": bool(of_people), "rows": spelled})


def _insert(
    cursor: duckdb.DuckDBPyConnection,
    set_id: str,
    rows: Sequence[tuple[str, str, int, list[float], Mapping[str, Any]]],
) -> None:
    for start in range(0, len(rows), _PART):
        part = rows[start : start + _PART]
        text, contributors, people, weights, originals = zip(*part, strict=True)
        cursor.execute(
            """
            INSERT INTO distribution_rows
                (set_id, place, words, contributor, people, weights, given)
            SELECT ?, unnest(?::INTEGER[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[]),
                unnest(?::INTEGER[]), unnest(?::DOUBLE[71][]), unnest(?::VARCHAR[])
            """,
            [
                set_id,
                list(range(start, start + len(part))),
                list(text),
                list(contributors),
                list(people),
                list(weights),
                [canonical.dump(original) for original in originals],
            ],
        )


def _row(
    text: str, contributor: str, people: int, weights: Sequence[float], original_json: str
) -> DistributionRow:
    array = np.array(weights, dtype=np.float64)
    array.flags.writeable = False
    return DistributionRow(text, contributor, array, people, json.loads(original_json))


def _record(row: tuple[Any, ...]) -> DistributionSetRecord:
    set_id, name, kind, of_people, file_name, source, notes, *counts, hidden, created_at = row
    if name is None:  # only where the database was changed by hand
        raise StorageError(f"The set {set_id} has no name: the database is not whole.")
    rows, concepts, contributors = (int(count or 0) for count in counts)
    return DistributionSetRecord(
        set_id,
        name,
        kind,
        of_people,
        file_name,
        source,
        tuple(notes),
        rows,
        concepts,
        contributors,
        hidden,
        aware(created_at),
    )
