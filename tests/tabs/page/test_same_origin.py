"""What pages of other sites, and strangers, can do: the layers around all routes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.datastructures import Headers
from starlette.websockets import WebSocketDisconnect

from tests.empty_data import empty_data
from truehue.storage import Storage
from truehue.tabs.page.context import Context
from truehue.tabs.page.same_origin import browser_headers, foreign, same_host
from truehue.tabs.shell import shell
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow

LOCAL = ("127.0.0.1", "localhost", "[::1]", "::1")


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    with Storage.open(empty_data(tmp_path_factory.mktemp("doors") / "data")) as storage:
        made = make_context(storage, "data")
        yield made
        made.close()


@pytest.fixture(scope="module")
def local(context: Context) -> Iterator[TestClient]:
    """The whole app as it is on a machine of one's own."""
    with TestClient(shell.mount(context, LOCAL), "http://127.0.0.1:7860") as client:
        yield client


@pytest.fixture(scope="module")
def everywhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The whole app as it is where everybody reaches it."""
    with Storage.open(empty_data(tmp_path_factory.mktemp("public") / "data")) as storage:
        context = make_context(storage, "data", demo=True)
        with TestClient(shell.mount(context), "http://lab.test:7860") as client:
            yield client
        context.close()


def saved(client: TestClient, name: str, **headers: str) -> tuple[int, dict[str, Any]]:
    sent = {"X-TrueHue": "1"} | {key.replace("_", "-"): value for key, value in headers.items()}
    answer = client.post("/api/selections", json={"name": name, "refs": []}, headers=sent)
    return answer.status_code, answer.json()


FOREIGN = [
    {"Origin": "http://csrf-evil.test:7998"},
    {"Origin": "http://127.0.0.1:7998"},
    {"Origin": "http://localhost:7860"},
    {"Origin": "http://[::1]:7860"},
    {"Origin": "http://127.0.0.1"},
    {"Origin": "http://127.0.0.1:7860.evil.test"},
    {"Origin": "http://lab.test:7860@evil.test"},
    {"Origin": "http://lab.test"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "file://"},
    {"Origin": "chrome-extension://abcdef"},
    {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "Cross-Site"},
]


@pytest.mark.parametrize("sent", FOREIGN, ids=str)
@pytest.mark.parametrize("app", ["local", "everywhere"])
def test_a_page_of_another_site_changes_nothing(
    request: pytest.FixtureRequest, app: str, sent: dict[str, str]
) -> None:
    client: TestClient = request.getfixturevalue(app)
    status, said = saved(client, "csrf", **sent)
    assert status == 403
    assert "another site" in said["error"]
    headers = {key.replace("_", "-"): value for key, value in sent.items()}
    joined = client.post(
        "/gradio_api/queue/join", json={"data": [], "fn_index": 0}, headers=headers
    )
    assert joined.status_code == 403


@pytest.mark.parametrize("path", ["/", "/gradio_api/queue/join", "/api/jobs"])
def test_a_page_of_another_site_opens_no_socket(everywhere: TestClient, path: str) -> None:
    with (
        pytest.raises(WebSocketDisconnect) as closed,
        everywhere.websocket_connect(path, headers={"Origin": "https://evil.example"}),
    ):
        pass
    assert closed.value.code == 1008


@pytest.mark.parametrize(
    "path", ["/api/selections", "/api/images", "/gradio_api/queue/join", "/config", "/"]
)
@pytest.mark.parametrize("origin", ["http://evil.test", "http://localhost:7998", "null"])
@pytest.mark.parametrize("app", ["local", "everywhere"])
def test_no_browser_is_told_that_another_site_may_ask(
    request: pytest.FixtureRequest, app: str, origin: str, path: str
) -> None:
    client: TestClient = request.getfixturevalue(app)
    evaluation = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "x-truehue,content-type",
    }
    for answer in (
        client.options(path, headers=evaluation),
        client.get(path, headers={"Origin": origin}),
        client.post(path, headers={"Origin": origin}, json={}),
    ):
        assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert client.options(path, headers=evaluation).status_code == 403


def test_the_page_itself_and_programs_that_are_no_browser_still_work(
    local: TestClient, everywhere: TestClient
) -> None:
    made = [
        saved(local, "own page", Origin="http://127.0.0.1:7860", Sec_Fetch_Site="same-origin"),
        saved(local, "a script"),
        saved(everywhere, "own page", Origin="http://lab.test:7860"),
        saved(everywhere, "a script"),
    ]
    # A selection of nothing is refused by its own route: the request came as far as that.
    assert [status for status, _ in made] == [400] * 4
    assert all("another site" not in said["error"] for _, said in made)
    options = local.options("/api/selections", headers={"Origin": "http://127.0.0.1:7860"})
    assert (options.status_code, options.headers["allow"]) == (204, "GET, HEAD, POST, DELETE")


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://127.0.0.1:7860", "127.0.0.1:7860"),
        ("http://[::1]:7860", "[::1]:7860"),
        ("http://lab.test", "lab.test"),
        ("http://lab.test", "lab.test:80"),
        ("http://LAB.test:80", "lab.test"),
        # A Space: https outside, http behind its proxy, and the name in both.
        ("https://name-space.hf.space", "name-space.hf.space"),
        ("https://name-space.hf.space", "name-space.hf.space:443"),
    ],
)
def test_a_page_of_the_same_host_is_known(origin: str, host: str) -> None:
    assert same_host(origin, host)
    assert not foreign(Headers({"origin": origin, "host": host}))


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://lab.test:7998", "lab.test:7860"),
        ("http://lab.test", "lab.test:7860"),
        ("http://lab.test:7860", "lab.test"),
        ("http://evil.test/lab.test", "lab.test"),
        ("http://[::2]:7860", "[::1]:7860"),
        ("null", "null"),
        ("", ""),
        ("http://", ""),
        ("ftp://lab.test", "lab.test"),
    ],
)
def test_a_page_of_another_host_is_known(origin: str, host: str) -> None:
    assert not same_host(origin, host)
    assert foreign(Headers({"origin": origin, "host": host}))


def test_a_proxy_that_names_the_host_it_was_asked_for_is_believed() -> None:
    sent = {"origin": "https://lab.test", "host": "10.0.0.7:7860", "x-forwarded-host": "lab.test"}
    assert not foreign(Headers(sent))
    assert foreign(Headers(sent | {"origin": "https://evil.test"}))


def test_two_origins_are_none() -> None:
    sent = [(b"host", b"lab.test"), (b"origin", b"http://lab.test"), (b"origin", b"http://e.test")]
    assert foreign(Headers(raw=sent))


@pytest.mark.parametrize(
    "header",
    ["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "X-Real-IP", "Via"],
)
def test_nobody_comes_to_a_machine_of_ones_own_through_a_proxy(
    local: TestClient, everywhere: TestClient, header: str
) -> None:
    """Whoever comes through a proxy on the same machine would be taken for someone at it."""
    answer = local.get("/api/ready", headers={header: "10.0.0.7"})
    assert answer.status_code == 403
    assert header.lower() in answer.json()["error"]
    assert "--public" in answer.json()["error"]
    assert everywhere.get("/api/ready", headers={header: "10.0.0.7"}).status_code == 200


@pytest.mark.parametrize(
    ("path", "status"), [("/", 200), ("/api/ready", 200), ("/nowhere", 404), ("/config", 200)]
)
def test_no_other_site_shows_the_page_in_a_frame(local: TestClient, path: str, status: int) -> None:
    answer = local.get(path)
    assert answer.status_code == status
    assert answer.headers["content-security-policy"] == "frame-ancestors 'self'"
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_a_space_is_shown_where_spaces_are() -> None:
    said = browser_headers(space=True)
    assert said["Content-Security-Policy"] == "frame-ancestors 'self' https://huggingface.co"
    assert "X-Frame-Options" not in said


def test_no_cache_shares_what_a_header_wrote(everywhere: TestClient) -> None:
    """Gradio takes the address of its page from this header."""
    for path in ("/", "/config"):
        answer = everywhere.get(path, headers={"X-Forwarded-Host": "evil.test"})
        assert answer.headers["cache-control"] == "private, no-cache"


def test_a_wrong_value_and_a_wrong_address_are_told_in_words(local: TestClient) -> None:
    for path, status, said in (
        ("/api/images?limit=abc", 400, "“limit” cannot be 'abc'"),
        ("/api/images?limit=" + "9" * 5000, 400, "limit"),
        ("/api/no/such", 404, "nothing at this address"),
        ("/media/nowhere", 404, "nothing at this address"),
    ):
        answer = local.get(path)
        assert answer.status_code == status, answer.text
        assert said in answer.json()["error"]
        assert len(answer.text) < 1000


def test_the_page_comes_packed(everywhere: TestClient, local: TestClient) -> None:
    for client in (everywhere, local):
        answer = client.get("/", headers={"Accept-Encoding": "gzip"})
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.num_bytes_downloaded < 0.4 * len(answer.content)
