"""Places and differences by what Prolific reports, from a server that speaks its documented API."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import anyio
import pytest

from tests.tabs.participants.people import Link, Person, Room, answer, plan
from truehue.core.errors import BadInput
from truehue.tabs.page.roles import OWNER
from truehue.tabs.participants.prolific import ADDRESS, TOKEN, Prolific
from truehue.tabs.participants.service import Participation
from truehue.tabs.studies.live import StudyRequest, live

STUDY, SECRET = "60aca280709ee40ec37d4885", "a-token"
PER_PAGE = 3


class Site:
    """Submissions by id; the page of a study lists ``PER_PAGE`` at a time."""

    def __init__(self) -> None:
        self.submissions: dict[str, dict[str, str]] = {}
        self.status, self.asked, self.address = 200, 0, ""

    def submission(self, person: str, status: str) -> None:
        self.submissions[f"session{person}"] = {
            "id": f"session{person}",
            "participant_id": f"pid{person}",
            "started_at": "2026-01-01T00:00:00.000Z",
            "status": status,
            "study_code": "COMPLETED",
        }

    def page(self, path: str, token: str) -> tuple[int, Mapping[str, Any]]:
        self.asked += 1
        if self.status != 200 or token != f"Token {SECRET}":
            return (self.status if self.status != 200 else 401), {"error": {}}
        path, _, query = path.partition("?page=")
        if path != f"/api/v1/studies/{STUDY}/submissions/":
            return 404, {"error": {"status": 404}}
        first = int(query or 0) * PER_PAGE
        rows = list(self.submissions.values())
        more = first + PER_PAGE < len(rows)
        href = f"{self.address}{path}?page={int(query or 0) + 1}" if more else None
        return 200, {
            "results": rows[first : first + PER_PAGE],
            "_links": {"next": {"href": href}},
        }


@contextmanager
def serving(site: Site) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, content = site.page(self.path, self.headers.get("Authorization", ""))
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    site.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site.address
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def opened_site(lasting_room: Room) -> Iterator[Site]:
    made = Site()
    with serving(made) as address, pytest.MonkeyPatch.context() as environment:
        environment.setenv(TOKEN, SECRET)
        environment.setenv(ADDRESS, address)
        lasting_room.restart()
        yield made


@pytest.fixture
def site(opened_site: Site) -> Site:
    """The site without submissions."""
    opened_site.submissions.clear()
    opened_site.status, opened_site.asked = 200, 0
    return opened_site


@pytest.fixture
def room(lasting_room: Room) -> Room:
    return lasting_room


def joined(room: Room, link: Link, name: str) -> Person:
    person = room.person(link)
    person.enroll(
        external={"prolific_pid": f"pid{name}", "study_id": STUDY, "session_id": f"session{name}"}
    )
    return person


def checked(room: Room, link: Link) -> Any:
    """The comparison that is made now."""
    room.clock.turn(61)
    participation = room.context.service(Participation)
    anyio.run(participation.check_submissions, link.study.id)
    return participation.submissions.last(link.study.id)


def stages(room: Room, link: Link) -> list[str]:
    progress = live(room.context, OWNER, StudyRequest(study=link.study.id))
    return [person["stage"] for person in progress["people"]]


def test_a_returned_submission_frees_its_place_at_once(room: Room, site: Site) -> None:
    link = room.opened(plan(4, 3, votes=1, trials=12))
    person = joined(room, link, "A")
    person.post(answer(0))
    assert room.person(link).state()["study"]["state"] == "full"
    site.submission("A", "ACTIVE")
    assert checked(room, link).statuses == {"ACTIVE": 1}
    assert room.person(link).state()["study"]["state"] == "full"
    site.submission("A", "RETURNED")
    check = checked(room, link)
    assert (check.released, check.differences, check.error) == (1, (), "")
    assert stages(room, link) == ["withdrawn"]
    newcomer = room.person(link)
    assert len(newcomer.enroll()["trials"]) == 11, "one trial has its answer"
    assert person.state()["participant"]["stage"] == "withdrawn"
    assert checked(room, link).released == 1, "nothing is stored twice"
    assert room.log_differs(link.study) == []


def test_who_timed_out_there_and_still_answers_here_goes_on(room: Room, site: Site) -> None:
    link = room.opened(plan(4, 3, votes=1, trials=12))
    person = joined(room, link, "A")
    site.submission("A", "TIMED-OUT")
    person.post(answer(0))
    assert checked(room, link).released == 0
    room.clock.turn(100)
    assert person.post(answer(1))["stored"]
    room.clock.turn(300)
    assert checked(room, link).released == 1
    assert stages(room, link) == ["timed_out"]
    assert room.log_differs(link.study) == []


def test_differences_name_who_did_not_do_what_prolific_says(room: Room, site: Site) -> None:
    link = room.opened(plan(4, 3, votes=9, trials=4))
    people = {name: joined(room, link, name) for name in "ABCDE"}
    for name in "BCD":
        people[name].answer_all()
        people[name].finish()
    site.submission("A", "AWAITING REVIEW")  # and has answered nothing here
    site.submission("B", "RETURNED")
    site.submission("C", "ACTIVE")
    site.submission("D", "APPROVED")
    site.submission("F", "AWAITING REVIEW")  # and never came
    site.submission("G", "RESERVED")
    room.clock.turn(15 * 60)
    check = checked(room, link)
    told = [(item.problem, item.number, item.submission_id) for item in check.differences]
    assert told == [
        ("not_finished", 0, "sessionA"),
        ("not_paid", 1, "sessionB"),
        ("not_submitted", 2, "sessionC"),
        ("not_listed", 4, "sessionE"),
        ("unknown", None, "sessionF"),  # of the second page
    ]
    assert check.participants == 5
    assert check.released == 0, "whose answers are complete has not returned them"


def test_a_session_of_somebody_else_releases_nobody(room: Room, site: Site) -> None:
    """Anybody can write a session into the address."""
    link = room.opened(plan(4, 3, votes=1, trials=12))
    person = room.person(link)
    person.enroll(external={"prolific_pid": "pidX", "study_id": STUDY, "session_id": "sessionA"})
    site.submission("A", "RETURNED")
    check = checked(room, link)
    assert check.released == 0
    assert [item.problem for item in check.differences] == ["not_listed"]


def test_what_prolific_refuses_is_said(room: Room, site: Site) -> None:
    link = room.opened(plan(4, 3, votes=1, trials=12))
    joined(room, link, "A")
    for status, text in (
        (401, "refuses the token"),
        (404, "has no study"),
        (500, "does not answer as expected (500)"),
    ):
        site.status = status
        check = checked(room, link)
        assert text in check.error
        assert SECRET not in check.error
        assert check.released == 0


def test_it_is_asked_once_a_minute_and_only_of_its_participants(room: Room, site: Site) -> None:
    link = room.opened(plan(4, 3, votes=9, trials=4))
    room.person(link).enroll()
    assert checked(room, link) is None
    assert site.asked == 0
    joined(room, link, "A")
    site.submission("A", "ACTIVE")
    checked(room, link)
    participation = room.context.service(Participation)
    anyio.run(participation.check_submissions, link.study.id)
    assert site.asked == 1


def test_the_token_goes_over_https_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, SECRET)
    monkeypatch.setenv(ADDRESS, "http://prolific.example")
    with pytest.raises(BadInput, match="https"):
        Prolific.from_environment()
    monkeypatch.delenv(ADDRESS)
    prolific = Prolific.from_environment()
    assert prolific is not None
    assert SECRET not in repr(prolific)
    monkeypatch.delenv(TOKEN)
    assert Prolific.from_environment() is None
