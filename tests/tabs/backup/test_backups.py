"""Backups from the page: who may make and fetch them, and what stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.storage.samples import picture
from tests.tabs.accounts.people import add, session
from tests.tabs.reach import as_demo
from truehue.core.errors import NotAllowed
from truehue.storage import Storage
from truehue.storage.backup.restore import restore
from truehue.tabs.backup.routes import backup_routes
from truehue.tabs.backup.service import start_backup
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import OWNER, Actor, Role

OURS = {"X-TrueHue": "1"}


@pytest.fixture
def client(context: Context) -> TestClient:
    app = FastAPI()
    app.include_router(backup_routes(context))
    return TestClient(app, headers=OURS)


def made(context: Context, client: TestClient) -> dict[str, Any]:
    """The result of a backup that is begun from the page."""
    answer = client.post("/api/backups", json={})
    assert answer.status_code == 200, answer.text
    record = context.jobs.wait(answer.json()["job"], 300)
    assert (record.status, record.problem) == ("done", "")
    assert record.words.endswith("checked.")
    return dict(record.result)


def test_a_backup_is_made_listed_and_sent(
    context: Context, client: TestClient, tmp_path: Path
) -> None:
    context.storage.images.add(picture(), "a", "upload")
    assert client.get("/api/backups").json() == {"backups": []}
    result = made(context, client)
    assert client.get("/api/backups").json() == {"backups": [result]}
    sent = client.get(result["url"])
    assert (sent.status_code, sent.headers["content-encoding"]) == (200, "identity")
    assert result["name"] in sent.headers["content-disposition"]
    (tmp_path / "sent.zip").write_bytes(sent.content)
    with Storage.open(restore(tmp_path / "sent.zip", tmp_path / "new").folder) as opened:
        assert opened.images.count() == 1


def test_the_one_before_goes_and_one_of_an_update_stays(
    context: Context, client: TestClient
) -> None:
    folder = context.storage.data_dir / "backups"
    folder.mkdir()
    update = "before-step-14-of-step-9.truehue-backup.zip"
    for name in (update, "truehue-2020-01-01-000000.truehue-backup.zip", "else.zip"):
        (folder / name).touch()
    result = made(context, client)
    assert {path.name for path in folder.iterdir()} == {update, "else.zip", result["name"]}
    listed = client.get("/api/backups").json()["backups"]
    assert {backup["name"] for backup in listed} == {update, result["name"]}
    for name in ("else.zip", "..%2ftruehue.duckdb", "none.truehue-backup.zip"):
        assert client.get(f"/api/backups/{name}").status_code == 404


def test_a_cancelled_backup_leaves_nothing(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = context.jobs

    def stop_all(*values: Any, progress: Any, **more: Any) -> None:
        for job in list(jobs._jobs.values()):
            job.stop.set()
        progress(1, 2)

    monkeypatch.setattr(Storage, "write_backup", stop_all)
    job = start_backup(context, OWNER, EmptyRequest())["job"]
    assert jobs.wait(job, 300).status == "cancelled"
    assert list((context.storage.data_dir / "backups").iterdir()) == []


def test_only_an_admin_makes_and_fetches_them(context: Context, client: TestClient) -> None:
    accounts = context.storage.accounts
    name = made(context, client)["name"]  # as the owner, where there are no accounts
    people = {role: add(accounts, role, role) for role in ("admin", "researcher", "expert")}
    for role, account in people.items():
        client.cookies.clear()
        client.cookies.update(session(accounts, account))
        wanted = 200 if role == "admin" else 403
        assert client.get("/api/backups").status_code == wanted
        assert client.get(f"/api/backups/{name}").status_code == wanted
        assert client.post("/api/backups", json={}).status_code == wanted
    client.cookies.clear()
    assert client.get(f"/api/backups/{name}").status_code == 403


def test_a_demonstration_has_none(context: Context, client: TestClient) -> None:
    name = made(context, client)["name"]
    as_demo(context)
    for path in ("/api/backups", f"/api/backups/{name}"):
        assert client.get(path).status_code == 403
    for actor in (OWNER, Actor("a" * 32, Role.VISITOR)):
        with pytest.raises(NotAllowed):
            start_backup(context, actor, EmptyRequest())
