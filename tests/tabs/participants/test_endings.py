"""Every way in which somebody's part ends, with the code, address and text of each."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.tabs.participants.people import AUTHOR, Person, Room, answer, event, plan
from truehue.annotation.assignment.endings import passes_screening
from truehue.annotation.screening import patches_for, plates_for
from truehue.annotation.studies.plan import (
    Closing,
    Completion,
    Ending,
    Method,
    Screening,
    StudyPlan,
    Training,
    from_json,
    to_json,
)
from truehue.core.errors import BadInput
from truehue.core.images.plates import Axis
from truehue.core.studies import Event, EventKind, Purpose, State
from truehue.tabs.page.roles import OWNER
from truehue.tabs.studies.live import StudyRequest, live
from truehue.tabs.studies.results import compute

pytestmark = pytest.mark.slow

SITE = "https://app.example/submissions?cc={code}&id={id}"
PAGES = tuple((ending, Completion(f"C-{ending}", SITE, f"Text of {ending}.")) for ending in Ending)
PID = {"prolific_pid": "5f/1", "session_id": "a1"}


def made(number: int = 6, **values: Any) -> StudyPlan:
    completion, *others = PAGES
    return replace(plan(number, 2, **values), completion=completion[1], endings=tuple(others))


def back(ending: str, participant: str = "5f%2F1") -> dict[str, str]:
    return {
        "text": f"Text of {ending}.",
        "code": f"C-{ending}",
        "url": f"https://app.example/submissions?cc=C-{ending}&id={participant}",
    }


def got(participant: dict[str, Any]) -> dict[str, str]:
    return {name: participant[name] for name in ("text", "code", "url")}


def nothing(participant: dict[str, Any]) -> bool:
    return not any(got(participant).values())


def trials_of(room: Room, person: Person) -> tuple[Any, ...]:
    return room.storage.participants.trials(person.told["participant"]["id"])


def screening(made: StudyPlan, number: int, *, right: bool) -> dict[str, Any]:
    plates = [plate.digit if right else None for plate in plates_for(made.seed, number)]
    patches = {patch.name: patch.place for patch in patches_for(made.seed, number)}
    return event("screening", None, {"plates": plates, **patches})


def stages(room: Room, study_id: str) -> list[str]:
    people = live(room.context, OWNER, StudyRequest(study=study_id))["people"]
    return [person["stage"] for person in people]


def test_who_takes_no_part_learns_what_to_do(room: Room) -> None:
    link = room.opened(made(5, votes=1, trials=5))
    state = room.person(link).state(PROLIFIC_PID="5f/1")
    assert state["endings"] == {"no_consent": back("no_consent")}
    room.person(link).enroll()
    state = room.person(link).state(PROLIFIC_PID="5f/1")
    assert (state["study"]["state"], state["endings"]["full"]) == ("full", back("full"))
    room.storage.studies.set_state(link.study.id, State.CLOSED, AUTHOR)
    assert room.person(link).state()["endings"]["full"] == back("full", "")


def test_a_screening_with_a_pass_mark_screens_out_and_gives_the_places_back(room: Room) -> None:
    study = made(5, votes=1, trials=5, screening=Screening(True, True, len(Axis), True))
    link = room.opened(study)
    person = room.person(link)
    state = person.enroll(external=PID)
    assert state["study"]["screens_out"]
    assert "needed_plates" not in str(state["study"])
    assert room.person(link).state()["study"]["state"] == "full"
    for early in (answer(0), event("finish")):
        assert person.sends(early).json()["code"] == "screening"
    told = person.post(screening(study, 0, right=False))["participant"]
    assert (told["stage"], got(told)) == ("screened_out", back("screened_out"))
    assert person.sends(answer(0)).json()["refused"][0]["code"] == "done"
    # The next one takes the places, and passes.
    other = room.person(link)
    other.enroll()
    assert other.post(screening(study, 1, right=True))["participant"]["stage"] == "trials"
    other.answer_all()
    room.clock.turn(60)
    assert other.finish()["stage"] == "finished"
    assert room.log_differs(link.study) == []
    room.restart()
    again = room.person(link)
    again.client.cookies = person.client.cookies
    assert got(again.state()["participant"]) == back("screened_out")
    assert stages(room, link.study.id) == ["screened_out", "finished"]


def test_without_pass_marks_nobody_is_screened_out(room: Room) -> None:
    study = made(screening=Screening(True, True))
    person = room.person(room.opened(study))
    assert not person.enroll()["study"]["screens_out"]
    assert person.post(screening(study, 0, right=False))["participant"]["stage"] == "trials"


def test_missed_checks_end_it_and_others_answer_instead(room: Room) -> None:
    closing = Closing(replace_excluded=True)
    study = made(5, votes=1, trials=5, attention=3, missed_checks_limit=2, closing=closing)
    link = room.opened(study)
    person = room.person(link)
    person.enroll(external=PID)
    trials = trials_of(room, person)
    checks = [trial for trial in trials if trial.purpose is Purpose.ATTENTION]
    wrong = [answer(trial.position, 1 - (trial.expected or 0)) for trial in checks]
    main = [answer(trial.position) for trial in trials if trial.purpose is Purpose.MAIN]
    room.clock.turn(30)
    told = person.post(main[0], wrong[0])["participant"]
    assert (told["stage"], nothing(told)) == ("trials", True)
    # The check that was missed can be taken back, as every answer.
    first = checks[0].position
    person.post(event("undo", first, {}), answer(first, checks[0].expected))
    assert person.post(wrong[1])["participant"]["stage"] == "trials"
    told = person.sends(wrong[2], *main[1:]).json()
    assert (told["participant"]["stage"], len(told["refused"])) == ("failed_checks", 4)
    assert got(told["participant"]) == back("failed_checks")
    room.clock.turn(10)
    # What they answered is excluded, and asked again.
    given = room.person(link).enroll()
    assert sum(bool(trial["places"]) for trial in given["trials"]) == 5
    results = compute(room.context, link.study.id, 20, lambda _: None)
    assert results["people"][0]["stage"] == "failed_checks"
    assert results["people"][0]["reasons"][0].startswith("the study ended for them")
    assert room.log_differs(link.study) == []


def test_a_required_training_is_passed_or_ends_it(room: Room) -> None:
    keys = tuple((stimulus.id, stimulus.models[0]) for stimulus in plan(6, 2).stimuli[:2])
    link = room.opened(made(training=Training(keys, 2, 2, required=True)))
    failing, passing = room.person(link), room.person(link)
    for person, rounds in ((failing, (False, False)), (passing, (False, True))):
        person.enroll()
        told: dict[str, Any] = {}
        for is_right in rounds:
            for trial in trials_of(room, person)[-2:]:
                assert trial.expected is not None
                value = trial.expected if is_right else 1 - trial.expected
                told = person.post(answer(trial.position, value))["participant"]
        assert told["stage"] == ("trials" if rounds[1] else "failed_checks")
    assert not any(trial.purpose is Purpose.MAIN for trial in trials_of(room, failing))
    assert any(trial.purpose is Purpose.MAIN for trial in trials_of(room, passing))


def test_the_time_limit_ends_it_for_who_has_not_answered_everything(room: Room) -> None:
    link = room.opened(made(5, votes=1, trials=5, time_limit_s=600))
    slow = room.person(link)
    assert slow.enroll(external=PID)["study"]["time_limit_s"] == 600
    slow.answer_all(limit=2)
    room.clock.turn(601)
    # Their places are free from now on, though they were here a moment ago.
    refused = slow.sends(answer(4)).json()
    assert (refused["code"], refused["participant"]["stage"]) == ("late", "timed_out")
    assert got(refused["participant"]) == back("timed_out")
    other = room.person(link)
    assert sum(bool(trial["places"]) for trial in other.enroll()["trials"]) == 3
    other.answer_all()
    room.clock.turn(700)
    # Whoever has answered everything has all the time to finish, and none to answer again.
    last = other.told["participant"]["positions_answered"][-1]
    assert other.sends(event("undo", last, {})).json()["code"] == "late"
    assert other.finish()["stage"] == "finished"
    assert room.log_differs(link.study) == []


def test_who_stops_gets_its_code_too(room: Room) -> None:
    person = room.person(room.opened(made()))
    person.enroll(external=PID)
    told = person.post(event("withdrawal", None, {}))["participant"]
    assert (told["stage"], got(told)) == ("withdrawn", back("withdrawn"))


def test_whoever_answered_everything_has_finished_without_pressing_finish(room: Room) -> None:
    study = made(10, votes=2, trials=5)
    study = replace(study, closing=replace(study.closing, when_complete=False, participants=2))
    link = room.opened(study)
    person = room.person(link)
    person.enroll(external=PID)
    room.clock.turn(60)
    person.answer_all()
    told = person.state()["participant"]
    assert (told["stage"], got(told)) == ("trials", back("completed"))
    # A last answer can still be taken back: then nothing is got.
    last = told["positions_answered"][-1]
    assert nothing(person.post(event("undo", last, {}))["participant"])
    person.post(answer(last))
    room.clock.turn(int(timedelta(days=1).total_seconds()))
    # They hold one of two places for good.
    other = room.person(link)
    other.enroll()
    assert room.person(link).asks_in().json()["code"] == "full"
    other.answer_all()
    assert room.storage.studies.get(link.study.id).state is State.CLOSED
    assert got(person.state()["participant"]) == back("completed")


def test_a_study_that_is_paused_or_closed_keeps_what_was_earned(room: Room) -> None:
    link = room.opened(made(6, votes=6, trials=4))
    done, half = room.person(link), room.person(link)
    for person, limit in ((done, 4), (half, 2)):
        person.enroll(external={"prolific_pid": str(limit)})
        room.clock.turn(20)
        person.answer_all(limit=limit)
    room.storage.studies.set_state(link.study.id, State.PAUSED, AUTHOR)
    assert done.state()["study"]["state"] == "open"
    assert got(done.told["participant"]) == back("completed", "4")
    room.storage.studies.set_state(link.study.id, State.OPEN, AUTHOR)
    room.storage.studies.set_state(link.study.id, State.CLOSED, AUTHOR)
    told = done.state()["participant"]
    assert (told["stage"], got(told)) == ("finished", back("completed", "4"))
    assert got(half.state()["participant"]) == back("full", "2")
    assert stages(room, link.study.id)[0] == "answered"
    people = compute(room.context, link.study.id, 20, lambda _: None)["people"]
    assert [person["stage"] for person in people] == ["finished", "answering"]


def test_whoever_is_too_fast_does_not_earn_the_code_by_waiting(room: Room) -> None:
    link = room.opened(made(6, votes=2, trials=5))
    person = room.person(link)
    person.enroll(external=PID)
    room.clock.turn(1)
    person.answer_all()
    assert person.told["participant"]["withheld"]
    people = compute(room.context, link.study.id, 20, lambda _: None)["people"]
    assert people[0]["too_fast"]["answers"] == 5
    room.clock.turn(60)
    told = person.finish()
    assert (told["withheld"], told["code"], told["url"]) == (True, "", "")


def test_an_adaptive_study_is_complete_with_its_last_answer_too(room: Room) -> None:
    study = made(6, method=Method.ADAPTIVE, trials=6, attention=6, time_limit_s=600)
    person = room.person(room.opened(study))
    person.enroll(external=PID)
    room.clock.turn(300)
    person.answer_all()
    room.clock.turn(600)
    assert got(person.state()["participant"]) == back("completed")


def test_a_screening_is_judged_by_its_answers_alone() -> None:
    study = plan(6, 2, screening=Screening(True, True, len(Axis), True))
    body = {"shown": 4, "read": 4, "misread": [], "dark": True, "light": True}
    seen = screening(study, 0, right=True)["body"]
    answers = {name: seen[name] for name in ("plates", "dark", "light")}
    for answered, passes in (({}, False), (answers, True), ({**answers, "light": -1}, False)):
        stored = Event("", EventKind.SCREENING, None, {**body, "answers": answered})
        assert passes_screening(study, 0, stored) is passes


def test_a_plan_from_before_there_were_endings_is_read() -> None:
    content = to_json(plan(6, 2))
    for name in ("endings", "returns_after_s", "missed_checks_limit", "time_limit_s"):
        del content[name]
    for part in ("needed_plates", "needs_patches"):
        del content["screening"][part]
    del content["training"]["required"], content["completion"]["text"]
    assert from_json(content) == plan(6, 2)


def test_placeholders_that_a_site_did_not_fill_in_are_nobody(room: Room) -> None:
    link = room.opened(made())
    blank = {"prolific_pid": "{{%PROLIFIC_PID%}}", "session_id": "{{%SESSION_ID%}}"}
    first, second = room.person(link), room.person(link)
    first.enroll(external=blank)
    assert not second.state(workerId="${workerId}", assignmentId="${assignmentId}")["returning"]
    second.enroll(external=blank)
    assert [person.external for person in room.storage.participants.of(link.study.id)] == [{}, {}]


def test_ids_of_mturk_and_sona_are_known_again(room: Room) -> None:
    link = room.opened(made())
    room.person(link).enroll(external={"workerid": "A1", "assignmentid": "B1", "hitid": "H1"})
    assert room.person(link).state(workerId="A1", assignmentId="B1", hitId="H1")["returning"]
    other = room.person(link).state(workerId="A1", assignmentId="B2", hitId="H1")
    assert other["study"]["state"] == "session"
    room.person(link).enroll(external={"survey_code": "1234"})
    # Sona names no session: a second visit elsewhere is told before it reads anything.
    assert room.person(link).state(survey_code="1234")["study"]["state"] == "session"
    (_, sona) = room.storage.participants.of(link.study.id)
    assert sona.external == {"survey_code": "1234"}


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"screening": Screening(False, True, 2)}, "screening.needed_plates"),
        ({"screening": Screening(True, True, 5)}, "screening.needed_plates"),
        ({"screening": Screening(True, False, 0, True)}, "screening.patches"),
        ({"attention": 1, "missed_checks_limit": 2}, "missed_checks_limit"),
        ({"missed_checks_limit": 0}, "missed_checks_limit"),
        ({"training": Training(required=True)}, "training.needed"),
        ({"time_limit_s": 5}, "time_limit_s"),
        ({"returns_after_s": 601}, "returns_after_s"),
        ({"returns_after_s": 4}, "returns_after_s"),
        ({"missed_checks_limit": 1}, "missed_checks_limit"),
        ({"endings": (PAGES[1], PAGES[1])}, "endings"),
        ({"endings": PAGES[:1]}, "endings"),
    ],
)
def test_endings_that_cannot_be_are_refused(values: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as refused:
        plan(6, 2, **values)
    assert refused.value.field == field
