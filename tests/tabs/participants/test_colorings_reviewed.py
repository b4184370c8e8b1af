"""Designers at their pages and researchers at theirs: what one says, the other is told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tabs.participants.people import Person, Room, coloring_plan, event, fill, part_of
from truehue.annotation.studies.plan import Review
from truehue.core.errors import BadInput, NotStored
from truehue.tabs.page.roles import OWNER
from truehue.tabs.participants import posting
from truehue.tabs.studies.colorings.facts import facts_of
from truehue.tabs.studies.colorings.live import coloring_progress
from truehue.tabs.studies.colorings.marks import (
    PostPractice,
    PostRecolor,
    post_practice,
    post_recolor,
)
from truehue.tabs.studies.colorings.quality import quality_json
from truehue.tabs.studies.results import StudyReference

pytestmark = pytest.mark.slow


def practiced(room: Room) -> tuple[Person, str, str]:
    """Somebody who colored the practice, with the ids of their study and theirs."""
    link = room.opened(coloring_plan(room, review=Review.RESEARCHER))
    person = room.person(link)
    person.enroll()
    for trial in list(person.waiting):
        person.colors(trial["position"])
    return person, link.study.id, room.storage.participants.of(link.study.id)[0].id


def progress(room: Room, study_id: str) -> dict[str, Any]:
    return coloring_progress(room.context, OWNER, StudyReference(study=study_id))


def test_a_practice_is_sent_back_and_then_accepted(room: Room) -> None:
    person, study_id, someone = practiced(room)
    (waiting,) = progress(room, study_id)["practice_waiting"]
    assert (waiting["participant"], waiting["positions"], waiting["round"]) == (someone, [0, 1], 1)
    ask = {"study": study_id, "participant": someone}
    post_practice(room.context, OWNER, PostPractice(**ask, value="again", reason="The drink."))
    assert person.state()["participant"]["practice"]["reason"] == "The drink."
    assert progress(room, study_id)["practice_waiting"] == []
    for trial in list(person.waiting):
        person.colors(trial["position"])
    assert progress(room, study_id)["practice_waiting"][0]["round"] == 2
    post_practice(room.context, OWNER, PostPractice(**ask, value="accepted"))
    person.state()
    assert [part_of(trial) for trial in person.waiting] == ["trial"] * 3


def test_a_practice_with_a_skip_is_seen_and_accepted(room: Room) -> None:
    link = room.opened(coloring_plan(room, review=Review.RESEARCHER))
    person = room.person(link)
    person.enroll()
    text = person.trials[0]["words"]
    skip = {"kind": "skip", "value": None, "reason": "unknown-word", "response_ms": 900}
    person.post(event("answer", 0, skip))
    assert progress(room, link.study.id)["practice_waiting"] == []
    message = person.colors(1)
    assert message["participant"]["practice"]["stage"] == "waiting"
    (waiting,) = progress(room, link.study.id)["practice_waiting"]
    assert waiting["positions"] == [0, 1]
    sketch = person.trials[0]["sketch"]["id"]
    message = {"position": 0, "words": text, "reason": "unknown-word", "sketch": sketch}
    assert waiting["skipped"] == [message]
    someone = waiting["participant"]
    (row,) = progress(room, link.study.id)["people"]
    assert row["practice_waiting"]
    ask = {"study": link.study.id, "participant": someone}
    post_practice(room.context, OWNER, PostPractice(**ask, value="accepted", position=1))
    assert progress(room, link.study.id)["practice_waiting"] == []
    person.state()
    assert [part_of(trial) for trial in person.waiting] == ["trial"] * 3


def test_who_withdrew_waits_for_nobody(room: Room) -> None:
    person, study_id, _ = practiced(room)
    assert len(progress(room, study_id)["practice_waiting"]) == 1
    person.post(event("withdrawal"))
    assert progress(room, study_id)["practice_waiting"] == []


def test_an_automatic_practice_that_cannot_be_drawn_waits_for_a_person(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> str:
        raise NotStored("The ink is gone.")

    monkeypatch.setattr(posting, "_missing", fails)
    link = room.opened(coloring_plan(room, review=Review.AUTOMATIC))
    person = room.person(link)
    person.enroll()
    for trial in list(person.waiting):
        person.colors(trial["position"])
    (waiting,) = progress(room, link.study.id)["practice_waiting"]
    ask = {"study": link.study.id, "participant": waiting["participant"]}
    post_practice(room.context, OWNER, PostPractice(**ask, value="accepted"))
    person.state()
    assert [part_of(trial) for trial in person.waiting] == ["trial"] * 3


def test_a_second_coloring_comes_to_the_page_and_into_quality(room: Room) -> None:
    person, study_id, someone = practiced(room)
    ask = {"study": study_id, "participant": someone}
    post_practice(room.context, OWNER, PostPractice(**ask, value="accepted"))
    person.state()
    for trial in list(person.waiting):
        person.colors(trial["position"], fill(color="#c02020"), fill(40, color="#c02020"))
    index = PostRecolor(**ask, position=2, reason="Are you sure?")
    post_recolor(room.context, OWNER, index)
    person.state()
    (second,) = person.waiting
    assert (part_of(second), second["original"]) == ("second", 2)
    with pytest.raises(BadInput, match="already"):
        post_recolor(room.context, OWNER, index)
    with pytest.raises(BadInput, match="already has the sketch open"):
        post_recolor(room.context, OWNER, index.model_copy(update={"value": "withdrawn"}))
    person.colors(second["position"], fill(color="#c02020"))
    facts = facts_of(room.context, study_id)
    (check,) = quality_json(facts)["second"]
    assert (check["consistent"], check["first"], check["second"]) == (True, 2, second["position"])
    assert facts.colorings.keys() == {("000000", position) for position in (2, 3, 4, 5)}
    # Their page sent a checksum of nothing: the server drew other pixels, and says so.
    assert len(progress(room, study_id)["mismatches"]) == 6
    post_recolor(room.context, OWNER, index)
    person.state()
    (third,) = person.waiting
    skip = {"kind": "skip", "value": None, "reason": "unknown-word", "response_ms": 900}
    person.post(event("answer", third["position"], skip))
    assert progress(room, study_id)["recolors_open"] == []
