"""The OpenAPI document has the schema of every answer, and the answers are as it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator

from tests.core.photographs import object_photograph
from tests.empty_data import empty_data
from tests.storage.run_samples import fill_copied
from truehue.core.images.load import encode_png
from truehue.storage import Storage
from truehue.tabs.features import FEATURES
from truehue.tabs.page.jobs_routes import job_routes
from truehue.tabs.page.openapi import DESCRIPTION, DescribedApp
from truehue.tabs.page.routes import page_routes, routes
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow

JSON = "application/json"
ROWS = 20
"""So many rows at the begin and the end of a list are looked at."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """All routes, and two runs."""
    folder = tmp_path_factory.mktemp("openapi")
    with Storage.open(empty_data(folder / "data")) as storage:
        fill_copied(storage, folder)
        context = make_context(storage, "data")
        app = DescribedApp(openapi_url=DESCRIPTION)
        own = [feature.named(router) for feature in FEATURES for router in feature.routers]
        for make in (*own, routes, job_routes, page_routes):
            app.include_router(make(context))
        assert app.openapi_schema is None
        with TestClient(app, headers={"X-TrueHue": "1"}) as opened:
            yield opened
        context.close()


@pytest.fixture(scope="module")
def document(client: TestClient) -> Any:
    return client.get(DESCRIPTION).json()


def content_of(route: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = route["responses"]["200"]["content"]
    return content


def wrong(document: Any, path: str, method: str, answer: Any) -> list[str]:
    """How an answer differs from its schema."""
    schema = content_of(document["paths"][path][method])[JSON]["schema"]
    validator = Draft202012Validator({**schema, "components": document["components"]})
    errors = validator.iter_errors(shortened(answer))
    return [f"{path}: {error.json_path} {error.message}" for error in errors]


def shortened(answer: Any) -> Any:
    """The answer without the middle of long lists, whose rows one function of the app fills."""
    if isinstance(answer, dict):
        return {name: shortened(value) for name, value in answer.items()}
    if not isinstance(answer, list):
        return answer
    rows = answer if len(answer) <= 2 * ROWS else answer[:ROWS] + answer[-ROWS:]
    return [shortened(row) for row in rows]


def test_every_json_answer_has_a_schema_with_fields(document: Any) -> None:
    records = document["components"]["schemas"]
    described = 0
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            content = content_of(route)
            if JSON in content:
                schema = content[JSON]["schema"]
                name = schema.get("$ref", "").rpartition("/")[2]
                record = records.get(name, schema)
                known = record.get("properties") or record.get("additionalProperties")
                assert known or name == "Done", (method, path)
                described += 1
    assert described > 120
    for name, record in records.items():
        Draft202012Validator.check_schema(record)
        assert set(record.get("required", ())) <= set(record["properties"]), name


def test_files_are_no_json(document: Any) -> None:
    for path, media in (
        ("/api/judgments.csv", "text/csv"),
        ("/api/explore/picture.png", "image/png"),
    ):
        assert content_of(document["paths"][path]["get"]) == {media: {}}


def test_what_a_page_asks_for_is_answered_as_described(client: TestClient, document: Any) -> None:
    problems, answered = [], 0
    for path, methods in document["paths"].items():
        route = methods.get("get")
        if route is None or "{" in path or JSON not in content_of(route):
            continue
        answer = client.get(path)
        if answer.status_code == 200:
            answered += 1
            problems += wrong(document, path, "get", answer.json())
    assert not problems
    assert answered > 20


def test_a_measurement_is_answered_as_described(client: TestClient, document: Any) -> None:
    srgb8, _ = object_photograph(96)
    image = client.post("/api/images", content=encode_png(srgb8), headers={"X-File-Name": "a.png"})
    assert not wrong(document, "/api/images", "post", image.json())
    image_id = image.json()["image_id"]
    question = {"target": "css:orange", "rule": "truehue", "image": image_id}
    opened = client.post("/api/inspect/open", json=question).json()
    assert not wrong(document, "/api/inspect/open", "post", opened)
    box = {"type": "box", "box": [20, 20, 76, 76]}
    sent = {**question, "image_id": image_id, "marks": [box], "seq": 1}
    scored = client.post("/api/inspect/score", json=sent).json()
    assert scored["verdict"]["view"]["metrics"]
    assert not wrong(document, "/api/inspect/score", "post", scored)


def test_the_document_is_made_once(client: TestClient) -> None:
    app: Any = client.app
    assert app.openapi() is app.openapi()
