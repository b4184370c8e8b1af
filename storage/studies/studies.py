"""Studies: versions of plans, states, rules, links and log; rows are only added."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import duckdb

from truehue.core.cache import LruCache
from truehue.core.errors import BadInput
from truehue.core.studies import InvitationRecord, LogEntry, LogKind, State, StudyRecord
from truehue.core.study_copy import ParticipantCopy, StudyCopy
from truehue.storage.database.connection import Database, aware
from truehue.storage.studies.copying import IncomingStudy, read_copy, read_people
from truehue.storage.studies.rows import json_text, not_stored, require_study, single_row

# Each gives the time, the author, and the words of the body as they are named here.
_QUESTIONS: tuple[tuple[LogKind, str, tuple[str, ...]], ...] = (
    (
        LogKind.PLAN,
        "SELECT created_at, author, version, title FROM study_plans "
        "WHERE study_id = ? ORDER BY version",
        ("version", "title"),
    ),
    (
        LogKind.STATE,
        "SELECT created_at, author, state, reason FROM study_states "
        "WHERE study_id = ? ORDER BY number",
        ("state", "reason"),
    ),
    (
        LogKind.RULE,
        "SELECT created_at, author, rule FROM study_rules WHERE study_id = ? ORDER BY number",
        ("rule",),
    ),
    (
        LogKind.LINK,
        "SELECT created_at, author, invitation_id, label, personal FROM study_invitations "
        "WHERE study_id = ? ORDER BY created_at, invitation_id",
        ("invitation_id", "label", "personal"),
    ),
    (
        LogKind.LINK_REVOKED,
        "SELECT revoked_at, coalesce(revoked_by, ''), invitation_id, label, personal "
        "FROM study_invitations WHERE study_id = ? AND revoked_at IS NOT NULL "
        "ORDER BY revoked_at, invitation_id",
        ("invitation_id", "label", "personal"),
    ),
    (
        LogKind.DECISION,
        "SELECT decisions.created_at, author, participant_id, participants.number, excluded, "
        "reason FROM study_decisions AS decisions "
        "JOIN study_participants AS participants USING (participant_id) "
        "WHERE study_id = ? ORDER BY decisions.created_at, participant_id, decisions.number",
        ("participant_id", "participant_number", "excluded", "reason"),
    ),
    (
        LogKind.ERASURE,
        "SELECT created_at, author, participant_number FROM study_erasures "
        "WHERE study_id = ? ORDER BY created_at, participant_number",
        ("participant_number",),
    ),
    (
        LogKind.PUBLICATION,
        "SELECT created_at, author, images FROM study_publications "
        "WHERE study_id = ? ORDER BY number",
        ("images",),
    ),
    (
        LogKind.PUBLICATION_REVOKED,
        "SELECT revoked_at, coalesce(revoked_by, ''), images FROM study_publications "
        "WHERE study_id = ? AND revoked_at IS NOT NULL ORDER BY number",
        ("images",),
    ),
)
KEPT_PLANS = 32
"""Plans that are kept in memory as they were read: a page asks for one with every request."""
_STUDIES = """
    SELECT study_id, title, state, version, studies.created_at, state_at, created_by
    FROM studies
    JOIN (
        SELECT study_id, max(version) AS version, arg_max(title, version) AS title
        FROM study_plans GROUP BY study_id
    ) USING (study_id)
    JOIN (
        SELECT study_id, arg_max(state, number) AS state, max(created_at) AS state_at
        FROM study_states GROUP BY study_id
    ) USING (study_id)
"""
_INVITATIONS = "invitation_id, study_id, label, personal, created_at, revoked_at, author"


def log_of(database: Database, study_id: str) -> list[LogEntry]:
    """All that happened to the study, the oldest first. Raises :class:`NotStored`."""
    entries = []
    with database.cursor() as cursor:
        require_study(cursor, study_id)
        for kind, question, names in _QUESTIONS:
            rows = cursor.execute(question, [study_id]).fetchall()
            entries += [_entry(kind, names, *row) for row in rows]
    # What has the same time stays in the order of the kinds: a plan comes before its state.
    return sorted(entries, key=lambda entry: entry.at)


def _entry(
    kind: LogKind, names: tuple[str, ...], time: datetime, author: str, *values: Any
) -> LogEntry:
    body = dict(zip(names, values, strict=True))
    if "rule" in body:
        body["rule"] = json.loads(body["rule"])
    return LogEntry(aware(time), kind, author, body)


class Studies:
    """The stored studies. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._plans: LruCache[Mapping[str, Any]] = LruCache(KEPT_PLANS)
        self.changes = 0
        """How often a plan, a state or a rule was changed since the start: who keeps one in memory
        looks again then."""

    def add(self, plan: Mapping[str, Any], author: str) -> StudyRecord:
        """Store a new study, a draft, with the first version of its plan.

        ``plan["title"]`` is its title; ``author`` the id of the actor who makes it. Raises
        :class:`BadInput` for a plan without a title, or one that is no JSON.
        """
        title, text = _title(plan), json_text(plan, "plan")
        study_id = secrets.token_hex(16)
        now = self._database.now()
        with self._database.transaction() as cursor:
            cursor.execute("INSERT INTO studies VALUES (?, ?, ?)", [study_id, author, now])
            _insert_plan(cursor, (study_id, 1, title, text, author, now))
            _insert_state(cursor, (study_id, 0, State.DRAFT.value, author, "", now))
        return self.get(study_id)

    def revise(self, study_id: str, plan: Mapping[str, Any], author: str) -> StudyRecord:
        """Store the next version of a plan; the ones before stay.

        Whether the study's state allows it is for the caller to know.
        """
        title, text = _title(plan), json_text(plan, "plan")
        with self._database.transaction() as cursor:
            require_study(cursor, study_id)
            (last,) = single_row(
                cursor, "SELECT max(version) FROM study_plans WHERE study_id = ?", [study_id]
            )
            row = (study_id, last + 1, title, text, author, self._database.now())
            _insert_plan(cursor, row)
        self.changes += 1
        return self.get(study_id)

    def set_state(self, study_id: str, state: State, author: str, reason: str = "") -> StudyRecord:
        """Store that the study is in ``state`` from now on, and why."""
        with self._database.transaction() as cursor:
            require_study(cursor, study_id)
            (last,) = single_row(
                cursor, "SELECT max(number) FROM study_states WHERE study_id = ?", [study_id]
            )
            row = (study_id, last + 1, State(state).value, author, reason, self._database.now())
            _insert_state(cursor, row)
        self.changes += 1
        return self.get(study_id)

    def get(self, study_id: str) -> StudyRecord:
        """The study as it is now. Raises :class:`NotStored`."""
        rows = self._database.rows(f"{_STUDIES} WHERE study_id = ?", [study_id])
        if not rows:
            raise not_stored("study", study_id)
        return self._record(rows[0])

    def all(self) -> list[StudyRecord]:
        """All studies, the newest first."""
        rows = self._database.rows(f"{_STUDIES} ORDER BY studies.created_at DESC, study_id")
        return [self._record(row) for row in rows]

    def plan(self, study_id: str, version: int) -> Mapping[str, Any]:
        """One version of a study's plan; it is shared, so do not change it.

        Raises :class:`NotStored`.
        """
        return self._plans.get((study_id, version), lambda: self._read_plan(study_id, version))

    def _read_plan(self, study_id: str, version: int) -> Mapping[str, Any]:
        rows = self._database.rows(
            "SELECT plan FROM study_plans WHERE study_id = ? AND version = ?", [study_id, version]
        )
        if not rows:
            raise not_stored(f"version {version} of the plan of the study", study_id)
        plan: Mapping[str, Any] = json.loads(rows[0][0])
        return plan

    def rule(self, study_id: str) -> Mapping[str, Any] | None:
        """The newest rule of exclusion; None where none was ever set."""
        rows = self._database.rows(
            "SELECT rule FROM study_rules WHERE study_id = ? ORDER BY number DESC LIMIT 1",
            [study_id],
        )
        return json.loads(rows[0][0]) if rows else None

    def set_rule(self, study_id: str, rule: Mapping[str, Any], author: str) -> None:
        """Store the rule of exclusion that counts from now on; the ones before stay."""
        text = json_text(rule, "rule")
        with self._database.transaction() as cursor:
            require_study(cursor, study_id)
            (number,) = single_row(
                cursor,
                "SELECT coalesce(max(number) + 1, 0) FROM study_rules WHERE study_id = ?",
                [study_id],
            )
            cursor.execute(
                "INSERT INTO study_rules (study_id, number, rule, author, created_at) "
                "VALUES (?, ?, ?, ?, ?)",
                [study_id, number, text, author, self._database.now()],
            )
        self.changes += 1

    def log(self, study_id: str) -> list[LogEntry]:
        """All that happened to the study, the oldest first. Raises :class:`NotStored`."""
        return log_of(self._database, study_id)

    def copy(self, study_id: str) -> StudyCopy:
        """Everything of a study but its participants, without authors and secrets. Raises
        :class:`NotStored`."""
        return read_copy(self._database, study_id)

    def people(self, study_id: str) -> Iterator[ParticipantCopy]:
        """All participants of a study by number, read some at a time: of one moment, and that of
        :meth:`copy`, where a snapshot is open. Raises :class:`NotStored`."""
        return read_people(self._database, study_id)

    def incoming(self, copy: StudyCopy, author: str) -> IncomingStudy:
        """A study of a copy, for its participants to be added, and stored as a whole."""
        return IncomingStudy(self._database, copy, author)

    def _record(self, row: tuple[Any, ...]) -> StudyRecord:
        study_id, title, state, version, created_at, state_at, author = row
        return StudyRecord(
            id=study_id,
            title=title,
            state=State(state),
            version=version,
            plan=self.plan(study_id, version),
            created_at=aware(created_at),
            state_at=aware(state_at),
            author=author,
        )


def _title(plan: Mapping[str, Any]) -> str:
    title = plan.get("title")
    if not isinstance(title, str) or not title.strip():
        raise BadInput("The study needs a title: give it one.", "title")
    return title.strip()


def _insert_plan(
    cursor: duckdb.DuckDBPyConnection, row: tuple[str, int, str, str, str, datetime]
) -> None:
    cursor.execute(
        "INSERT INTO study_plans (study_id, version, title, plan, author, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        list(row),
    )


def _insert_state(
    cursor: duckdb.DuckDBPyConnection, row: tuple[str, int, str, str, str, datetime]
) -> None:
    cursor.execute(
        "INSERT INTO study_states (study_id, number, state, author, reason, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        list(row),
    )


class Invitations:
    """The stored links. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.changes = 0
        """How often a link was revoked since the start."""

    def add(
        self, study_id: str, token_hash: str, label: str, personal: bool, author: str
    ) -> InvitationRecord:
        """Store a link whose token has this SHA-256, 64 hexadecimal characters.

        Raises :class:`NotStored` where there is no such study.
        """
        invitation_id = secrets.token_hex(16)
        with self._database.transaction() as cursor:
            require_study(cursor, study_id)
            now = self._database.now()
            cursor.execute(
                "INSERT INTO study_invitations "
                "(invitation_id, study_id, token_hash, label, personal, author, created_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                [invitation_id, study_id, token_hash, label, personal, author, now],
            )
        return self.get(invitation_id)

    def get(self, invitation_id: str) -> InvitationRecord:
        """The link of that id. Raises :class:`NotStored`."""
        rows = self._database.rows(
            f"SELECT {_INVITATIONS} FROM study_invitations WHERE invitation_id = ?", [invitation_id]
        )
        if not rows:
            raise not_stored("link", invitation_id)
        return _invitation(rows[0])

    def by_token(self, token_hash: str) -> InvitationRecord | None:
        """The link whose token has this SHA-256, also one that was revoked; None for no link."""
        rows = self._database.rows(
            f"SELECT {_INVITATIONS} FROM study_invitations WHERE token_hash = ?", [token_hash]
        )
        return _invitation(rows[0]) if rows else None

    def of(self, study_id: str) -> list[InvitationRecord]:
        """The links of a study in the order of making, with those that were revoked."""
        rows = self._database.rows(
            f"SELECT {_INVITATIONS} FROM study_invitations WHERE study_id = ? "
            "ORDER BY created_at, invitation_id",
            [study_id],
        )
        return [_invitation(row) for row in rows]

    def revoke(self, invitation_id: str, author: str) -> InvitationRecord:
        """Store that the link lets nobody in any more; one that was revoked stays as it was.

        Raises :class:`NotStored`.
        """
        with self._database.transaction() as cursor:
            cursor.execute(
                "UPDATE study_invitations SET revoked_at = ?, revoked_by = ? "
                "WHERE invitation_id = ? AND revoked_at IS NULL",
                [self._database.now(), author, invitation_id],
            )
        self.changes += 1
        return self.get(invitation_id)


def _invitation(row: tuple[Any, ...]) -> InvitationRecord:
    invitation_id, study_id, label, personal, created_at, revoked_at, author = row
    return InvitationRecord(
        id=invitation_id,
        study_id=study_id,
        label=label,
        personal=personal,
        created_at=aware(created_at),
        revoked_at=None if revoked_at is None else aware(revoked_at),
        author=author,
    )
