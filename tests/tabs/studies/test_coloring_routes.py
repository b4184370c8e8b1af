"""The routes of colorings: who gets in, and pictures that nobody else can guess."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.tabs.studies.colored import colored_study
from truehue.core.errors import NotStored
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import OWNER
from truehue.tabs.studies.results_people import Erase, erase
from truehue.tabs.studies.routes import coloring_routes

pytestmark = pytest.mark.slow

HEADERS = {"X-TrueHue": "1"}


@pytest.fixture
def page(context: Context) -> TestClient:
    app = FastAPI()
    app.include_router(coloring_routes(context))
    return TestClient(app, headers=HEADERS, base_url="http://127.0.0.1:7860")


def asked(page: TestClient, path: str) -> dict[str, Any]:
    while (message := page.get(path).json()).get("status") == "computing":
        pass
    return dict(message)


def test_from_review_to_distribution_by_http(context: Context, page: TestClient) -> None:
    study_id, people = colored_study(context.storage)
    base = f"/api/studies/{study_id}"
    assert asked(page, f"{base}/quality")["quality"]["concepts"][0]["flagged"]
    assert asked(page, f"{base}/worth")["worth"][0]["place"] == 1
    rows = asked(page, f"{base}/colorings?words=apple")["colorings"]
    assert len(rows) == 5
    shown = page.get(rows[0]["picture"])
    assert (shown.status_code, shown.headers["content-type"]) == (200, "image/png")
    assert page.get(rows[0]["layer"]).content != shown.content
    message = asked(page, f"{base}/review")
    stored = page.get(message["item"]["picture"])
    assert stored.headers["content-type"] == "image/png"
    assert not any(person.id in str(message) for person in people)
    body = {"item": message["item"]["id"], "value": "yes"}
    assert page.post(f"{base}/review", json=body).json()["done"] == 1
    assert page.post(f"{base}/review", json={**body, "value": "perhaps"}).status_code == 400
    assert page.get("/api/reviews").json()["studies"][0]["id"] == study_id
    index = {"participant": people[0].id, "position": 1}
    json = page.post(f"{base}/keep", json={**index, "value": "kept"}).json()
    assert json["coloring"]["words"] == "apple"
    assert page.post(f"{base}/recolor", json=index).status_code == 200
    again = {"participant": people[0].id, "value": "accepted"}
    assert page.post(f"{base}/practice", json=again).status_code == 200
    rule = page.post(f"{base}/quality", json={"share": 0.2, "scope": "all"}).json()
    assert rule["status"] in ("ready", "computing")
    made = page.post(f"{base}/distribution", json={}).json()
    assert made["set"]["concepts"] == 4
    progress = asked(page, f"{base}/colorings/progress")
    assert [row["colorings"] for row in progress["people"]] == [4] * 5


def test_erasing_somebody_takes_the_sets_that_were_made_of_them(
    context: Context, page: TestClient
) -> None:
    study_id, people = colored_study(context.storage)
    base = f"/api/studies/{study_id}"
    asked(page, f"{base}/quality")
    json = page.post(f"{base}/distribution", json={"form": "designers", "name": "Each"}).json()
    all_ = page.post(f"{base}/distribution", json={"name": "All"}).json()
    message = erase(context, OWNER, Erase(study=study_id, participant=people[2].id, confirm=3))
    assert sorted(message["sets"]) == ["All", "Each"]
    assert context.storage.distributions.all(hidden=True) == []
    with pytest.raises(NotStored):
        context.storage.distributions.rows(json["set"]["id"])
    assert context.storage.check() == []
    # Made again it is without them, and whoever is in no set takes none along.
    asked(page, f"{base}/quality")
    again = page.post(f"{base}/distribution", json={"form": "designers"}).json()
    assert again["set"]["rows"] == json["set"]["rows"] - 4
    assert again["set"]["id"] not in (json["set"]["id"], all_["set"]["id"])
    with pytest.raises(NotStored, match="erased meanwhile"):
        context.storage.distributions.of_study(again["set"]["id"], study_id, [2])
    assert context.storage.distributions.all(hidden=True) == []


def test_what_is_not_there_is_said_so(context: Context, page: TestClient) -> None:
    study_id, people = colored_study(context.storage)
    base = f"/api/studies/{study_id}"
    for path in (
        "/api/studies/none/quality",
        f"{base}/colorings/{people[0].id}/99.png",
        f"{base}/colorings/none/1.png",
        f"{base}/review/{'0' * 32}.png",
    ):
        assert page.get(path).status_code == 404
    assert page.get(f"{base}/review/..png").status_code in (400, 404)
    bad = {"participant": people[0].id, "position": -1, "value": "kept"}
    assert page.post(f"{base}/keep", json=bad).status_code == 400
