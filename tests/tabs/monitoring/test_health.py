"""The health check: open to strangers, and told in words that name no file."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.tabs.reach import as_demo
from truehue.tabs.monitoring.health import GONE, SILENT
from truehue.tabs.monitoring.routes import monitoring_routes
from truehue.tabs.page.context import Context


@pytest.fixture
def client(context: Context) -> TestClient:
    app = FastAPI()
    app.include_router(monitoring_routes(context))
    return TestClient(app)


def test_a_well_app_says_no_more_than_that(context: Context, client: TestClient) -> None:
    for demo in (False, True):
        as_demo(context, demo)
        answer = client.get("/healthz")
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
        assert answer.headers["cache-control"] == "no-store"


def test_a_data_folder_that_is_away_is_told_until_it_is_back(
    context: Context, client: TestClient
) -> None:
    folder = context.storage.data_dir
    folder.rename(folder.with_name("moved"))
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (503, {"error": GONE})
    folder.with_name("moved").rename(folder)
    assert client.get("/healthz").status_code == 200


def test_a_database_that_does_not_answer_is_told(context: Context, client: TestClient) -> None:
    context.storage.close()
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (503, {"error": SILENT})
