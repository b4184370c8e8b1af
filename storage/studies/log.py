"""What happened to a study, put together from the rows that were added for it."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from truehue.core.studies import LogEntry, LogKind
from truehue.storage.database.connection import Database, aware
from truehue.storage.studies.rows import require_study

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
)


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
