"""Whatever is sent to any route of the description is answered in words: no fault, no trace."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from tests.empty_data import empty_data
from truehue.storage.store import Storage
from truehue.tabs.shell.compose import make_context
from truehue.tabs.shell.shell import mount

pytestmark = pytest.mark.slow

OURS = {"X-TrueHue": "1"}
WORDS_OF_SCHEMA = ("Traceback", "ValidationError", "pydantic", "Input should be")

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["f" * 64, "../../etc/passwd", "x" * 5_000, "\0", "l3:Vivid red", "mini"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The whole app, as somebody far away reaches it: its limits hold too."""
    with (
        pytest.MonkeyPatch.context() as patch,
        Storage.open(empty_data(tmp_path_factory.mktemp("routes") / "data")) as storage,
    ):
        # To make all of them takes four seconds: whoever asks for an unknown sketch waits for it.
        patch.setattr("truehue.tabs.sources.sketches.drawings", dict)
        context = make_context(storage, "data", demo=True)
        # One loop for all requests, which halves what each costs.
        with TestClient(mount(context), headers=OURS, raise_server_exceptions=False) as client:
            yield client
        context.close()


def described(client: TestClient) -> list[tuple[str, str, dict[str, Any]]]:
    paths = client.get("/api/openapi.json").json()["paths"]
    return [
        (method, path, route)
        for path, methods in paths.items()
        for method, route in methods.items()
    ]


def fields(route: dict[str, Any]) -> list[str]:
    """The names of what the route wants in its body."""
    content = route.get("requestBody", {}).get("content", {})
    return list(content.get("application/json", {}).get("schema", {}).get("properties", {}))


def parameters(route: dict[str, Any], kind: str) -> list[str]:
    """The names of what the route wants in its ``path`` or its ``query``. A question that waits for
    news is left out."""
    named = [item["name"] for item in route.get("parameters", ()) if item["in"] == kind]
    return [name for name in named if name != "seen"]


def bodies(route: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Objects with the fields that the route asks for, of any type, some of them missing; and what
    is no object."""
    whole = st.fixed_dictionaries({}, optional=dict.fromkeys(fields(route), JSON))
    return whole | JSON


def told(answer: Any, location: str) -> None:
    """An answer in words: it succeeded, or says what was wrong as ``{"error": text}``."""
    assert answer.status_code < 500, (location, answer.text[:300])
    if answer.status_code < 400:
        return
    text = answer.json()["error"]
    assert isinstance(text, str), location
    assert text, location
    assert not any(word in text for word in WORDS_OF_SCHEMA), (location, text)


VALUES = (
    *(None, True, -1, 10**20, 1.5, [], {}, [[1]], {"a": [None]}),
    *("", "x" * 5_000, "\0", "../../etc/passwd", "f" * 64, "l3:Vivid red", "mini"),
)
NAMES = ("x", "f" * 64, "0" * 32, "%00", "1")
ROUNDS = (0, 1, *(pytest.param(number, marks=pytest.mark.nightly) for number in (2, 3)))


@pytest.mark.parametrize("number", ROUNDS)
def test_fields_of_any_kind_are_answered_in_words(client: TestClient, number: int) -> None:
    """Every field of every route gets another value in each round, and its neighbor another one.
    Two rounds more and all combinations are for the night."""
    values = itertools.cycle(VALUES)
    for _ in range(number):
        next(values)
    for index, (method, path, route) in enumerate(described(client)):
        address = path
        for name in parameters(route, "path"):
            address = address.replace(f"{{{name}}}", NAMES[(index + number) % len(NAMES)])
        if method == "get":
            # A page's own address says little: every second round is enough.
            if number % 2 == 0:
                target = {name: str(next(values))[:200] for name in parameters(route, "query")}
                told(client.get(address, params=target), f"GET {address} {target}")
            continue
        body = {name: next(values) for name in fields(route)}
        told(client.request(method, address, json=body), f"{address} {body}")


@pytest.mark.nightly
@settings(
    max_examples=8,
    deadline=None,
    database=None,
    # The same cases each time: what fails, fails for everybody. More of them: raise max_examples.
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_whatever_is_sent_is_answered_in_words(client: TestClient, data: DataObject) -> None:
    for method, path, route in described(client):
        address = path
        for name in parameters(route, "path"):
            address = address.replace(f"{{{name}}}", data.draw(st.sampled_from(NAMES)))
        if method == "get":
            target = {name: str(data.draw(JSON))[:200] for name in parameters(route, "query")}
            told(client.get(address, params=target), f"GET {address} {target}")
            continue
        body = data.draw(bodies(route))
        sent = json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        told(client.request(method, address, content=sent, headers=headers), f"{address} {body}")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"null",
        b'"text"',
        b"[" * 100_000,
        b'{"a": 1e999}',
        b'{"a": "' + b"x" * (9 * 2**20) + b'"}',
    ],
    ids=["empty", "half", "bytes", "null", "text", "deep", "infinite", "huge"],
)
def test_what_is_no_request_is_answered_in_words(client: TestClient, content: bytes) -> None:
    for method, path, _ in described(client):
        if method == "get":
            continue
        address = path.replace("{", "").replace("}", "")
        answer = client.request(
            method, address, content=content, headers={"Content-Type": "application/json"}
        )
        told(answer, f"{method} {address}")


def test_the_description_has_every_route_that_changes_something(client: TestClient) -> None:
    known = {(method, path) for method, path, _ in described(client)}
    assert len([item for item in known if item[0] == "post"]) > 30
