"""What is told above every page, and what is refused while the data folder is away."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.core.runs.samples import small_plan
from tests.tabs.page.test_routes import OURS, png
from truehue.core.errors import DataFolderError
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.storage import Storage
from truehue.storage.database.confirmed import Confirmed
from truehue.tabs.batches.supervisor import Execution, RunSupervisor
from truehue.tabs.page.context import Context
from truehue.tabs.page.notices import notices
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.page.routes import page_routes, routes
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow

ANN = Actor("ann", Role.VISITOR)


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Context]:
    """A context whose database was three writes behind when it was opened."""
    folder = tmp_path / "data"
    with Storage.open(folder) as storage:
        storage.selections.save("basket", [("", "mini-1")])
        tally = storage._database.tally()
    assert tally is not None
    confirmed = Confirmed(folder / "truehue.duckdb")
    confirmed.begin(replace(tally, writes=tally.writes + 3))
    confirmed.close()
    with Storage.open(folder) as storage:
        made = make_context(storage, "data")
        yield made
        made.close()


def _client(context: Context) -> TestClient:
    app = FastAPI()
    for make in (routes, page_routes):
        app.include_router(make(context))
    return TestClient(app)


def test_a_loss_is_told_until_it_was_read(behind: Context) -> None:
    client = _client(behind)
    (item,) = client.get("/api/page").json()["notices"]
    assert item["text"].startswith("3 writes that had been confirmed are missing from ")
    assert client.post("/api/notices/read", json={"number": item["number"]}).status_code == 403
    for wrong in ({}, {"number": "1"}, {"number": 0}, {"number": 10**30}):
        assert client.post("/api/notices/read", json=wrong, headers=OURS).status_code == 400
    assert client.post("/api/notices/read", json={"number": 9}, headers=OURS).status_code == 404
    assert len(client.get("/api/page").json()["notices"]) == 1
    answer = client.post("/api/notices/read", json={"number": item["number"]}, headers=OURS)
    assert answer.json() == {"notices": []}
    assert client.get("/api/page").json()["notices"] == []


def test_strangers_learn_no_paths_and_mark_nothing(behind: Context) -> None:
    public = replace(behind, local=False, demo=True)
    try:
        assert notices(public, ANN) == {"notices": []}
        client = _client(public)
        answer = client.post("/api/notices/read", json={"number": 1}, headers=OURS)
        assert answer.status_code == 403
        assert len(behind.storage.losses.unread()) == 1
        shutil.rmtree(behind.storage.data_dir)
        (item,) = notices(public, ANN)["notices"]
        assert str(behind.storage.data_dir) not in item["text"]
    finally:
        public.close()


def test_while_the_data_folder_is_away_nothing_is_confirmed(context: Context) -> None:
    client = _client(context)
    assert client.post("/api/images", content=png(1), headers=OURS).status_code == 200
    assert client.get("/api/ready").json()["data"] == "data · 1 image · 0 verdicts"
    folder = context.storage.data_dir
    folder.rename(folder.with_name("moved"))
    answer = client.post("/api/images", content=png(2), headers=OURS)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
    assert "was deleted, moved or unmounted" in answer.json()["error"]
    plan = small_plan([Prompt("-", "a mug", "free", (ObjectTarget("mug"),))])
    with pytest.raises(DataFolderError, match="was deleted"):
        context.service(RunSupervisor).start(plan, Execution(), OWNER)
    assert not folder.exists()
    assert client.get("/api/ready").json()["data"] == "data · gone: nothing is saved"
    (item,) = client.get("/api/page").json()["notices"]
    assert item["number"] is None
    assert "start TrueHue again" in item["text"]
    folder.with_name("moved").rename(folder)
    assert client.get("/api/page").json()["notices"] == []
    assert client.post("/api/images", content=png(2), headers=OURS).status_code == 200
    assert client.get("/api/ready").json()["data"] == "data · 2 images · 0 verdicts"
