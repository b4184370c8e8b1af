"""One run whose plan is not whole: the others are shown, and it can be taken out of sight."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.core.export.made import make_run, plan
from tests.empty_data import empty_data
from truehue.core.batch.folder import PLAN
from truehue.core.errors import BadInput
from truehue.core.export import write
from truehue.core.runs.folder import RunFolder
from truehue.storage import Storage
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.explore.routes import leaderboard_routes
from truehue.tabs.export.routes import export_routes
from truehue.tabs.export.service import export, import_archive
from truehue.tabs.page.context import Context
from truehue.tabs.runs.routes import run_routes
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow

OURS = {"X-TrueHue": "1"}


@pytest.fixture
def two(context: Context) -> tuple[RunFolder, RunFolder]:
    """A run as it was made, and one that was taken in when less was checked."""
    good = make_run(context.service(RunSupervisor).root)
    bad = make_run(context.service(RunSupervisor).root, plan("Bent", images=1), failed=())
    context.service(RunSupervisor).ingest()
    made = json.loads((bad.path / PLAN).read_text())
    made["masker"] = {}
    del made["size_px"]
    (bad.path / PLAN).write_text(json.dumps(made))
    with context.storage._database.transaction() as cursor:
        cursor.execute(
            "UPDATE run_numbers SET summary = ? WHERE run_id = ?", [json.dumps(made), bad.run_id]
        )
    return good, bad


@pytest.fixture
def client(context: Context) -> Iterator[TestClient]:
    app = FastAPI()
    for make in (run_routes, leaderboard_routes, export_routes):
        app.include_router(make(context))
    with TestClient(app) as opened:
        yield opened


def test_the_others_are_shown_and_it_can_be_hidden(
    client: TestClient, context: Context, two: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    good, bad = two
    context.storage.runs.rename(good.run_id, "=run()")
    listed = {run["id"]: run for run in client.get("/api/runs").json()["runs"]}
    assert listed[good.run_id]["status"] == "finished"  # counted: it has no state
    assert listed[bad.run_id]["status"] == "broken"
    assert "has no size_px" in listed[bad.run_id]["message"]
    assert [name for name, may in listed[bad.run_id]["may"].items() if may] == ["hide"]
    groups = client.get("/api/explore/leaderboard").json()["groups"]
    assert [(group["name"], [row["id"] for row in group["rows"]]) for group in groups] == [
        ("tests", [good.run_id]),
        ("Cannot be read", [bad.run_id]),
    ]
    assert "KeyError: 'kind'" in groups[1]["rows"][0]["said"]
    table = csv.DictReader(io.StringIO(client.get("/api/explore/leaderboard.csv").text))
    assert [(row["run_id"], row["run_name"]) for row in table] == [
        (good.run_id, "'=run()"),
        (bad.run_id, "Bent"),
    ]
    export(context, good, "html", tmp_path / "report.html")
    target = {"run": bad.run_id, "format": "html"}
    answer = client.post("/api/exports", json=target, headers=OURS)
    assert answer.status_code == 400
    assert "has no size_px" in answer.json()["error"]
    assert client.post(f"/api/runs/{bad.run_id}/hide", json={}, headers=OURS).status_code == 200
    assert [run["id"] for run in client.get("/api/runs").json()["runs"]] == [good.run_id]
    assert len(client.get("/api/explore/leaderboard").json()["groups"]) == 1


def test_an_import_that_storage_refuses_leaves_nothing(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_run(tmp_path / "elsewhere")
    write(made, "zip", tmp_path / "a.zip")
    with Storage.open(empty_data(tmp_path / "theirs")) as storage:
        theirs = make_context(storage, "theirs")

        def refuse(folder: RunFolder) -> int:
            raise BadInput("no room")

        monkeypatch.setattr(storage.runs, "ingest", refuse)
        with pytest.raises(BadInput, match="no room"):
            import_archive(theirs, tmp_path / "a.zip", "a.zip")
        assert theirs.service(RunSupervisor).folders() == []
        assert storage.runs.all() == []
        monkeypatch.undo()
        import_archive(theirs, tmp_path / "a.zip", "a.zip")
        assert [run.items for run in storage.runs.all()] == [8]
        # A run that is here already stays, whatever becomes of a second import.
        monkeypatch.setattr(storage.runs, "ingest", refuse)
        with pytest.raises(BadInput, match="no room"):
            import_archive(theirs, tmp_path / "a.zip", "a.zip")
        assert [folder.run_id for folder in theirs.service(RunSupervisor).folders()] == [
            made.run_id
        ]
        theirs.close()


def test_a_run_whose_results_are_damaged_is_told_and_sends_no_half_of_a_table(
    client: TestClient, context: Context
) -> None:
    run = make_run(context.service(RunSupervisor).root)
    context.service(RunSupervisor).ingest()
    table = f"/api/runs/{run.run_id}/export.csv"
    assert client.get(table).status_code == 200
    (listed,) = client.get("/api/runs").json()["runs"]
    assert (listed["status"], listed["trouble"]) == ("finished", False)
    shard = run.shards()[0]
    shard.write_bytes(shard.read_bytes()[:-30])
    answer = client.get(table)
    assert answer.status_code == 400
    assert shard.name in answer.json()["error"]
    (listed,) = client.get("/api/runs").json()["runs"]
    assert (listed["status"], listed["trouble"], listed["may"]["resume"]) == ("paused", True, True)
    assert shard.name in listed["message"]
    assert listed["done"] < listed["total"]
    # Prompts that are gone: resume refuses, and does not answer that it began.
    (run.path / "prompts.jsonl.gz").unlink()
    answer = client.post(f"/api/runs/{run.run_id}/resume", json={}, headers=OURS)
    assert answer.status_code == 400
    assert "prompts.jsonl.gz" in answer.json()["error"]
    assert client.get(table).status_code == 400
    (listed,) = client.get("/api/runs").json()["runs"]
    assert listed["status"] == "broken"
