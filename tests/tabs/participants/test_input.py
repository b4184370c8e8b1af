"""How answers were entered: stored where it came, and shown to the researcher as signs of scripts."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from tests.tabs.participants.people import Room, answer, coloring_plan, event, plan, stroke
from truehue.annotation.quality.agents import THRESHOLD
from truehue.annotation.studies.plan import Review, from_json, to_json
from truehue.tabs.page.roles import OWNER
from truehue.tabs.studies.exports import StudyTableRequest, table_file
from truehue.tabs.studies.live import StudyRequest, live
from truehue.tabs.studies.results import compute

pytestmark = pytest.mark.slow

HAND = {"by": "mouse", "held": 80, "off": 9.5, "distance": 400, "length": 420, "jump": 22}
WAY = {"bend": 14.2, "moves": 40, "took": 700, "rest": 110, "even": 0.8, "late": 0.5}


def takes_part(room: Room, link: Any, *records: Any, seconds: float = 4.0) -> None:
    """Answers every trial, each in so many seconds, with these records in turn."""
    person = room.person(link)
    person.enroll()
    for number, trial in enumerate(list(person.trials.values())):
        room.clock.turn(seconds)
        record = records[number % len(records)]
        body = {} if record is None else record
        time_ms = 1_500.0 + 450 * (number % 4)
        person.sends(answer(trial["position"], 0, response_ms=time_ms, **body))


def test_a_plan_of_before_records_nothing() -> None:
    old = to_json(plan())
    assert old.pop("record_input") is False
    assert from_json(old) == plan()
    assert not from_json(old).record_input


def test_what_is_malformed_is_left_out_and_no_answer_is_refused(room: Room) -> None:
    link = room.opened(plan(record_input=True))
    assert room.person(link).state()["study"]["record_input"] is True
    records = [
        {"input": [{**HAND, **WAY, "who": "Anna"}], "traits": ["webdriver", "Anna"]},
        {"input": "all of it", "traits": 3},
        {"input": [7, {"by": "foot"}, {"by": "key", "held": -4}]},
        {"input": [{"by": "key"}] * 500},
        {},
    ]
    takes_part(room, link, *records)
    (own,) = room.storage.study_events.of_study(link.study.id).values()
    bodies = [item.body for item in own if item.kind == "answer"]
    assert [body.get("input") for body in bodies] == [
        [{**HAND, **WAY}],
        None,
        [{"by": "key"}],
        [{"by": "key"}] * 12,
        None,
    ]
    assert [body.get("traits") for body in bodies] == [["webdriver"], None, None, None, None]


def test_a_researcher_sees_signs_and_nobody_is_excluded_for_them(room: Room) -> None:
    link = room.opened(plan(record_input=True, votes=9))
    takes_part(room, link, {"input": [{**HAND, **WAY}]}, {"input": [{**HAND, **WAY, "held": 101}]})
    takes_part(room, link, {"input": [{**HAND, "off": 0, "jump": 400, "bend": 0, "moves": 1}]})
    takes_part(room, link, None)  # by requests alone
    results = compute(room.context, link.study.id, 20, lambda _: None)
    honest, script, requests = (person["agent"] for person in results["people"])
    assert (honest["score"], honest["flagged"], honest["signs"]) == (0, False, [])
    assert (honest["answers"], honest["presses"]) == (5, 5)
    assert script["flagged"]
    assert script["score"] >= THRESHOLD
    assert any(sign.startswith("the mouse jumps") for sign in script["signs"])
    assert requests["signs"] == ["answers came without the record that the page makes (5 of 5)"]
    assert not any(person["excluded"] for person in results["people"])
    assert f"{THRESHOLD:g} points" in results["agent_caution"]

    people = live(room.context, OWNER, StudyRequest(study=link.study.id))["people"]
    assert [person["agent"] for person in people] == [False, True, True]

    fields = {"study": link.study.id, "table": "participants", "format": "csv"}
    file = table_file(room.context, OWNER, StudyTableRequest.model_validate(fields))
    rows = list(csv.DictReader(io.StringIO(file.content.decode())))
    assert [row["agent_flagged"] for row in rows] == ["false", "true", "true"]
    assert [float(row["agent_score"]) for row in rows] == [
        0.0,
        script["score"],
        requests["score"],
    ]
    assert rows[0]["agent_signs"] == ""


def test_strokes_along_a_ruler_are_shown_of_colorings(room: Room) -> None:
    """Each of two people brushes one sketch; the first with a program."""
    values = {"record_input": True, "votes": 9, "practice": 0, "review": Review.NONE}
    link = room.opened(coloring_plan(room, **values))
    ways = (
        [(10 + 9 * step, 20 + 3 * step) for step in range(14)],
        [(10 + step * step, 20 + 3 * step + step % 3) for step in range(14)],
    )
    for way in ways:
        person = room.person(link)
        person.enroll()
        position = person.waiting[0]["position"]
        points = [value for point in way for value in point]
        person.colors(position, *[stroke(*points)] * 5)
    results = compute(room.context, link.study.id, 20, lambda _: None)
    signs = [sign for person in results["people"] for sign in person["agent"]["signs"]]
    (sign,) = (sign for sign in signs if sign.startswith("strokes of the brush"))
    assert sign.endswith("(5 of 5)")
    assert results["people"][0]["agent"]["flagged"]
    people = live(room.context, OWNER, StudyRequest(study=link.study.id))["people"]
    assert people[0]["agent"]


def test_a_study_that_does_not_record_stores_nothing_of_it(room: Room) -> None:
    """Also where a page of before, or a program, sends it."""
    link = room.opened(plan())
    person = room.person(link)
    press = {"input": [{"by": "touch", "held": 90, "off": 4}], "traits": ["webdriver"]}
    person.enroll(**press)
    person.sends(answer(person.waiting[0]["position"], 0, **press))
    (own,) = room.storage.study_events.of_study(link.study.id).values()
    assert [event.kind for event in own] == ["consent", "answer"]
    assert not any({"input", "traits"} & event.body.keys() for event in own)


def test_without_recording_nobody_is_suspected(room: Room) -> None:
    link = room.opened(plan())
    takes_part(room, link, None)
    results = compute(room.context, link.study.id, 20, lambda _: None)
    assert [person["agent"] for person in results["people"]] == [None]
    assert results["agent_caution"] == ""
    people = live(room.context, OWNER, StudyRequest(study=link.study.id))["people"]
    assert [person["agent"] for person in people] == [None]


def test_consent_and_finish_are_entered_too(room: Room) -> None:
    link = room.opened(plan(record_input=True))
    person = room.person(link)
    press = {"input": [{"by": "touch", "held": 90, "off": 4}]}
    person.enroll(**press)
    for trial in list(person.trials.values()):
        person.sends(answer(trial["position"], 0, **press))
    person.sends(event("finish", None, press))
    (own,) = room.storage.study_events.of_study(link.study.id).values()
    assert [own[0].kind, own[-1].kind] == ["consent", "finish"]
    assert own[0].body["input"] == own[-1].body["input"] == press["input"]
