"""Imported prompt sets: what was read from a file, kept for good."""

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
from truehue.core.records import PromptSetRecord
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.makers import PROMPT_SET, note_maker

MAX_NAME = 200
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
        if len(canonical.required(name, "name").strip()) > MAX_NAME:
            raise BadInput(f"The name has {len(name)} characters: give at most {MAX_NAME}.")
        name = name.strip()
        ids, bodies = _bodies(prompts)
        content_id = _content_id(bodies, canonical.required(kind, "kind"), sha256)
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
        location = "" if hidden else "WHERE NOT coalesce(hidden, false)"
        return self._records(f"{location} ORDER BY created_at DESC, set_id", [])

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
        canonical.required(prompt.id, f"The id of prompt {index}")
        if prompt.id in ids:
            raise BadInput(f"The prompt id {prompt.id[:80]!r} stands twice: ids are unique.")
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
