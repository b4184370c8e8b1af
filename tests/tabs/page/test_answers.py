"""How bodies are taken, and what an answer says of an error."""

from __future__ import annotations

import errno
import json
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import anyio
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from fastapi.testclient import TestClient

from tests.tabs.inside import Inside
from truehue.core.errors import BadInput, NotStored, StorageError
from truehue.core.files import MAX_JSON_VALUES
from truehue.tabs.export.routes import export_routes
from truehue.tabs.inspect.routes import inspect_routes
from truehue.tabs.page import answers
from truehue.tabs.page.answers import (
    MAX_BASKET_BYTES,
    MAX_JSON_BYTES,
    attachment,
    csv_attachment,
    posted,
    read_json,
    receive_upload,
    refusal,
)
from truehue.tabs.page.context import Context
from truehue.tabs.runs.routes import image_set_routes
from truehue.tabs.vlm.routes import vlm_routes

pytestmark = pytest.mark.slow

OURS = {"X-TrueHue": "1", "Content-Type": "application/json"}


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = FastAPI()

    @app.post("/small")
    async def small(request: Request) -> JSONResponse:
        return await posted(request, lambda values: {"read": len(values)})

    @app.post("/basket")
    async def basket(request: Request) -> JSONResponse:
        return await posted(request, lambda values: {"read": len(values)}, MAX_BASKET_BYTES)

    with TestClient(app) as made:
        yield made


def body(size: int) -> bytes:
    """A JSON object of that many bytes."""
    return b'{"a": "' + b"x" * (size - 9) + b'"}'


def test_large_bodies_are_for_baskets_alone(client: TestClient) -> None:
    for path, size, status in (
        ("/small", MAX_JSON_BYTES, 200),
        ("/small", MAX_JSON_BYTES + 1, 413),
        ("/basket", MAX_JSON_BYTES + 1, 200),
        ("/basket", MAX_BASKET_BYTES, 200),
        ("/basket", MAX_BASKET_BYTES + 1, 413),
    ):
        answer = client.post(path, content=body(size), headers=OURS)
        assert answer.status_code == status, (path, size)
        if status == 413:
            assert "too large" in answer.json()["error"]


def test_many_small_values_are_refused_before_they_are_made() -> None:
    """Ten million empty objects are 30 MB of text and a gigabyte in memory."""
    data = b'{"refs":[' + b"{}," * (MAX_JSON_VALUES + 1) + b"{}]}"
    with pytest.raises(ValueError, match="1,000,000 values"):
        read_json(data)
    nested = b'{"refs":[' + (b"[" * 900 + b"]" * 900 + b",") * 1_200 + b"{}]}"
    with pytest.raises(ValueError, match="1,000,000 values"):
        read_json(nested)
    assert len(read_json(b'{"refs":[' + b"{}," * 1000 + b"{}]}")["refs"]) == 1001


def test_two_large_bodies_at_once_and_small_ones_go_past_them(client: TestClient) -> None:
    """A third waits until one of two has been answered."""
    inside = Inside(2)

    def slow(data: bytes) -> dict[str, Any]:
        if len(data) > MAX_JSON_BYTES:
            with inside:
                pass
        return {}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answers, "read_json", slow)
        large = [
            threading.Thread(
                target=client.post,
                args=("/basket",),
                kwargs={"content": body(MAX_JSON_BYTES + 10), "headers": OURS},
            )
            for _ in range(5)
        ]
        for item in large:
            item.start()
        assert client.post("/small", content=b"{}", headers=OURS).status_code == 200
        for item in large:
            item.join()
    assert (inside.most, inside.count) == (2, 5)


def test_a_body_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "SLOWEST_S", 0.05)

    async def never() -> dict[str, Any]:
        await anyio.sleep(30)
        return {}

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"x-truehue", b"1")]}
    answer = anyio.run(posted, Request(scope, never), lambda values: values)
    assert answer.status_code == 400
    assert b"did not arrive" in bytes(answer.body)


def test_a_file_is_not_taken_where_there_is_no_room_or_nothing_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers, "SILENT_S", 0.05)
    rooms: list[int] = []

    async def never() -> dict[str, Any]:
        await anyio.sleep(30)
        return {}

    def require_space(size: int) -> None:
        rooms.append(size)
        if size > 100:
            raise BadInput("There is no room for that.")

    def sent(length: int) -> Any:
        headers = [(b"x-truehue", b"1"), (b"content-length", str(length).encode())]
        scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
        made = partial(receive_upload, Request(scope, never), 1000, lambda file, name: {})
        return anyio.run(partial(made, require_space=require_space))

    for length, status, text in (
        (1001, 413, b"larger than"),
        (101, 400, b"no room"),
        (100, 400, b"stopped on its way"),
    ):
        answer = sent(length)
        assert (answer.status_code, text in bytes(answer.body)) == (status, True)
    assert rooms == [101, 100]


def test_what_is_broken_off_writes_no_trace(caplog: pytest.LogCaptureFixture) -> None:
    async def gone() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"x-truehue", b"1")]}
    for _ in range(30):
        made = partial(receive_upload, Request(scope, gone), 1000, lambda file, name: {})
        assert anyio.run(made).status_code == 400
        assert anyio.run(posted, Request(scope, gone), lambda values: values).status_code == 400
    assert len(caplog.records) <= 1
    assert "Traceback" not in caplog.text


def test_what_cannot_be_stored_now_may_be_sent_again() -> None:
    answer = refusal(StorageError("The data folder is gone."))
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert refusal(NotStored("There is none.")).status_code == 404


def test_a_full_disk_is_said_in_words() -> None:
    """As it is met while a browser sends a file: no error of ours, and nobody's fault."""
    answer = refusal(OSError(errno.ENOSPC, "No space left on device"))
    assert answer.status_code == 507
    assert json.loads(bytes(answer.body)) == {
        "error": "The disk is full: nothing was stored. Make room, then try again."
    }
    of_database = StorageError(
        "The database x.duckdb reports: TransactionContext Error: Failed to commit: Could not "
        'write file "x.duckdb.wal": No space left on device'
    )
    same = refusal(of_database)
    assert (same.status_code, same.body) == (507, answer.body)
    assert refusal(OSError(errno.EIO, "Input/output error")).status_code == 500


def test_a_table_is_a_file_to_save_and_an_error_is_words() -> None:
    table = csv_attachment(lambda: ("truehue-numbers.csv", "name,ΔE\nrot,1\n"))
    assert table.status_code == 200
    assert table.headers["content-disposition"] == 'attachment; filename="truehue-numbers.csv"'
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert bytes(table.body).decode() == "name,ΔE\nrot,1\n"

    def missing() -> tuple[str, str]:
        raise NotStored("There is no such run.")

    answer = csv_attachment(missing)
    assert (answer.status_code, json.loads(answer.body)) == (
        404,
        {"error": "There is no such run."},
    )
    assert "content-disposition" not in answer.headers


@pytest.mark.parametrize("name", ['a".csv', "a\r\nb.csv", "../a.csv", "a b.csv", ".csv", "ä.csv"])
def test_a_name_that_a_header_could_not_hold_is_none(name: str) -> None:
    with pytest.raises(ValueError, match="plain name"):
        attachment(name)
    assert csv_attachment(lambda: (name, "text")).status_code == 500


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/api/vlm/sets/import", "path"),
        ("/api/image-sets/plan", "path"),
        ("/api/cfm", "model"),
        ("/api/runs/import-path", "path"),
    ],
)
def test_a_path_that_cannot_be_one_is_refused_in_words(
    context: Context, path: str, field: str
) -> None:
    app = FastAPI()
    for make in (vlm_routes, image_set_routes, inspect_routes, export_routes):
        app.include_router(make(context))
    with TestClient(app, headers=OURS) as page:
        for named in ("~nouser/x", "x" * 400, "/x" * 450, f"/{'x' * 200}" * 4, "a\0b"):
            answer = page.post(path, json={field: named})
            error = answer.json()["error"]
            assert answer.status_code == 400, (named, error)
            assert "unexpected error" not in error
            assert "x" * 201 not in error
            assert "/x" * 101 not in error
