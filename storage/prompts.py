"""Imported prompt sets, stored permanently, and named selections of prompts, in versions."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb

from truehue.core.errors import BadInput, NotStored
from truehue.core.prompts.prompt import Prompt, prompt_from_json
from truehue.core.records import PromptSetRecord, SelectionRecord
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.makers import PROMPT_SET, SELECTION, forget_makers, note_maker

MAX_SET_NAME = 200
_SLUG = 40
_COLUMNS = "set_id, name, kind, file_name, sha256, report, prompt_count, hidden, created_at"
_SHOWN = """
    prompt_sets LEFT JOIN (
        SELECT set_id, arg_max(hidden, version) AS hidden FROM prompt_set_views GROUP BY set_id
    ) USING (set_id)
"""


class PromptSets:
    """The imported sets. A set is added once and never changed; it can be hidden."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        name: str,
        prompts: Sequence[Prompt],
        kind: str,
        file_name: str = "",
        sha256: str = "",
        report: Mapping[str, Any] | None = None,
        maker: str = "",
    ) -> PromptSetRecord:
        """Store a set with all its prompts, or nothing, and return its record.

        ``kind`` names the file's format, ``sha256`` its bytes, ``report`` is plain JSON on what
        could not be read, ``maker`` is who brings it (:func:`truehue.storage.makers.note_maker`).
        The ``set_id`` is made of the name and of what is in the set; it becomes the ``source`` of
        its prompts. The same prompts from the same bytes give the set that is stored, under its
        first name, and show it again if it was hidden. Raises :class:`BadInput` for an empty or too
        long name, no prompts, an id that stands twice, and text that cannot be stored.
        """
        if len(canonical.require_text(name, "name").strip()) > MAX_SET_NAME:
            raise BadInput(f"The name has {len(name)} characters: give at most {MAX_SET_NAME}.")
        name = name.strip()
        ids, bodies = _bodies(prompts)
        content_id = _content_id(bodies, canonical.require_text(kind, "kind"), sha256)
        set_id = f"{_slug(name)}-{content_id[:8]}"
        row = [
            set_id,
            content_id,
            name,
            canonical.text(file_name, "file_name"),
            kind,
            canonical.text(sha256, "sha256"),
            canonical.dump(canonical.mapping(report or {}, "report")),
            len(ids),
            self._database.now(),
        ]
        with self._database.transaction() as cursor:
            stored = cursor.execute(
                "SELECT set_id FROM prompt_sets WHERE content_id = ?", [content_id]
            ).fetchone()
            if stored:
                set_id = str(stored[0])
                self._show(cursor, set_id, hidden=False)
            else:
                cursor.execute("INSERT INTO prompt_sets VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
                cursor.execute(
                    "INSERT INTO prompts "
                    "SELECT ?, unnest(range(?)), unnest(?::VARCHAR[]), unnest(?::VARCHAR[])",
                    [set_id, len(ids), ids, bodies],
                )
            note_maker(self._database, cursor, PROMPT_SET, {set_id: not stored}, maker)
        self._database.checkpoint()
        return self.get(set_id)

    def get(self, set_id: str) -> PromptSetRecord:
        """Return one set, hidden or not; :class:`NotStored` if there is none of that id."""
        records = self._records("WHERE set_id = ?", [set_id])
        if not records:
            raise NotStored(f"No prompt set is stored under {set_id[:80]!r}.")
        return records[0]

    def all(self, hidden: bool = False) -> list[PromptSetRecord]:
        """Return the sets that are shown, newest first; with ``hidden`` the hidden ones too."""
        condition = "" if hidden else "WHERE NOT coalesce(hidden, false)"
        return self._records(f"{condition} ORDER BY created_at DESC, set_id", [])

    def prompts(self, set_id: str) -> tuple[Prompt, ...]:
        """Return the prompts of a set in the order of the file, with ``set_id`` as their source.

        Reading takes about a second for 44,000 prompts: keep the result. Raises
        :class:`NotStored`.
        """
        stored = self.get(set_id).set_id
        rows = self._database.rows(
            "SELECT body FROM prompts WHERE set_id = ? ORDER BY position", [stored]
        )
        return tuple(replace(prompt_from_json(json.loads(body)), source=stored) for (body,) in rows)

    def hide(self, set_id: str) -> PromptSetRecord:
        """Take a set out of :meth:`all` and return its record.

        Its prompts, drawings and selections stay; adding the same file again shows it. Raises
        :class:`NotStored`.
        """
        stored = self.get(set_id).set_id
        with self._database.transaction() as cursor:
            self._show(cursor, stored, hidden=True)
        return self.get(stored)

    def _show(self, cursor: duckdb.DuckDBPyConnection, set_id: str, hidden: bool) -> None:
        """Add a version that hides or shows a set, unless it is so already."""
        latest = cursor.execute(
            "SELECT max(version), arg_max(hidden, version) FROM prompt_set_views WHERE set_id = ?",
            [set_id],
        ).fetchone()
        version, now_hidden = latest or (None, None)
        if bool(now_hidden) != hidden:
            cursor.execute(
                "INSERT INTO prompt_set_views VALUES (?, ?, ?, ?)",
                [set_id, (version or 0) + 1, hidden, self._database.now()],
            )

    def _records(self, clauses: str, values: Sequence[Any]) -> list[PromptSetRecord]:
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM {_SHOWN} {clauses}", values)
        return [_record(row) for row in rows]


def _bodies(prompts: Sequence[Prompt]) -> tuple[list[str], list[str]]:
    """The ids and the JSON texts of prompts, checked."""
    if not prompts:
        raise BadInput("The set holds no prompt, so there is nothing to store.")
    ids: dict[str, None] = {}
    bodies = []
    for index, prompt in enumerate(prompts, start=1):
        body = canonical.dump(canonical.plain(prompt.as_json(), f"prompt {index}"))
        canonical.require_text(prompt.id, f"The id of prompt {index}")
        if prompt.id in ids:
            raise BadInput(f"The prompt id {prompt.id[:80]!r} appears twice: ids are unique.")
        ids[prompt.id] = None
        bodies.append(body)
    return list(ids), bodies


def _content_id(bodies: Sequence[str], kind: str, sha256: str) -> str:
    digest = hashlib.sha256(canonical.dump([kind, sha256]).encode())
    for body in bodies:
        digest.update(b"\n" + body.encode())
    return digest.hexdigest()


def _slug(name: str) -> str:
    """``"Käse, 2nd try"`` as ``"kase-2nd-try"``; ``set`` where nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_SLUG].strip("-") or "set"


def _record(row: tuple[Any, ...]) -> PromptSetRecord:
    fields = dict(zip(_COLUMNS.split(", "), row, strict=True))
    fields["report"] = json.loads(fields["report"])
    fields["hidden"] = bool(fields["hidden"])
    fields["created_at"] = aware(fields["created_at"])
    return PromptSetRecord(**fields)


MAX_NAME = 100
MAX_PROMPTS = 100_000
_SELECTION_COLUMNS = "name, version, refs, removed, created_at"


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
            f"INSERT INTO selections ({_SELECTION_COLUMNS}) VALUES (?, ?, ?, ?, ?)",
            [name, version, canonical.dump(refs), removed, self._database.now()],
        )

    def _records(self, clauses: str, values: Sequence[Any]) -> list[SelectionRecord]:
        rows = self._database.rows(f"SELECT {_SELECTION_COLUMNS} FROM selections {clauses}", values)
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
    """The name of a selection as it is stored. Raises :class:`BadInput` as
    :meth:`Selections.save`."""
    return canonical.one_line(name, "name", MAX_NAME)


def _refs(refs: Sequence[tuple[str, str]]) -> list[list[str]]:
    unique_refs: dict[tuple[str, str], None] = {}
    for index, ref in enumerate(refs, start=1):
        if not isinstance(ref, (tuple, list)) or len(ref) != 2:
            raise BadInput(f"Prompt {index} of the selection is no pair of set and prompt id.")
        source = canonical.text(ref[0], f"The set of prompt {index}")
        unique_refs[source, canonical.require_text(ref[1], f"The id of prompt {index}")] = None
    if not unique_refs:
        raise BadInput("The selection holds no prompt: choose at least one, then save it.")
    if len(unique_refs) > MAX_PROMPTS:
        raise BadInput(
            f"The selection holds {len(unique_refs):,} prompts: save at most {MAX_PROMPTS:,} at "
            "once."
        )
    return [list(ref) for ref in unique_refs]
