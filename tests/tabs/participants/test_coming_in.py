"""Links that let in or do not, and people who come back."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tests.tabs.participants.people import AUTHOR, OURS, Room, answer, event, plan
from truehue.annotation.studies.plan import Closing, Training
from truehue.core.studies import State
from truehue.tabs.page.throttle import Pace
from truehue.tabs.participants import service, session
from truehue.tabs.participants.service import Participation
from truehue.tabs.participants.stores import CLOSED_ITSELF
from truehue.tabs.participants.tokens import new_token

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("token", ["x", "a" * 43, "%00", "a" * 5_000])
def test_an_unknown_link_leads_nowhere(room: Room, token: str) -> None:
    room.opened(plan())
    stranger = room.person(token)
    page = stranger.client.get(stranger.path)
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    state = stranger.client.get(f"{stranger.path}/state")
    assert state.status_code == 404
    assert "leads to no study" in state.json()["error"]
    assert stranger.asks_in().status_code == 404
    assert stranger.sends(answer(0)).status_code == 404
    assert stranger.client.get(f"{stranger.path}/images/{'0' * 64}.png").status_code == 404
    assert stranger.client.get(f"{stranger.path}/plates/0.png").status_code == 404


def test_a_revoked_link_leads_nowhere_at_once(room: Room) -> None:
    link = room.opened(plan())
    person = room.person(link)
    person.enroll()
    room.storage.invitations.revoke(link.record.id, AUTHOR)
    assert person.client.get(f"{person.path}/state").status_code == 404
    assert person.sends(answer(0)).status_code == 404
    assert person.client.get(person.path).status_code == 404


@pytest.mark.parametrize("state", [State.DRAFT, State.PAUSED, State.CLOSED])
def test_only_an_open_study_lets_in(room: Room, state: State) -> None:
    link = room.link(room.study(plan(), state))
    person = room.person(link)
    assert person.state()["study"]["state"] == state.value
    refused = person.asks_in()
    assert (refused.status_code, refused.json()["code"]) == (409, state.value)
    assert room.storage.participants.count(link.study.id) == 0


def test_answers_are_taken_while_paused_and_not_once_closed(room: Room) -> None:
    link = room.opened(plan())
    person = room.person(link)
    person.enroll()
    room.storage.studies.set_state(link.study.id, State.PAUSED, AUTHOR)
    # Who has trials to answer goes on; whoever comes new reads that it is paused.
    assert person.state()["study"]["state"] == "open"
    assert room.person(link).state()["study"]["state"] == "paused"
    saved = answer(0)
    person.post(saved)
    room.storage.studies.set_state(link.study.id, State.CLOSED, AUTHOR)
    late = person.sends(answer(1))
    assert (late.status_code, late.json()["code"]) == (409, "closed")
    assert person.sends(saved).json()["stored"] == [saved["id"]]
    assert person.state()["study"]["state"] == "closed"
    assert room.storage.study_events.count(link.study.id) == 2


def test_a_paused_study_gives_no_further_trials_until_it_goes_on(room: Room) -> None:
    made = plan(8, 2, trials=4)
    made = plan(8, 2, trials=4, training=Training(((made.stimuli[0].id, "m0"),)))
    link = room.opened(made)
    person = room.person(link)
    person.enroll()
    room.storage.studies.set_state(link.study.id, State.PAUSED, AUTHOR)
    assert person.post(answer(0))["trials"] == []
    assert person.sends(event("finish")).json()["code"] == "early"
    room.storage.studies.set_state(link.study.id, State.OPEN, AUTHOR)
    assert [trial["position"] for trial in person.state()["trials"]] == [0, 1, 2, 3, 4]
    person.answer_all()
    assert person.finish()["stage"] == "finished"
    assert room.log_differs(link.study) == []


def test_what_is_agreed_to_is_the_newest_text(room: Room) -> None:
    link = room.opened(plan())
    refused = room.person(link).asks_in(consent_version="0")
    assert (refused.status_code, refused.json()["code"]) == (409, "consent")
    assert room.storage.participants.count(link.study.id) == 0


def test_asking_twice_with_one_consent_is_one_participation(room: Room) -> None:
    link = room.opened(plan())
    consent = secrets.token_hex(16)
    first, again = room.person(link), room.person(link)
    enroll = first.enroll(id=consent)
    # The answer got lost with its cookie, and the page asks once more.
    assert again.enroll(id=consent) == enroll
    assert room.storage.participants.count(link.study.id) == 1
    assert again.post(answer(0))["stored"]
    assert first.sends(answer(1)).status_code == 401
    assert again.enroll(id=secrets.token_hex(16))["participant"] == again.told["participant"]


def test_a_personal_link_is_one_person_on_any_device(room: Room) -> None:
    link = room.link(room.study(plan()), personal=True)
    laptop, phone = room.person(link), room.person(link)
    assert not laptop.state()["returning"]
    laptop.enroll()
    laptop.post(answer(0))
    assert phone.state()["participant"] is None
    assert phone.told["returning"]
    message = phone.enroll(consent_version="")
    assert message["participant"]["positions_answered"] == [0]
    assert room.storage.participants.count(link.study.id) == 1
    assert laptop.sends(answer(1)).status_code == 401
    phone.answer_all()
    assert phone.finish()["stage"] == "finished"


def test_two_people_at_one_computer_have_their_own_links(room: Room) -> None:
    study = room.study(plan())
    item, other = room.link(study, personal=True), room.link(study, personal=True)
    first = room.person(item)
    first.enroll()
    first.post(answer(0))
    second = room.person(other)
    second.client.cookies = first.client.cookies
    assert second.state()["participant"] is None
    assert not second.told["returning"]
    second.enroll()
    assert second.told["participant"]["positions_answered"] == []
    assert room.storage.participants.count(study.id) == 2


SENT = {"prolific_pid": "5f00", "study_id": "s1", "session_id": "a1"}


def test_prolifics_session_goes_on_elsewhere_and_another_one_does_not(room: Room) -> None:
    link = room.opened(plan())
    person = room.person(link)
    person.enroll(external=SENT)
    person.post(answer(0))
    same = room.person(link)
    query = {"PROLIFIC_PID": "5f00", "STUDY_ID": "s1", "SESSION_ID": "a1"}
    assert same.state(**query)["returning"]
    assert same.enroll(external=SENT)["participant"]["positions_answered"] == [0]
    for sent in ({"session_id": "b2"}, {}):
        external = {"prolific_pid": "5f00", **sent}
        refused = room.person(link).asks_in(external=external)
        assert (refused.status_code, refused.json()["code"]) == (409, "elsewhere")
    message = room.person(link).state(PROLIFIC_PID="5f00", SESSION_ID="b2")
    assert message["study"]["state"] == "session", "before anything is read and agreed to"
    other = room.person(link)
    other.client.cookies = same.client.cookies
    assert other.state(PROLIFIC_PID="6a11")["participant"] is None
    other.enroll(external={**SENT, "prolific_pid": "6a11", "session_id": "c3"})
    assert room.storage.participants.count(link.study.id) == 2
    (record, _) = room.storage.participants.of(link.study.id)
    assert record.external == SENT


def test_prolifics_session_goes_on_by_another_link_of_the_study(room: Room) -> None:
    link = room.opened(plan())
    person = room.person(link)
    person.enroll(external=SENT)
    person.post(answer(0))
    room.storage.invitations.revoke(link.record.id, AUTHOR)
    fresh = room.link(link.study)
    same = room.person(fresh)
    assert same.enroll(external=SENT)["participant"]["positions_answered"] == [0]
    same.post(answer(1))
    room.restart()
    again = room.person(fresh)
    again.client.cookies = same.client.cookies
    assert again.state()["participant"]["positions_answered"] == [0, 1]
    assert room.storage.participants.count(link.study.id) == 1


def test_who_comes_back_by_themselves_may_finish_what_closed_by_itself(room: Room) -> None:
    study = room.study(plan(2, 2, votes=1, trials=2))
    personal = room.link(study, personal=True)
    person = room.person(personal)
    person.enroll()
    room.storage.studies.set_state(study.id, State.CLOSED, CLOSED_ITSELF)
    elsewhere = room.person(personal)
    message = elsewhere.state()
    assert (message["returning"], message["study"]["state"]) == (True, "open")
    elsewhere.enroll()
    elsewhere.answer_all()
    assert elsewhere.finish()["stage"] == "finished"


def test_of_an_address_only_what_recruiting_sites_write_is_stored(room: Room) -> None:
    link = room.opened(plan())
    outside = {
        **SENT,
        "email": "ann@example.org",
        **{f"utm_{letter}": "x" for letter in "abcdefgh"},
    }
    room.person(link).enroll(external=outside)
    (record,) = room.storage.participants.of(link.study.id)
    assert record.external == SENT


def test_one_network_begins_so_often_and_who_is_in_goes_on(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "ENROLMENTS", Pace(2, 30.0))
    link = room.opened(plan())
    first, *others = [room.person(link) for _ in range(3)]
    for person in (first, *others[:1]):
        person.enroll()
    refused = others[1].asks_in()
    assert (refused.status_code, refused.json()["code"]) == (429, "many")
    assert first.post(answer(0))["refused"] == []
    assert room.storage.participants.count(link.study.id) == 2


def test_a_full_study_counts_against_no_network(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "ENROLMENTS", Pace(2, 30.0))
    link = room.opened(plan(1, 2, votes=1, trials=1))
    first, *others = [room.person(link) for _ in range(4)]
    first.enroll()
    assert [person.asks_in().json()["code"] for person in others] == ["full"] * 3
    assert first.post(event("withdrawal", None, {}))["participant"]["stage"] == "withdrawn"
    others[0].enroll()


def test_who_wants_to_stop_may_whatever_the_study_is(room: Room) -> None:
    link = room.opened(plan())
    person = room.person(link)
    person.enroll()
    room.storage.studies.set_state(link.study.id, State.CLOSED, AUTHOR)
    assert person.post(event("comment", None, {"text": "Why?"}))["refused"] == []
    assert person.post(event("withdrawal", None, {}))["participant"]["stage"] == "withdrawn"


def test_one_person_stores_so_much_and_can_still_finish(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "EVENTS_BESIDE", 3)
    monkeypatch.setattr(session, "EVENTS_A_TRIAL", 1)
    link = room.opened(plan(2, 2, trials=1))
    person = room.person(link)
    person.enroll()
    comments = [event("comment", None, {"text": "again"}) for _ in range(5)]
    refused = person.sends(*comments).json()["refused"]
    assert [item["code"] for item in refused] == ["too many"] * 2
    assert person.post(event("withdrawal", None, {}))["participant"]["stage"] == "withdrawn"


def test_what_somebody_who_left_did_not_answer_goes_to_others(room: Room) -> None:
    made = plan(5, 2, votes=1, trials=5, abandoned_after_s=600)
    link = room.opened(made)
    left = room.person(link)
    left.enroll()
    left.answer_all(limit=2)
    # Told before there is anything to read or to agree to, and counted.
    assert room.person(link).state()["study"]["state"] == "full"
    assert left.state()["study"]["state"] == "open"
    assert room.person(link).asks_in().json()["code"] == "full"
    away = room.context.service(Participation).refused_visits(link.study.id)
    assert away is not None
    assert away.visits == 2
    room.clock.turn(601)
    other = room.person(link)
    assert other.state()["study"]["state"] == "open"
    assert len(other.enroll()["trials"]) == 3
    # Who comes back is never told that nothing is left.
    left.answer_all()
    assert left.finish()["stage"] == "finished"
    other.answer_all()
    assert other.finish()["stage"] == "finished"
    assert room.log_differs(link.study) == []


def test_who_stops_leaves_room_for_others(room: Room) -> None:
    link = room.opened(plan(5, 2, votes=1, trials=5))
    first = room.person(link)
    first.enroll()
    first.post(answer(0), event("withdrawal"))
    assert len(room.person(link).enroll()["trials"]) == 4
    assert room.log_differs(link.study) == []


def test_a_complete_study_closes_and_who_is_in_may_finish(room: Room) -> None:
    link = room.opened(plan(2, 2, votes=1, trials=2))
    first = room.person(link)
    first.enroll()
    room.clock.turn(3_700)
    second = room.person(link)
    second.enroll()
    second.answer_all()
    study = room.storage.studies.get(link.study.id)
    assert study.state is State.CLOSED
    assert room.person(link).asks_in().json()["code"] == "closed"
    assert room.person(link).state()["study"]["state"] == "closed"
    room.restart()
    for person in (first, second):
        again = room.person(link)
        again.client.cookies = person.client.cookies
        assert again.state()["study"]["state"] == "open"
        again.answer_all()
        assert again.finish()["stage"] == "finished"
        assert again.state()["study"]["state"] == "closed"


def test_those_who_left_do_not_count_for_the_end(room: Room) -> None:
    closing = Closing(when_complete=False, participants=2)
    link = room.opened(plan(5, 3, votes=9, trials=3, closing=closing))
    left, first, second, third = (room.person(link) for _ in range(4))
    left.enroll()
    first.enroll()
    assert third.asks_in().json()["code"] == "full"
    room.clock.turn(3_700)
    first.post(answer(0))
    second.enroll()
    for person in (first, second):
        assert room.storage.studies.get(link.study.id).state is State.OPEN
        person.answer_all()
        person.finish()
    assert room.storage.studies.get(link.study.id).state is State.CLOSED
    left.answer_all()
    assert left.finish()["stage"] == "finished"
    log = room.storage.studies.log(link.study.id)
    assert "2 participants have finished" in log[-1].body["reason"]


def test_who_was_erased_is_not_known_any_more(room: Room) -> None:
    link = room.opened(plan(5, 2, votes=1, trials=5))
    person = room.person(link)
    person.enroll()
    person.answer_all()
    (record,) = room.storage.participants.of(link.study.id)
    room.storage.studies.set_state(link.study.id, State.OPEN, AUTHOR)
    room.storage.participants.erase(record.id, AUTHOR)
    assert person.sends(event("finish")).status_code == 401
    assert person.state()["participant"] is None
    assert len(room.person(link).enroll()["trials"]) == 5


def test_a_preview_leaves_no_trace_and_ends_after_an_hour(room: Room) -> None:
    from truehue.tabs.participants.service import Participation

    study = room.study(plan(repeats=1, attention=1), State.DRAFT)
    before = room.rows()
    token = room.context.service(Participation).preview(plan(repeats=1, attention=1), study)
    person = room.person(token)
    assert person.state()["preview"]
    assert person.told["study"]["state"] == "open"
    person.enroll()
    again = answer(0)
    assert person.post(again)["stored"] == person.post(again)["stored"]
    person.answer_all()
    assert person.finish()["stage"] == "finished"
    assert person.state()["participant"]["stage"] == "finished"
    assert room.rows() == before
    room.clock.turn(3_600)
    assert person.client.get(f"{person.path}/state").status_code == 404


def test_fifty_previews_are_kept(room: Room) -> None:
    from truehue.tabs.participants.service import Participation

    study = room.study(plan(), State.DRAFT)
    tokens = [room.context.service(Participation).preview(plan(), study) for _ in range(51)]
    gets = [room.person(token).client.get(f"/study/{token}/state") for token in tokens]
    assert [response.status_code for response in gets] == [404] + [200] * 50


def test_the_cookie_is_of_participants_pages_alone(room: Room) -> None:
    link = room.opened(plan())
    cookie = room.person(link).asks_in().headers["set-cookie"]
    assert cookie.startswith(f"truehue-participant-{link.study.id[:8]}=")
    for word in ("HttpOnly", "SameSite=Lax", "Path=/study/"):
        assert word in cookie
    assert "Secure" not in cookie
    https = {**OURS, "X-Forwarded-Proto": "https"}
    body = {"consent_version": "1", "language": "en"}
    person = room.person(link)
    assert room.context.local
    answered = person.client.post(f"{person.path}/enroll", json=body, headers=https)
    # On this machine alone nothing comes through a proxy.
    assert answered.status_code == 403


def test_a_personal_link_asked_from_two_places_at_once_is_one_participant(room: Room) -> None:
    link = room.link(room.study(plan()), personal=True)
    with ThreadPoolExecutor(4) as pool, room.person(link).client as client:
        body = {"consent_version": "1", "language": "en"}
        path = f"/study/{link.token}/enroll"
        answers = list(
            pool.map(lambda _: client.post(path, json=body, headers=OURS).status_code, range(4))
        )
    assert set(answers) == {200}
    assert room.storage.participants.count(link.study.id) == 1


def test_a_demonstration_has_no_studies(room: Room) -> None:
    link = room.opened(plan())
    shown = room.person(link).state()
    assert shown["study"]["title"] == "Which is closer?"
    room.context = replace(room.context, demo=True)
    room.app = room.make_app()
    for path in ("", "/state"):
        assert room.person(link).client.get(f"/study/{link.token}{path}").status_code == 404
    assert room.person(link).asks_in().status_code == 404


def test_tokens_are_long_and_only_their_hash_is_stored(room: Room) -> None:
    link = room.opened(plan())
    assert len(link.token) == len(new_token()) == 43
    person = room.person(link)
    person.enroll()
    (key,) = person.client.cookies.values()
    texts = [
        str(row)
        for name in room.rows()
        for row in room.storage._database.rows(f"SELECT * FROM {name}")
    ]
    assert not any(link.token in text or key in text for text in texts)
