"""Which of Gradio's routes are open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.empty_data import empty_data
from truehue.storage import Storage
from truehue.tabs.page.gradio_routes import (
    MAX_EVENT_BYTES,
    MAX_WAITING,
    SMALL_BYTES,
    GradioRoutes,
)
from truehue.tabs.shell import shell
from truehue.tabs.shell.compose import make_context


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with Storage.open(empty_data(tmp_path_factory.mktemp("routes") / "data")) as storage:
        context = make_context(storage, "data")
        with TestClient(shell.mount(context)) as made:
            yield made
        context.close()


@pytest.mark.parametrize(
    ("former", "current"),
    [
        ("/?tab=ask&view=questions&set=ab,cd&q=", "/?tab=vlm&view=questions&set=ab,cd&q="),
        ("/?__theme=dark&tab=judge&study=12#x", "/?__theme=dark&tab=studies&study=12"),
        ("/?tab=judge&new=questions&set=a%20b", "/?tab=studies&new=questions&set=a+b"),
        ("/api/ask/images/ab/cd.png?version=gray", "/api/vlm/images/ab/cd.png?version=gray"),
        ("/api/ask/askings", "/api/vlm/evaluations"),
        ("/api/vlm/askings/ab/hide?x=1", "/api/vlm/evaluations/ab/hide?x=1"),
        ("/?tab=explore&view=wall&rule=paper", "/?tab=explore&view=failures&rule=paper"),
        ("/?tab=explore&view=trust", "/?tab=explore&view=rule_accuracy"),
        ("/?tab=explore&view=audit&cell=a:b", "/?tab=explore&view=disagreements&cell=a:b"),
        ("/api/explore/board.csv?rule=paper", "/api/explore/leaderboard.csv?rule=paper"),
        ("/api/explore/wall/picture?run=ab", "/api/explore/failures/image?run=ab"),
        ("/api/explore/wall/facets", "/api/explore/failures/facets"),
        ("/?__theme=dark&tab=runs&run=ab", "/?tab=explore&view=runs&__theme=dark&run=ab"),
        ("/?tab=leaderboard&view=x", "/?tab=explore&view=leaderboard"),
    ],
)
def test_an_address_of_before_is_sent_on(client: TestClient, former: str, current: str) -> None:
    answer = client.get(former, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (308, current)
    assert client.get(current, follow_redirects=False).status_code != 308


def test_what_is_sent_to_an_address_of_before_arrives(client: TestClient) -> None:
    sent = {"json": {"hidden": "odd"}, "headers": {"X-TrueHue": "1"}}
    answers = [client.post(f"/api/{name}/sets/none/hide", **sent) for name in ("ask", "vlm")]
    assert answers[0].status_code == answers[1].status_code
    assert answers[0].json() == answers[1].json()
    assert answers[0].status_code in (400, 404, 422)


CLOSED = [
    ("POST", "/gradio_api/upload"),
    ("POST", "/gradio_api/process_recording"),
    ("GET", "/gradio_api/proxy=https://example.test/"),
    ("GET", "/gradio_api/proxy=%00"),
    ("GET", "/gradio_api/file=/etc/hostname"),
    ("GET", "/gradio_api/dev/reload"),
    ("POST", "/gradio_api/component_server"),
    ("GET", "/gradio_api/deep_link"),
    ("POST", "/gradio_api/vibe-edit"),
    ("GET", "/gradio_api/vibe-code/"),
    ("GET", "/monitoring"),
    ("GET", "/monitoring/summary"),
    ("POST", "/gradio_api/run/predict"),
    ("POST", "/gradio_api/api/predict/"),
    ("POST", "/gradio_api/call/predict"),
    ("POST", "/gradio_api/call/v2/predict"),
    ("GET", "/gradio_api/openapi.json"),
    ("POST", "/login"),
    ("PUT", "/gradio_api/queue/join"),
    ("GET", "/no/such/address"),
]


@pytest.mark.parametrize(("method", "path"), CLOSED)
def test_a_route_that_the_page_does_not_need_is_closed(
    client: TestClient, method: str, path: str
) -> None:
    answer = client.request(method, path, files={"files": ("a.txt", b"x" * 1000)})
    assert answer.status_code == 404
    assert "nothing at this address" in answer.json()["error"]


@pytest.mark.parametrize(
    "path", ["/", "/config", "/theme.css", "/gradio_api/startup-events", "/gradio_api/info"]
)
def test_what_the_page_needs_is_open(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 200


def test_an_event_has_a_length_and_a_limit(client: TestClient) -> None:
    def parts() -> Iterator[bytes]:
        yield b"{}"

    for content in (b"x" * (MAX_EVENT_BYTES + 1), parts()):
        answer = client.post("/gradio_api/queue/join", content=content)
        assert answer.status_code == 413
        assert "8 MB" in answer.json()["error"]
        assert "6 MB to POST /api/images" in answer.json()["error"]


def test_large_events_wait_outside_while_many_wait() -> None:
    app = FastAPI()
    waiting = [0]
    routes = GradioRoutes(app, lambda: waiting[0])
    client = TestClient(routes)
    large, small = b"x" * (SMALL_BYTES + 1), b"{}"
    assert client.post("/gradio_api/queue/join", content=large).status_code == 404
    waiting[0] = MAX_WAITING
    refused = client.post("/gradio_api/queue/join", content=large)
    assert (refused.status_code, "Try again" in refused.json()["error"]) == (503, True)
    assert client.post("/gradio_api/queue/join", content=small).status_code == 404
