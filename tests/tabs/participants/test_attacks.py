"""What no page would send: refused in words, and nothing stored."""

from __future__ import annotations

import json
import logging
import os
import re
from typing import Any

import pytest

from tests.tabs.participants.people import OURS, Room, answer, event, pictures, plan
from truehue.annotation.studies.cases import Candidate, Case
from truehue.core.studies import State

pytestmark = pytest.mark.slow


def test_an_event_that_is_sent_again_is_one_event(room: Room) -> None:
    link = room.opened(plan())
    person = room.person(link)
    person.enroll()
    sent = [answer(0), answer(1)]
    first = person.post(*sent)
    assert person.post(*sent, sent[0])["stored"] == first["stored"] == [item["id"] for item in sent]
    room.restart()
    again = room.person(link)
    again.client.cookies = person.client.cookies
    # The same id with another answer in it is the event that was stored.
    assert again.post({**sent[0], "body": {"kind": "tie", "value": None, "response_ms": 1}})
    assert room.storage.study_events.count(link.study.id) == 3
    (record,) = room.storage.participants.of(link.study.id)
    assert room.storage.study_events.of(record.id)[1].body["kind"] == "place"


def test_an_id_of_somebody_else_is_refused(room: Room) -> None:
    link = room.opened(plan())
    first, second = room.person(link), room.person(link)
    first.enroll()
    second.enroll()
    used = answer(0)
    first.post(used)
    stolen = second.sends(used)
    assert stolen.status_code == 400
    assert stolen.json()["stored"] == []
    assert second.post(answer(0))["participant"]["positions_answered"] == [0]
    assert room.storage.study_events.count(link.study.id) == 4


def test_a_key_opens_its_own_study_alone(room: Room) -> None:
    item, other = room.opened(plan()), room.opened(plan())
    person = room.person(item)
    person.enroll()
    (key,) = person.client.cookies.values()
    stranger = room.person(other)
    stranger.client.cookies.set(f"truehue-participant-{other.study.id[:8]}", key)
    assert stranger.state()["participant"] is None
    assert stranger.sends(answer(0)).status_code == 401


WRONG: list[Any] = [
    None,
    "text",
    {},
    {"id": "short", "kind": "answer", "position": 0, "body": {}},
    {**answer(0), "id": "0" * 31 + "G"},
    {**answer(0), "kind": "consent"},
    {**answer(0), "kind": None},
    {**answer(0), "position": 5},
    {**answer(0), "position": -1},
    {**answer(0), "position": True},
    {**answer(0), "position": None},
    {**answer(0), "position": 2**70},
    {**answer(0), "body": []},
    answer(0, 2),
    answer(0, -1),
    answer(0, None),
    answer(0, 1, "rating"),
    answer(0, 0, "tie"),
    answer(0, 0, "nothing"),
    answer(0, response_ms=-1),
    answer(0, response_ms="soon"),
    answer(0, response_ms=None),
    answer(0, reason=7),
    answer(0, reason="x" * 501),
    event("comment", body={"text": None}),
    event("away", body={"ms": "long"}),
    event("screening", body={"plates": "2345"}),
    event("screening", body={"plates": ["2"] * 9}),
    event("screening", body={"dark": 2**40}),
    event("undo"),
    event("undo", 0),
]


@pytest.mark.parametrize("wrong", WRONG, ids=range(len(WRONG)))
def test_what_is_no_event_is_refused_and_what_is_one_is_taken(
    lasting_room: Room, wrong: Any
) -> None:
    link = lasting_room.opened(plan())
    person = lasting_room.person(link)
    person.enroll()
    alone = person.sends(wrong)
    assert alone.status_code in (400, 409)
    assert alone.json()["error"]
    good = answer(1)
    message = person.post(wrong, good)
    assert message["stored"] == [good["id"]]
    assert len(message["refused"]) == 1
    assert lasting_room.storage.study_events.count(link.study.id) == 2


def test_facts_of_the_screen_never_cost_an_answer(room: Room) -> None:
    link = room.opened(plan())
    person = room.person(link)
    person.enroll()
    display = {
        "viewport": [360, 640],
        "dpr": 3,
        "zoomed": False,
        "gamut": "p3",
        "deep": {"a": 1},
        "long": "x" * 201,
        "bad name": 1,
        **{f"fact{i}": i for i in range(60)},
    }
    person.post(answer(0, display=display, other="left out"))
    (record,) = room.storage.participants.of(link.study.id)
    body = room.storage.study_events.of(record.id)[-1].body
    assert set(body) == {"kind", "value", "response_ms", "display"}
    assert len(body["display"]) == 32
    assert body["display"]["viewport"] == [360, 640]
    assert not {"deep", "long", "bad name"} & set(body["display"])


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"x" * (256 * 1024 + 1), 413),
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b'{"events": []}', 400),
        (b'{"events": {}}', 400),
        (b'{"events": [' + b"0," * 100 + b"0]}", 400),
        (b"[" * 100_000, 400),
        (b'{"events": [{"id": "\\ud800"}]}', 400),
        (b"\xff\xfe", 400),
    ],
)
def test_a_body_that_is_none_is_refused(room: Room, content: bytes, status: int) -> None:
    link = room.opened(plan())
    person = room.person(link)
    person.enroll()
    for index in ("events", "enroll"):
        if index == "enroll" and content in (b"", b'{"events": []}', b'{"events": {}}'):
            continue
        answered = person.client.post(f"{person.path}/{index}", content=content, headers=OURS)
        if index == "events" or status == 413:
            assert answered.status_code == status
        assert answered.status_code < 500


def test_a_body_without_a_length_is_cut_off(room: Room) -> None:
    link = room.opened(plan())
    person = room.person(link)
    person.enroll()
    sent = 0

    def parts() -> Any:
        nonlocal sent
        for _ in range(60):
            sent += 1
            yield b"x" * 2**20

    answered = person.client.post(f"{person.path}/events", content=parts(), headers=OURS)
    assert answered.status_code == 413


def test_pages_of_other_sites_send_nothing(room: Room) -> None:
    link = room.opened(plan())
    person = room.person(link)
    person.enroll()
    body = {"events": [answer(0)]}
    for headers in ({}, {**OURS, "Origin": "https://elsewhere.example"}):
        refused = person.client.post(f"{person.path}/events", json=body, headers=headers)
        assert refused.status_code == 403
    assert room.storage.study_events.count(link.study.id) == 1


def test_only_images_of_the_plan_are_shown(room: Room) -> None:
    inside, outside = pictures(room.context, 3, 600)[:2], pictures(room.context, 3, 600)[2]
    case = Case("c", "lemon", tuple(Candidate(f"m{i}", (inside[i],)) for i in range(2)))
    link = room.opened(plan(cases=(case,), trials=1))
    person = room.person(link)
    shown = person.enroll()["trials"][0]["places"]
    name = shown[0]["images"][0]
    (trial,) = room.storage.participants.trials(person.told["participant"]["id"])
    first = inside[int(trial.order[0][1:])]
    exact = person.client.get(f"{person.path}/images/{name}.png")
    assert exact.content == room.storage.images.path(first).read_bytes()
    assert "private" in exact.headers["cache-control"]
    assert "immutable" in exact.headers["cache-control"]
    small = person.client.get(f"{person.path}/images/{name}.png?side=200")
    assert small.content[16:24] == (256).to_bytes(4) + (256).to_bytes(4)
    for side in (1024, 9_999, 0, -1):
        same = person.client.get(f"{person.path}/images/{name}.png?side={side}")
        assert same.content == exact.content
    for other in (outside, "0" * 64, name[:8]):
        assert person.client.get(f"{person.path}/images/{other}.png").status_code == 404
    missing = person.client.get(f"/study/{'a' * 43}/images/{name}.png")
    assert missing.status_code == 404


def test_images_tell_nothing_of_when_and_where_else_they_are_stored(room: Room) -> None:
    """Neither by headers, nor by a name that is a hash of pixels, or the same in another study."""
    inside = pictures(room.context, 2, 40)
    case = Case("c", "lemon", tuple(Candidate(f"m{i}", (inside[i],)) for i in range(2)))
    made = plan(cases=(case,), trials=1)
    names, link = [], room.opened(made)
    for entry in (link, room.opened(made)):
        person = room.person(entry)
        person.enroll()
        assert not set(inside) & set(re.findall("[0-9a-f]{64}", str(person.told)))
        names.append([index["images"][0] for index in person.trials[0]["places"]])
        for image in inside:
            assert person.client.get(f"{person.path}/images/{image}.png").status_code == 404
    assert not set(names[0]) & set(names[1])
    room.restart()
    person = room.person(link)
    tags = set()
    for image in names[0]:
        for query in ("", "?side=16"):
            got = person.client.get(f"{person.path}/images/{image}.png{query}")
            assert got.status_code == 200, "the same name after a start"
            assert not {"last-modified", "accept-ranges"} & set(got.headers)
            tags.add(got.headers["etag"])
            again = person.client.get(
                f"{person.path}/images/{image}.png{query}",
                headers={"If-None-Match": got.headers["etag"]},
            )
            assert (again.status_code, again.content) == (304, b"")
    os.utime(room.storage.images.path(inside[0]), (1, 1))
    again = [person.client.get(f"{person.path}/images/{name}.png") for name in names[0]]
    assert {item.headers["etag"] for item in again} <= tags


def test_the_page_allows_itself_alone(room: Room) -> None:
    link = room.opened(plan(language="de"))
    page = room.person(link).client.get(f"/study/{link.token}")
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert "data:" not in policy
    assert "no-store" in page.headers["cache-control"]
    assert page.headers["content-encoding"] == "br"
    assert '<html lang="de" dir="ltr">' in page.text
    texts = json.loads(page.text.partition("data-texts='")[2].partition("'")[0])
    assert texts["continue"] == "Weiter"
    assert texts["tie"] == "Kein Unterschied"
    assert "canvas" not in texts
    assert "plotly" not in page.text
    assert "gradio" not in page.text
    address = page.text.partition('<script type="module" src="')[2].partition('"')[0]
    script = room.person(link).client.get(address)
    assert script.headers["cache-control"].endswith("immutable")
    assert script.headers["content-encoding"] == "br"
    gone = room.person(link).client.get("/assets/participants/0/js/participants/page.js")
    assert gone.status_code == 404


def test_no_answer_of_a_study_is_kept_by_anybody_between(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = room.person(room.opened(plan()))

    def broken(*values: object, **named: object) -> None:
        raise RuntimeError("broken")

    for status in (200, 500):
        answer = person.client.get(f"{person.path}/state")
        assert answer.status_code == status
        assert answer.headers["cache-control"] == "private, no-store"
        assert answer.headers["x-robots-tag"] == "noindex, nofollow"
        monkeypatch.setattr("truehue.tabs.participants.routes.state_json", broken)


def test_the_log_has_counts_and_nobody_in_it(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    link = room.opened(plan())
    person = room.person(link)
    person.enroll(external={"prolific_pid": "5f00-secret"})
    caplog.set_level(logging.INFO, logger="truehue")
    for _ in range(5):
        room.person("b" * 43).client.get(f"/study/{'b' * 43}/state")
    person.sends(answer(9))
    room.storage.studies.set_state(link.study.id, State.CLOSED, "researcher")
    person.sends(answer(0))
    text = caplog.text
    assert text.count("nowhere") == 1
    assert "closed" in text
    for secret in ("b" * 43, link.token, "5f00", "testclient", *person.client.cookies.values()):
        assert secret not in text
