"""The HTTP routes as a page calls them."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

from tests.tabs.reach import as_demo
from truehue.core.verdict.rules import RULES
from truehue.tabs.generate.plan import OwnPrompt
from truehue.tabs.generate.routes import generation_routes
from truehue.tabs.library.routes import prompt_routes
from truehue.tabs.library.service import Library
from truehue.tabs.page.actor import COOKIE
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs_routes import job_routes
from truehue.tabs.page.roles import Actor, Role
from truehue.tabs.page.routes import routes
from truehue.tabs.runs.routes import image_set_routes

pytestmark = pytest.mark.slow

OURS = {"X-TrueHue": "1"}
SESSION = "0123456789abcdef" * 2


@pytest.fixture
def client(context: Context) -> Iterator[TestClient]:
    app = FastAPI()
    for make in (routes, prompt_routes, generation_routes, image_set_routes, job_routes):
        app.include_router(make(context))
    with TestClient(app) as opened:
        yield opened
    context.close()


def png(seed: int) -> bytes:
    out = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(out, format="PNG")
    return out.getvalue()


def finished(client: TestClient, job: str) -> dict[str, Any]:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        state: dict[str, Any] = client.get(f"/api/jobs/{job}").json()
        if not state["active"]:
            return state
        time.sleep(0.02)
    raise AssertionError("the import did not end")


def test_a_page_elsewhere_changes_nothing(client: TestClient) -> None:
    app: Any = client.app
    paths = [path for path, methods in app.openapi()["paths"].items() if "post" in methods]
    assert len(paths) >= 11
    for path in paths:
        filled = path.replace("{session}", SESSION).replace("{job_id}", "x")
        assert client.post(filled, content=b"{}").status_code == 403, path


def test_an_imported_set_is_put_away_and_comes_back(client: TestClient) -> None:
    headers = {**OURS, "X-File-Name": "hats.txt"}
    sent = client.post("/api/prompts/sets", content="a hat\n", headers=headers).json()
    client.post("/api/prompts/sets/hide", json={"set_id": sent["set_id"]}, headers=OURS)
    listed = client.get("/api/prompts/sets").json()["sets"]
    assert not any(item["imported"] for item in listed)
    again = client.post("/api/prompts/sets", content="a hat\n", headers=headers).json()
    assert again["set_id"] == sent["set_id"]
    listed = client.get("/api/prompts/sets").json()["sets"]
    assert [item["title"] for item in listed if item["imported"]] == ["hats.txt"]


def test_a_selection_says_what_it_had_to_leave_out(client: TestClient) -> None:
    row = client.get("/api/prompts/search?set=concepts&limit=1").json()["rows"][0]
    refs = [[row["source"], row["id"]], ["concepts", "gone"]]
    saved = client.post("/api/selections", json={"name": "two", "refs": refs}, headers=OURS)
    assert saved.json() == {"name": "two", "count": 1, "missing": 1}
    wrong = client.post("/api/prompts/resolve", json={"refs": 5}, headers=OURS)
    assert wrong.status_code == 400


@pytest.mark.parametrize("body", [b"[1]", b"{", b"\xff\xfe", b"null"])
def test_what_is_no_json_object_is_refused_in_words(client: TestClient, body: bytes) -> None:
    answer = client.post("/api/selections", content=body, headers=OURS)
    assert answer.status_code == 400
    assert "Reload the page" in answer.json()["error"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("offset=many", "whole numbers"),
        ("set=none", "no prompt set"),
        ("sort=up", "no order"),
        ("f=shape=round", "no facet"),
    ],
)
def test_a_search_that_cannot_be_is_explained(client: TestClient, query: str, said: str) -> None:
    answer = client.get(f"/api/prompts/search?{query}")
    assert answer.status_code == 400
    assert said in answer.json()["error"]


def test_a_selection_is_saved_listed_and_removed(client: TestClient) -> None:
    row = client.get("/api/prompts/search?set=concepts&limit=1").json()["rows"][0]
    refs = [[row["source"], row["id"]]]
    saved = client.post("/api/selections", json={"name": " dogs ", "refs": refs}, headers=OURS)
    assert saved.json() == {"name": "dogs", "count": 1, "missing": 0}
    assert client.get("/api/prompts/sets").json()["selections"] == [{"name": "dogs", "count": 1}]
    client.post("/api/selections/remove", json={"name": "dogs"}, headers=OURS)
    assert client.get("/api/prompts/sets").json()["selections"] == []
    refused = client.post("/api/selections", json={"name": "", "refs": refs}, headers=OURS)
    assert refused.status_code == 400


def test_a_prompt_file_is_uploaded(client: TestClient) -> None:
    headers = {**OURS, "X-File-Name": quote("zwei Hüte.txt")}
    answer = client.post("/api/prompts/sets", content="a hat\nanother hat\n", headers=headers)
    assert answer.json()["report"]["counts"][0] == [2, "prompts taken"]
    json = client.get(f"/api/prompts/search?set={answer.json()['set_id']}").json()
    assert [row["text"] for row in json["rows"]] == ["a hat", "another hat"]


def test_a_folder_from_a_browser_is_imported_once(client: TestClient, context: Context) -> None:
    files = {
        "mine/map.csv": b"file,prompt,object,color\na.png,A red mug,mug,css:red\n"
        b"b.png,A blue mug,,\ngone.png,A mug,,\nd.png,,hat,\n",
        "mine/a.png": png(1),
        "mine/b.png": b"no picture",
        "mine/c.png": png(3),
        "mine/d.png": png(4),
    }
    for _ in range(2):
        for path, content in files.items():
            headers = {**OURS, "X-File-Path": quote(path), "X-File-Name": path.split("/")[1]}
            sent = client.post(f"/api/image-sets/files/{SESSION}", content=content, headers=headers)
            assert sent.status_code == 200
        target = {"session": SESSION, "set": "", "model": "FLUX"}
        plan = client.post("/api/image-sets/plan", json=target, headers=OURS).json()
        assert plan["found"] == 2  # b.png is broken, c.png has no prompt
        job = client.post("/api/image-sets/start", json=target, headers=OURS).json()["job"]
        state = finished(client, job)
        lists = {item["title"]: item["total"] for item in state["result"]["lists"]}
        assert lists["Broken"] == 1
        assert lists["Not imported"] == 1  # d.png, whose line has no prompt
        assert not context.staging.folder(SESSION).exists()
    unlinked, row = context.storage.drawings.recent()
    assert (unlinked.text, unlinked.origin["file"]) == ("", "c.png")
    assert (row.text, row.model, row.source) == ("A red mug", "FLUX", "imported")
    assert context.storage.images.count() == 2
    prompts = context.service(Library).index(row.prompt_source).prompts
    assert [prompt.text for prompt in prompts] == ["A red mug", "A blue mug", "A mug"]
    shown = client.get("/api/drawings").json()["items"][1]
    assert shown["targets"][0]["color_label"] == "red"


@pytest.mark.parametrize("path", ["../x.png", "a/../../x.png", "", "a\0b.png", "x" * 500])
def test_a_file_cannot_leave_its_folder(client: TestClient, context: Context, path: str) -> None:
    headers = {**OURS, "X-File-Path": quote(path), "X-File-Name": ".."}
    answer = client.post(f"/api/image-sets/files/{SESSION}", content=png(1), headers=headers)
    assert answer.status_code == 400
    assert not list((context.storage.data_dir).rglob("x.png"))


def test_staged_files_are_counted_and_forgotten(
    client: TestClient, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.tabs.page.staging.MAX_STAGED_FILES", 2)

    def send(path: str) -> int:
        headers = {**OURS, "X-File-Path": quote(path), "X-File-Name": "x"}
        url = f"/api/image-sets/files/{SESSION}"
        return client.post(url, content=b"x", headers=headers).status_code

    assert [send("a/1.png"), send("a/2.png"), send("a/3.png")] == [200, 200, 400]
    client.post("/api/image-sets/forget", json={"session": SESSION}, headers=OURS)
    assert not context.staging.folder(SESSION).exists()
    assert [send("a"), send("a/1.png")] == [200, 400]


def test_paths_are_for_people_at_this_machine_alone(
    context: Context, client: TestClient, tmp_path: Path
) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "a.png").write_bytes(png(1))
    target = {"path": str(folder), "set": "mini"}
    assert client.post("/api/image-sets/plan", json=target, headers=OURS).status_code == 200
    as_demo(context)
    refused = client.post("/api/image-sets/plan", json=target, headers=OURS)
    assert refused.status_code == 403
    assert "machine where TrueHue runs" in refused.json()["error"]


def test_a_job_is_followed_and_belongs_to_who_asked(client: TestClient, context: Context) -> None:
    from tests.tabs.generate.forms import started

    own = OwnPrompt("", "sphere", "css:teal")
    controls = (["reference-renderer"], 0, 2, "", "", 64, "studio", "none")
    as_demo(context)
    job = started(context, Actor("a" * 32, Role.VISITOR), {"mode": "own"}, own, *controls)
    others = client.get("/api/jobs?kind=drawing").json()["jobs"]
    assert all(not other["mine"] and "sphere" not in other["title"] for other in others)
    # What a page says of itself decides nothing.
    refused = client.post(f"/api/jobs/{job}/cancel", json={"owner": "a" * 32}, headers=OURS)
    assert refused.status_code == 403
    assert context.engine.wait(job, 300).status == "done"
    client.cookies[COOKIE] = context.visitors.signed("a" * 32)
    (mine,) = client.get("/api/jobs?kind=drawing").json()["jobs"]
    assert mine["mine"]
    assert (mine["done"], mine["total"], mine["status"]) == (2, 2, "done")
    answer = client.get("/api/drawings?limit=1").json()
    assert answer["total"] == 2
    (item,) = answer["items"]
    assert item["about"].startswith("Reference renderer")
    rules = {verdict["rule"] for verdict in item["targets"][0]["verdicts"]}
    assert rules == {by.id for by in RULES}
    assert item["targets"][0]["mask"]
    for wrong in ("status=lost", "verdict=perhaps"):
        assert client.get(f"/api/drawings?{wrong}").status_code == 400
