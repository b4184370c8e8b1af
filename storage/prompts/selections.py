"""Selections: baskets of prompts saved under a name, every version kept."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from typing import Any

import duckdb

from truehue.core.errors import BadInput, NotStored
from truehue.core.records import SelectionRecord
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.makers import SELECTION, forget_makers, note_maker

MAX_NAME = 100
MAX_PROMPTS = 100_000
_COLUMNS = "name, version, refs, removed, created_at"


class Selections:
    """The saved selections. Saving and removing add a version; none is ever changed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, name: str, refs: Sequence[tuple[str, str]], maker: str = "") -> SelectionRecord:
        """Store ``refs``, pairs of a set's id and a prompt's id, under ``name``.

        A name that is taken gets a new version; the same prompts in the same order give the
        stored one. A pair that stands twice counts once, at its first place. ``maker`` is who saves
        it (:func:`truehue.storage.makers.note_maker`). Raises
        :class:`BadInput` for an empty name, one of more than 100 characters or two lines, no
        prompts, more than 100,000, and what is no pair of texts.
        """
        name = plain_name(name)
        ref_rows = _refs(refs)
        with self._database.transaction() as cursor:
            latest = _latest(cursor, name)
            if latest is not None and latest[1] is False and latest[2] == ref_rows:
                version = latest[0]
            else:
                version = 1 if latest is None else latest[0] + 1
                self._insert(cursor, name, version, ref_rows, removed=False)
            is_new = latest is None or latest[1]
            if is_new:  # as removing does now, and did not always
                forget_makers(cursor, SELECTION, name)
            note_maker(self._database, cursor, SELECTION, {name: is_new}, maker)
        self._database.checkpoint()
        return self._records("WHERE name = ? AND version = ?", [name, version])[0]

    def get(self, name: str) -> SelectionRecord:
        """Return the latest version of a selection; :class:`NotStored` if there is none."""
        records = [record for record in self.all() if record.name == plain_name(name)]
        if not records:
            raise NotStored(f"No selection is stored under the name {name!r:.120}.")
        return records[0]

    def all(self) -> list[SelectionRecord]:
        """Return the latest version of each selection that was not removed, newest first."""
        return self._records(
            "QUALIFY version = max(version) OVER (PARTITION BY name) AND NOT removed "
            "ORDER BY created_at DESC, name",
            [],
        )

    def remove(self, name: str) -> None:
        """Take a selection out of :meth:`all`; its versions stay in the database. Whoever saves
        another one under that name is its maker.

        Raises :class:`NotStored` if there is none of that name.
        """
        name = plain_name(name)
        with self._database.transaction() as cursor:
            latest = _latest(cursor, name)
            if latest is None or latest[1]:
                raise NotStored(f"No selection is stored under the name {name!r:.120}.")
            self._insert(cursor, name, latest[0] + 1, [], removed=True)
            forget_makers(cursor, SELECTION, name)

    def _insert(
        self,
        cursor: duckdb.DuckDBPyConnection,
        name: str,
        version: int,
        refs: list[list[str]],
        removed: bool,
    ) -> None:
        cursor.execute(
            f"INSERT INTO selections ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)",
            [name, version, canonical.dump(refs), removed, self._database.now()],
        )

    def _records(self, clauses: str, values: Sequence[Any]) -> list[SelectionRecord]:
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM selections {clauses}", values)
        return [
            SelectionRecord(
                name=name,
                version=version,
                refs=tuple((source, prompt_id) for source, prompt_id in json.loads(refs)),
                created_at=aware(created_at),
            )
            for name, version, refs, _, created_at in rows
        ]


def _latest(
    cursor: duckdb.DuckDBPyConnection, name: str
) -> tuple[int, bool, list[list[str]]] | None:
    """Version, removed and prompts of the newest row of a name."""
    row = cursor.execute(
        "SELECT version, removed, refs FROM selections WHERE name = ? "
        "ORDER BY version DESC LIMIT 1",
        [name],
    ).fetchone()
    return None if row is None else (int(row[0]), bool(row[1]), json.loads(row[2]))


def plain_name(name: object) -> str:
    """The name as it is stored: the same one typed on two keyboards is one. Raises
    :class:`BadInput` as :meth:`Selections.save`."""
    plain = unicodedata.normalize("NFC", canonical.required(name, "name")).strip()
    if len(plain) > MAX_NAME:
        raise BadInput(f"The name has {len(plain)} characters: give at most {MAX_NAME}.")
    if len(plain.splitlines()) > 1:
        raise BadInput("The name has more than one line: give one.")
    return plain


def _refs(refs: Sequence[tuple[str, str]]) -> list[list[str]]:
    unique_refs: dict[tuple[str, str], None] = {}
    for index, ref in enumerate(refs, start=1):
        if not isinstance(ref, (tuple, list)) or len(ref) != 2:
            raise BadInput(f"Prompt {index} of the selection is no pair of set and prompt id.")
        source = canonical.text(ref[0], f"The set of prompt {index}")
        unique_refs[source, canonical.required(ref[1], f"The id of prompt {index}")] = None
    if not unique_refs:
        raise BadInput("The selection holds no prompt: choose at least one, then save it.")
    if len(unique_refs) > MAX_PROMPTS:
        raise BadInput(
            f"The selection holds {len(unique_refs):,} prompts: save at most {MAX_PROMPTS:,} at "
            "once."
        )
    return [list(ref) for ref in unique_refs]
