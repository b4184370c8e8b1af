"""A laboratory's app as its own process: every family of addresses with a session and without."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.commands import called
from tests.empty_data import empty_data
from tests.running import App, free_port, running
from tests.tabs.accounts.people import PASSWORD, add, session
from truehue.storage import Storage
from truehue.tabs.command import admin
from truehue.tabs.command.serve import main

pytestmark = pytest.mark.process

# How each is asked for: method, path, and what is sent.
FAMILIES = (
    ("GET", "/", None),
    ("GET", "/config", None),
    ("GET", "/theme.css", None),
    ("GET", "/gradio_api/info", None),
    ("GET", "/gradio_api/queue/data?session_hash=none", None),
    ("GET", "/gradio_api/heartbeat/none", None),
    ("POST", "/gradio_api/queue/join", {"data": [], "fn_index": 0, "session_hash": "none"}),
    ("POST", "/gradio_api/cancel", {"session_hash": "none", "fn_index": 0, "event_id": "x"}),
    ("POST", "/gradio_api/upload", {}),
    ("GET", "/gradio_api/file=/etc/hostname", None),
    ("GET", "/api/ready", None),
    ("GET", "/api/openapi.json", None),
    ("GET", "/api/jobs", None),
    ("GET", "/api/studies", None),
    ("POST", "/api/images", {}),
    ("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    ("GET", "/media/images/" + "f" * 64 + ".png", None),
    ("GET", "/media/thumbs/" + "f" * 64 + ".png", None),
    ("GET", "/assets/plotly.min.js", None),
    ("GET", "/assets/none/js/page/header.js", None),
    ("GET", "/static/none.js", None),
    ("GET", "/nothing/is/here", None),
)
# Streams, which are left once they have begun.
STREAMS = ("queue/data", "heartbeat")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, dict[str, str]]]:
    """The app, and the header of somebody who is signed in."""
    data = tmp_path_factory.mktemp("lab") / "d"
    with Storage.open(empty_data(data)) as storage:
        cookies = session(storage.accounts, add(storage.accounts, "Ann"))
    (pair,) = (f"{name}={value}" for name, value in cookies.items())
    with running(data, "--public") as app:
        yield app, {"Cookie": pair}


def status(app: App, method: str, path: str, body: object, headers: dict[str, str]) -> int:
    """The status alone: of a stream there would be no end."""
    connection = HTTPConnection(app.address.removeprefix("http://"), timeout=300)
    accepted = "application/json, text/event-stream"
    kind = {"Content-Type": "application/json", "Accept": accepted, "X-TrueHue": "1"}
    content = None if body is None else json.dumps(body)
    try:
        connection.request(method, path, content, {**kind, **headers})
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize(("method", "path", "body"), FAMILIES)
def test_every_family_of_addresses_is_for_those_who_signed_in(
    lab: tuple[App, dict[str, str]], method: str, path: str, body: object
) -> None:
    app, cookie = lab
    assert status(app, method, path, body, {}) == 401
    assert status(app, method, path, body, {"Cookie": "truehue-session=made-up"}) == 401
    opened = status(app, method, path, body, cookie)
    assert opened != 401
    if any(name in path for name in ("ready", "config", "jobs", "mcp", "plotly", *STREAMS)):
        assert opened == 200


def test_a_participants_key_opens_nothing_else(lab: tuple[App, dict[str, str]]) -> None:
    app, _ = lab
    token = "t" * 43
    cookie = {"Cookie": f"truehue-participant-abcdefgh={token}"}
    for path in (f"/api/studies?token={token}", "/config", f"/study/{token}/../../api/ready"):
        assert status(app, "GET", path, None, cookie) == 401
    assert status(app, "GET", f"/study/{token}", None, cookie) == 404  # nobody's link
    assert app.ask("/", headers={"Accept": "text/html"}).body.count(b"<form") == 1  # the door


def test_accounts_change_while_the_app_runs(
    lab: tuple[App, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    app, _ = lab

    def gave(*text: str) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(PASSWORD + "\n"))
        done = called(admin.main, *text, "--data", str(app.data))
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert "Ben can sign in as a researcher." in gave("add", "Ben")
    form = b"name=ben&password=" + PASSWORD.replace(" ", "+").encode()
    connection = HTTPConnection(app.address.removeprefix("http://"), timeout=300)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/signin", form, kind)
    answer = connection.getresponse()
    assert answer.status == 303
    pair = {"Cookie": str(answer.headers["set-cookie"]).partition(";")[0]}
    connection.close()
    assert status(app, "GET", "/api/ready", None, pair) == 200
    assert "Ben is closed" in gave("close", "Ben")
    assert status(app, "GET", "/api/ready", None, pair) == 401
    assert "closed" in gave("list")


def test_the_log_has_refusals_and_nobodys_name(lab: tuple[App, dict[str, str]]) -> None:
    app, cookie = lab
    assert status(app, "GET", "/api/ready", None, {"Cookie": "truehue-session=made-up"}) == 401
    assert status(app, "GET", "/api/ready", None, cookie) == 200
    text = app.log.read_text()
    assert "refused: a request without a session" in text
    for personal in ("Ann", "ann", "Ben", "127.0.0.1 -", PASSWORD, "tttt", "made-up"):
        # As words: "cannot" is nobody.
        assert not re.search(rf"\b{re.escape(personal)}", text.replace(str(app.data), ""))


@pytest.mark.parametrize("values", [["--public"], ["--host", "0.0.0.0"]])
def test_others_are_not_let_in_before_there_is_an_account(
    tmp_path: Path, values: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPACE_ID", raising=False)
    data = tmp_path / "d"
    done = called(main, "--data", str(data), "--port", str(free_port()), *values)
    assert done.returncode == 2
    assert f"python -m truehue admin add NAME --data {data}" in done.stderr
    assert " ".join(values) in done.stderr
    assert "--demo" in done.stderr
    # Nothing is held on to: the command that was given can be followed.
    with Storage.open(data) as storage:
        assert not storage.accounts.any()
