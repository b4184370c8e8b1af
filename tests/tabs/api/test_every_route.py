"""Whatever is sent to any route of the description is answered in words: no fault, no trace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from storage.store import Storage
from tabs.shell.compose import make_context
from tabs.shell.shell import mount

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
    with Storage.open(tmp_path_factory.mktemp("routes") / "data") as storage:
        context = make_context(storage, "data", demo=True)
        yield TestClient(mount(context), headers=OURS, raise_server_exceptions=False)
        context.close()


def described(client: TestClient) -> list[tuple[str, str, dict[str, Any]]]:
    paths = client.get("/api/openapi.json").json()["paths"]
    return [
        (method, path, route)
        for path, methods in paths.items()
        for method, route in methods.items()
    ]


def bodies(route: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Objects with the fields that the route asks for, of any type, some of them missing; and what
    is no object."""
    content = route.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    names = list(schema.get("properties", {}))
    whole = st.fixed_dictionaries({}, optional=dict.fromkeys(names, JSON))
    return whole | JSON


def told(answer: Any, where: str) -> None:
    """An answer in words: it succeeded, or says what was wrong as ``{"error": text}``."""
    assert answer.status_code < 500, (where, answer.text[:300])
    if answer.status_code < 400:
        return
    words = answer.json()["error"]
    assert isinstance(words, str), where
    assert words, where
    assert not any(word in words for word in WORDS_OF_SCHEMA), (where, words)


@settings(
    max_examples=4,
    deadline=None,
    database=None,
    # The same cases each time: what fails, fails for everybody. More of them: raise max_examples.
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_whatever_is_sent_is_answered_in_words(client: TestClient, data: DataObject) -> None:
    for method, path, route in described(client):
        names = [one["name"] for one in route.get("parameters", ()) if one["in"] == "path"]
        address = path
        for name in names:
            value = data.draw(st.sampled_from(["x", "f" * 64, "0" * 32, "%00", "1"]))
            address = address.replace(f"{{{name}}}", value)
        if method == "get":
            asked = {
                one["name"]: str(data.draw(JSON))[:200]
                for one in route.get("parameters", ())
                if one["in"] == "query" and one["name"] != "seen"
            }
            told(client.get(address, params=asked), f"GET {address} {asked}")
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
    assert len([one for one in known if one[0] == "post"]) > 30
