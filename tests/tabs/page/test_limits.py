"""How much one may ask of the app, and what an error tells to whom."""

from __future__ import annotations

import ast
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.empty_data import empty_data
from tests.house import modules
from truehue.core.errors import BadInput, DatabaseBusy, NotStored, StorageError
from truehue.storage import Storage
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.page import errors as guard
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import MAX_CHARACTERS, for_others, message_of, others_read_errors
from truehue.tabs.page.limits import HERE
from truehue.tabs.page.limits import for_others as limits_for_others
from truehue.tabs.page.routes import routes
from truehue.tabs.runs.routes import run_routes
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow

OURS = {"X-TrueHue": "1"}


@pytest.fixture
def public(tmp_path: Path) -> Iterator[Context]:
    """A context that others reach."""
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        made = make_context(storage, "/home/somebody/data", demo=True)
        yield made
        made.close()


@pytest.fixture
def told_to_others() -> Iterator[None]:
    others_read_errors()
    yield
    others_read_errors(False)


def test_one_visitor_does_not_take_the_whole_queue() -> None:
    few = limits_for_others(gpus=0)
    few.check_job(few.job_images, ["eve"] * (few.jobs_of_one - 1), "eve")
    for images, waiting in (
        (few.job_images + 1, []),
        (1, ["eve"] * few.jobs_of_one),
        (1, ["bob"] * few.jobs),
    ):
        with pytest.raises(BadInput):
            few.check_job(images, waiting, "eve")
    few.check_runs([few.run_pictures], few.runs_of_one - 1, few.runs - 1)
    for stored_images, own, waits in (
        ([few.run_pictures + 1], 0, 0),
        ([1], few.runs_of_one, few.runs_of_one),
        ([1], 0, few.runs),
        ([1] * (few.runs_of_one + 1), 0, 0),
    ):
        with pytest.raises(BadInput):
            few.check_runs(stored_images, own, waits)
    HERE.check_job(100_000, ["me"] * 100, "me")
    assert limits_for_others(gpus=2).workers == 2


def test_a_run_for_others_has_no_more_workers_than_cores(public: Context) -> None:
    app = FastAPI()
    app.include_router(run_routes(public))
    limit = public.limits.workers
    target = {"set": "mini", "models": ["reference-renderer"], "workers": limit + 1, "limit": 2}
    with TestClient(app) as client:
        answer = client.post("/api/runs/estimate", json=target, headers=OURS)
        assert (answer.status_code, answer.json().get("field")) == (400, "workers")
        answer = client.post(
            "/api/runs", json={**target, "workers": 1, "limit": "", "images": 1_000}, headers=OURS
        )
        assert answer.status_code == 400
        assert "images take about" in answer.json()["error"]
    assert public.service(RunSupervisor).folders() == []


def test_uploads_of_others_are_smaller(public: Context) -> None:
    app = FastAPI()
    app.include_router(routes(public))
    with TestClient(app) as client:
        content = b"x" * (public.limits.image_bytes + 1)
        answer = client.post("/api/images", content=content, headers=OURS)
        assert (answer.status_code, "32 MB" in answer.json()["error"]) == (413, True)
        # Where the folder lies is nobody else's business.
        assert "somebody" not in client.get("/api/ready").json()["data"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/home/me/data/truehue.duckdb cannot be used.", "truehue.duckdb cannot be used."),
        ("The folder '/srv/my data/runs/ab12' is gone.", "The folder 'ab12' is gone."),
        (r"C:\Users\me\data\x.png is gone.", "x.png is gone."),
        (
            "The database /d/truehue.duckdb reports: Conversion Error: LINE 1: SELECT\nx",
            "The database reports an error.",
        ),
        ("See https://example.org/a/b for details.", "See https://example.org/a/b for details."),
        ("3/4 of runs/ab12 and a / b.", "3/4 of runs/ab12 and a / b."),
        ("Open TrueHue at: /", "Open TrueHue at: /"),
    ],
)
def test_others_are_told_names_not_paths(text: str, message: str) -> None:
    assert for_others(text) == message


def test_what_nobody_foresaw_is_told_to_people_at_the_machine_alone(
    told_to_others: None, caplog: pytest.LogCaptureFixture
) -> None:
    error = OSError("cannot read /srv/secret/place.txt")
    assert "secret" not in message_of(error)
    assert "OSError" in message_of(error)
    assert "secret" in caplog.text
    assert (
        message_of(StorageError("/srv/secret/truehue.duckdb is full")) == "truehue.duckdb is full"
    )
    others_read_errors(False)
    assert "/srv/secret/place.txt" in message_of(error)


@pytest.mark.parametrize(
    "error", [BadInput("x" * 50_000), NotStored("y" * 50_000), KeyError("z" * 50_000)]
)
def test_what_was_given_is_not_given_back_whole(error: Exception) -> None:
    assert len(message_of(error)) <= MAX_CHARACTERS
    assert len(guard.shorten("x" * 50, 50)) == 50


# Their sentences stay with the person at this machine, or go on in another error.
OF_THE_MACHINE = (
    "tabs.accounts.control",
    "tabs.command.",
    "tabs.runs.trial",
    "tabs.shell.zero_gpu",
)
# An error of these may be one of the data folder, whose message has paths and SQL.
WIDE = {"Exception", "TrueHueError", "StorageError", "DataFolderError"}


def raw_messages(source: str) -> list[int]:
    """Lines that take the text of an error that may be one of the data folder as it is, and raise
    no other error with it."""
    lines = []
    for handler in ast.walk(ast.parse(source)):
        if not isinstance(handler, ast.ExceptHandler) or handler.type is None:
            continue
        caught = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
        raised = {
            id(inner)
            for node in ast.walk(handler)
            if isinstance(node, ast.Raise)
            for inner in ast.walk(node)
        }
        lines += [
            node.lineno
            for node in ast.walk(handler)
            if caught & WIDE
            and id(node) not in raised
            and isinstance(node, ast.Call)
            and ast.unparse(node) == f"str({handler.name})"
        ]
    return lines


def test_an_error_of_the_data_folder_is_told_by_message_of_alone() -> None:
    caught = "try: x()\nexcept (KeyError, TrueHueError) as error:\n    "
    assert raw_messages(f"{caught}return {{'problem': str(error)}}") == [3]
    assert raw_messages(f"{caught}raise BadInput(str(error))") == []
    assert raw_messages("try: x()\nexcept BadInput as error:\n    return str(error)") == []
    found = [
        f"{module}:{line}"
        for module, path in modules("tabs")
        if not module.startswith(OF_THE_MACHINE)
        for line in raw_messages(path.read_text("utf-8"))
    ]
    assert found == []


IMAGE = "/media/images/0123456789abcdef.png"


@pytest.mark.parametrize("path", ["/api/images", IMAGE, IMAGE.replace("images", "thumbs")])
@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (DatabaseBusy("Another process uses /srv/secret/truehue.duckdb."), 503, "truehue.duckdb"),
        (
            StorageError(
                f"The database /srv/secret/x.duckdb reports: {os.strerror(errno.ENOSPC)} in SELECT"
            ),
            507,
            "The disk is full",
        ),
        (KeyError("secret"), 500, "unexpected error (KeyError)"),
        (NotStored("There is no image 0123456789abcdef."), 404, "no image 0123456789abcdef"),
    ],
)
def test_what_keeps_an_image_from_being_sent_is_told_by_its_status(
    public: Context,
    told_to_others: None,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    error: Exception,
    status: int,
    words: str,
) -> None:
    def refused(*values: Any, **named: Any) -> Any:
        raise error

    for name in ("get", "path", "srgb8", "recent", "counts"):
        monkeypatch.setattr(type(public.storage.images), name, refused)
    app = FastAPI()
    app.include_router(routes(public))
    with TestClient(app) as client:
        answer = client.get(path)
        assert (answer.status_code, words in answer.json()["error"]) == (status, True)
        assert "secret" not in answer.text
        assert "SELECT" not in answer.text
