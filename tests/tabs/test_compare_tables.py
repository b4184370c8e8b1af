"""Compare's analyses over HTTP: real runs of the renderer, measured, against imported people."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from core.color.distances import emd
from core.concepts.distribution import of_pictures
from core.concepts.reading import read_distributions
from core.concepts.records import EXTRACTED, PIXELS
from core.concepts.sensitivity import INERTIA, OVER_CORRECTION, PRECISE
from core.generation.registry import model as registered
from core.published import value
from core.runs.folder import RunFolder
from storage import Storage
from tabs.compare_cells import EACH_SCALE, run_cells
from tabs.compare_frame import frame_of
from tabs.compare_guidance import Choice, charts_of
from tabs.compare_of_people import PeopleHere
from tabs.context import Context
from tabs.explore_jobs import Job
from tabs.routes_compare_tables import compare_tables_routes
from tabs.routes_explore import explore_routes
from tests.concept_runs import concept_run, fruits, palettes_csv, ratings_csv

API = "/api/compare/analyses/"
SENT = {"X-TrueHue": "1"}
FOLLOWS, IGNORES, OVERDOES = "none", "modifier-ignored", "modifier-overshot"
MODIFIED = 6
"""Three fruits, each unripe and rotten."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunFolder]:
    """Three small runs, two guidance scales each; drawn once for all tests."""
    root = tmp_path_factory.mktemp("concepts")
    return {
        failure: concept_run(root, failure, guidances=(3.0, 7.0))
        for failure in (FOLLOWS, IGNORES, OVERDOES)
    }  # fmt: skip


@contextmanager
def app_of(data: Path) -> Iterator[tuple[TestClient, Context]]:
    """The routes over a storage of their own."""
    with Storage.open(data) as storage:
        context = Context(storage, "data")
        app = FastAPI()
        app.include_router(compare_tables_routes(context))
        app.include_router(explore_routes(context))
        with TestClient(app) as opened:
            yield opened, context
        context.close()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[tuple[TestClient, Context]]:
    """An app with nothing in it."""
    with app_of(tmp_path / "data") as made:
        yield made


@pytest.fixture(scope="module")
def full(
    tmp_path_factory: pytest.TempPathFactory, folders: dict[str, RunFolder]
) -> Iterator[tuple[TestClient, Context]]:
    """An app with the runs, all measured, and people imported twice; tests only read."""
    with app_of(tmp_path_factory.mktemp("full") / "data") as (client, context):
        for folder in folders.values():
            context.storage.runs.ingest(folder)
        people(context, "palettes", palettes_csv())
        people(context, "ratings", ratings_csv())
        ids = [folder.run_id for folder in folders.values()]
        run_cells(context, ids, EXTRACTED, EACH_SCALE, idle_job())
        yield client, context


@pytest.fixture(scope="module")
def client(full: tuple[TestClient, Context]) -> TestClient:
    return full[0]


@pytest.fixture(scope="module")
def context(full: tuple[TestClient, Context]) -> Context:
    return full[1]


@pytest.fixture(scope="module")
def filled(folders: dict[str, RunFolder]) -> dict[str, str]:
    """The ids of the runs by failure."""
    return {failure: folder.run_id for failure, folder in folders.items()}


def people(context: Context, name: str, content: bytes) -> str:
    file = read_distributions(f"{name}.csv", content, normalize=name == "ratings")
    return context.storage.distributions.add(
        file, f"Our {name}", f"{name}.csv", "made up", of_people=True
    )


def idle_job() -> Job:
    return Job("cells", "test", "me", lambda job: {})


def shown(client: TestClient, path: str, **params: str) -> dict[str, Any]:
    answer = client.get(API + path, params=params)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def lines(client: TestClient, path: str, **params: str) -> list[dict[str, str]]:
    answer = client.get(API + path, params=params)
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_an_empty_app_says_what_to_do(fresh: tuple[TestClient, Context]) -> None:
    client, _ = fresh
    for view in ("tables", "modifiers", "guidance"):
        empty = shown(client, view)["frame"]["empty"]
        assert empty["act"] == "runs"
        assert "runs start --set concepts" in empty["command"]
    tables = shown(client, "tables")
    assert tables["tables"] == []
    # The paper's numbers stand there all the same, and as printed.
    first = tables["published"]["tables"][0]
    row = next(one for one in first["rows"] if one["name"].startswith("Sana"))
    printed = row["cells"]["Original Clipart EMD"]["text"]
    assert float(printed) == value(
        "colorconceptbench-table1", "Original Clipart EMD", model=row["name"]
    )


def test_without_people_models_own_shifts_are_shown(
    fresh: tuple[TestClient, Context], folders: dict[str, RunFolder]
) -> None:
    client, context = fresh
    context.storage.runs.ingest(folders[FOLLOWS])
    frame = shown(client, "tables")["frame"]
    assert frame["empty"]["act"] == "people"
    # 9 concepts in one style; nothing is measured before somebody asks.
    assert (frame["cells"]["have"], frame["cells"]["missing"]) == (0, 9)
    run_cells(context, [folders[FOLLOWS].run_id], EXTRACTED, "all", idle_job())
    view = shown(client, "modifiers")
    assert view["frame"]["empty"] is None
    assert view["table"] is None
    assert view["plane"] is None
    assert "Without people's colors" in view["without"]
    assert len(view["sizes"]["lines"]) == MODIFIED


def test_the_job_fills_what_is_missing_and_goes_on_after_a_cancel(
    fresh: tuple[TestClient, Context], folders: dict[str, RunFolder]
) -> None:
    client, context = fresh
    context.storage.runs.ingest(folders[FOLLOWS])
    run_id = folders[FOLLOWS].run_id
    stopped = idle_job()
    stopped.stop.set()
    run_cells(context, [run_id], EXTRACTED, EACH_SCALE, stopped)
    assert context.storage.profiles.cells(run_id, EXTRACTED) == []
    body = {"runs": [run_id], "method": EXTRACTED, "guidance": EACH_SCALE, "owner": "me"}
    answer = client.post(API + "cells", json=body, headers=SENT)
    assert answer.status_code == 200, answer.text
    job = ended(client)
    # All together and two scales, of nine concepts.
    assert (job["status"], job["done"], job["total"]) == ("done", 27, 27)
    profiles = context.storage.profiles
    assert profiles.missing(run_id, EXTRACTED) == []
    assert profiles.missing(run_id, EXTRACTED, by_guidance=True) == []
    for cell in (*profiles.cells(run_id, EXTRACTED), *profiles.cells(run_id, EXTRACTED, True)):
        pictures, _ = profiles.pictures(run_id, cell.concept_id, cell.style, cell.guidance)
        assert cell.images == len(pictures) == (4 if cell.guidance is None else 2)
        expected = of_pictures("", pictures, EXTRACTED).weights
        assert cell.weights is not None
        np.testing.assert_allclose(cell.weights, expected, atol=1e-12)
    client.post(API + "cells", json=body, headers=SENT)
    assert "Nothing was missing" in ended(client)["words"]


def ended(client: TestClient) -> dict[str, Any]:
    end = time.monotonic() + 60
    while True:
        job = dict(client.get("/api/explore/jobs", params={"owner": "me"}).json()["cells"])
        if job["status"] != "running":
            return job
        assert time.monotonic() < end, "the job did not end"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"method": "magic", "runs": ["a"]}, "There is no method"),
        ({"method": PIXELS, "runs": []}, "named no run"),
        ({"method": PIXELS, "runs": ["0123456789abcdef"]}, "No run is stored"),
    ],
)
def test_work_that_cannot_be_done_is_refused(
    client: TestClient, body: dict[str, Any], words: str
) -> None:
    answer = client.post(API + "cells", json=body, headers=SENT)
    assert answer.status_code in (400, 404)
    assert words in answer.json()["error"]


def test_tables_mark_the_model_that_follows(client: TestClient, filled: dict[str, str]) -> None:
    view = shown(client, "tables")
    first = view["tables"][0]
    column = "/visual state/photo/emd_lab"
    marks = {row["id"]: row["cells"][column]["mark"] for row in first["rows"]}
    assert marks[filled[FOLLOWS]] == "best"
    # What ignores modifiers draws the bases like all others: nobody is the best there.
    assert {row["cells"]["/base/photo/emd_lab"]["mark"] for row in first["rows"]} == {""}
    assert f"Means over 3 base concepts, {MODIFIED} visual state, those that" in first["words"]
    rows = lines(client, "tables.csv")
    found = next(
        row for row in rows
        if row["run_id"] == filled[IGNORES] and row["kind"] == "visual state"
        and not row["category"] and row["metric"] == "emd_lab"
    )  # fmt: skip
    assert int(found["concepts"]) == MODIFIED
    assert found["people_are"] == "palettes: colors with weights"
    cell = next(row for row in first["rows"] if row["id"] == filled[IGNORES])["cells"][column]
    assert float(cell["text"]) == pytest.approx(float(found["value"]), abs=5e-4)
    assert float(found["low"]) < float(found["value"]) < float(found["high"])


def test_a_number_is_the_mean_of_the_concepts_that_it_lists(
    client: TestClient, context: Context, filled: dict[str, str]
) -> None:
    run_id = filled[OVERDOES]
    found = shown(client, "tables/concepts", cell=f"{run_id}:/visual state/photo/emd_lab")
    values = [float(one["text"]) for one in found["concepts"]]
    assert values == sorted(values, reverse=True)
    assert found["total"] == MODIFIED
    (set_id,) = [one.set_id for one in context.storage.distributions.all()
                 if one.kind == "palettes"]  # fmt: skip
    cells = {cell.concept_id: cell.weights
             for cell in context.storage.profiles.cells(run_id, EXTRACTED)}  # fmt: skip
    for one in found["concepts"]:
        (row,) = context.storage.distributions.rows(set_id, one["words"])
        weights = cells[one["open"]["concept"]]
        assert weights is not None
        assert float(one["text"]) == pytest.approx(emd(row.weights, weights), abs=5e-4)
        assert one["open"]["d"] == f"set:{set_id[:16]},run:{run_id}/photo/all"
    table = shown(client, "tables")["tables"][0]
    row = next(row for row in table["rows"] if row["id"] == run_id)
    mean = float(np.mean(values))
    cell = row["cells"]["/visual state/photo/emd_lab"]
    assert float(cell["text"]) == pytest.approx(mean, abs=1e-3)


def test_ratings_are_called_ratings(client: TestClient, filled: dict[str, str]) -> None:
    frame = shown(client, "tables")["frame"]
    ratings = next(one for one in frame["people"]["choices"] if "ratings" in one["name"])
    assert ratings["name"].endswith("(ratings)")
    chosen = shown(client, "tables", people=ratings["id"])
    assert "no shares of colorings" in chosen["frame"]["people"]["words"]
    assert chosen["tables"]
    rows = lines(client, "tables.csv", people=ratings["id"])
    assert {row["people_are"] for row in rows} == {ratings["title"]}


@pytest.mark.parametrize("kind", ["palettes", "ratings"])
def test_modifiers_show_inertia_and_over_correction(
    client: TestClient, filled: dict[str, str], kind: str
) -> None:
    choices = shown(client, "tables")["frame"]["people"]["choices"]
    chosen = next(one["id"] for one in choices if kind in one["name"])
    rows = {row["run_id"]: row
            for row in lines(client, "modifiers.csv", part="table", people=chosen)}  # fmt: skip
    ignores, overdoes = rows[filled[IGNORES]], rows[filled[OVERDOES]]
    assert (ignores["behavior"], ignores["n_inertia"]) == (INERTIA, str(MODIFIED))
    assert float(ignores["ratio_of_mean_shifts"]) == 0.0
    assert overdoes["behavior"] == OVER_CORRECTION
    assert int(overdoes["n_over-correction"]) > MODIFIED / 2
    assert rows[filled[FOLLOWS]]["behavior"] in (PRECISE,)
    view = shown(client, "modifiers", people=chosen)
    words = {line["cells"][7] for line in view["plane"]["lines"]
             if line["cells"][1].endswith(IGNORES)}  # fmt: skip
    assert words == {INERTIA}
    drawn = [trace for trace in view["plane"]["figure"]["data"] if trace["mode"] == "text"]
    texts = [text for trace in drawn for text in trace["text"]]
    assert any("Inertia</b> 6" in text for text in texts)
    # Those that did not move lie on one spot, which says how many they are.
    assert f"  {MODIFIED} here" in texts


def test_limits_move_the_regions_and_filters_narrow(
    client: TestClient, filled: dict[str, str]
) -> None:
    usual = shown(client, "modifiers", runs=filled[OVERDOES])
    wide = shown(client, "modifiers", runs=filled[OVERDOES], high="50")
    of = [line["cells"][7] for line in usual["plane"]["lines"]]
    assert OVER_CORRECTION in of
    assert OVER_CORRECTION not in [line["cells"][7] for line in wide["plane"]["lines"]]
    rotten = shown(client, "modifiers", modifier="rotten")
    names = {line["cells"][0] for line in rotten["plane"]["lines"]}
    assert names == {f"rotten {one.concept}" for one in fruits() if not one.modifier}
    answer = client.get(API + "modifiers", params={"low": "2", "high": "1"})
    assert answer.status_code == 400
    assert "below that of over-correction" in answer.json()["error"]


def test_guidance_has_a_point_a_scale_and_the_renderer_no_size(
    client: TestClient, filled: dict[str, str]
) -> None:
    view = shown(client, "guidance", metric="pcc")
    rows = lines(client, "guidance.csv", part="guidance", metric="pcc")
    assert {row["guidance"] for row in rows} == {"3", "7"}
    assert len(rows) == 2 * len(filled)
    assert all(int(row["concepts"]) == 9 for row in rows)
    assert "no table" in view["published"]["told"]
    assert view["figures"]["size"]["figure"] is None
    assert "renderer has none" in view["figures"]["size"]["empty"]
    assert view["figures"]["category"]["figure"] is not None
    dashes = {trace["line"]["dash"] for trace in view["figures"]["guidance"]["figure"]["data"]}
    assert len(dashes) == len(filled)


def test_people_know_more_than_runs_draw_and_scales_wait_to_be_measured(
    fresh: tuple[TestClient, Context], folders: dict[str, RunFolder]
) -> None:
    client, context = fresh
    context.storage.runs.ingest(folders[FOLLOWS])
    more = palettes_csv() + b"banana,overripe,p01,#776600,1\r\n"
    people(context, "palettes", more)
    run_cells(context, [folders[FOLLOWS].run_id], EXTRACTED, "all", idle_job())
    view = shown(client, "tables")
    assert "10 concepts" in view["frame"]["people"]["words"]
    words = view["tables"][0]["words"]
    assert f"Means over 3 base concepts, {MODIFIED} visual state;" in words
    empty = shown(client, "guidance")["figures"]["guidance"]["empty"]
    assert "not measured yet" in empty


def test_one_scale_alone_is_of_its_pictures(client: TestClient, filled: dict[str, str]) -> None:
    view = shown(client, "tables", guidance="3")
    assert view["frame"]["cells"]["have"] == 9 * len(filled)
    found = shown(
        client, "tables/concepts", guidance="3", cell=f"{filled[FOLLOWS]}:/base/photo/pcc"
    )
    assert found["concepts"][0]["open"]["d"].endswith("/photo/3")
    assert client.get(API + "tables", params={"guidance": "4"}).status_code == 400


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("tables", {"method": "magic"}), ("tables", {"people": "set:0123456789abcdef"}),
        ("tables", {"runs": "0123456789abcdef"}), ("tables", {"common": "maybe"}),
        ("tables", {"metric": "beauty"}), ("modifiers", {"style": "oil"}),
        ("modifiers", {"low": "few"}), ("modifiers.csv", {"part": "all"}),
        ("guidance", {"metric": "beauty"}), ("guidance.csv", {"part": "all"}),
        ("tables/concepts", {"cell": "nothing"}),
    ],
)  # fmt: skip
def test_what_there_is_not_is_said(
    client: TestClient, filled: dict[str, str], path: str, params: dict[str, str]
) -> None:
    answer = client.get(API + path, params=params)
    assert answer.status_code == 400
    assert len(answer.json()["error"]) > 20


def test_size_is_that_of_the_registry(context: Context, filled: dict[str, str]) -> None:
    frame = frame_of(context, PeopleHere(context), {}, each_scale=True)
    models = dict(zip(filled.values(), ("sd3-medium", "sdxl-base-1.0", "flux.1-dev"), strict=True))
    runs = tuple(replace(run, model=models[run.run_id]) for run in frame.runs)
    chart = charts_of(replace(frame, runs=runs), Choice({"metric": "pcc"}))["size"]
    sizes = {row.values[0]: row.values[1] for row in chart.rows}
    names = {
        frame.names[run_id]: registered(model).parameters_b for run_id, model in models.items()
    }
    assert sizes == names
    assert "Spearman" in chart.stands
    assert chart.figure is not None
    assert chart.figure["layout"]["xaxis"]["type"] == "log"


def test_colorings_stored_here_are_people_too(
    fresh: tuple[TestClient, Context], folders: dict[str, RunFolder]
) -> None:
    client, context = fresh
    context.storage.runs.ingest(folders[FOLLOWS])
    run_id = folders[FOLLOWS].run_id
    run_cells(context, [run_id], EXTRACTED, "all", idle_job())
    # Somebody "colored" the bananas as the run drew them, so nothing is apart.
    banana = next(one for one in fruits() if one.words == "banana")
    pictures, _ = context.storage.profiles.pictures(run_id, banana.id)
    images = [(one.image_id, one.mask_id, f"p{at}") for at, one in enumerate(pictures)]
    context.storage.picture_sets.add("Bananas", "banana", images, of_people=True)
    frame = shown(client, "tables")["frame"]
    assert frame["people"]["chosen"] == "colorings"
    found = shown(client, "tables/concepts", cell=f"{run_id}:/base/photo/emd_lab")
    assert [(one["words"], one["text"]) for one in found["concepts"]] == [("banana", "0.000")]
    assert found["concepts"][0]["open"]["d"].startswith("pictures:")
