"""Designers at work: practice, actions, undo, reload, skips, second colorings, what is drawn."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.tabs.participants.people import (
    Link,
    Person,
    Room,
    answer,
    colored,
    coloring_plan,
    event,
    fill,
    part_of,
    pictures,
    stroke,
)
from truehue.annotation.colorings import checksum, paint, read_action
from truehue.annotation.studies.plan import Example, Review, from_json, to_json
from truehue.core.sketches.regions import decode, regions
from truehue.core.studies import EventKind, Purpose, StudyRecord
from truehue.tabs.page.roles import OWNER
from truehue.tabs.studies.colorings.listing import ListColorings, colorings
from truehue.tabs.studies.colorings.quality import quality
from truehue.tabs.studies.results import StudyReference

pytestmark = pytest.mark.slow

NONE = Review.NONE


def opened(room: Room, review: Review = NONE, **values: Any) -> Link:
    return room.opened(coloring_plan(room, review=review, **values))


def record_of(room: Room, study: StudyRecord, number: int = 0) -> str:
    return room.storage.participants.of(study.id)[number].id


def layer_of(room: Room, person: str, position: int) -> Any:
    """The stored layer of a finished sketch, once it was drawn."""
    answers = [
        item
        for item in room.storage.study_events.of(person)
        if item.kind is EventKind.ANSWER and item.position == position
    ]
    study_id, until = room.storage.participants.get(person).study_id, time.monotonic() + 120
    while answers[-1].id not in (study := room.storage.coloring_layers.of_study(study_id)):
        assert time.monotonic() < until
        time.sleep(0.01)
    return study[answers[-1].id]


def practiced(room: Room, link: Link) -> Person:
    """Somebody who is through with the practice."""
    person = room.person(link)
    person.enroll()
    for trial in list(person.waiting):
        person.colors(trial["position"])
    return person


def test_what_a_designer_is_told(room: Room) -> None:
    (image,) = pictures(room.context, 1)
    examples = (Example("The drink, not the cup.", True, image), Example("Not the sky.", False))
    link = opened(room, Review.RESEARCHER, examples=examples)
    person = room.person(link)
    study = person.state()["study"]
    assert study["kind"] == "colorings"
    assert study["practice"] == {"count": 2, "review": "researcher"}
    shown = study["examples"][0].pop("image_id")
    assert study["examples"][0] == {"text": "The drink, not the cup.", "good": True}
    got = person.client.get(f"{person.path}/images/{shown}.png")
    assert got.content == room.storage.images.path(image).read_bytes()
    message = person.enroll()
    assert message["participant"]["practice"] == {"stage": "open", "reason": "", "rounds": 1}
    assert message["participant"]["number_of_trials"] == 5
    assert [part_of(trial) for trial in message["trials"]] == ["training", "training"]
    trial = message["trials"][0]
    assert set(trial) == {
        "position",
        "practice",
        "original",
        "words",
        "group",
        "ask_background",
        "sketch",
        "actions",
    }
    assert trial["sketch"]["width"] == trial["sketch"]["height"] == 64
    assert trial["actions"] == []


def test_a_sketch_and_its_regions_are_those_that_were_stored(room: Room) -> None:
    link = opened(room)
    person = room.person(link)
    item = person.enroll()["trials"][0]["sketch"]
    ink = room.storage.sketches.ink(item["id"])
    answered = person.client.get(f"{person.path}/sketches/{item['id']}.png")
    assert answered.headers["content-type"] == "image/png"
    assert "immutable" in answered.headers["cache-control"]
    for _ in range(2):  # made, and then of the file beside the ink
        coded = person.client.get(f"{person.path}/sketches/{item['id']}.regions")
        assert coded.headers["content-type"] == "application/octet-stream"
        for map_, expected in zip(decode(coded.content), regions(ink).labels, strict=True):
            assert np.array_equal(map_, expected)
        room.restart()


def test_a_whole_study_of_colorings(room: Room) -> None:
    link = opened(room)
    person = practiced(room, link)
    main = person.waiting
    assert [part_of(trial) for trial in main] == ["trial"] * 3
    terms = {trial["words"] for trial in person.trials.values()}
    assert len(terms) == 5  # none twice
    position = main[0]["position"]
    log = [fill(), stroke(5, 5, 40, 44, 30, 12), {"do": "undo"}, fill(40, color="#FFffFF")]
    person.draws(position, *log)
    maps = regions(room.storage.sketches.ink(main[0]["sketch"]["id"]))
    own = checksum(paint([read_action(action) for action in log], maps))
    message = person.post(colored(position, 4, own, active_ms=5000.0))
    assert position in message["participant"]["positions_answered"]
    sample = layer_of(room, record_of(room, link.study), position)
    assert sample.matches
    assert sample.checksum == own
    layer = room.storage.coloring_layers.layer(sample.event_id)
    assert checksum(layer) == own
    for trial in list(person.waiting):
        person.colors(trial["position"])
    message = person.finish()
    assert message["stage"] == "finished"
    assert not layer_of(room, record_of(room, link.study), main[1]["position"]).matches
    assert room.log_differs(link.study) == []
    assert room.storage.check() == []


def test_a_reload_goes_on_where_it_was(room: Room) -> None:
    link = opened(room)
    person = practiced(room, link)
    first, second = (trial["position"] for trial in person.waiting[:2])
    person.colors(first, fill(), fill(40))
    person.draws(second, fill(), {"do": "clear"})
    room.restart()
    again = room.person(link)
    again.client.cookies = person.client.cookies
    message = again.state()
    by_position = {trial["position"]: trial["actions"] for trial in message["trials"]}
    assert by_position[first] == [fill(), fill(40)]  # can be opened again
    assert by_position[second] == [fill(), {"do": "clear"}]
    assert sum(bool(log) for log in by_position.values()) == 2
    # Cleared, so that nothing is colored.
    refused = again.sends(colored(second, 2))
    assert (refused.status_code, refused.json()["code"]) == (409, "no color")
    again.draws(second, {"do": "undo"})
    refused = again.sends(colored(second, 4))
    assert refused.json()["code"] == "incomplete"
    assert "3 of the 4 actions" in refused.json()["error"]
    again.post(colored(second, 3))
    # The last one is opened again, drawn on, and finished once more.
    someone = record_of(room, link.study)
    taken_back = layer_of(room, someone, second)
    again.post(event("undo", second))
    again.draws(second, stroke(8, 20, 12, 30))
    again.post(colored(second, 4))
    log = room.storage.study_events.of(record_of(room, link.study))
    assert [item.kind.value for item in log if item.position == second][-3:] == [
        "undo",
        "action",
        "answer",
    ]
    assert layer_of(room, someone, second).event_id != taken_back.event_id
    layers = room.storage.coloring_layers
    assert taken_back.event_id not in layers.of_study(link.study.id)
    assert not layers.path(taken_back.event_id).exists()
    read = again.client.get(f"{again.path}/actions/{second}").json()
    assert len(read["actions"]) == 4


def test_an_action_that_is_sent_again_is_one_action(room: Room) -> None:
    link = opened(room)
    person = practiced(room, link)
    position = person.waiting[0]["position"]
    sent = [event("action", position, fill()), event("action", position, fill(40))]
    assert person.post(*sent)["stored"] == [item["id"] for item in sent]
    person.post(*sent)
    assert person.sends(colored(position, 3)).json()["code"] == "incomplete"
    room.restart()
    person.client.cookies = person.client.cookies
    again = room.person(link)
    again.client.cookies = person.client.cookies
    done = colored(position, 2)
    # All at once, what was stored among it, as a page sends after a crash.
    assert set(again.post(*sent, done)["stored"]) == {sent[0]["id"], sent[1]["id"], done["id"]}
    assert again.post(*sent, done)["refused"] == []
    trace = room.storage.study_events.traces(link.study.id)[record_of(room, link.study)]
    assert {item.position: item.codes for item in trace}[position] == b"cc"


def test_a_practice_that_a_researcher_looks_at(room: Room) -> None:
    link = opened(room, Review.RESEARCHER)
    person = practiced(room, link)
    assert person.told["participant"]["practice"]["stage"] == "waiting"
    assert person.waiting == []
    assert person.told["participant"]["stage"] == "trials"
    early = person.sends(event("finish"))
    assert (early.status_code, early.json()["code"]) == (409, "early")
    # Nobody has looked yet: it may be improved.
    person.post(event("undo", 1))
    person.draws(1, fill(color="#000000"))
    person.post(colored(1, 3))
    someone = record_of(room, link.study)
    marks = room.storage.coloring_marks
    marks.add(link.study.id, someone, 1, "practice", "again", "Only the drink, please.", "ann")
    message = person.state()
    assert message["participant"]["practice"] == {
        "stage": "again",
        "reason": "Only the drink, please.",
        "rounds": 2,
    }
    assert [trial["position"] for trial in person.waiting] == [2, 3]
    refused = person.sends(event("undo", 1))
    assert refused.json()["code"] == "training"
    for trial in list(person.waiting):
        message = person.colors(trial["position"])
    assert message["participant"]["practice"]["stage"] == "waiting"
    marks.add(link.study.id, someone, 3, "practice", "accepted", "", "ann")
    message = person.state()
    assert message["participant"]["practice"]["stage"] == "accepted"
    assert [part_of(trial) for trial in person.waiting] == ["trial"] * 3
    assert room.log_differs(link.study) == []
    room.restart()
    assert room.log_differs(link.study) == []


def test_a_practice_that_is_looked_at_automatically(room: Room) -> None:
    link = opened(room, Review.AUTOMATIC)
    person = room.person(link)
    person.enroll()
    person.colors(0, fill())  # one action
    message = person.colors(1)
    practice = message["participant"]["practice"]
    assert practice["stage"] == "again"
    assert "one single step" in practice["reason"]
    person.colors(2, stroke(1, 1, diameter=1), stroke(2, 2, diameter=1))
    message = person.colors(3)
    assert "hardly anything" in message["participant"]["practice"]["reason"]
    both = {"do": "fill_regions", "points": [10, 30, 50, 30], "closing": 0, "color": "#aa5500"}
    person.colors(4, both)  # one action, as a drag over two regions
    message = person.colors(5)
    assert message["participant"]["practice"]["stage"] == "accepted"
    assert [part_of(trial) for trial in person.waiting] == ["trial"] * 3
    authors = {mark.author for mark in room.storage.coloring_marks.of_study(link.study.id)}
    assert authors == {"automatic"}
    assert room.log_differs(link.study) == []


def test_a_reference_image_is_for_studies_that_allow_it(room: Room) -> None:
    """Each color that is taken from one is an action, which paints nothing."""
    pick = {"do": "pick", "color": "#aa5500"}
    person = room.person(room.opened(coloring_plan(room, 6, practice=0)))
    state = person.enroll()
    assert state["study"]["reference_image"] is False
    refused = person.sends(event("action", 0, pick))
    assert refused.status_code == 400
    assert "does not allow a reference image" in refused.json()["error"]
    made = coloring_plan(room, 7, practice=0, reference_image=True)
    link = room.opened(made)
    person = room.person(link)
    assert person.enroll()["study"]["reference_image"] is True
    alone = person.sends(event("action", 0, pick), colored(0, 1))
    assert [item["code"] for item in alone.json()["refused"]] == ["no color"]
    person.draws(0, fill(color="#aa5500"), {"do": "undo"}, pick, {"do": "redo"})
    person.post(colored(0, 5))
    assert room.log_differs(link.study) == []


def test_a_sketch_begins_with_the_color_before_where_the_plan_says_so(room: Room) -> None:
    """Plans that were stored before there was the setting begin each without a color."""
    for keeps in (False, True):
        made = coloring_plan(room, 8 + keeps, practice=0, keep_color=keeps)
        stored = to_json(made)
        if not keeps:
            stored.pop("keep_color")
        assert from_json(stored) == made
        person = room.person(room.opened(made))
        assert person.enroll()["study"]["keep_color"] is keeps


def test_before_the_end_all_sketches_can_be_looked_at_and_changed(room: Room) -> None:
    link = opened(room)
    person = practiced(room, link)

    def glance() -> list[dict[str, Any]]:
        answer = person.client.get(f"{person.path}/glance")
        assert answer.status_code == 200
        return answer.json()["sketches"]

    assert glance() == []
    first, second, third = (trial["position"] for trial in list(person.waiting))
    person.colors(first)
    person.post(answer(second, None, "skip", reason="unknown-word"))
    person.colors(third)
    assert [(item["position"], item["changeable"]) for item in glance()] == [
        (first, True),
        (third, True),
    ]
    person.post(event("undo", first))
    person.draws(first, fill(color="#112233"))
    person.post(colored(first, 3))
    assert person.client.get(f"{person.path}/actions/{first}").json()["actions"][2]["color"] == (
        "#112233"
    )
    person.post(event("finish"))
    assert glance() == []
    assert room.person(link).client.get(f"{person.path}/glance").status_code == 401


def test_a_colored_background_is_asked_about_and_flagged(room: Room) -> None:
    """Automatic practice sends it back, unless it was said to be part of the concept."""
    made = coloring_plan(room, 6, practice=1, review=Review.AUTOMATIC, ask_background=True)
    cases = tuple(
        replace(case, group="Landscapes") if number == 2 else case
        for number, case in enumerate(made.cases)
    )
    link = room.opened(replace(made, cases=cases, trials=5))
    person = room.person(link)
    assert person.enroll()["trials"][0]["ask_background"]
    slip = (fill(), fill(0, 0))
    message = person.colors(0, *slip)
    assert "the background has a color" in message["participant"]["practice"]["reason"]
    said = {"asked": 1, "undone": 0, "part": True}
    person.draws(1, *slip)
    person.post(colored(1, 2, background={**said, "more": "<b>"}))
    main = {trial["words"]: trial for trial in person.waiting}
    prompts = {key: trial["ask_background"] for key, trial in main.items()}
    assert prompts == {case.words: case.group != "Landscapes" for case in cases[:5]}
    for trial in list(person.waiting):
        person.draws(trial["position"], *slip)
        person.post(colored(trial["position"], 2, background={"asked": 2, "undone": 1}))
    while (answer := colorings(room.context, OWNER, ListColorings(study=link.study.id)))[
        "status"
    ] == "computing":
        pass
    rows = {(row["words"], row["position"]): row["background"] for row in answer["colorings"]}
    scene = next(case.words for case in cases if case.group == "Landscapes")
    assert [row for (text, _), row in rows.items() if text == scene] == [None]
    assert rows[cases[5].words, 1] == {"share": 1.0, **said}
    others = [row for (text, index), row in rows.items() if index > 1 and text != scene]
    assert others == [{"share": 1.0, "asked": 2, "undone": 1, "part": False}] * 4
    while (facts := quality(room.context, OWNER, StudyReference(study=link.study.id)))[
        "status"
    ] == "computing":
        pass
    assert len(facts["quality"]["background"]) == 4, "practice is in no result"


def test_who_never_practices_well_goes_on_and_is_marked(room: Room) -> None:
    link = opened(room, Review.AUTOMATIC, practice=1)
    person = room.person(link)
    person.enroll()
    for position in range(3):
        person.colors(position, fill())
    assert person.told["participant"]["practice"]["stage"] == "accepted"
    marks = room.storage.coloring_marks.of_study(link.study.id)
    assert [mark.value for mark in marks] == ["again"] * 3


def test_nobody_practices_for_nothing(room: Room) -> None:
    """Six concepts, two colorings each, three a person: four people have something to color."""
    link = opened(room, Review.RESEARCHER)
    people = [practiced(room, link) for _ in range(4)]
    late = room.person(link)
    assert late.asks_in().json()["code"] == "full"
    room.clock.turn(2 * 3600)  # who waits for the review is expected all the same
    assert late.asks_in().json()["code"] == "full"
    someone = record_of(room, link.study)
    room.storage.coloring_marks.add(link.study.id, someone, 1, "practice", "accepted", "", "ann")
    people[0].state()
    assert len(people[0].waiting) == 3
    people[1].post(event("withdrawal"))
    late.enroll()
    assert room.person(link).asks_in().json()["code"] == "full"
    assert room.log_differs(link.study) == []


def test_an_unknown_word_goes_to_somebody_else(room: Room) -> None:
    link = opened(room, practice=0, number=3, votes=1)
    first = room.person(link)
    first.enroll()
    position = first.waiting[0]["position"]
    text = first.waiting[0]["words"]
    skip = {"kind": "skip", "value": None, "response_ms": 800, "reason": "unknown-word"}
    wrong = first.sends(event("answer", position, {**skip, "reason": "no wish"}))
    assert wrong.json()["field" if "field" in wrong.json() else "code"] in ("reason", "bad")
    first.post(event("answer", position, skip))
    for trial in list(first.waiting):
        first.colors(trial["position"])
    first.finish()
    # All others are colored; the study is not over, and a second one gets this sketch alone.
    second = room.person(link)
    assert second.state()["study"]["state"] == "open"
    second.enroll()
    assert [trial["words"] for trial in second.waiting] == [text]
    second.colors(0)
    assert second.finish()["stage"] == "finished"
    assert room.storage.studies.get(link.study.id).state.value == "closed"
    assert room.log_differs(link.study) == []


def test_a_second_coloring_is_given_when_it_is_asked_for(room: Room) -> None:
    link = opened(room, practice=1)
    person = practiced(room, link)
    for trial in list(person.waiting):
        person.colors(trial["position"])
    assert person.finish()["stage"] == "finished"
    someone = record_of(room, link.study)
    marks = room.storage.coloring_marks
    marks.add(link.study.id, someone, 0, "recolor", "asked", "", "ann")  # a practice is not
    assert person.state()["participant"]["stage"] == "finished"
    marks.add(link.study.id, someone, 2, "recolor", "asked", "Are you sure?", "ann")
    message = person.state()
    assert message["participant"]["stage"] == "trials"
    (second,) = person.waiting
    assert (part_of(second), second["original"], second["actions"]) == ("second", 2, [])
    assert second["words"] == person.trials[2]["words"]
    assert person.sends(event("undo", 2)).json()["code"] == "second"
    room.restart()
    again = room.person(link)
    again.client.cookies = person.client.cookies
    assert again.state()["participant"]["stage"] == "trials"
    again.colors(second["position"])
    assert again.finish()["stage"] == "finished"
    # Once more, until it is stable; withdrawn before it was given it is not given.
    marks.add(link.study.id, someone, second["position"], "recolor", "asked", "", "ann")
    marks.add(link.study.id, someone, second["position"], "recolor", "withdrawn", "", "ann")
    assert again.state()["participant"]["stage"] == "finished"
    marks.add(link.study.id, someone, 2, "recolor", "asked", "", "ann")
    assert again.state()["participant"]["stage"] == "trials"
    assert [trial["original"] for trial in again.waiting] == [2]
    trials = room.storage.participants.trials(someone)
    assert [trial.purpose for trial in trials[4:]] == [Purpose.REPEAT] * 2
    assert room.log_differs(link.study) == []


def test_a_preview_leaves_nothing_behind(room: Room) -> None:
    from truehue.tabs.participants.service import Participation

    made = coloring_plan(room)
    study = room.study(made)
    before = room.rows()
    token = room.context.service(Participation).preview(made, study)
    person = room.person(token)
    person.enroll()
    for trial in list(person.waiting):
        person.colors(trial["position"])
    # Nobody looks at a practice there: it is reviewed automatically.
    assert person.told["participant"]["practice"]["stage"] == "accepted"
    position = person.waiting[0]["position"]
    person.draws(position, fill())
    message = person.state()
    assert {trial["position"]: trial["actions"] for trial in message["trials"]}[position] == [
        fill()
    ]
    assert room.rows() == before


@pytest.mark.parametrize("review", list(Review))
def test_who_is_erased_leaves_no_coloring(room: Room, review: Review) -> None:
    link = opened(room, review)
    person = practiced(room, link)
    someone = record_of(room, link.study)
    layer = layer_of(room, someone, 0)
    room.storage.coloring_marks.add(link.study.id, someone, 0, "keep", "kept", "", "ann")
    room.storage.participants.erase(someone, "ann")
    assert not room.storage.coloring_layers.path(layer.event_id).exists()
    assert person.state()["participant"] is None
    assert room.storage.coloring_marks.of_study(link.study.id) == []
