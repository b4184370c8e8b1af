"""What real people were served is given again, whatever happened to the study meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from tests.annotation.studies_made import question_plan
from tests.tabs.participants.people import AUTHOR, Link, Room, answer, coloring_plan, part_of, plan
from truehue.annotation.studies.plan import Closing, Method, Screening, from_json, to_json
from truehue.core.studies import MarkKind, Purpose, State
from truehue.tabs.page.roles import OWNER
from truehue.tabs.participants.service import Participation, read_agreement
from truehue.tabs.studies.live import StudyRequest, live
from truehue.tabs.studies.results import StudyReference
from truehue.tabs.studies.results_people import Erase, check_replays, erase

pytestmark = pytest.mark.slow


def replay_of(room: Room, link: Link) -> dict[str, Any]:
    return check_replays(room.context, OWNER, StudyReference(study=link.study.id))


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
    assert sorted(len(trial) for trial in trials.values()) == [6, 12, 12]
    message = replay_of(room, link)
    assert (message["whole"], message["differing"]) == (True, [])
    forged(room, link, 2, 3)
    message = replay_of(room, link)
    assert [item["number"] for item in message["differing"]] == [2]
    assert "changed since" in message["differing"][0]["why"]
    assert message["words"].endswith("This should not be.")


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
        item.id: len(room.storage.participants.trials(item.id))
        for item in room.storage.participants.of(link.study.id)
    }
    room.clock.turn(3)
    erase(room.context, OWNER, Erase(study=link.study.id, participant=middle.id, confirm=2))
    go_on([people[0], people[2]], 9)
    message = replay_of(room, link)
    assert 0 in [item["number"] for item in message["differing"]], "the first one was there too"
    assert all("Participant 2 was erased" in item["why"] for item in message["differing"])
    assert "should not be" not in message["words"]
    first = room.storage.participants.of(link.study.id)[0]
    assert len(room.storage.participants.trials(first.id)) > before[first.id] + 5
    # What was served after the erasure is not excused by it.
    forged(room, link, 0, before[first.id] + 5)
    message = replay_of(room, link)
    assert "changed since" in message["differing"][0]["why"]
    assert message["words"].endswith("This should not be.")


def test_a_place_without_an_answer_is_free_after_ten_minutes(room: Room) -> None:
    """And one with an answer after an hour, as the researcher set it."""
    link = room.opened(plan(4, 3, votes=2, trials=12, unanswered_after_s=600))
    looker, worker = room.person(link), room.person(link)
    looker.enroll()
    worker.enroll()
    worker.post(answer(0))
    late = room.person(link)
    room.clock.turn(590)
    assert late.state()["study"]["state"] == "full"
    room.clock.turn(20)
    assert late.state()["study"]["state"] == "open"
    assert len(late.enroll()["trials"]) == 12
    assert room.person(link).state()["study"]["state"] == "full"
    assert looker.post(answer(0))["stored"], "who comes back goes on"
    assert replay_of(room, link)["whole"]


REPLACING = Closing(replace_excluded=True)


def came_through(room: Room, link: Link, fails: bool = False) -> str:
    """Somebody who comes, answers everything and finishes; returns their id."""
    person = room.person(link)
    assert person.state()["study"]["state"] == "open"
    person.enroll()
    if fails:
        person.fails_checks()
    else:
        person.answer_all()
    assert person.finish()["stage"] == "finished"
    room.clock.turn(3)
    return str(person.told["participant"]["id"])


def votes(room: Room, link: Link, without: tuple[int, ...]) -> Counter[tuple[str, tuple[str, ...]]]:
    """How often every stimulus was answered in which order, without those participants."""
    trials = room.storage.participants.trials_of_study(link.study.id)
    return Counter(
        (trial.stimulus_id, trial.order)
        for item in room.storage.participants.of(link.study.id)
        if item.number not in without
        for trial in trials[item.id]
        if trial.purpose is Purpose.MAIN
    )


@pytest.mark.parametrize("questions", [False, True], ids=["pairs", "questions"])
def test_who_fails_the_checks_is_replaced_before_the_study_closes(
    room: Room, questions: bool
) -> None:
    fields: dict[str, Any] = {"votes": 4, "trials": 12, "attention": 2, "closing": REPLACING}
    screening = Screening(False, False)
    made = (
        question_plan(12, 2, screening=screening, **fields) if questions else plan(4, 3, **fields)
    )
    link = room.opened(made)
    for number in range(4):
        came_through(room, link, fails=number == 1)
    assert room.storage.studies.get(link.study.id).state is State.OPEN
    message = live(room.context, OWNER, StudyRequest(study=link.study.id))
    assert (message["missing"], message["to_replace"], message["excluded_people"]) == (12, 12, 1)
    assert message["load"] == [{"answers": 3, "stimuli": 12}]
    room.restart()
    came_through(room, link)
    assert room.storage.studies.get(link.study.id).state is State.CLOSED
    assert room.person(link).state()["study"]["state"] == "closed"
    assert replay_of(room, link)["whole"]
    values = votes(room, link, without=(1,))
    by_stimulus: Counter[str] = Counter()
    for (stimulus_id, _), count in values.items():
        by_stimulus[stimulus_id] += count
    assert set(by_stimulus.values()) == {4}
    if not questions:
        assert set(values.values()) == {2}, "both sides as often, without who was replaced"


def test_a_closed_study_that_is_opened_again_lets_in_for_who_was_left_out(room: Room) -> None:
    link = room.opened(plan(4, 3, votes=2, trials=12, closing=REPLACING))
    out = came_through(room, link)
    came_through(room, link)
    studies, people = room.storage.studies, room.storage.participants
    assert studies.get(link.study.id).state is State.CLOSED
    people.decide(out, True, "colored at random", AUTHOR)
    studies.set_state(link.study.id, State.OPEN, AUTHOR, "one to replace")
    room.clock.turn(3)
    came_through(room, link)
    assert studies.get(link.study.id).state is State.CLOSED
    people.decide(out, False, "a mistake", AUTHOR)
    studies.set_state(link.study.id, State.OPEN, AUTHOR, "once more")
    room.clock.turn(3)
    assert room.person(link).state()["study"]["state"] == "full"
    people.decide(out, True, "none after all", AUTHOR)
    assert replay_of(room, link)["whole"], "what was decided later changes nothing of before"


def test_without_replacing_a_study_closes_as_it_was_planned(room: Room) -> None:
    """As plans do that were stored before anybody could be replaced."""
    link = room.opened(plan(4, 3, votes=2, trials=12, attention=1))
    came_through(room, link, fails=True)
    came_through(room, link)
    assert room.storage.studies.get(link.study.id).state is State.CLOSED
    revised(room, link, closing=REPLACING)
    room.storage.studies.set_state(link.study.id, State.OPEN, AUTHOR, "one to replace")
    came_through(room, link)
    assert replay_of(room, link)["whole"]


def test_so_many_participants_are_those_who_count(room: Room) -> None:
    closing = Closing(when_complete=False, participants=2, replace_excluded=True)
    link = room.opened(plan(6, 2, votes=9, trials=3, attention=1, closing=closing))
    came_through(room, link, fails=True)
    came_through(room, link)
    came_through(room, link)
    assert room.storage.studies.get(link.study.id).state is State.CLOSED


def test_a_discarded_coloring_is_colored_by_somebody_else(room: Room) -> None:
    made = coloring_plan(room, 4, practice=0, votes=1, trials=4, closing=REPLACING)
    link = room.opened(made)
    first = room.person(link)
    first.enroll()
    for trial in list(first.waiting):
        first.colors(trial["position"])
    first.finish()
    studies = room.storage.studies
    assert studies.get(link.study.id).state is State.CLOSED
    someone, gone = first.told["participant"]["id"], room.storage.participants
    marks = room.storage.coloring_marks
    marks.add(link.study.id, someone, 2, MarkKind.KEEP, "discarded", "scribbled", AUTHOR)
    studies.set_state(link.study.id, State.OPEN, AUTHOR, "one to replace")
    room.clock.turn(3)
    other = room.person(link)
    other.enroll()
    assert [trial["words"] for trial in other.waiting] == [first.trials[2]["words"]]
    marks.add(link.study.id, someone, 1, MarkKind.KEEP, "kept", "", AUTHOR)
    gone.decide(someone, True, "left out", AUTHOR)
    room.clock.turn(3)
    third = room.person(link)
    third.enroll()
    terms = {trial["words"] for trial in third.waiting}
    assert terms == {first.trials[i]["words"] for i in (0, 3)}, "what was kept counts"
    assert room.log_differs(link.study) == []


def test_newcomers_get_trials_of_who_is_not_expected_to_start(room: Room) -> None:
    """Of three people in the screening two are expected to start: the first one's trials are free."""
    link = room.opened(plan(4, 3, votes=3, trials=12, start_percent=60))
    people = [room.person(link) for _ in range(3)]
    for person in people:
        room.clock.turn(1)
        assert len(person.enroll()["trials"]) == 12
    fourth = room.person(link)
    assert fourth.state()["study"]["state"] == "open"
    assert len(fourth.enroll()["trials"]) == 12
    assert room.person(link).state()["study"]["state"] == "full", "four hold places of three"
    # Who begins after all holds their trials again: there are three, and one who is undecided.
    for person in people:
        room.clock.turn(1)
        person.post(answer(0))
    assert room.person(link).state()["study"]["state"] == "full"
    for person in [*people, fourth]:
        person.answer_all()
        room.clock.turn(3)
    progress = live(room.context, OWNER, StudyRequest(study=link.study.id))
    assert (progress["answers"], progress["wanted"], progress["missing"]) == (48, 36, 0)
    assert replay_of(room, link)["whole"]


def test_a_maximum_of_participants_counts_who_is_expected_to_start(room: Room) -> None:
    closing = Closing(when_complete=False, participants=2)
    link = room.opened(plan(6, 2, votes=9, trials=3, closing=closing, start_percent=50))
    first = room.person(link)
    first.enroll()
    for _ in range(2):
        room.person(link).enroll()
    assert room.person(link).state()["study"]["state"] == "full", "half of three are one and a half"
    first.post(answer(0))
    assert room.person(link).state()["study"]["state"] == "full"
    assert replay_of(room, link)["whole"]


def test_who_waits_for_their_turn_is_served_by_what_is_stored_by_then(room: Room) -> None:
    """Somebody is erased while another one waits to be let in."""
    link = room.opened(plan(6, 3, votes=1, trials=9))
    erased, other = room.person(link), room.person(link)
    erased.enroll()
    other.enroll()
    first = room.storage.participants.of(link.study.id)[0]
    participation = room.context.service(Participation)
    agreement = read_agreement({"consent_version": "1", "language": "en"})

    async def let_in() -> int:
        visit = await participation.visit(link.token)
        assert visit is not None
        async with visit.desk.assigning:
            task = asyncio.create_task(participation.enroll(visit, "", agreement))
            await asyncio.sleep(0.05)
            request = Erase(study=link.study.id, participant=first.id, confirm=1)
            await asyncio.to_thread(erase, room.context, OWNER, request)
            room.clock.turn(10)
        session, _ = await task
        return len(session.trials)

    assert asyncio.run(let_in()) == 9
    message = replay_of(room, link)
    assert "should not be" not in message["words"]
    assert 2 not in [item["number"] for item in message["differing"]]


def test_a_study_that_replaces_waits_for_who_may_still_miss_a_check(room: Room) -> None:
    """Every stimulus has its answers, and of two people one has checks left, which they miss."""
    link = room.opened(plan(4, 3, votes=2, trials=12, attention=4, closing=REPLACING))
    slow = room.person(link)
    slow.enroll()
    left = [trial for trial in slow.waiting if part_of(trial) == "attention"]
    for trial in slow.waiting:
        if part_of(trial) == "trial":
            slow.post(answer(trial["position"]))
    came_through(room, link)
    assert room.storage.studies.get(link.study.id).state is State.OPEN
    for trial in left:
        wanted = slow.expected(slow.told["participant"]["id"], trial["position"])
        slow.post(answer(trial["position"], int(wanted == 0)))
    assert room.storage.studies.get(link.study.id).state is State.OPEN
    room.clock.turn(3)
    came_through(room, link)
    assert room.storage.studies.get(link.study.id).state is State.CLOSED
    assert replay_of(room, link)["whole"]


def test_a_study_that_waited_for_a_participant_who_left_closes_with_the_next_visit(
    room: Room,
) -> None:
    link = room.opened(
        plan(4, 3, votes=2, trials=12, attention=1, closing=REPLACING, abandoned_after_s=600)
    )
    slow = room.person(link)
    slow.enroll()
    for trial in slow.waiting:
        if part_of(trial) == "trial":
            slow.post(answer(trial["position"]))
    came_through(room, link)
    assert room.storage.studies.get(link.study.id).state is State.OPEN
    room.clock.turn(601)
    assert room.person(link).state()["study"]["state"] == "closed"
