"""Actions of colorings, which are most of a study's events, without reading them one by one."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from truehue.core.studies import Event, EventKind
from truehue.storage.database.connection import Database, aware

OVERHEAD = 400
"""Bytes that an event costs besides its body: its row, its index, its id in memory."""
_PLAIN_ACTION, _NUMBER = 75, 4
_CODE = """
    CASE body->>'do'
        WHEN 'clear' THEN 'x' WHEN 'undo' THEN 'u' WHEN 'redo' THEN 'r'
        ELSE CASE WHEN body->>'color' IS NULL THEN 'e' ELSE 'c' END
    END
"""
_ROWS = """
    CASE WHEN ups IS NULL THEN 0 ELSE
        len(ups) * ((body->>'diameter')::INTEGER + 2) + coalesce(list_sum(list_transform(
            range(1, len(ups)), lambda i: abs(ups[i] - ups[i + 1]))), 0)
    END
"""
_OF_STUDY = (
    "SEMI JOIN (SELECT participant_id FROM study_participants WHERE study_id = ?) "
    "USING (participant_id)"
)


@dataclass(frozen=True)
class ActionTrace:
    """What was done on the canvas of one trial: a byte an action (``c`` a color, ``e`` erased,
    ``x`` cleared, ``u`` undone, ``r`` redone), the ids of their events, in order, and
    how many rows its strokes have (:func:`truehue.annotation.colorings.actions.rows_of`)."""

    position: int
    codes: bytes
    ids: tuple[str, ...]
    rows: int


def traces(database: Database, study_id: str) -> dict[str, tuple[ActionTrace, ...]]:
    """The traces of each participant of a study who did anything on a canvas, by position."""
    rows = database.rows(
        f"SELECT participant_id, position, string_agg({_CODE}, '' ORDER BY number), "
        f"list(event_id ORDER BY number), sum({_ROWS}) FROM (SELECT *, "
        "TRY_CAST(body->'points' AS INTEGER[])[2:-:2] AS ups FROM study_events "
        f"WHERE kind = ? AND position IS NOT NULL) {_OF_STUDY} "
        "GROUP BY participant_id, position ORDER BY participant_id, position",
        [EventKind.ACTION.value, study_id],
    )
    by_person: dict[str, list[ActionTrace]] = {}
    for person, position, codes, ids, painted in rows:
        trace = ActionTrace(position, codes.encode(), tuple(ids), int(painted))
        by_person.setdefault(person, []).append(trace)
    return {person: tuple(own) for person, own in by_person.items()}


def costs(database: Database, study_id: str) -> dict[str, int]:
    """About how many bytes the events of each participant take."""
    rows = database.rows(
        f"SELECT participant_id, sum(strlen(body::VARCHAR)) + {OVERHEAD} * count(*) "
        f"FROM study_events {_OF_STUDY} GROUP BY participant_id",
        [study_id],
    )
    return {person: int(size) for person, size in rows}


def cost_of(event: Event) -> int:
    """About how many bytes an event takes, as :func:`costs` counts them; actions are many, and not
    written out for that."""
    if event.kind is EventKind.ACTION:
        return OVERHEAD + _PLAIN_ACTION + _NUMBER * len(event.body.get("points", ()))
    return OVERHEAD + len(json.dumps(event.body, ensure_ascii=False).encode())


def actions(
    database: Database,
    participant_id: str,
    positions: Collection[int],
    before: int | Mapping[int, int] | None = None,
) -> dict[int, list[Mapping[str, Any]]]:
    """What one participant did on the canvas of these trials, in order; all are there. ``before``
    is the number of an event, or one for each position: only what was stored before it."""
    by_position: dict[int, list[Mapping[str, Any]]] = {position: [] for position in positions}
    if not by_position:
        return by_position
    ends = before if isinstance(before, Mapping) else {}
    last = max(ends.values(), default=None) if isinstance(before, Mapping) else before
    rows = database.rows(
        "SELECT position, number, body FROM study_events WHERE participant_id = ? AND kind = ? "
        "AND position IN (SELECT unnest(?::INTEGER[])) AND (?::INTEGER IS NULL OR number < ?) "
        "ORDER BY number",
        [participant_id, EventKind.ACTION.value, sorted(by_position), last, last],
    )
    for position, number, body in rows:
        if number < ends.get(position, number + 1):
            by_position[position].append(json.loads(body))
    return by_position


def signs(database: Database, study_id: str) -> dict[str, list[datetime]]:
    """The time of each participant's first action of every minute."""
    rows = database.rows(
        f"SELECT participant_id, min(created_at) FROM study_events {_OF_STUDY} WHERE kind = ? "
        "GROUP BY participant_id, date_trunc('minute', created_at) ORDER BY 1, 2",
        [study_id, EventKind.ACTION.value],
    )
    by_person: dict[str, list[datetime]] = {}
    for person, index in rows:
        by_person.setdefault(person, []).append(aware(index))
    return by_person
