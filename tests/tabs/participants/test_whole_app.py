"""Participants in the whole app of a laboratory, where everything else wants a sign-in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tabs.accounts.people import add
from tests.tabs.participants.people import OURS, Clock, Person, Room, answer, plan
from truehue.storage import Storage
from truehue.tabs.page.context import Context
from truehue.tabs.shell.compose import make_context
from truehue.tabs.shell.shell import mount

pytestmark = pytest.mark.slow


class Lab(Room):
    """The whole app in place of the participants' routes."""

    def make_app(self) -> Any:
        return mount(self.context)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    clock = Clock()
    folder: Path = tmp_path_factory.mktemp("lab") / "data"
    with Storage.open(folder, clock=clock) as storage:
        context: Context = make_context(storage, "/srv/lab/data", local=False)
        add(storage.accounts, "Ann")
        yield Lab(context, clock)
        context.close()


@pytest.fixture
def person(lab: Lab) -> Person:
    made = lab.person(lab.opened(plan()))
    made.client.follow_redirects = False
    made.enroll()
    return made


def test_a_participant_needs_no_sign_in(lab: Lab, person: Person) -> None:
    page = person.client.get(person.path)
    assert page.status_code == 200
    for name in ('rel="stylesheet" href="', 'type="module" src="', 'rel="icon" href="'):
        address = page.text.partition(name)[2].partition('"')[0]
        assert person.client.get(address).status_code == 200, address
    person.answer_all()
    assert person.finish()["stage"] == "finished"
    assert lab.log_differs(lab.storage.studies.all()[0]) == []


def test_a_participants_key_opens_nothing_else(lab: Lab, person: Person) -> None:
    (key,) = person.client.cookies.values()
    study = lab.storage.studies.all()[0].id
    for path in (
        "/api/studies",
        f"/api/studies/{study}",
        f"/api/studies/{study}/results",
        f"/api/studies/{study}/all.zip",
        "/api/images",
        "/config",
        "/gradio_api/info",
        "/gradio_api/queue/data?session_hash=x",
        "/mcp",
        "/api/openapi.json",
    ):
        assert person.client.get(path).status_code == 401, path
        # Nor as anything that a researcher's browser or a program would send.
        for header in ({"Cookie": f"truehue-session={key}"}, {"Authorization": f"Bearer {key}"}):
            assert person.client.get(path, headers=header).status_code == 401, path
    for path in ("/api/studies/create", f"/api/studies/{study}/state", "/gradio_api/queue/join"):
        sent = person.client.post(path, json={"state": "closed"}, headers=OURS)
        assert sent.status_code == 401, path


def test_behind_https_the_key_is_sent_by_https_alone(lab: Lab) -> None:
    stranger = lab.person(lab.opened(plan()))
    body = {"consent_version": "1", "language": "en"}
    headers = {**OURS, "X-Forwarded-Proto": "https"}
    answered = stranger.client.post(f"{stranger.path}/enroll", json=body, headers=headers)
    cookies = answered.headers.get_list("set-cookie")
    assert [cookie.partition("-")[0] for cookie in cookies] == ["truehue"]
    assert cookies[0].endswith("; Secure")


def test_a_body_of_sixty_megabytes_is_refused(person: Person) -> None:
    content = b'{"events": [' + b" " * (60 * 2**20)
    sent = person.client.post(f"{person.path}/events", content=content, headers=OURS)
    assert sent.status_code == 413
    assert person.post(answer(0))["stored"]
