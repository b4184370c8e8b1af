"""The routes of studies: who gets in, and under which address links are told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from starlette.requests import Request

from tests.empty_data import empty_data
from tests.storage.run_samples import ingest_copied
from tests.tabs.api.test_every_route import bodies, described, told
from tests.tabs.studies.studies_here import CONSENT, models
from truehue.core.runs.folder import RunFolder
from truehue.storage import Storage
from truehue.tabs.page.context import Context
from truehue.tabs.page.same_origin import SameOriginMiddleware, base_of
from truehue.tabs.participants.routes import participant_routes
from truehue.tabs.shell.compose import make_context
from truehue.tabs.studies.routes import study_routes

pytestmark = pytest.mark.slow

HEADERS = {"X-TrueHue": "1"}
STUDY: dict[str, Any] = {}
"""What is sent by chance is put into this form, and asked of this study."""


@pytest.fixture(scope="module")
def study_page(
    tmp_path_factory: pytest.TempPathFactory, run_folders: list[RunFolder]
) -> Iterator[TestClient]:
    """The routes with a study of two runs."""
    with Storage.open(empty_data(tmp_path_factory.mktemp("studies") / "data")) as storage:
        context = make_context(storage, "data")
        ingest_copied(storage, run_folders)
        app = FastAPI(openapi_url="/api/openapi.json")
        app.include_router(study_routes(context))
        page = TestClient(app, headers=HEADERS, raise_server_exceptions=False)
        chosen = models([folder.run_id for folder in run_folders])
        STUDY["form"] = {"models": chosen, "consent": CONSENT, "number": 3}
        STUDY["id"] = page.post("/api/studies/create", json=STUDY["form"]).json()["study"]["id"]
        yield page
        context.close()


def client(context: Context, base: str = "http://127.0.0.1:7860") -> TestClient:
    app = FastAPI()
    app.include_router(study_routes(context))
    return TestClient(app, base_url=base)


def post(page: TestClient, path: str, body: dict[str, Any], **headers: str) -> Any:
    return page.post(f"/api/studies{path}", json=body, headers={**HEADERS, **headers})


def test_a_study_is_made_opened_and_linked_by_http(context: Context, runs: list[str]) -> None:
    page = client(context)
    form = {"models": models(runs), "consent": CONSENT}
    assert post(page, "/outline", form).json()["ok"] is True
    study = post(page, "/create", form).json()["study"]
    assert page.get("/api/studies").json()["studies"][0]["id"] == study["id"]
    address = f"/{study['id'][:8]}"
    assert post(page, f"{address}/state", {"state": "open"}).json()["study"]["state"] == "open"
    (link,) = post(page, f"{address}/links", {"base": "https://evil.example"}).json()["links"]
    assert link["url"].startswith("http://127.0.0.1:7860/study/")
    shown = page.get(f"/api/studies{address}").json()
    assert [item["id"] for item in shown["links"]] == [link["id"]]
    assert page.get(f"/api/studies{address}/live").json()["participants"] == 0
    previewed = post(page, f"{address}/preview", {}).json()["url"]
    assert previewed.startswith("http://127.0.0.1:7860/study/")
    revoked = post(page, f"{address}/links/{link['id']}/revoke", {}).json()
    assert revoked["links"][0]["revoked_at"]
    assert page.get("/api/studies/presets").json()["presets"]
    assert page.get("/api/studies/materials").json()["runs"]
    assert post(page, "/cases", form).json()["total"] == 11
    assert page.get("/api/studies/" + "0" * 32).status_code == 404
    wrong = post(page, "/create", {**form, "votes": "many"})
    assert wrong.status_code == 400
    assert wrong.json()["field"] == "votes"


@pytest.mark.parametrize(
    ("local", "headers", "base"),
    [
        (False, {}, "http://lab.example"),
        (
            False,
            {"X-Forwarded-Host": "judge.example", "X-Forwarded-Proto": "https"},
            "https://judge.example",
        ),
        (False, {"X-Forwarded-Proto": "javascript"}, "http://lab.example"),
        (True, {"X-Forwarded-Host": "judge.example"}, "http://lab.example"),
    ],
)
def test_links_are_told_under_the_address_that_was_asked(
    local: bool, headers: dict[str, str], base: str
) -> None:
    raw = [(b"host", b"lab.example")]
    raw += [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http",
        "scheme": "http",
        "path": "/",
        "query_string": b"",
        "server": ("127.0.0.1", 80),
        "headers": raw,
    }
    assert base_of(Request(scope), local) == base


@pytest.mark.parametrize(
    ("path", "body", "field", "text"),
    [
        ("/outline", {"vots": 3}, "vots", "Did you mean “votes”?"),
        ("/create", {"screening": {"plate": True}}, "screening", "in “screening”"),
        ("/create", {"models": [{"name": "A", "source": ["run:1"]}]}, "models", "“sources”"),
        ("/ID/state", {"status": "open"}, "status", "“state”"),
        ("/ID/links", {"xyz": 1}, "xyz", "There is: "),
    ],
)
def test_a_setting_that_is_not_known_is_refused_with_the_nearest(
    study_page: TestClient, path: str, body: dict[str, Any], field: str, text: str
) -> None:
    answer = study_page.post("/api/studies" + path.replace("ID", STUDY["id"]), json=body)
    assert (answer.status_code, answer.json()["field"]) == (400, field)
    assert text in answer.json()["error"]


def test_a_program_is_not_told_to_reload_a_page(study_page: TestClient) -> None:
    behind_the_door = TestClient(
        SameOriginMiddleware(study_page.app), base_url="http://127.0.0.1:7860"
    )
    path = f"/api/studies/{STUDY['id']}/state"
    for sent, text in ({}, "/api/openapi.json"), ({"Referer": "http://x/"}, "Reload the page."):
        answer = behind_the_door.post(path, json={}, headers={**HEADERS, **sent})
        assert answer.status_code == 400
        assert text in answer.json()["error"]
        assert ("Reload" in answer.json()["error"]) == bool(sent)
    large = behind_the_door.post(path, json={"reason": "x" * 2**20}, headers=HEADERS)
    assert large.status_code == 413


def test_a_demonstration_has_no_studies(context: Context, runs: list[str]) -> None:
    page = client(replace(context, local=False, demo=True))
    for answer in (
        page.get("/api/studies"),
        page.get("/api/studies/materials"),
        post(page, "/create", {"models": models(runs)}),
        post(page, "/outline", {}),
    ):
        assert answer.status_code == 404
        assert "demonstration" in answer.json()["error"]


def test_a_page_elsewhere_changes_nothing(context: Context, runs: list[str]) -> None:
    answer = client(context).post("/api/studies/create", json={"models": models(runs)})
    assert answer.status_code == 403
    assert context.storage.studies.all() == []


def test_a_preview_is_walked_through_without_a_trace(context: Context, runs: list[str]) -> None:
    app = FastAPI()
    app.include_router(study_routes(context))
    app.include_router(participant_routes(context))
    with TestClient(app, base_url="http://127.0.0.1:7860") as page:
        form = {"models": models(runs), "consent": CONSENT}
        study = post(page, "/create", form).json()["study"]
        url = post(page, f"/{study['id']}/preview", {}).json()["url"]
        state = page.get(f"{url}/state").json()
        assert (state["preview"], state["study"]["title"]) == (True, study["title"])
        agreed = {"consent_version": state["study"]["consent"]["version"], "language": "en"}
        came_in = page.post(f"{url}/enroll", json=agreed, headers=HEADERS)
        assert came_in.status_code == 200
    assert context.storage.participants.of(study["id"]) == []
    assert context.storage.invitations.of(study["id"]) == []


@settings(max_examples=2, deadline=None, database=None, derandomize=True)
@given(data=st.data())
def test_whatever_is_sent_is_answered_in_words(study_page: TestClient, data: DataObject) -> None:
    for method, path, route in described(study_page):
        address = path
        for name in ("study_id", "study", "link"):
            value = data.draw(st.sampled_from(["x", "f" * 32, "%00", STUDY["id"]]))
            address = address.replace(f"{{{name}}}", value)
        if method == "get":
            told(study_page.get(address), f"GET {address}")
            continue
        # Of a form that is whole, so that what is wrong is not always the same.
        body = data.draw(bodies(route))
        if isinstance(body, dict):
            body = {**STUDY["form"], **body}
        answer = study_page.post(address, content=json.dumps(body).encode())
        told(answer, f"{address} {body}")
