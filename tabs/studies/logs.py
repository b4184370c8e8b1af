"""The log of a study as a replay needs it: of hundreds of actions on a canvas only the times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truehue.core.studies import Event, EventKind

if TYPE_CHECKING:
    from truehue.storage.store import Storage


def logs_of(storage: Storage, study_id: str) -> dict[str, tuple[Event, ...]]:
    """The events of each participant by id; of the actions one a minute, without what was done."""
    events = storage.study_events.of_study(study_id, without=EventKind.ACTION)
    signs = storage.study_events.signs(study_id)
    return {
        person: (*own, *(Event("", EventKind.ACTION, at=time) for time in signs.get(person, ())))
        for person, own in events.items()
    }
