"""Explore's views without a browser: failures with their figures, leaderboard, and both reports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copy2, copytree, ignore_patterns

import pytest

from tests.assets.live import run_live
from tests.core.ring.simulated import keyed, measuring
from tests.house import ROOT
from tests.storage import run_samples
from tests.tabs.drawn import drawn
from truehue.core.analysis.records import TABLE_SYSTEMS
from truehue.core.ring.certificate import write_results
from truehue.core.ring.report import score
from truehue.core.runs.folder import RunFolder
from truehue.core.verdict.rules import RULES
from truehue.storage import Storage
from truehue.tabs.charts.figure_parts import rate_text
from truehue.tabs.explore import routes as explore_routes_module
from truehue.tabs.explore import rule_accuracy
from truehue.tabs.explore.ring_routes import ring_routes
from truehue.tabs.explore.routes import (
    analyses_routes,
    explore_routes,
    failures_routes,
    leaderboard_routes,
)
from truehue.tabs.inspect.routes import inspect_routes
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs_routes import job_routes
from truehue.tabs.page.routes import page_routes, routes
from truehue.tabs.runs.routes import run_routes
from truehue.tabs.shell.compose import make_context
from truehue.tabs.studies.routes import study_routes

pytestmark = [pytest.mark.process, pytest.mark.slow]

HERE = ROOT / "tests/assets/explore"
PROMPTS = 60


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Context]:
    """Two runs of the same prompts."""
    with Storage.open(tmp_path / "data") as storage:
        run_samples.fill(storage, tmp_path / "data/runs", prompts=PROMPTS, images=2)
        context = make_context(storage, "data")
        yield context
        context.close()


@pytest.mark.usefixtures("workers_here")
def test_failures_figures_and_leaderboard(filled: Context) -> None:
    value = {"pictures": 2 * 2 * PROMPTS, "rules": len(run_samples.RULES)}
    made = (analyses_routes, leaderboard_routes, failures_routes, explore_routes, inspect_routes)
    made += (routes, page_routes, job_routes)
    run_live(HERE / "failures.live.js", filled, made, value)


def test_the_first_run_fills_the_leaderboard(context: Context, tmp_path: Path) -> None:
    plan = run_samples.sample_plan("flux.1-dev", 60)
    prompts = tuple(
        prompt for prompt in plan.prompts if prompt.task == "cna" and prompt.system in TABLE_SYSTEMS
    )
    whole = run_samples.sample_run(
        tmp_path, replace(plan, name="The first", prompts=prompts, set_name="mini")
    )
    there = context.storage.data_dir / "runs" / whole.run_id

    def half() -> None:
        copytree(whole.path, there, ignore=ignore_patterns("w1-*"))
        context.storage.runs.ingest(RunFolder(there))

    def rest() -> None:
        copy2(whole.shards()[1], there / "shards")
        context.storage.runs.ingest(RunFolder(there))

    made = (leaderboard_routes, failures_routes, run_routes, study_routes, routes, job_routes)
    run_live(HERE / "leaderboard.live.js", context, made, steps={"half": half, "rest": rest})


COLORED = [("mug", "l3:Vivid reddish orange"), ("apple", "l2:Red"), ("vase", "css:seagreen")]


def test_rule_accuracy_and_disagreements(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = rule_accuracy.start_run
    monkeypatch.setattr(rule_accuracy, "OBJECTS", ("cube",))
    monkeypatch.setattr(rule_accuracy, "DEFAULT_LIGHTS", ("overcast",))
    monkeypatch.setattr(rule_accuracy, "workers", lambda: 1)
    monkeypatch.setattr(
        explore_routes_module, "start_run", lambda *values: start(*values, size_px=64)
    )
    for seed, light in enumerate(("studio", "overcast")):
        for name, color in COLORED:
            drawn(context, name, color, light, seed, 64)
    shipped = json.loads(rule_accuracy.SHIPPED_FILE.read_text())

    def stale() -> None:
        old = shipped | {"rules": [shipped["rules"][0] | {"version": "0.1"}, *shipped["rules"][1:]]}
        (tmp_path / "old.json").write_text(json.dumps(old))
        monkeypatch.setattr(rule_accuracy, "SHIPPED_FILE", tmp_path / "old.json")

    def none() -> None:
        monkeypatch.setattr(rule_accuracy, "SHIPPED_FILE", tmp_path / "none.json")
        for report in (context.storage.data_dir / "diagnosis").glob("*/report.json"):
            report.unlink()

    rates = {}
    for rule in shipped["rules"]:
        figures = {
            figure["system"]: figure
            for figure in rule["figures"]
            if (figure["set"], figure["by"]) == ("pooled", "all")
        }
        rates[rule["id"]] = [
            rate_text(figures[system][name])
            for system in ("l2", "css")
            for name in ("hit_percent", "false_accept_percent")
        ]
    paper = next(item for item in shipped["rules"] if item["id"] == "paper")
    value = {
        "rates": rates,
        "rules": len(RULES),
        "lights": len(shipped["lights"]),
        "worst": paper["worst"][0],
        "stale": f"made with {RULES[0].id} 0.1, now {RULES[0].version}",
    }
    made = (explore_routes, ring_routes, inspect_routes, routes, page_routes, job_routes)
    ring_set, key = keyed(1, 12)
    ring = context.storage.data_dir / "ring" / "0123456789ab"
    ring.mkdir(parents=True)
    (ring / "key.json").write_text("{}")
    write_results(ring / "results", [score(ring_set, key, measuring(key, name="other lab"))], ())
    run_live(
        HERE / "rule_accuracy.live.js", context, made, value, steps={"stale": stale, "none": none}
    )
