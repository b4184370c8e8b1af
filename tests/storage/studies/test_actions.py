"""Actions as traces, signs and costs, and what one participant did on one canvas."""

from __future__ import annotations

from typing import Any

import pytest

from tests.storage.conftest import SteppingClock
from tests.storage.studies.people import answer, link, new_id, person
from truehue.annotation.colorings import rows_of
from truehue.core.studies import Event, EventKind
from truehue.storage import Storage
from truehue.storage.studies.events import cost_of

FILL = {"do": "fill", "x": 1, "y": 2, "closing": 0, "color": "#aa5500"}
ERASE = {**FILL, "color": None}
REGIONS = {"do": "fill_regions", "points": [1, 2, 3, 400], "closing": 0, "color": "#aa5500"}
STROKE = {"do": "stroke", "points": [1, 2, 3, 4], "diameter": 4, "color": "#112233", "within": None}


def action(position: int, body: dict[str, Any]) -> Event:
    return Event(new_id(), EventKind.ACTION, position, body)


def test_actions_come_back_by_trial_and_in_order(storage: Storage) -> None:
    index = link(storage)
    item, other = person(storage, index), person(storage, index)
    log = [FILL, STROKE, {"do": "undo"}, ERASE, {"do": "redo"}, {"do": "clear"}]
    sent = [action(1, body) for body in log]
    for event in sent:
        storage.study_events.append(item.id, [event])
    (ended,) = storage.study_events.append(item.id, [answer(1)])
    storage.study_events.append(item.id, [action(1, FILL), action(2, FILL)])
    storage.study_events.append(other.id, [action(1, STROKE)])
    events = storage.study_events
    assert events.actions(item.id, [0, 1, 2]) == {0: [], 1: [*log, FILL], 2: [FILL]}
    assert events.actions(item.id, [1], before=ended.number) == {1: log}
    assert events.actions(item.id, []) == {}
    traces = events.traces(index[0])
    assert [(trace.position, trace.codes) for trace in traces[item.id]] == [
        (1, b"ccuerxc"),
        (2, b"c"),
    ]
    assert [trace.rows for trace in traces[item.id]] == [rows_of(STROKE["points"], 4), 0]
    assert traces[item.id][0].ids[:6] == tuple(event.id for event in sent)
    assert events.traces(link(storage)[0]) == {}


def test_rows_of_strokes_are_counted_as_the_server_does(storage: Storage) -> None:
    someone = person(storage)
    logs = [[7, -3], [0, 0, 5, 40, 5, -2], [9, 9, 9, 9], [1, 4096, 1, -2048, 1, 0, 2, 7]]
    bodies = [{**STROKE, "points": points} for points in logs]
    storage.study_events.append(someone.id, [action(3, body) for body in [*bodies, FILL]])
    pick = {"do": "pick", "color": "#aa5500"}
    storage.study_events.append(someone.id, [action(4, REGIONS), action(4, pick)])
    trace, filled = storage.study_events.traces(someone.study_id)[someone.id]
    assert trace.rows == sum(rows_of(points, 4) for points in logs)
    assert (filled.codes, filled.rows) == (b"cp", 0)


def test_a_sign_is_the_first_action_of_a_minute(storage: Storage, clock: SteppingClock) -> None:
    someone = person(storage)
    stored = [storage.study_events.append(someone.id, [action(0, FILL)])[0] for _ in range(150)]
    first: dict[str, Event] = {}
    for event in stored:
        assert event.at is not None
        first.setdefault(event.at.strftime("%H:%M"), event)
    signs = storage.study_events.signs(someone.study_id)[someone.id]
    assert signs == [event.at for event in first.values()]
    assert len(signs) < 10


def test_costs_are_about_what_events_take(storage: Storage) -> None:
    someone = person(storage)
    events = [action(0, FILL), action(0, {**STROKE, "points": [123, 456] * 500}), answer(0)]
    storage.study_events.append(someone.id, events)
    cost = storage.study_events.costs(someone.study_id)[someone.id]
    assert sum(map(cost_of, events)) == pytest.approx(cost, rel=0.15)
