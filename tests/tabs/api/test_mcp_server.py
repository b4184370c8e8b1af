"""The tools of MCP: by the real client over HTTP, and what stands around them."""

from __future__ import annotations

import asyncio
import base64
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from mcp import Client, MCPError

from tests.empty_data import empty_data
from tests.nursery import nursery
from tests.running import running, serving
from truehue.core.images.load import encode_png
from truehue.storage import Storage
from truehue.tabs.api import mcp_server
from truehue.tabs.api.endpoints import ENDPOINTS
from truehue.tabs.api.mcp_server import ADDRESS
from truehue.tabs.page.gradio_routes import MAX_EVENT_BYTES
from truehue.tabs.shell.compose import make_context
from truehue.tabs.shell.shell import mount

GRAY = base64.b64encode(encode_png(np.full((8, 8, 3), 128, np.uint8))).decode()
# The newest version and the last one with a handshake.
VERSIONS = ("2026-07-28", "2025-11-25")


# ── the real client ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The whole app, as others reach it."""
    with (
        pytest.MonkeyPatch.context() as patch,
        Storage.open(empty_data(tmp_path_factory.mktemp("mcp") / "data")) as storage,
    ):
        patch.setattr("truehue.core.generation.backends.reference.DEFAULT_PX", 128)
        context = make_context(storage, "data", demo=True)
        yield mount(context, hosts=("testserver", "127.0.0.1"))
        context.close()


@pytest.fixture(scope="module")
def address(public: Any) -> Iterator[str]:
    with serving(public) as served:
        yield served


@pytest.mark.process
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_lists_the_tools_and_calls_them(address: str, mode: str) -> None:
    async def talk() -> None:
        async with Client(address + ADDRESS, mode=mode) as client:
            assert client.protocol_version in VERSIONS
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert list(tools) == [endpoint.name for endpoint in ENDPOINTS]
            for endpoint in ENDPOINTS:
                assert tools[endpoint.name].description == endpoint.words
                assert set(tools[endpoint.name].input_schema["properties"]) == set(
                    endpoint.request.model_fields
                )
            gray = {"image": GRAY, "target": "#808080", "rule": "paper"}
            answer = await client.call_tool("measure_image", gray)
            assert not answer.is_error
            assert answer.structured_content["status"] == "pass"
            assert json.loads(answer.content[0].text) == answer.structured_content
            for fields, text in (
                ({"image": GRAY}, "“target” is missing."),
                ({**gray, "target": "nothing"}, "nothing"),
            ):
                answer = await client.call_tool("measure_image", fields)
                assert answer.is_error
                assert text in answer.content[0].text
            with pytest.raises(MCPError, match="There is no tool 'paint'"):
                await client.call_tool("paint", {})

    asyncio.run(talk())


@pytest.mark.process
def test_too_much_at_once_is_said_in_words(address: str) -> None:
    async def talk() -> None:
        async with Client(address + ADDRESS) as client:
            with pytest.raises(MCPError, match="more than 6 MB to POST /api/images"):
                await client.call_tool(
                    "measure_image", {"image": "A" * MAX_EVENT_BYTES, "target": "#808080"}
                )

    asyncio.run(talk())


@pytest.mark.process
def test_an_open_client_does_not_hold_up_the_end(tmp_path: Path) -> None:
    async def talk() -> None:
        async with Client(app.address + ADDRESS) as client:
            await client.list_tools()
            # An answer that waited for the client would wait here for ever.
            assert await asyncio.to_thread(app.stop, signal.SIGINT) == 0

    with running(tmp_path / "data") as app:
        asyncio.run(talk())


@pytest.mark.process
def test_the_app_starts_without_the_package() -> None:
    """Neither it nor Gradio imports it: that costs a third of a second."""
    assert nursery().has_imported("gradio", "truehue.tabs", "mcp") == {"gradio", "truehue.tabs"}


# ── what stands around ───────────────────────────────────────────────────────────────────────────


def call(
    client: TestClient, name: str, headers: dict[str, str] | None = None, **fields: Any
) -> Any:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": fields},
    }
    accepted = {"Accept": "application/json, text/event-stream", **(headers or {})}
    return client.post(ADDRESS, json=body, headers=accepted)


def result(answer: Any) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()["result"]


def test_who_asks_is_the_visitor_of_the_cookie(public: Any) -> None:
    ann, ben = TestClient(public), TestClient(public)
    started = result(call(ann, "generate", prompt="a red mug"))["structuredContent"]["job"]
    theirs = result(call(ann, "job_state", job_id=started))["structuredContent"]
    assert theirs["mine"]
    assert theirs["title"]
    others = result(call(ben, "job_state", job_id=started))
    assert others["isError"]
    assert "no longer known" in others["content"][0]["text"]
    folder = result(call(ben, "generate", prompt="a red mug", model="folder:/etc"))
    assert folder["isError"]
    assert "Paths of folders work only on the machine" in folder["content"][0]["text"]


def test_an_older_package_is_told_of(public: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # As a Space of Hugging Face has it.
    monkeypatch.setattr(mcp_server, "version", lambda name: "1.23.0")
    mcp_server.has_package.cache_clear()
    answer = call(TestClient(public), "leaderboard")
    mcp_server.has_package.cache_clear()
    assert answer.status_code == 501
    assert "mcp 2.3" in answer.json()["error"]["message"]


def test_pages_of_other_sites_and_other_hosts_are_refused(public: Any) -> None:
    client = TestClient(public)
    elsewhere = call(client, "leaderboard", {"Origin": "https://example.test"})
    assert elsewhere.status_code == 403
    assert call(client, "leaderboard", {"Host": "example.test"}).status_code == 400
    assert call(client, "leaderboard", {"Content-Type": "text/plain"}).status_code == 400


def test_there_is_no_stream_to_hold(public: Any) -> None:
    client = TestClient(public)
    for method in ("GET", "DELETE"):
        answer = client.request(method, ADDRESS, headers={"Accept": "text/event-stream"})
        assert answer.status_code == 405
        assert answer.headers["allow"] == "POST"
    about = {
        "io.modelcontextprotocol/protocolVersion": VERSIONS[0],
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"_meta": about, "notifications": {"toolsListChanged": True}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": VERSIONS[0],
        "Mcp-Method": "subscriptions/listen",
    }
    answer = client.post(ADDRESS, json=body, headers=headers)
    assert answer.json()["error"]["message"] == "Method not found"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"null", b"[]", b"\xff", b"[" * 100_000, b'{"jsonrpc": "2.0", "id": 1}'],
    ids=["empty", "half", "null", "list", "bytes", "deep", "no method"],
)
@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_no_message_is_refused(public: Any, content: bytes, version: str) -> None:
    headers = {
        "Accept": "application/json",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": version,
    }
    answer = TestClient(public).post(ADDRESS, content=content, headers=headers)
    assert answer.status_code == 400
    assert "Traceback" not in answer.text


def test_a_message_without_a_length_is_refused(public: Any) -> None:
    headers = {"Content-Type": "application/json"}
    answer = TestClient(public).post(ADDRESS, content=iter([b"{}"]), headers=headers)
    assert answer.status_code == 413
    assert "8 MB" in answer.json()["error"]["message"]
