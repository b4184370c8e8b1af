"""The list of features: every reference leads somewhere, and a feature that brings a tab, a route,
a job, a command and a table is added by naming it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from fastapi.testclient import TestClient

from tests import tiny
from tests.empty_data import empty_data
from tests.tiny.parts import NotedColors
from truehue.core.errors import DatabaseNewer
from truehue.core.generation.weights.carried import OPENCV_BYTES
from truehue.core.machine import GIB, Machine
from truehue.core.masks import salient
from truehue.storage import Storage
from truehue.tabs.command.main import truehue
from truehue.tabs.feature import Feature, kinds_of
from truehue.tabs.features import FEATURES
from truehue.tabs.shell import compose
from truehue.tabs.shell.compose import make_context
from truehue.tabs.shell.shell import mount

pytestmark = pytest.mark.slow

WAIT_S = 300


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.id)
def test_what_a_record_names_is_there(feature: Feature) -> None:
    for reference in (*feature.services, *feature.routers, *feature.tables):
        assert callable(feature.named(reference))
    if feature.jobs:
        assert callable(feature.named(feature.jobs))
    if feature.title:
        assert callable(feature.named(feature.tab).layout)


def test_no_two_features_bring_the_same() -> None:
    ids = Counter(feature.id for feature in FEATURES)
    kinds = Counter(kind.id for kind in kinds_of(FEATURES))
    commands = Counter(name for feature in FEATURES for name in feature.commands)
    assert {*ids.values(), *kinds.values(), *commands.values()} == {1}


def test_a_feature_is_added_by_naming_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    features = (*FEATURES, tiny.FEATURE)
    folder = empty_data(tmp_path / "data")
    with Storage.open(folder) as storage:
        context = make_context(storage, "data", features=features)
        client = TestClient(mount(context, features=features), headers={"X-TrueHue": "1"})
        config = client.get("/config").json()
        tabs = [part["props"] for part in config["components"] if part["type"] == "tabitem"]
        assert ("Tiny", "tiny") in [(tab["label"], tab["id"]) for tab in tabs]
        assert '"props":{"selected":"tiny"' in client.get("/?tab=tiny").text
        assert client.post("/api/tiny/colors", json={"hex": "#336699"}).json() == {
            "noted": "#336699"
        }
        refused = client.post("/api/tiny/colors", json={})
        assert (refused.status_code, "hex" in refused.json()["error"]) == (400, True)
        job = client.post("/api/tiny/count", json={}).json()["job"]
        assert context.jobs.wait(job, WAIT_S).result == {"count": 1}
        listed = client.get("/api/jobs").json()["jobs"]
        assert [row["title"] for row in listed if row["id"] == job] == ["Counting colors"]
        context.close()
    with pytest.raises(SystemExit, match="0"):
        truehue(["tiny", str(folder)], features)
    assert capsys.readouterr().out == "1\n"
    # Without the feature its data opens, and its job is still listed.
    with Storage.open(folder) as storage:
        context = make_context(storage, "data")
        client = TestClient(mount(context), headers={"X-TrueHue": "1"})
        assert [row["id"] for row in client.get("/api/jobs").json()["jobs"]] == [job]
        assert client.post("/api/tiny/count", json={}).status_code in (404, 405)
        context.close()


def test_models_leave_the_network_for_salient_objects_its_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = Machine("cpu", "A processor", 8 * GIB, 4 * GIB, 8 * GIB, 4, True)
    monkeypatch.setattr("truehue.core.machine.machine", lambda: here)
    monkeypatch.setattr(salient, "memory_bytes", lambda: 0)
    assert compose._all_memory() == 8 * GIB
    monkeypatch.setattr(salient, "memory_bytes", lambda: OPENCV_BYTES)
    assert compose._all_memory() == 8 * GIB - OPENCV_BYTES
    # OpenCV uses none of a GPU.
    monkeypatch.setattr("truehue.core.machine.machine", lambda: replace(here, device="cuda"))
    assert compose._all_memory() == 8 * GIB


def test_tables_of_a_newer_feature_are_refused(tmp_path: Path) -> None:
    class Former(NotedColors):
        steps = ()

    with Storage.open(tmp_path / "data") as storage:
        storage.tables(NotedColors).add("#000000")
        with pytest.raises(DatabaseNewer, match="tiny are at step 1"):
            storage.tables(Former)


def test_a_step_of_a_feature_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fails(cursor: duckdb.DuckDBPyConnection) -> None:
        cursor.execute("CREATE TABLE half (x INTEGER)")
        raise ValueError("no")

    class Broken(NotedColors):
        steps = (*NotedColors.steps, fails)

    with Storage.open(tmp_path / "data") as storage:
        with pytest.raises(ValueError, match="no"):
            storage.tables(Broken)
        storage.tables(NotedColors).add("#000000")
        assert storage.tables(NotedColors).count() == 1
