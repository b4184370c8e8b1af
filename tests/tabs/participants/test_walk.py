"""Participants of every kind of study, from the consent to the code."""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.annotation.studies_made import question_plan
from tests.tabs.participants.people import Person, Room, answer, event, part_of, plan
from truehue.annotation.screening import patches_for, plates_for
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import Completion, Material, Method, Screening, Training
from truehue.core.studies import EventKind, Purpose, State
from truehue.tabs.studies.results import compute

pytestmark = pytest.mark.slow

COMPLETION = Completion("C0DE", "https://example.org/done?cc=C0DE")
_GIVEN = (COMPLETION.code, COMPLETION.url)


@pytest.mark.parametrize(
    ("values", "models", "kind", "positions"),
    [
        ({"material": Material.DISTRIBUTIONS}, 3, "place", 2),
        ({"repeats": 2, "attention": 2}, 3, "place", 2),
        ({"kind": Kind.RATINGS, "tie": False}, 3, "rating", 1),
        ({"kind": Kind.BEST_OF}, 4, "place", 4),
        ({"method": Method.ADAPTIVE, "trials": 12, "repeats": 2}, 3, "place", 2),
    ],
    ids=["distributions", "images", "ratings", "best of four", "adaptive"],
)
def test_from_consent_to_code(
    room: Room, values: dict[str, object], models: int, kind: str, positions: int
) -> None:
    link = room.opened(plan(6, models, completion=COMPLETION, **values))
    person = room.person(link)
    before = person.state()
    assert before["participant"] is None
    assert before["trials"] == []
    assert before["study"]["state"] == "open"
    message = person.enroll()
    assert message["participant"]["stage"] == "trials"
    assert message["participant"]["code"] == message["participant"]["url"] == ""
    shown = [trial for trial in message["trials"] if part_of(trial) == "trial"]
    assert all(len(trial["places"]) == positions for trial in shown)
    distributions = values.get("material") is Material.DISTRIBUTIONS
    assert all((len(trial["reference"] or ()) == 71) == distributions for trial in shown)
    assert len(message["colors"]) == (71 if distributions else 0)
    room.clock.turn(60)
    person.answer_all(kind=kind)
    done = person.finish()
    assert done["stage"] == "finished"
    assert (done["code"], done["url"]) == (COMPLETION.code, COMPLETION.url)
    assert not done["withheld"]
    assert done["number_of_trials"] == len(done["positions_answered"])
    assert room.log_differs(link.study) == []
    (record,) = room.storage.participants.of(link.study.id)
    trials = room.storage.participants.trials(record.id)
    assert [trial.position for trial in trials] == done["positions_answered"]
    main = [trial for trial in trials if trial.purpose is Purpose.MAIN]
    assert len(main) == (12 if values.get("method") else 5)
    stored = room.storage.study_events.of(record.id)
    assert (stored[0].kind, stored[-1].kind) == (EventKind.CONSENT, EventKind.FINISH)
    assert stored[0].body["version"] == "1"


def finished_after(room: Room, person: Person, seconds: float) -> dict[str, Any]:
    """Comes in, and sends all answers in one request so many seconds later."""
    trials = person.enroll()["trials"]
    room.clock.turn(seconds)
    answers = [
        answer(
            trial["position"],
            person.expected(person.told["participant"]["id"], trial["position"]) or 0,
        )
        for trial in trials
    ]
    return dict(person.post(*answers, event("finish"))["participant"])


def test_who_answers_faster_than_anybody_can_is_flagged_and_gets_no_code(room: Room) -> None:
    link = room.opened(plan(completion=COMPLETION))
    fast, offline = room.person(link), room.person(link)
    done = finished_after(room, fast, 0)
    assert (done["stage"], len(done["positions_answered"])) == ("finished", 5)
    assert (done["code"], done["url"], done["withheld"]) == ("", "", True)
    # All at once is honest where the server has seen enough time go by: the network was away.
    done = finished_after(room, offline, 5.1)
    assert (done["code"], done["url"], done["withheld"]) == (*_GIVEN, False)
    room.restart()
    codes = [room.person(link) for _ in range(2)]
    for item, before in zip(codes, (fast, offline), strict=True):
        item.client.cookies = before.client.cookies
    assert [code.state()["participant"]["code"] for code in codes] == ["", COMPLETION.code]
    people = compute(room.context, link.study.id, 20, lambda _: None)["people"]
    assert people[0]["too_fast"]["answers"] == 5
    assert 0 < people[0]["too_fast"]["seconds"] < 1
    assert people[1]["too_fast"] is None


def test_a_clock_that_stands_still_and_a_study_without_a_code_withhold_nothing(room: Room) -> None:
    """A clock that is set back stands still until it has caught up."""
    done = finished_after(room, room.person(room.opened(plan())), 0)
    assert not done["withheld"]
    link = room.opened(plan(completion=COMPLETION))
    room.clock.turn(-1800)
    done = finished_after(room, room.person(link), 300)
    assert done["code"] == COMPLETION.code


def test_a_language_is_a_tag_or_none(room: Room) -> None:
    link = room.opened(plan())
    values = ["pt-BR", "zh-Hans-CN", "=1+1", "en\u202e", "<b>"]
    for language in values:
        room.person(link).enroll(language=language)
    stored = [item.language for item in room.storage.participants.of(link.study.id)]
    assert stored == ["pt-BR", "zh-Hans-CN", "en", "en", "en"]


def test_no_name_of_a_model_reaches_a_participant(room: Room) -> None:
    link = room.opened(plan(material=Material.DISTRIBUTIONS, repeats=2, attention=1))
    person = room.person(link)
    person.enroll()
    message = person.client.get(f"{person.path}/state").text
    assert "m0" not in message.replace("image-", "")
    for word in ("m0", "m1", "m2", "repeat", "original", "propensity"):
        assert f'"{word}"' not in message


@pytest.mark.parametrize("coding", ["br", "gzip", ""])
def test_long_answers_are_packed_as_a_browser_takes_them(room: Room, coding: str) -> None:
    link = room.opened(plan(material=Material.DISTRIBUTIONS))
    person = room.person(link)
    message = person.enroll()
    headers = {"Accept-Encoding": coding}
    again = person.client.get(f"{person.path}/state", headers=headers)
    assert again.headers.get("content-encoding", "") == coding
    assert again.json() == message


def test_training_comes_first_and_again_where_too_few_were_right(room: Room) -> None:
    made = plan(8, 2, trials=4)
    keys = tuple((stimulus.id, "m0") for stimulus in made.stimuli[:3])
    link = room.opened(plan(8, 2, trials=4, training=Training(keys, needed=3)))
    person = room.person(link)
    message = person.enroll()
    assert [part_of(trial) for trial in message["trials"]] == ["training"] * 3
    assert message["participant"]["number_of_trials"] == 7

    (record,) = room.storage.participants.of(link.study.id)

    def expected(position: int) -> int:
        return room.storage.participants.trials(record.id)[position].expected or 0

    values = (answer(0, 1 - expected(0)), answer(1, expected(1)))
    message = person.post(*values)
    assert message["feedback"] == {"0": "wrong", "1": "right"}
    assert message["trials"] == []
    # Whose connection was cut off sends them again, and sees the same.
    assert person.post(*values)["feedback"] == message["feedback"]
    assert person.sends(event("undo", 0)).status_code == 409
    message = person.post(answer(2, expected(2)))
    assert [part_of(trial) for trial in message["trials"]] == ["training"] * 3
    assert message["participant"]["training"]["attempt"] == 2
    message = person.post(*(answer(i, expected(i)) for i in (3, 4, 5)))
    assert message["participant"]["training"]["passed"]
    assert [part_of(trial) for trial in message["trials"]] == ["trial"] * 4
    person.answer_all()
    assert person.finish()["stage"] == "finished"
    assert room.log_differs(link.study) == []


def test_after_the_last_attempt_the_trials_come_anyway(room: Room) -> None:
    made = plan(8, 2, trials=4)
    keys = ((made.stimuli[0].id, "m0"),)
    link = room.opened(plan(8, 2, trials=4, training=Training(keys, needed=1, attempts=2)))
    person = room.person(link)
    person.enroll()
    for position in (0, 1):
        message = person.post(answer(position, None, "skip"))
    assert not message["participant"]["training"]["passed"]
    assert [part_of(trial) for trial in message["trials"]] == ["trial"] * 4


def test_screening_is_scored_once_and_holds_nobody_up(room: Room) -> None:
    link = room.opened(plan(screening=Screening(True, True)))
    person = room.person(link)
    message = person.enroll()["participant"]
    assert (message["stage"], message["plates"], len(message["patches"])) == ("screening", 4, 2)
    person.post(answer(0))
    plates, patches = plates_for(7, 0), patches_for(7, 0)
    read = [plate.digit for plate in plates[:3]] + [""]
    body = {"plates": read, "dark": patches[0].place, "light": -1, "display": {"dpr": 2}}
    assert person.post(event("screening", body=body))["participant"]["stage"] == "trials"
    assert person.sends(event("screening", body=body)).status_code == 409
    (record,) = room.storage.participants.of(link.study.id)
    stored = room.storage.study_events.of(record.id)[-1].body
    assert (stored["shown"], stored["read"]) == (4, 3)
    assert (stored["dark"], stored["light"]) == (True, False)
    assert stored["misread"] == [plates[3].axis.value]
    assert stored["answers"]["plates"] == read
    for index in range(4):
        response = person.client.get(f"{person.path}/plates/{index}.png")
        assert response.content.startswith(b"\x89PNG")
        assert "no-store" in response.headers["cache-control"]
    assert person.client.get(f"{person.path}/plates/4.png").status_code == 404
    assert room.person(link).client.get(f"{person.path}/plates/0.png").status_code == 401


def test_an_undo_and_the_answer_after_it_are_events(room: Room) -> None:
    link = room.opened(plan())
    person = room.person(link)
    person.enroll()
    person.post(answer(0, 0))
    assert person.sends(answer(0, 1)).json()["refused"][0]["code"] == "answered"
    message = person.post(event("undo", 0), answer(0, None, "tie"))
    assert message["participant"]["positions_answered"] == [0]
    assert person.sends(event("undo", 1)).status_code == 409
    (record,) = room.storage.participants.of(link.study.id)
    stored = room.storage.study_events.of(record.id)
    assert [item.kind.value for item in stored] == ["consent", "answer", "undo", "answer"]
    assert [item.number for item in stored] == [0, 1, 2, 3]


def test_a_reload_goes_on_where_it_was_and_shows_the_last_answer_for_an_undo(room: Room) -> None:
    link = room.opened(plan())
    person = room.person(link)
    person.enroll()
    person.answer_all(limit=2)
    message = person.state()
    assert message["participant"]["positions_answered"] == [0, 1]
    assert [trial["position"] for trial in message["trials"]] == [1, 2, 3, 4]
    room.restart()
    again = room.person(link)
    again.client.cookies = person.client.cookies
    assert again.state() == message


def test_a_comment_may_follow_the_end_and_nothing_follows_a_withdrawal(room: Room) -> None:
    link = room.opened(plan())
    first, second = room.person(link), room.person(link)
    first.enroll()
    first.answer_all()
    first.finish()
    first.post(event("comment", body={"text": "x" * 2_000}))
    too_long = first.sends(event("comment", body={"text": "x" * 2_001}))
    assert (too_long.status_code, too_long.json()["refused"][0]["code"]) == (400, "bad")
    assert first.sends(answer(0)).json()["refused"][0]["code"] == "done"
    second.enroll()
    second.post(answer(0))
    message = second.post(event("withdrawal", body={"reason": "no time"}))["participant"]
    assert (message["stage"], message["code"]) == ("withdrawn", "")
    for item in (answer(1), event("comment", body={"text": "more"}), event("finish")):
        assert second.sends(item).json()["code"] == "done"


def test_finish_wants_every_trial_answered(room: Room) -> None:
    link = room.opened(plan(repeats=1, attention=1))
    person = room.person(link)
    message = person.enroll()
    for position in range(len(message["trials"]) - 1):
        message = person.post(answer(position))
    early = person.sends(event("finish"))
    assert (early.status_code, early.json()["code"]) == (409, "early")
    assert "1 of 7 trials" in early.json()["error"]
    last = answer(6)
    message = person.post(last, event("finish"))
    assert message["participant"]["stage"] == "finished"
    assert len(message["stored"]) == 2


# A third of the paper's 150 concepts and 36 people; all of them at night.
@pytest.mark.parametrize("part", [3, pytest.param(1, marks=pytest.mark.nightly)])
def test_the_papers_study(room: Room, part: int) -> None:
    from collections import Counter

    link = room.opened(plan(150 // part, 3, votes=6, trials=75, material=Material.DISTRIBUTIONS))
    everybody = [room.person(link) for _ in range(36 // part)]
    for person in everybody:
        assert len(person.enroll()["trials"]) == 75
    late = room.person(link).asks_in()
    assert (late.status_code, late.json()["code"]) == (409, "full")
    stored_trials = room.storage.participants.trials_of_study(link.study.id)
    load = Counter(trial.stimulus_id for trials in stored_trials.values() for trial in trials)
    assert sum(load.values()) == 2_700 // part
    assert len(load) == 450 // part
    assert set(load.values()) == {6}
    for person in everybody:
        person.post(*(answer(position) for position in range(75)))
        person.finish()
    assert room.log_differs(link.study) == []
    study = room.storage.studies.get(link.study.id)
    assert study.state is State.CLOSED
    # The study was complete with the last answer of the last, who finished all the same.
    assert everybody[-1].told["participant"]["stage"] == "finished"


@pytest.mark.parametrize("kind", ["pairs", "ratings", "questions"])
def test_no_page_is_told_which_trials_are_checks_and_what_they_want(room: Room, kind: str) -> None:
    """Nor where the patches are: the server judges, and a check has words alone."""
    provided: dict[str, Any] = {"attention": 3, "screening": Screening()}
    if kind == "questions":
        made = question_plan(8, 2, language="de", **provided)
    else:
        values = {"kind": Kind.RATINGS, "tie": False} if kind == "ratings" else {}
        made = plan(
            6, 3, repeats=2, wording=(("attention_rating", "Rate {n}."),), **provided, **values
        )
    link = room.opened(made)
    person = room.person(link)
    details = person.enroll()
    record = details["participant"]["id"]
    trials = room.storage.participants.trials(record)
    checks = {
        trial.position: trial.expected for trial in trials if trial.purpose is Purpose.ATTENTION
    }
    message = {
        "pairs": lambda wanted: f"To show that you read this, choose {wanted + 1} here.",
        "ratings": lambda wanted: f"Rate {wanted}.",
        "questions": lambda wanted: (
            f"Bitte wählen Sie hier {'ABCD'[wanted]}, um zu zeigen, dass Sie dies lesen."
        ),
    }[kind]
    assert {
        trial["position"]: trial["words"]
        for trial in details["trials"]
        if part_of(trial) == "attention"
    } == {position: message(wanted) for position, wanted in checks.items()}
    assert len({frozenset(trial) for trial in details["trials"]}) == 1, "all have the same names"
    answered = person.post(answer(0, 0, "rating" if kind == "ratings" else "place"))
    for text in (json.dumps(details), json.dumps(person.state()), json.dumps(answered)):
        assert not re.search('"(purpose|expected|place|field|patch)"|#0A0A0A|#F8F8F8', text)
    assert details["participant"]["patches"] == ["dark", "light"]
    for patch in patches_for(made.seed, 0):
        got = person.client.get(f"{person.path}/patches/{patch.name}.png")
        srgb8 = np.asarray(Image.open(BytesIO(got.content)))
        quarter = [srgb8[y : y + 240, x : x + 240] for y in (0, 240) for x in (0, 240)]
        shown = [len(np.unique(part.reshape(-1, 3), axis=0)) == 2 for part in quarter]
        assert shown == [index == patch.place for index in range(4)]
        assert srgb8[0, 0].tolist() == [*bytes.fromhex(patch.field[1:])]
    stranger = room.person(link)
    assert stranger.client.get(f"{stranger.path}/patches/dark.png").status_code == 401
