"""Studies, links, participants and events to store."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from truehue.core.studies import Enrolment, Event, EventKind, ParticipantRecord, Purpose, Trial
from truehue.storage import Storage

PLAN: dict[str, Any] = {"title": "Which is redder?", "seed": 7, "models": ["a", "b"]}


def new_id() -> str:
    return secrets.token_hex(16)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def trials(count: int, first: int = 0) -> tuple[Trial, ...]:
    """Trials of a stimulus each; the last repeats the first of them."""
    rows = [Trial(n, sha256(str(n)), ("a", "b") if n % 2 else ("b", "a")) for n in range(count)]
    if count > 1:
        rows[-1] = Trial(
            count - 1, rows[0].stimulus_id, ("b", "a"), Purpose.REPEAT, 0.25, original=first
        )
    return tuple(
        Trial(t.position + first, t.stimulus_id, t.order, t.purpose, t.propensity, t.original)
        for t in rows
    )


def link(storage: Storage, study_id: str = "", personal: bool = False) -> tuple[str, str]:
    """A study, new where none is named, and a link into it."""
    study_id = study_id or storage.studies.add(PLAN, "ann").id
    token_hash = sha256(secrets.token_urlsafe(32))
    return study_id, storage.invitations.add(study_id, token_hash, "class 4", personal, "ann").id


def enrolment(study_id: str, invitation_id: str, key: str = "key", **changes: Any) -> Enrolment:
    external = {"prolific_pid": "p1"}
    return Enrolment(
        study_id,
        invitation_id,
        sha256(key),
        **{"plan_version": 1, "language": "en", "external": external, **changes},
    )


def person(
    storage: Storage,
    index: tuple[str, str] | None = None,
    assign: Callable[[int], Sequence[Trial]] = lambda number: trials(4),
) -> ParticipantRecord:
    """A participant of the study and link ``place``, new ones where none are named."""
    study_id, invitation_id = index or link(storage)
    return storage.participants.enroll(enrolment(study_id, invitation_id, new_id()), assign)[0]


def answer(position: int | None = 0, event_id: str = "", **body: Any) -> Event:
    return Event(
        event_id or new_id(),
        EventKind.ANSWER,
        position,
        {"kind": "place", "value": 1, **body},
        client_ms=1_767_323_045_678,
    )
