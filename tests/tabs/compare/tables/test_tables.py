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
import plotly.graph_objects as go
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.assets.live import run_live
from tests.charts import plotly_of
from tests.concept_runs import concept_run, fruits, palettes_csv, ratings_csv
from tests.empty_data import empty_data
from tests.house import ROOT
from tests.storage.run_samples import ingest_copied
from truehue.core.color.distances import emd
from truehue.core.concepts.distribution import of_pictures
from truehue.core.concepts.reading import read_distributions
from truehue.core.concepts.records import EXTRACTED, PIXELS
from truehue.core.concepts.scores import by_id
from truehue.core.concepts.sensitivity import (
    INERTIA,
    OURS,
    OVER_CORRECTION,
    PRECISE,
    Shift,
    behavior_of,
)
from truehue.core.generation.registry import model as registered
from truehue.core.published import Counterpart, value
from truehue.core.runs.folder import RunFolder
from truehue.storage import Storage
from truehue.tabs.compare.tab import TABLES
from truehue.tabs.compare.tables import gap
from truehue.tabs.compare.tables.cells import EACH_SCALE, run_cells
from truehue.tabs.compare.tables.frame import frame_of, template
from truehue.tabs.compare.tables.guidance import Choice, charts_of
from truehue.tabs.compare.tables.modifier_charts import regions
from truehue.tabs.compare.tables.reference_sets import ReferenceSets
from truehue.tabs.compare.tables.routes import compare_tables_routes
from truehue.tabs.compare.tables.view import describe_fewest
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs import Job, job_alone
from truehue.tabs.page.jobs_routes import job_routes
from truehue.tabs.page.routes import page_routes
from truehue.tabs.shell.compose import make_context

pytestmark = [pytest.mark.process, pytest.mark.slow]

API = "/api/compare/analyses/"
SENT = {"X-TrueHue": "1"}
FOLLOWS, IGNORES, OVERDOES = "none", "modifier-ignored", "modifier-overshot"
PAGE = ROOT / "tests/assets/compare/tables.live.js"
ROUTES = (compare_tables_routes, page_routes, job_routes)
TEMPLATES = {f"compare/{view}": template(view) for view in TABLES}
MODIFIED = 6
"""Three fruits, each unripe and rotten."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunFolder]:
    """Three small runs, two guidance scales each; drawn once for all tests."""
    root = tmp_path_factory.mktemp("concepts")
    return {
        failure: concept_run(root, failure, guidances=(3.0, 7.0))
        for failure in (FOLLOWS, IGNORES, OVERDOES)
    }


@contextmanager
def app_of(data: Path) -> Iterator[tuple[TestClient, Context]]:
    """The routes over a storage of their own."""
    with Storage.open(empty_data(data)) as storage:
        context = make_context(storage, "data")
        app = FastAPI()
        app.include_router(compare_tables_routes(context))
        app.include_router(job_routes(context))
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
        ingest_copied(context.storage, list(folders.values()))
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
    return job_alone("cells")


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
    row = next(item for item in first["rows"] if item["name"].startswith("Sana"))
    printed = row["cells"]["Original Clipart EMD"]["text"]
    assert float(printed) == value(
        "colorconceptbench-table1", "Original Clipart EMD", model=row["name"]
    )


def test_the_page_leads_an_empty_app_to_a_run(fresh: tuple[TestClient, Context]) -> None:
    run_live(PAGE, fresh[1], ROUTES, {"empty": True}, TEMPLATES)


def test_the_page_measures_and_shows_all_views(
    fresh: tuple[TestClient, Context], folders: dict[str, RunFolder]
) -> None:
    context = fresh[1]
    for folder in folders.values():
        context.storage.runs.ingest(folder)
    people(context, "palettes", palettes_csv())
    people(context, "ratings", ratings_csv())
    run_live(PAGE, context, ROUTES, {"empty": False}, TEMPLATES)


def test_without_people_models_own_shifts_are_shown(
    fresh: tuple[TestClient, Context], folders: dict[str, RunFolder]
) -> None:
    client, context = fresh
    ingest_copied(context.storage, [folders[FOLLOWS]])
    frame = shown(client, "tables")["frame"]
    assert frame["empty"]["act"] == "people"
    # 9 concepts in one style; nothing is measured before somebody asks.
    assert (frame["cells"]["have"], frame["cells"]["missing"]) == (0, 9)
    run_cells(context, [folders[FOLLOWS].run_id], EXTRACTED, "all", idle_job())
    view = shown(client, "modifiers")
    assert view["frame"]["empty"] is None
    assert view["table"] is None
    assert view["plane"] is None
    assert "without people's colors" in view["without"]
    assert len(view["sizes"]["lines"]) == MODIFIED


def test_the_job_fills_what_is_missing_and_goes_on_after_a_cancel(
    fresh: tuple[TestClient, Context], folders: dict[str, RunFolder]
) -> None:
    client, context = fresh
    ingest_copied(context.storage, [folders[FOLLOWS]])
    run_id = folders[FOLLOWS].run_id
    stopped = idle_job()
    stopped.stop.set()
    run_cells(context, [run_id], EXTRACTED, EACH_SCALE, stopped)
    assert context.storage.profiles.cells(run_id, EXTRACTED) == []
    body = {"runs": [run_id], "method": EXTRACTED, "guidance": EACH_SCALE}
    answer = client.post(API + "cells", json=body, headers=SENT)
    assert answer.status_code == 200, answer.text
    job = ended(client)
    # All together and two scales, of nine concepts.
    assert (job["status"], job["done"], job["total"]) == ("done", 27, 27)
    profiles = context.storage.profiles
    assert profiles.missing(run_id, EXTRACTED) == []
    assert profiles.missing(run_id, EXTRACTED, by_guidance=True) == []
    for cell in (*profiles.cells(run_id, EXTRACTED), *profiles.cells(run_id, EXTRACTED, True)):
        images, _ = profiles.image_profiles(run_id, cell.concept_id, cell.style, cell.guidance)
        assert cell.images == len(images) == (4 if cell.guidance is None else 2)
        expected = of_pictures("", images, EXTRACTED).weights
        assert cell.weights is not None
        np.testing.assert_allclose(cell.weights, expected, atol=1e-12)
    client.post(API + "cells", json=body, headers=SENT)
    assert "Nothing was missing" in ended(client)["words"]


def ended(client: TestClient) -> dict[str, Any]:
    end = time.monotonic() + 60
    while True:
        job = dict(client.get("/api/jobs", params={"kind": "cells"}).json()["jobs"][0])
        if not job["active"]:
            return job
        assert time.monotonic() < end, "the job did not end"
        time.sleep(0.05)


def test_the_gap_to_a_printed_row_is_that_of_the_views(
    client: TestClient, filled: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"table": "colorconceptbench-table1", "row": "Stable Diffusion 3 (2B)"}
    (none,) = shown(client, "gap", **row)["gaps"]
    command = "truehue reproduce colorconceptbench --table 1 --models sd3-medium"
    assert (none["columns"], none["command"]) == ([], command)
    # The renderer stands for the model: its runs have every setting that is switched.
    stand_in = Counterpart(("reference-renderer",), False, "")
    monkeypatch.setattr(gap, "counterpart", lambda paper, name: stand_in)
    monkeypatch.setattr(gap, "_ids_of", lambda row: stand_in.ids)
    run = filled[OVERDOES]
    ratings = crowd_of(client, "Our ratings (ratings)")
    base = {"people": crowd_of(client, "Our palettes"), "runs": run, "guidance": "3"}

    def emd_of(**changes: str) -> float:
        (item,) = shown(client, "tables", **{**base, **changes})["tables"][0]["rows"]
        return float(item["cells"]["/base/photo/emd_lab"]["text"])

    (view,) = shown(client, "gap", **row, **base)["gaps"]
    shares = {entry["name"]: entry["cells"] for entry in view["rows"]}
    column = "Original Natural EMD"
    parts = {entry["id"]: (entry["part"], entry["short"]) for entry in view["columns"]}
    assert parts[column] == ("Base concepts, natural photo", "EMD")
    printed = value(row["table"], column, model=row["row"])
    assert printed is not None
    assert float(view["missing"][column]) == pytest.approx(printed - emd_of(), abs=0.002)
    moved = {"Guidance": emd_of(guidance="all"), "People (Our ratings)": emd_of(people=ratings)}
    for name, number in moved.items():
        assert float(shares[name][column]) == pytest.approx(number - emd_of(), abs=0.002)
    needing = {entry["name"]: entry for entry in view["runs"]}
    assert "168 designers" in needing["People"]["sentence"]
    assert "other masks" not in needing["Settings"]["ours"]
    assert "prompts of" in needing["Concepts"]["ours"]
    # The ratio of shifts, and the mean of several runs' ratios.
    ratios = shown(client, "modifiers", people=base["people"])["table"]["rows"]
    for table, name, printed_row in (("6", "Natural", "SD 3"), ("8", "Natural", "Visual State")):
        (view,) = shown(
            client,
            "gap",
            table=f"colorconceptbench-table{table}",
            row=printed_row,
            people=base["people"],
            **({"runs": run} if table == "6" else {}),
        )["gaps"]
        of_runs = {item["id"]: item["cells"] for item in ratios}
        cell = of_runs[run if table == "6" else ""]["visual state/photo"]
        key = "modifier" if table == "8" else "model"
        printed = value(f"colorconceptbench-table{table}", name, **{key: printed_row})
        assert printed is not None
        expected = printed - float(cell["text"])
        assert float(view["missing"][name]) == pytest.approx(expected, abs=0.002)
    refused = client.get(API + "gap", params={"table": row["table"], "row": "SDXL"})
    assert refused.status_code == 400
    assert "no row with" in refused.json()["error"]


def crowd_of(client: TestClient, name: str) -> str:
    """The id of the people of that name."""
    choices = shown(client, "tables")["frame"]["people"]["choices"]
    return str(next(choice["id"] for choice in choices if choice["name"] == name))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"method": "magic", "runs": ["a"]}, "There is no method"),
        ({"method": ["pixels"], "runs": ["a"]}, "The method is text"),
        ({"method": {}, "runs": ["a"]}, "The method is text"),
        ({"method": PIXELS, "runs": []}, "The list of runs"),
        ({"method": PIXELS, "runs": {"a": 1}}, "The list of runs"),
        ({"method": PIXELS, "runs": [["a"]]}, "The list of runs"),
        ({"method": PIXELS, "runs": ["a"], "guidance": ["3"]}, "Guidance is text"),
        ({"method": PIXELS, "runs": ["a"], "guidance": "nan"}, "Guidance is a number"),
        ({"method": PIXELS, "runs": ["0123456789abcdef"]}, "No run is stored"),
    ],
)
def test_work_that_cannot_be_done_is_refused(
    client: TestClient, body: dict[str, Any], text: str
) -> None:
    answer = client.post(API + "cells", json=body, headers=SENT)
    assert answer.status_code in (400, 404)
    assert text in answer.json()["error"]


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b"{",
        b"\xff",
        b"[1]",
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"method": "\\ud800", "runs": ["a"]}',
    ],
)
def test_a_body_that_is_no_json_object_is_refused_in_words(
    client: TestClient, content: bytes
) -> None:
    answer = client.post(API + "cells", content=content, headers=SENT)
    assert answer.status_code == 400
    assert "no JSON" in answer.json()["error"]


def test_tables_mark_the_model_that_follows(client: TestClient, filled: dict[str, str]) -> None:
    view = shown(client, "tables")
    first = view["tables"][0]
    column = "/visual state/photo/emd_lab"
    marks = {row["id"]: row["cells"][column]["mark"] for row in first["rows"]}
    assert marks[filled[FOLLOWS]] == "best"
    # What ignores modifiers draws the bases like all others: nobody is the best there.
    assert {row["cells"]["/base/photo/emd_lab"]["mark"] for row in first["rows"]} == {""}
    assert (
        f"means over 3 base concepts, {MODIFIED} visual state, shared by all rows" in first["words"]
    )
    rows = lines(client, "tables.csv")
    result = next(
        row
        for row in rows
        if row["run_id"] == filled[IGNORES]
        and row["kind"] == "visual state"
        and not row["category"]
        and row["metric"] == "emd_lab"
    )
    assert int(result["concepts"]) == MODIFIED
    assert result["people_are"] == "palettes: colors with weights"
    cell = next(row for row in first["rows"] if row["id"] == filled[IGNORES])["cells"][column]
    assert float(cell["text"]) == pytest.approx(float(result["value"]), abs=5e-4)
    assert float(result["low"]) < float(result["value"]) < float(result["high"])


def test_a_number_is_the_mean_of_the_concepts_that_it_lists(
    client: TestClient, context: Context, filled: dict[str, str]
) -> None:
    run_id = filled[OVERDOES]
    result = shown(client, "tables/concepts", cell=f"{run_id}:/visual state/photo/emd_lab")
    values = [float(concept["text"]) for concept in result["concepts"]]
    assert values == sorted(values, reverse=True)
    assert result["total"] == MODIFIED
    (set_id,) = [
        distribution.set_id
        for distribution in context.storage.distributions.all()
        if distribution.kind == "palettes"
    ]
    cells = {
        cell.concept_id: cell.weights for cell in context.storage.profiles.cells(run_id, EXTRACTED)
    }
    for item in result["concepts"]:
        (row,) = context.storage.distributions.rows(set_id, item["words"])
        weights = cells[item["open"]["concept"]]
        assert weights is not None
        assert float(item["text"]) == pytest.approx(emd(row.weights, weights), abs=5e-4)
        assert item["open"]["d"] == f"set:{set_id[:16]},run:{run_id}/photo/all"
    table = shown(client, "tables")["tables"][0]
    row = next(row for row in table["rows"] if row["id"] == run_id)
    mean = float(np.mean(values))
    cell = row["cells"]["/visual state/photo/emd_lab"]
    assert float(cell["text"]) == pytest.approx(mean, abs=1e-3)


def test_ratings_are_called_ratings(client: TestClient, filled: dict[str, str]) -> None:
    frame = shown(client, "tables")["frame"]
    ratings = next(choice for choice in frame["people"]["choices"] if "ratings" in choice["name"])
    assert ratings["name"].endswith("(ratings)")
    chosen = shown(client, "tables", people=ratings["id"])
    assert "not shares of colorings" in chosen["frame"]["people"]["words"]
    assert chosen["tables"]
    rows = lines(client, "tables.csv", people=ratings["id"])
    assert {row["people_are"] for row in rows} == {ratings["title"]}


def texts_of(chart: dict[str, Any]) -> list[str]:
    """What is written in a chart."""
    return [row["text"] for series in chart["series"] for row in series["rows"] if "text" in row]


@pytest.mark.parametrize("kind", ["palettes", "ratings"])
def test_modifiers_show_inertia_and_over_correction(
    client: TestClient, filled: dict[str, str], kind: str
) -> None:
    choices = shown(client, "tables")["frame"]["people"]["choices"]
    chosen = next(choice["id"] for choice in choices if kind in choice["name"])
    rows = {
        row["run_id"]: row for row in lines(client, "modifiers.csv", part="table", people=chosen)
    }
    ignores, overdoes = rows[filled[IGNORES]], rows[filled[OVERDOES]]
    assert (ignores["behavior"], ignores["n_inertia"]) == (INERTIA, str(MODIFIED))
    assert float(ignores["ratio_of_mean_shifts"]) == 0.0
    assert overdoes["behavior"] == OVER_CORRECTION
    assert int(overdoes["n_over-correction"]) > MODIFIED / 2
    assert rows[filled[FOLLOWS]]["behavior"] in (PRECISE,)
    view = shown(client, "modifiers", people=chosen)
    terms = {
        line["cells"][7] for line in view["plane"]["lines"] if line["cells"][1].endswith(IGNORES)
    }
    assert terms == {INERTIA}
    texts = texts_of(view["plane"]["figure"])
    assert any("Inertia</b> 6" in text for text in texts)
    # Those that did not move lie on one spot, which says how many they are.
    assert f"  {MODIFIED} here" in texts


def test_the_last_row_is_the_mean_of_the_runs(client: TestClient, filled: dict[str, str]) -> None:
    rows = lines(client, "modifiers.csv", part="table")
    *runs, last = rows
    assert (last["run"], last["run_id"], last["runs"]) == ("Mean of the runs", "", "3")
    ratios = [float(row["ratio_of_mean_shifts"]) for row in runs]
    assert len(ratios) == len(filled)
    assert {row["runs"] for row in runs} == {"1"}
    assert float(last["ratio_of_mean_shifts"]) == pytest.approx(sum(ratios) / 3, abs=1e-5)
    shown_rows = shown(client, "modifiers")["table"]["rows"]
    assert [row["name"] for row in shown_rows].count("Mean of the runs") == 1
    cell = shown_rows[-1]["cells"]["visual state/photo"]
    assert (cell["text"], cell["note"]) == (f"{sum(ratios) / 3:.3f}", "3 runs")
    # Of one run there is nothing to take the mean of.
    alone = shown(client, "modifiers", runs=filled[FOLLOWS])["table"]["rows"]
    assert [row["id"] for row in alone] == [filled[FOLLOWS]]
    assert len(lines(client, "modifiers.csv", part="table", runs=filled[FOLLOWS])) == 1


def test_plotly_knows_all_that_the_charts_say(client: TestClient) -> None:
    modifiers, guidance = shown(client, "modifiers"), shown(client, "guidance")
    views = [modifiers["plane"], modifiers["sizes"], *guidance["figures"].values()]
    charts = [view["figure"] for view in views if view["figure"]]
    assert len(charts) == 4
    for chart in charts:
        # Plotly checks every name and every value.
        assert go.Figure(plotly_of(chart)).data


def test_drift_spans_every_size_from_inertia_on(client: TestClient) -> None:
    figure = shown(client, "modifiers", angle="40")["plane"]["figure"]
    boxes = {
        (shape["y0"], shape["y1"]): (shape["x0"], shape["x1"])
        for shape in figure["shapes"]
        if shape["type"] == "rect" and (shape["y0"], shape["y1"]) == (40.0, 180.0)
    }
    ((left, right),) = boxes.values()
    assert left == 0.5
    assert right == pytest.approx(10 ** figure["x"]["range"][1])
    assert any(text.startswith("<b>Drift</b>") for text in texts_of(figure))
    # Beyond 180 degrees there is nothing: no region, and no name of one.
    whole = shown(client, "modifiers", angle="180")["plane"]["figure"]
    assert not any("Drift" in text for text in texts_of(whole))


def test_every_point_is_counted_in_the_region_where_it_stands() -> None:
    measured = [
        (0.2, 180.0),
        (0.2, None),
        (0.6, 100.0),
        (4.0, 100.0),
        (4.0, 10.0),
        (4.0, None),
        (1.0, 10.0),
        (1.0, None),
    ]
    plain = Shift("r", "concept-0041-rotten", "concept-0041", "rotten", "visual state", "", "photo")
    replaces = [
        replace(plain, ratio=ratio, direction_deg=angle, behavior=behavior_of(ratio, angle))
        for ratio, angle in measured
    ]
    counted = {(region.name, region.angles[0]): region.count for region in regions(OURS, replaces)}
    assert counted == {
        ("Inertia", 0.0): 2,
        ("Drift", 60.0): 2,
        ("Precise adaptation", 0.0): 1,
        ("Over-correction", 0.0): 1,
        ("No direction", 180.0): 1,
        ("Over-correction", 180.0): 1,
    }


def test_limits_move_the_regions_and_filters_narrow(
    client: TestClient, filled: dict[str, str]
) -> None:
    usual = shown(client, "modifiers", runs=filled[OVERDOES])
    wide = shown(client, "modifiers", runs=filled[OVERDOES], high="50")
    source = [line["cells"][7] for line in usual["plane"]["lines"]]
    assert OVER_CORRECTION in source
    assert OVER_CORRECTION not in [line["cells"][7] for line in wide["plane"]["lines"]]
    rotten = shown(client, "modifiers", modifier="rotten")
    names = {line["cells"][0] for line in rotten["plane"]["lines"]}
    assert names == {f"rotten {fruit.concept}" for fruit in fruits() if not fruit.modifier}
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
    dashes = {series["line"]["dash"] for series in view["figures"]["guidance"]["figure"]["series"]}
    assert len(dashes) == len(filled)


def test_people_know_more_than_runs_draw_and_scales_wait_to_be_measured(
    fresh: tuple[TestClient, Context], folders: dict[str, RunFolder]
) -> None:
    client, context = fresh
    ingest_copied(context.storage, [folders[FOLLOWS]])
    more = palettes_csv() + b"banana,overripe,p01,#776600,1\r\n"
    people(context, "palettes", more)
    run_cells(context, [folders[FOLLOWS].run_id], EXTRACTED, "all", idle_job())
    view = shown(client, "tables")
    assert "10 concepts" in view["frame"]["people"]["words"]
    text = view["tables"][0]["words"]
    assert f"means over 3 base concepts, {MODIFIED} visual state;" in text
    empty = shown(client, "guidance")["figures"]["guidance"]["empty"]
    assert "not been measured yet" in empty


def test_one_scale_alone_is_of_its_pictures(client: TestClient, filled: dict[str, str]) -> None:
    view = shown(client, "tables", guidance="3")
    assert view["frame"]["cells"]["have"] == 9 * len(filled)
    result = shown(
        client, "tables/concepts", guidance="3", cell=f"{filled[FOLLOWS]}:/base/photo/pcc"
    )
    assert result["concepts"][0]["open"]["d"].endswith("/photo/3")
    assert client.get(API + "tables", params={"guidance": "4"}).status_code == 400


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("tables", {"method": "magic"}),
        ("tables", {"people": "set:0123456789abcdef"}),
        ("tables", {"runs": "0123456789abcdef"}),
        ("tables", {"common": "maybe"}),
        ("tables", {"metric": "beauty"}),
        ("modifiers", {"style": "oil"}),
        ("modifiers", {"low": "few"}),
        ("modifiers.csv", {"part": "all"}),
        ("guidance", {"metric": "beauty"}),
        ("guidance.csv", {"part": "all"}),
        ("tables/concepts", {"cell": "nothing"}),
    ],
)
def test_what_there_is_not_is_said(
    client: TestClient, filled: dict[str, str], path: str, params: dict[str, str]
) -> None:
    answer = client.get(API + path, params=params)
    assert answer.status_code == 400
    assert len(answer.json()["error"]) > 20


def test_size_is_that_of_the_registry(context: Context, filled: dict[str, str]) -> None:
    frame = frame_of(context, ReferenceSets(context), {}, each_scale=True)
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
    assert chart.figure["x"]["type"] == "log"
    assert go.Figure(plotly_of(chart.figure)).data


def test_the_run_that_leaves_few_concepts_to_the_others_is_named(
    context: Context, filled: dict[str, str]
) -> None:
    whole = frame_of(context, ReferenceSets(context), {})
    assert describe_fewest(whole) == ""
    # The run that ignores modifiers is cut to two of its nine concepts.
    cut = filled[IGNORES]
    two = sorted({cell.concept_id for cell in whole.cells.kept if cell.run_id == cut})[:2]
    saved = tuple(cell for cell in whole.cells.kept if cell.run_id != cut or cell.concept_id in two)
    text = describe_fewest(replace(whole, cells=replace(whole.cells, kept=saved)))
    kinds = {by_id()[item].modifier_kind for item in two}
    # As a row it is there only for the kinds that it has: of the other kinds all is shared.
    of_others = {"base": 3, "visual state": MODIFIED}
    now = len(two) + sum(count for kind, count in of_others.items() if kind not in kinds)
    assert f"“{whole.names[cut]}” has colors of the fewest, 2, and all rows share {now}" in text
    assert text.endswith("untick it under Runs, and the others share 9.")


def test_all_digits_of_a_scale_are_kept(tmp_path: Path, fresh: tuple[TestClient, Context]) -> None:
    client, context = fresh
    scales = (1234567.0, 1234568.0)
    folder = concept_run(tmp_path / "runs", FOLLOWS, guidances=scales)
    ingest_copied(context.storage, [folder])
    people(context, "palettes", palettes_csv())
    run_cells(context, [folder.run_id], EXTRACTED, EACH_SCALE, idle_job())
    frame = shown(client, "tables", guidance="1234568")["frame"]
    assert [guidance["id"] for guidance in frame["guidances"]] == ["all", "1234567", "1234568"]
    assert (frame["cells"]["have"], frame["cells"]["missing"]) == (9, 0)
    rows = lines(client, "guidance.csv", part="guidance")
    assert {row["guidance"] for row in rows} == {"1234567", "1234568"}


def test_colorings_without_colors_are_counted_with_their_reasons(
    fresh: tuple[TestClient, Context],
    folders: dict[str, RunFolder],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client, context = fresh
    ingest_copied(context.storage, [folders[FOLLOWS]])
    banana = next(fruit for fruit in fruits() if fruit.words == "banana")
    stored_images, _ = context.storage.profiles.image_profiles(folders[FOLLOWS].run_id, banana.id)
    images = [
        (item.image_id, item.mask_id, f"p{index}") for index, item in enumerate(stored_images)
    ]
    context.storage.picture_sets.add("Bananas", "banana", images, of_people=True)
    sets, whole = context.storage.picture_sets, shown(client, "tables")["frame"]["people"]["words"]
    assert "could not be measured" not in whole
    measured, _ = sets.image_profiles(sets.all()[0].set_id)
    lost = [(0, "Nothing is inside the mask."), (1, "Nothing is inside the mask."), (2, "Gone.")]
    monkeypatch.setattr(type(sets), "image_profiles", lambda self, set_id: (measured[3:], lost))
    reference_sets = ReferenceSets(context)
    people_ = reference_sets.chosen(reference_sets.crowds(), "")
    assert people_ is not None
    assert people_.unscored == {"Nothing is inside the mask": 2, "Gone": 1}
    assert people_.words.endswith(
        "3 images could not be measured and are not included here: 2 × Nothing is inside the "
        "mask; 1 × Gone."
    )


def test_colorings_stored_here_are_people_too(
    fresh: tuple[TestClient, Context], folders: dict[str, RunFolder]
) -> None:
    client, context = fresh
    ingest_copied(context.storage, [folders[FOLLOWS]])
    run_id = folders[FOLLOWS].run_id
    run_cells(context, [run_id], EXTRACTED, "all", idle_job())
    # Somebody "colored" the bananas as the run drew them, so nothing is apart.
    banana = next(fruit for fruit in fruits() if fruit.words == "banana")
    stored_images, _ = context.storage.profiles.image_profiles(run_id, banana.id)
    images = [
        (item.image_id, item.mask_id, f"p{index}") for index, item in enumerate(stored_images)
    ]
    context.storage.picture_sets.add("Bananas", "banana", images, of_people=True)
    frame = shown(client, "tables")["frame"]
    assert frame["people"]["chosen"] == "colorings"
    result = shown(client, "tables/concepts", cell=f"{run_id}:/base/photo/emd_lab")
    assert [(concept["words"], concept["text"]) for concept in result["concepts"]] == [
        ("banana", "0.000")
    ]
    assert result["concepts"][0]["open"]["d"].startswith("pictures:")
