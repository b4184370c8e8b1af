"""The Explore tab without a browser: reports, their pictures, long work, and disagreements."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import gradio as gr
import numpy as np
import plotly.graph_objects as go
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.charts import plotly_of
from tests.storage.samples import drawing
from tests.tabs.drawn import drawn
from tests.tabs.inspect.test_tab import opened
from truehue.core.color.systems import parse_target
from truehue.core.diagnosis.plan import renderer_tasks, rules_used
from truehue.core.diagnosis.records import DiagnosisReport, Example
from truehue.core.diagnosis.run import diagnose
from truehue.core.errors import BadInput, UnknownColor
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.verdict.rules import DEFAULT_RULE, RULES
from truehue.tabs.charts.figure_parts import rate_text
from truehue.tabs.explore import rule_accuracy
from truehue.tabs.explore import rule_accuracy_report as explore_report
from truehue.tabs.explore import tab as explore
from truehue.tabs.explore.disagreements import agreement_view, reasons
from truehue.tabs.explore.routes import explore_routes
from truehue.tabs.explore.rule_accuracy import stored_reports
from truehue.tabs.explore.rule_accuracy_images import Scene, measured, scene_of, stored
from truehue.tabs.explore.rule_accuracy_images import render_scene as drawn_scene
from truehue.tabs.explore.rule_accuracy_report import report_view, stale
from truehue.tabs.explore.score_stored import ScoreStored, start_scoring_stored
from truehue.tabs.page.asset_files import asset_files
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs_routes import job_routes
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER

MUG = Scene("mug", "studio", 0, "l2", "Red", "", 128)


# Whichever asks for the diagnosis first starts the process that makes it.
pytestmark = pytest.mark.process


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real diagnosis, as small as it can be: two objects under two lights, 64 pixels."""
    out = tmp_path_factory.mktemp("diagnosis") / "small"
    tasks = renderer_tasks(
        rules_used(), ("mug", "cube"), ("overcast", "hard"), (0,), ("l2", "css"), 64, 12
    )
    diagnose(out, rules_used(), tasks, workers=1, every=12)
    return out.parent


@pytest.fixture
def report(folder: Path) -> DiagnosisReport:
    return rule_accuracy.read_report(folder / "small" / "report.json")


@pytest.fixture
def no_shipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No report is shipped, until a test puts one there."""
    path = tmp_path / "shipped.json"
    monkeypatch.setattr(rule_accuracy, "SHIPPED_FILE", path)
    return path


def until(done: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "It did not come to this."
        time.sleep(0.02)


# ── reports ──────────────────────────────────────────────────────────────────────────────────


def test_without_a_report_the_page_gets_the_command(no_shipped: Path, tmp_path: Path) -> None:
    made = stored_reports(tmp_path / "nothing")
    assert made == []
    assert report_view(made, "", "pooled") == {
        "reports": [],
        "command": "python -m truehue diagnose --out DIR",
    }


def test_numbers_of_the_page_are_those_of_the_report(
    no_shipped: Path, folder: Path, report: DiagnosisReport
) -> None:
    view = report_view(stored_reports(folder), "", "pooled")
    assert [row["id"] for row in view["rows"]] == [by.id for by in RULES]
    for row in view["rows"]:
        rule = report.rule(row["id"])
        assert rule is not None
        for system, cell in row["cells"].items():
            figure = rule.figure("pooled", system)
            assert figure is not None
            assert cell["hit"]["percent"] == figure.hit_percent
            assert cell["hit"]["counts"] == f"{figure.hits:,} of {figure.asked:,}"
            assert cell["false"]["counts"] == f"{figure.false_accepts:,} of {figure.tried:,}"
            assert cell["false"]["text"] == f"{figure.false_accept_percent:.1f}"
    assert {item["system"]: item["hit"] for item in view["published"]} == {
        "l2": "96.46",
        "css": "92.00",
    }
    by = {breakdown["by"]: breakdown["rows"] for breakdown in view["breakdowns"]}
    # The worst light first.
    assert [row["key"] for row in by["light"]] == ["hard", "overcast"]
    assert [row["key"] for row in by["object"]] == ["mug", "cube"]
    assert all(len(row["swatches"]) == 1 for row in by["hue"] + by["lightness"])
    rule = report.rules[0]
    figure = rule.figure("pooled", "css", "light", "hard")
    assert figure is not None
    result = by["light"][0]["cells"][rule.id]["css"]
    assert result["hit"]["percent"] == figure.hit_percent
    assert json.loads(json.dumps(view)) == view


def test_each_set_has_its_own_numbers_and_words(no_shipped: Path, folder: Path) -> None:
    made = stored_reports(folder)
    views = {
        item["id"]: report_view(made, "", item["id"]) for item in report_view(made, "", "")["sets"]
    }
    # The mug is tuned on and the cube is held out, so are their lights; the rest is mixed.
    assert set(views) == {"pooled", "held_out", "tuned", "mixed", "two_material"}
    target = {
        name: view["rows"][0]["cells"]["l2"]["hit"]["counts"].split(" of ")[1]
        for name, view in views.items()
    }
    assert int(target["held_out"]) + int(target["tuned"]) + int(target["mixed"]) == int(
        target["pooled"]
    )
    assert "(Tuned on) and not on the others (Held out)" in views["pooled"]["set_words"]
    assert "cube, cylinder" in views["held_out"]["set_words"]
    assert "those of 1.2 were chosen on other views of these too" in views["held_out"]["set_words"]
    assert "overcast and window" in views["tuned"]["set_words"]
    # A set that the report has not falls back to all pictures.
    assert report_view(made, "", "unknown")["set"] == "pooled"


def test_this_machine_stands_beside_the_shipped_one(no_shipped: Path, folder: Path) -> None:
    no_shipped.write_bytes((folder / "small" / "report.json").read_bytes())
    made = stored_reports(folder)
    assert [stored_report.id for stored_report in made] == ["shipped", "small"]
    view = report_view(made, "shipped", "pooled")
    assert view["name"] == "Shipped with TrueHue"
    assert view["beside"]["name"].startswith("This machine, ")
    assert view["beside"]["name"].endswith("every 12th color")
    assert report_view(made, "small", "pooled")["beside"]["name"] == "Shipped with TrueHue"
    assert report_view(made, "not there", "pooled")["source"] == "shipped"


def test_a_report_of_another_version_says_so(report: DiagnosisReport) -> None:
    rule = report.rules[-1]
    assert stale(rule) == ""
    old = type(rule)(**{**rule.__dict__, "version": "0.9"})
    assert stale(old) == f"made with {rule.id} 0.9, now {rule.version}"
    gone = type(rule)(**{**rule.__dict__, "id": "gone"})
    assert "gone" in stale(gone)
    assert "no longer exists" in stale(gone)


def test_a_rule_that_the_report_lacks_is_named(
    no_shipped: Path, folder: Path, tmp_path: Path
) -> None:
    data = json.loads((folder / "small" / "report.json").read_text())
    data["rules"] = data["rules"][:1]
    no_shipped.write_text(json.dumps(data))
    rows = report_view(stored_reports(tmp_path), "", "pooled")["rows"]
    assert [row["id"] for row in rows] == [by.id for by in RULES]
    assert all(row["stale"] == "not in this report" and not row["cells"] for row in rows[1:])


def test_a_damaged_report_of_this_machine_is_left_out(
    no_shipped: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name, text in (("a", "{"), ("b", '{"schema": 99}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.json").write_text(text)
    assert stored_reports(tmp_path) == []
    assert "no JSON" in caplog.text
    assert "schema" in caplog.text


def test_the_shipped_report_is_one_and_has_every_rule_with_its_version() -> None:
    """A rule that was changed needs a new report: python -m truehue diagnose."""
    shipped = rule_accuracy.read_report(rule_accuracy.SHIPPED_FILE)
    assert not shipped.problems
    assert [(rule.id, rule.version) for rule in shipped.rules] == [
        (by.id, by.version) for by in RULES
    ]


def test_roc_marks_each_rule_where_it_is(report: DiagnosisReport) -> None:
    figure = explore_report.roc_figure(report, "css")
    points = {
        series["name"].split(", area")[0]: (series["rows"][0]["x"], series["rows"][0]["y"])
        for series in figure["series"]
        if series["mode"] == "lines+markers"
    }
    for rule in report.rules:
        index = rule.figure("pooled", "css")
        assert index is not None
        assert points[rule.name] == (index.false_accept_percent, index.hit_percent)
    assert go.Figure(plotly_of(figure)).data


# ── pictures ─────────────────────────────────────────────────────────────────────────────────


def test_an_example_is_measured_and_stored_as_generate_stores(context: Context) -> None:
    result = measured(MUG, "paper", "Red")
    assert result["status"] in ("pass", "fail")
    assert result["found"].startswith("#")
    saved = stored(context, MUG, "released", "Orange")
    image = context.storage.images.get(saved["image_id"])
    srgb8, mask = drawn_scene(MUG)
    assert np.array_equal(context.storage.images.srgb8(image.image_id), srgb8)
    assert np.array_equal(context.storage.masks.pixels(saved["mask"]), mask)
    assert (saved["object"], saved["rule"]) == ("mug", "released")
    assert parse_target(saved["target"]).label == "Orange"
    # What Inspect asks by itself is the true color.
    assert image.origin["target"] == "l2:Red"
    record = context.storage.masks.get(saved["mask"])
    assert (record.maker, record.parameters["object"]) == ("renderer", "mug")
    assert stored(context, MUG, "released", "Orange") == saved


def test_inspect_opens_the_example_with_rule_color_and_exact_mask(context: Context) -> None:
    saved = stored(context, MUG, "released", "Orange")
    question = {name: saved[name] for name in ("object", "target", "rule", "mask")}
    shown = opened(context, saved["image_id"], **question, k=2)
    assert (shown["question"]["rule"], shown["question"]["object"]) == ("released", "mug")
    assert shown["question"]["k"] == 2
    verdict = shown["verdict"]["view"]["question"]
    assert (verdict["rule"], verdict["mask"]) == ("released", saved["mask"])
    assert parse_target(verdict["target"]).name == "Orange"
    assert context.storage.evidence.count() == 0
    shown = opened(context, saved["image_id"], **question, relation="differs")
    assert shown["question"]["relation"] == "differs"
    assert shown["verdict"]["view"]["relation"] == "differs"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"system": "l9"}, BadInput),
        ({"seed": "-1"}, BadInput),
        ({"size": "9999"}, BadInput),
        ({"object": "unicorn"}, BadInput),
        ({"light": "neon"}, BadInput),
        ({"color": "no color"}, UnknownColor),
    ],
)
def test_pictures_that_no_report_names_are_refused(
    change: dict[str, str], error: type[Exception]
) -> None:
    values = {
        "object": "mug",
        "light": "studio",
        "seed": "0",
        "system": "l2",
        "color": "Red",
        "second": "",
        "size": "64",
        **change,
    }
    with pytest.raises(error):
        drawn_scene(scene_of(values))


def test_every_example_of_the_report_can_be_drawn(report: DiagnosisReport) -> None:
    """And the rule still says what the report says of it."""
    examples: list[tuple[str, Example]] = [
        (rule.id, rule.worst[index])
        for rule in report.rules
        for index in range(min(2, len(rule.worst)))
    ]
    assert examples
    for rule_id, item in examples:
        shown = Scene(item.object, item.light, item.seed, item.system, item.color, item.second, 64)
        result = measured(shown, rule_id, item.asked)
        assert result["delta_e00"] == pytest.approx(item.delta_e00, rel=1e-5)
        assert (result["status"] == "pass") == (item.kind == "false accept")


# ── long work ────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def small_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_accuracy, "OBJECTS", ("cube",))
    monkeypatch.setattr(rule_accuracy, "DEFAULT_LIGHTS", ("overcast",))
    monkeypatch.setattr(rule_accuracy, "workers", lambda: 1)


@pytest.mark.usefixtures("small_run")
def test_a_run_here_writes_a_report_and_can_be_cancelled_and_taken_up(
    context: Context, no_shipped: Path
) -> None:
    wanted = read_as(rule_accuracy.Diagnose, {"every": 10})
    began = rule_accuracy.start_run(context, OWNER, wanted, 64)["job"]
    context.jobs.cancel(OWNER, began)
    job = context.jobs.wait(began, 300)
    assert job.status == "cancelled", job.problem
    home = context.storage.data_dir / "diagnosis"
    assert stored_reports(home) == []
    job = context.jobs.wait(rule_accuracy.start_run(context, OWNER, wanted, 64)["job"], 300)
    assert (job.status, job.result) == ("done", {"report": "every-10"}), job.problem
    assert job.done == job.total > 10
    (made,) = stored_reports(home)
    view = report_view([made], "every-10", "pooled")
    assert [row["stale"] for row in view["rows"]] == [""] * len(RULES)
    with pytest.raises(BadInput, match="one of 10, 1, not 7"):
        read_as(rule_accuracy.Diagnose, {"every": 7})


# ── disagreements ────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def mugs(context: Context) -> Iterator[Context]:
    """Pictures that every rule has judged; shading fails some of them by the paper's rule."""
    for seed, light in enumerate(("studio", "overcast", "hard")):
        drawn(context, "mug", "l3:Vivid reddish orange", light, seed)
    return context


def test_the_table_counts_stored_verdicts(mugs: Context) -> None:
    view = agreement_view(mugs, {})
    assert (view["a"], view["b"], view["judged"]) == (DEFAULT_RULE, "paper", 3)
    counts = view["counts"]
    assert counts["disagree"] == counts["first"] + counts["second"] == len(view["pairs"])
    assert counts["disagree"] > 0
    low, high = view["interval"]
    assert 0 <= low < 100 * counts["disagree"] / 3 <= high <= 100
    statuses = [tuple(said["status"] for said in pair["said"]) for pair in view["pairs"]]
    assert set(statuses) <= {("pass", "fail"), ("fail", "pass")}
    none = agreement_view(mugs, {"system": "css"})
    assert (none["judged"], none["interval"]) == (0, None)
    assert agreement_view(mugs, {"system": "l3"})["judged"] == 3
    with pytest.raises(BadInput, match="No rule is called"):
        agreement_view(mugs, {"a": "nobody"})


def test_reasons_are_measured_again(mugs: Context) -> None:
    pairs = agreement_view(mugs, {})["pairs"]
    message = reasons(mugs, [pair["key"] for pair in pairs])
    assert set(message) == {pair["key"] for pair in pairs}
    for item in message.values():
        assert DEFAULT_RULE in item["sentence"]
        assert all(title and text for title, text in item["reasons"])
    with pytest.raises(BadInput, match="At most"):
        reasons(mugs, ["x"] * 9)
    assert "not stored" in reasons(mugs, ["nonsense"])["nonsense"]["problem"]


def test_stored_images_are_judged_by_what_they_lack(context: Context) -> None:
    saved = stored(context, MUG, "paper", "Red")
    target = ObjectTarget("mug", parse_target("l2:Red"))
    context.storage.drawings.add(drawing(saved["image_id"], targets=(target,)))
    both = {"a": "paper", "b": "released"}
    assert agreement_view(context, both)["judged"] == 0
    for expected in ("1 image scored, 0 had all", "0 images scored, 1 had all"):
        wanted = read_as(ScoreStored, {"rules": ["paper", "released"]})
        job = context.jobs.wait(start_scoring_stored(context, OWNER, wanted)["job"], 300)
        assert job.status == "done", job.problem
        assert job.words.startswith(expected)
    assert agreement_view(context, both)["judged"] == 1
    with pytest.raises(BadInput, match="No rule is called"):
        start_scoring_stored(context, OWNER, read_as(ScoreStored, {"rules": ["nobody"]}))


# ── routes ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def client(context: Context) -> Iterator[TestClient]:
    app = FastAPI()
    for make in (explore_routes, job_routes):
        app.include_router(make(context))
    with TestClient(app) as opened:
        yield opened


def test_routes_answer_and_refuse_in_words(client: TestClient) -> None:
    get, post = client.get, client.post
    assert get("/api/explore/agreement").json()["judged"] == 0
    assert get("/api/explore/agreement?a=paper&b=paper").status_code == 400
    assert get("/api/jobs").json()["jobs"] == []
    location = "object=mug&light=studio&seed=0&system=l2&color=Red&size=64"
    answer = get(f"/api/explore/picture.png?{location}")
    assert answer.headers["content-type"] == "image/png"
    assert get("/api/explore/picture.png?object=unicorn&system=l2&color=Red").status_code == 400
    assert get(f"/api/explore/example?{location}&rule=paper&asked=Red").json()["status"]
    refused = post("/api/explore/runs", json={"every": 10})
    assert refused.status_code == 403  # without the header of this page
    headers = {"X-TrueHue": "1"}
    refused = post("/api/explore/runs", json={"every": 0}, headers=headers)
    assert (refused.status_code, refused.json()["field"]) == (400, "every")
    refused = post("/api/explore/score-stored", json={"rules": []}, headers=headers)
    assert "The list of rules is a list" in refused.json()["error"]


def test_the_tab_is_drawn(context: Context) -> None:
    with gr.Blocks() as demo:
        explore.layout(context)
    (widget,) = (block for block in demo.blocks.values() if isinstance(block, gr.HTML))
    address = re.search(r"/assets/(\w+)/(html/explore\.html)", widget.js_on_load)
    assert address is not None
    template = asset_files().body(address[1], address[2])
    assert template is not None
    assert b'id="explore-rule_accuracy"' in template.plain


@pytest.mark.parametrize(
    ("percent", "text"),
    [
        (100.0, "100.0"),
        (99.994, "99.99"),
        (99.999, "99.99"),
        (99.94, "99.9"),
        (0.0, "0.0"),
        (0.04, "0.04"),
        (0.3, "0.3"),
        (9.73, "9.7"),
    ],
)
def test_almost_all_is_not_all(percent: float, text: str) -> None:
    assert rate_text(percent) == text
