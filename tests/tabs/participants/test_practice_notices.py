"""Notices of people who wait for a review of their practice: to a real server, by real commands."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest

from tests.tabs.participants.people import Person, Room, coloring_plan
from truehue.annotation.studies.plan import Review
from truehue.core.errors import BadInput
from truehue.tabs.command.serve import notice_settings, read_settings
from truehue.tabs.page.roles import OWNER
from truehue.tabs.studies.colorings.live import coloring_progress
from truehue.tabs.studies.colorings.marks import PostPractice, post_practice
from truehue.tabs.studies.colorings.notices import NoticeSettings, PracticeNotices
from truehue.tabs.studies.results import StudyReference

pytestmark = pytest.mark.slow
ADDRESS = "https://lab.example"


@dataclass
class Hook:
    """A server that answers what it is told to, and keeps what it got."""

    server: ThreadingHTTPServer
    bodies: Queue[dict[str, Any]] = field(default_factory=Queue)
    status: int = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/hook?token=secret"


@pytest.fixture
def hook() -> Iterator[Hook]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            hook.bodies.put(json.loads(self.rfile.read(length)))
            self.send_response(hook.status)
            if hook.status == 302:
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    hook = Hook(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
    Thread(target=hook.server.serve_forever, daemon=True).start()
    yield hook
    hook.server.shutdown()
    hook.server.server_close()


def waits(room: Room, link: Any) -> Person:
    """Somebody who colored the practice and waits."""
    person = room.person(link)
    person.enroll()
    for trial in list(person.waiting):
        person.colors(trial["position"])
    return person


def accepts_all(room: Room, study_id: str) -> None:
    for person in room.storage.participants.of(study_id):
        request = PostPractice(study=study_id, participant=person.id, value="accepted")
        post_practice(room.context, OWNER, request)


def test_who_waits_is_told_to_a_webhook_and_a_command(
    room: Room, hook: Hook, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = ("sh", "-c", 'cat > "$0"', str(pipe))
    link = room.opened(coloring_plan(room, review=Review.RESEARCHER))
    notices = room.context.service(PracticeNotices)
    notices.begin(room.context, NoticeSettings(hook.url, command, ADDRESS))
    try:
        waits(room, link)
        body = hook.bodies.get(timeout=300)
        text = pipe.read_text("utf-8")
    finally:
        notices.close()
    study = room.storage.studies.get(link.study.id)
    (person,) = room.storage.participants.of(study.id)
    assert (body["study"], body["title"], body["waiting"]) == (study.id, study.title, 1)
    assert body["link"] == f"{ADDRESS}/?tab=studies&study={study.id}&view=practice"
    assert body["text"] == text
    assert text.startswith(f"1 person waits for the review of their practice in “{study.title}”, ")
    assert person.id not in str(body)
    assert "secret" not in text


def test_a_study_sends_few_notices_and_one_again_for_somebody_new(room: Room, hook: Hook) -> None:
    now = [1000.0]
    notices = PracticeNotices(lambda: now[0])
    notices.settings = NoticeSettings(hook.url, address=ADDRESS, minutes=10)
    link = room.opened(coloring_plan(room, review=Review.RESEARCHER))
    study_id = link.study.id

    def sent() -> list[int]:
        notices.check(room.context, study_id)
        return [hook.bodies.get_nowait()["waiting"] for _ in range(hook.bodies.qsize())]

    assert sent() == []
    waits(room, link)
    assert sent() == [1]
    waits(room, link)
    assert sent() == []  # too soon after the last one
    now[0] += 601
    assert sent() == [2]
    now[0] += 601
    assert sent() == []  # who waits was in a notice
    accepts_all(room, study_id)
    assert sent() == []
    waits(room, link)
    assert sent() == [1]


def test_a_notice_that_fails_is_shown_and_sent_later(room: Room, hook: Hook) -> None:
    now = [1000.0]
    notices = PracticeNotices(lambda: now[0])
    room.context.services[PracticeNotices] = notices
    link = room.opened(coloring_plan(room, review=Review.RESEARCHER))
    study_id = link.study.id

    def shown() -> Any:
        return coloring_progress(room.context, OWNER, StudyReference(study=study_id))["notices"]

    assert shown() is None
    waits(room, link)
    notices.settings = NoticeSettings(hook.url, minutes=5)
    for status in (500, 302):
        hook.status = status
        notices.check(room.context, study_id)
        problem = f"The webhook answered {status}."
        assert shown() == {
            "ways": ["webhook"],
            "minutes": 5,
            "sent_at": None,
            "problem": problem,
        }
        now[0] += 301
    assert hook.bodies.qsize() == 2  # where it is led on to, nothing is sent
    hook.status = 200
    notices.check(room.context, study_id)
    assert shown()["problem"] == ""
    assert shown()["sent_at"]
    for command, problem in (
        (("sh", "-c", "echo no mail >&2; exit 3"), "The command ended with status 3."),
        (("/no/such/program",), "The command cannot be run (No such file or directory)."),
    ):
        now[0] += 301
        notices.settings = NoticeSettings("http://127.0.0.1:9/hook", command, minutes=5)
        waits(room, link)
        notices.check(room.context, study_id)
        assert shown()["problem"] == f"The webhook cannot be reached (ConnectError). {problem}"


def test_where_notices_go_is_set_by_who_starts_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WEBHOOK", "COMMAND", "ADDRESS"):
        monkeypatch.delenv(f"TRUEHUE_NOTIFY_{name}", raising=False)
    assert notice_settings(read_settings([])).ways == []
    monkeypatch.setenv("TRUEHUE_NOTIFY_WEBHOOK", "https://chat.example/hook")
    monkeypatch.setenv("TRUEHUE_NOTIFY_COMMAND", "sh -c 'cat > /dev/null'")
    settings = notice_settings(read_settings(["--port", "7999", "--notify-minutes", "2.5"]))
    assert settings.ways == ["webhook", "command"]
    assert settings.command == ("sh", "-c", "cat > /dev/null")
    assert (settings.address, settings.minutes) == ("http://127.0.0.1:7999", 2.5)
    for option, value, problem in (
        ("webhook", "file:///etc/passwd", "is an address such as"),
        ("webhook", "chat.example", "is an address such as"),
        ("address", "ftp://lab.example", "is an address such as"),
        ("command", "no-such-program-here --x", "there is no program"),
        ("command", "mail 'ann", "cannot be read"),
    ):
        given = read_settings([f"--notify-{option}", value])
        with pytest.raises(BadInput, match=problem):
            notice_settings(given)
    with pytest.raises(SystemExit):
        read_settings(["--notify-minutes", "0"])
