"""What real people were served is given again, whatever happened to the study meanwhile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from annotation.studies.files import from_json, to_json
from annotation.studies.plan import Method
from tabs.page.actor import OWNER
from tabs.studies.results import OfStudy
from tabs.studies.results_people import Erase, erase, replayed
from tests.tabs.participants.people import AUTHOR, Link, Room, answer, plan


def replay_of(room: Room, link: Link) -> dict[str, Any]:
    return replayed(room.context, OWNER, OfStudy(study=link.study.id))


def revised(room: Room, link: Link, **values: Any) -> None:
    """Changes what may change of a study that goes on."""
    now = from_json(room.storage.studies.get(link.study.id).plan)
    room.storage.studies.revise(link.study.id, to_json(replace(now, **values)), AUTHOR)


def forged(room: Room, link: Link, number: int, position: int) -> None:
    """A trial that is not what was served."""
    person = room.storage.participants.of(link.study.id)[number]
    with room.storage._database.transaction() as cursor:
        cursor.execute(
            "UPDATE study_trials SET propensity = propensity / 2 "
            "WHERE participant_id = ? AND position = ?",
            [person.id, position],
        )


def test_everybody_is_replayed_by_the_plan_of_their_time(room: Room) -> None:
    """The first one goes away; the second counts on their answers, the third does not."""
    link = room.opened(plan(6, 3, votes=1, trials=12, abandoned_after_s=3_600))
    for number in range(3):
        room.person(link).enroll()
        room.clock.turn(300)
        if number == 1:
            revised(room, link, abandoned_after_s=120)
    revised(room, link, title="Another", abandoned_after_s=86_400)
    trials = room.storage.participants.trials_of_study(link.study.id)
    assert sorted(len(given) for given in trials.values()) == [6, 12, 12]
    told = replay_of(room, link)
    assert (told["whole"], told["differing"]) == (True, [])
    forged(room, link, 2, 3)
    told = replay_of(room, link)
    assert [one["number"] for one in told["differing"]] == [2]
    assert "changed since" in told["differing"][0]["why"]
    assert told["words"].endswith("This should not be.")


def test_an_erasure_explains_what_was_served_while_they_were_there(room: Room) -> None:
    link = room.opened(plan(12, 4, method=Method.ADAPTIVE, votes=2, trials=30))
    people = [room.person(link) for _ in range(3)]
    for person in people:
        person.enroll()

    def go_on(some: Any, answers: int) -> None:
        for turn in range(answers):
            for person in some:
                room.clock.turn(3)
                position = person.waiting[0]["position"]
                person.post(answer(position, turn % 2))

    go_on(people, 9)
    middle = room.storage.participants.of(link.study.id)[1]
    before = {
        one.id: len(room.storage.participants.trials(one.id))
        for one in room.storage.participants.of(link.study.id)
    }
    room.clock.turn(3)
    erase(room.context, OWNER, Erase(study=link.study.id, participant=middle.id, confirm=2))
    go_on([people[0], people[2]], 9)
    told = replay_of(room, link)
    assert 0 in [one["number"] for one in told["differing"]], "the first one was there too"
    assert all("Participant 2 was erased" in one["why"] for one in told["differing"])
    assert "should not be" not in told["words"]
    first = room.storage.participants.of(link.study.id)[0]
    assert len(room.storage.participants.trials(first.id)) > before[first.id] + 5
    # What was served after the erasure is not excused by it.
    forged(room, link, 0, before[first.id] + 5)
    told = replay_of(room, link)
    assert "changed since" in told["differing"][0]["why"]
    assert told["words"].endswith("This should not be.")
