"""What no page would send of a canvas: refused in words, nothing stored, nobody's work seen."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.storage.sketches_made import boxes
from tests.tabs.participants.people import (
    OURS,
    Person,
    Room,
    answer,
    colored,
    coloring_plan,
    event,
    fill,
    plan,
    stroke,
)
from truehue.annotation.colorings import rows_of
from truehue.annotation.studies.plan import Review, Screening
from truehue.core.sketches.records import Sketch, sketch_id
from truehue.core.studies import EventKind
from truehue.tabs.participants import canvas, live_study, session

pytestmark = pytest.mark.slow

NONE = Review.NONE


def designer(room: Room, **values: Any) -> Person:
    person = room.person(room.opened(coloring_plan(room, practice=0, review=NONE, **values)))
    person.enroll()
    return person


def act(action: Any, position: Any = 0) -> dict[str, Any]:
    return {**event("action"), "position": position, "body": action}


WRONG: list[Any] = [
    act({}),
    act(None),
    act([]),
    act({"do": "erase all"}),
    act({"do": ["fill"]}),
    act({**fill(), "x": 1.5}),
    act({**fill(), "x": True}),
    act({**fill(), "x": 10**9}),
    act({**fill(), "x": "1"}),
    act({**fill(), "closing": 4}),
    act({**fill(), "closing": -1}),
    act({**fill(), "closing": None}),
    act({**fill(), "color": "red"}),
    act({**fill(), "color": "#12345"}),
    act({**fill(), "color": "#1234567"}),
    act({**fill(), "color": "url(http://x)"}),
    act({**fill(), "color": "#aabbcc\n"}),
    act({**fill(), "more": 1}),
    act({"do": "fill", "x": 1, "y": 1}),
    act({**stroke(1, 1), "points": []}),
    act({**stroke(1, 1), "points": [1]}),
    act({**stroke(1, 1), "points": [1, None]}),
    act({**stroke(1, 1), "points": [[1, 1]]}),
    act({**stroke(1, 1), "points": "1,1"}),
    act({**stroke(1, 1), "points": [0, 0] * 2049}),
    act({**stroke(1, 1), "points": [5000, 0]}),
    act({**stroke(1, 1), "diameter": 0}),
    act({**stroke(1, 1), "diameter": 257}),
    act({**stroke(1, 1), "within": 4}),
    act({"do": "undo", "times": 5}),
    act({"do": "<img src=x onerror=alert(1)>"}),
    act({"do": "${7*7}"}),
    act(fill(), None),
    act(fill(), -1),
    act(fill(), 3),
    act(fill(), 2**40),
    act(fill(), "0"),
    {**act(fill()), "id": "../../../etc/passwd"},
    answer(0),
    answer(0, None, "tie"),
    answer(0, 3, "rating"),
    colored(0, 1),  # nothing of it came in
    colored(0, 0),
    colored(0, -1),
    colored(0, 2**60),
    colored(0, 1, "not hex!"),
    colored(0, 1, "0" * 9),
    colored(0, 1, active_ms=-1),
    answer(0, 5, "coloring", actions=1, checksum="0" * 8),
    answer(0, None, "skip", reason="${7*7}"),
    answer(0, None, "skip"),
]


@pytest.fixture(scope="module")
def lasting_designer(lasting_room: Room) -> Person:
    """Somebody of whom the first sketch stays empty, whatever is sent."""
    return designer(lasting_room, number=3)


@pytest.mark.parametrize("wrong", WRONG, ids=range(len(WRONG)))
def test_what_is_no_action_is_refused_and_what_is_one_is_taken(
    lasting_room: Room, lasting_designer: Person, wrong: Any
) -> None:
    person = lasting_designer
    study = lasting_room.storage.studies.all()[0]  # the newest
    before = lasting_room.storage.study_events.count(study.id)
    alone = person.sends(wrong)
    assert alone.status_code in (400, 409)
    assert alone.json()["error"]
    good = event("action", 1, fill())
    message = person.post(wrong, good)
    assert message["stored"] == [good["id"]]
    assert len(message["refused"]) == 1
    assert lasting_room.storage.study_events.count(study.id) == before + 1


def test_a_long_stroke_fits_and_a_body_has_its_limit(room: Room) -> None:
    person = designer(room, number=3)
    longest = stroke(*[n % 64 for n in range(2 * 2048)])
    person.draws(0, *[longest] * 8)
    refused = person.sends(*[event("action", 0, longest) for _ in range(30)])
    assert refused.status_code == 413
    refused = person.sends(*[event("action", 0, fill()) for _ in range(101)])
    assert refused.status_code == 400
    assert len(person.client.get(f"{person.path}/actions/0").json()["actions"]) == 8


def test_more_brush_strokes_than_can_be_painted_are_refused(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In words, at once and after a new start; what is drawn can be finished."""
    item = stroke(10, 10, 10, 40)
    rows = rows_of(item["points"], item["diameter"])
    monkeypatch.setattr(canvas, "MAX_ROWS", 2 * rows)
    person = designer(room, number=3)
    person.draws(0, item, {"do": "undo"}, item)
    for _ in range(2):
        refused = person.sends(event("action", 0, item))
        assert (refused.status_code, refused.json()["code"]) == (409, "too many strokes")
        assert "brush strokes" in refused.json()["error"]
        room.restart()
    person.draws(1, item)
    person.draws(0, fill())
    person.post(colored(0, 4))


def test_a_stranger_cannot_fill_the_disk(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas, "MAX_ACTIONS", 5)
    person = designer(room, number=3)
    person.draws(0, *[fill()] * 5)
    refused = person.sends(event("action", 0, {"do": "undo"}))
    assert (refused.status_code, refused.json()["code"]) == (409, "too many actions")
    person.post(colored(0, 5))  # what there is can be finished
    # By bytes, of one person and of a whole study; answers and the end are still taken.
    (item,) = room.context.service(_participation())._desks.values()
    (someone,) = item.seats.values()
    monkeypatch.setattr(someone, "max_bytes", someone.canvases.cost - 1)
    refused = person.sends(event("action", 1, fill()))
    assert (refused.status_code, refused.json()["code"]) == (413, "too much")
    skip = {"kind": "skip", "value": None, "response_ms": 1, "reason": "other"}
    person.post(event("answer", 1, skip))
    monkeypatch.setattr(someone, "max_bytes", canvas.MAX_BYTES)
    monkeypatch.setattr(item, "most_cost", item.cost - 1)
    assert person.sends(event("action", 2, fill())).status_code == 413
    person.post(event("withdrawal"))
    # What was stored before a start counts too.
    before = someone.canvases.cost
    room.restart()
    again = room.person(person.path.rpartition("/")[2])
    again.client.cookies = person.client.cookies
    again.state()
    (item,) = room.context.service(_participation())._desks.values()
    (someone,) = item.seats.values()
    assert someone.canvases.cost == pytest.approx(before, rel=0.2)
    assert item.cost == someone.canvases.cost
    assert someone.canvases.actions == 5


def test_other_events_have_their_limit_beside_actions(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "EVENTS_A_TRIAL", 1)
    monkeypatch.setattr(session, "EVENTS_BESIDE", 0)
    person = designer(room, number=3)
    person.draws(0, *[fill()] * 60)
    person.post(event("away", body={"ms": 1}), event("away", body={"ms": 1}))
    assert person.sends(event("away", body={"ms": 1})).status_code == 429
    person.draws(0, fill())


def test_nobody_sees_or_changes_the_work_of_another(room: Room) -> None:
    link = room.opened(coloring_plan(room, practice=0, review=NONE))
    first, second, stranger = (room.person(link) for _ in range(3))
    first.enroll()
    second.enroll()
    mine = event("action", 0, fill(color="#123456"))
    first.post(mine)
    assert second.state()["trials"][0]["actions"] == []
    assert second.client.get(f"{second.path}/actions/0").json()["actions"] == []
    assert stranger.client.get(f"{stranger.path}/actions/0").status_code == 401
    assert stranger.sends(event("action", 0, fill())).status_code == 401
    assert second.client.get(f"{second.path}/actions/99").status_code == 400
    # The id of another one's action is refused, and changes nothing.
    stolen = second.sends({**mine, "body": {"do": "clear"}})
    assert stolen.status_code == 400
    assert stolen.json()["stored"] == []
    assert first.state()["trials"][0]["actions"] == [fill(color="#123456")]
    # The same id with another action is the action that was stored.
    first.post({**mine, "body": {"do": "clear"}})
    assert first.state()["trials"][0]["actions"] == [fill(color="#123456")]
    elsewhere = room.person(room.opened(coloring_plan(room, practice=0, review=NONE)))
    elsewhere.client.cookies = first.client.cookies
    assert elsewhere.client.get(f"{elsewhere.path}/actions/0").status_code == 401
    for path in ("actions/0", "sketches/" + "0" * 32 + ".png", "state"):
        wrong = first.client.get(f"/study/{'x' * 43}/{path}")
        assert wrong.status_code == 404


def test_every_route_of_a_seat_is_of_its_own_key(room: Room) -> None:
    """Whoever has the link, and even the cookie of somebody else in another study, reads and writes
    nothing of somebody: answers, going back, the end and the plates too."""
    made = coloring_plan(room, practice=0, review=NONE, screening=Screening(True, False))
    link = room.opened(made)
    first, second, stranger = (room.person(link) for _ in range(3))
    first.enroll()
    second.enroll()
    first.draws(0, fill(), fill(40))
    mine = colored(0, 2)
    first.post(mine)
    before = first.state()
    study = room.storage.studies.all()[0].id
    stored = room.storage.study_events.count(study)

    elsewhere = room.person(room.opened(coloring_plan(room, practice=0, review=NONE)))
    elsewhere.enroll()
    foreign = room.person(link)
    foreign.client.cookies = elsewhere.client.cookies
    for other in (stranger, foreign):
        message = other.client.get(f"{other.path}/state").json()
        assert message["participant"] is None
        assert message["trials"] == []
        for path in ("actions/0", "plates/0.png"):
            assert other.client.get(f"{other.path}/{path}").status_code == 401
        for item in (colored(0, 2), event("undo", 0), event("comment", 0, {"text": "x"})):
            assert other.sends(item).status_code == 401
        assert other.sends(event("withdrawal")).status_code == 401
    # Somebody who takes part writes to a seat of their own alone, whoever they say to be.
    for name in ("participant", "participant_id", "number", "key"):
        body = {"events": [event("undo", 0)], name: before["participant"]["id"]}
        refused = second.client.post(f"{second.path}/events", json=body, headers=OURS)
        assert refused.json().get("stored", []) == []
    assert second.sends(mine).json()["stored"] == []
    assert second.state()["participant"]["positions_answered"] == []
    assert first.state() == before
    assert room.storage.study_events.count(study) == stored


def test_only_sketches_of_the_study_are_shown(room: Room) -> None:
    person = designer(room, number=3)
    ink = boxes(seed=7)
    other = Sketch(sketch_id(ink), ink)
    room.storage.sketches.add(other, "secret", "import")
    own = person.waiting[0]["sketch"]["id"]
    assert person.client.get(f"{person.path}/sketches/{own}.png").status_code == 200
    names = (other.id, "0" * 32, own.upper(), own[:8], f"..%2F{own}", "..%2F..%2Ftruehue.duckdb")
    for name in names:
        for kind in ("png", "regions"):
            refused = person.client.get(f"{person.path}/sketches/{name}.{kind}")
            assert refused.status_code == 404, name
    assert person.client.get(f"{person.path}/sketches/{own}.svg").status_code == 404
    paused = room.person(room.opened(plan()))
    assert paused.client.get(f"{paused.path}/sketches/{own}.png").status_code == 404


def test_nothing_is_colored_in_another_study_nor_after_the_end(room: Room) -> None:
    pairs = room.person(room.opened(plan()))
    pairs.enroll()
    assert pairs.sends(event("action", 0, fill())).status_code == 400
    assert pairs.sends(colored(0, 1)).status_code == 400
    person = designer(room, number=3)
    person.colors(0)
    assert person.sends(event("action", 0, fill())).json()["code"] == "answered"
    assert person.sends(colored(0, 2)).json()["code"] == "answered"
    assert person.sends(event("undo", 1)).json()["code"] == "unanswered"
    person.post(event("withdrawal"))
    assert person.sends(event("action", 1, fill())).json()["code"] == "done"


HOSTILE = "${7*7} <img src=x onerror=alert(1)> {{7*7}} =cmd|' /C calc'!A0 \u202e</script>"


def test_texts_are_texts(room: Room) -> None:
    made = coloring_plan(room, practice=0, review=NONE, number=3)
    cases = tuple(replace(case, words=HOSTILE, group=HOSTILE) for case in made.cases)
    person = room.person(room.opened(replace(made, cases=cases, instructions=HOSTILE)))
    person.enroll(language=HOSTILE)
    response = person.client.get(f"{person.path}/state")
    assert response.headers["content-type"] == "application/json"
    assert response.headers["x-content-type-options"] == "nosniff"
    message = response.json()
    assert message["trials"][0]["words"] == message["study"]["instructions"] == HOSTILE
    person.post(event("comment", 0, {"text": HOSTILE}))
    (someone,) = room.storage.participants.of(room.storage.studies.all()[0].id)
    comment = room.storage.study_events.of(someone.id)[-1]
    assert (comment.kind, comment.body["text"]) == (EventKind.COMMENT, HOSTILE)
    refused = person.sends(act({"do": HOSTILE}))
    assert HOSTILE not in refused.text
    assert room.storage.study_events.count(room.storage.studies.all()[0].id) == 2


@pytest.mark.parametrize("text", ["NaN", "Infinity", "1e999", "-0.0", "1" * 5000])
def test_numbers_that_are_none_are_refused(room: Room, text: str) -> None:
    person = designer(room, number=3)
    body = json.dumps({"events": [act({**fill(), "x": 77})]}).replace("77", text)
    response = person.client.post(f"{person.path}/events", content=body, headers=OURS)
    assert response.status_code == 400
    assert person.state()["trials"][0]["actions"] == []


def test_a_flood_of_designers_in_a_preview_has_its_limit(room: Room) -> None:
    made = coloring_plan(room, practice=0, review=NONE)
    token = room.context.service(_participation()).preview(made, room.study(made))
    person = room.person(token)
    person.enroll()
    longest = stroke(*[n % 64 for n in range(2 * 2048)])
    for _ in range(40):
        refused = person.sends(*[event("action", 0, longest) for _ in range(10)])
        if refused.status_code != 200:
            break
    assert refused.status_code == 413
    assert live_study.MAX_PREVIEW_BYTES > canvas.PREVIEW_BYTES


def _participation() -> Any:
    from truehue.tabs.participants.service import Participation

    return Participation
