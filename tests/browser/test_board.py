"""The leaderboard as a person uses it: from the first run on, its numbers, and what they open."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from shutil import copy2, copytree, ignore_patterns
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from core.analysis.records import TABLE_SYSTEMS
from core.runs.records import RunPlan
from tests.browser.conftest import Visit, Watch
from tests.running import App, running
from tests.storage.run_samples import sample_plan, sample_run

pytestmark = pytest.mark.browser

# Runs are taken in beside Chromium on two cores.
RUN_MS = 120_000


@cache
def flux() -> RunPlan:
    some = sample_plan("flux.1-dev", 60)
    return replace(some, name="Flux by night", rules=(some.rules[0], some.rules[2]))


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app without a run; the tests bring theirs as folders."""
    with running(tmp_path_factory.mktemp("board") / "data") as app:
        yield app


@pytest.fixture(scope="module")
def filled(started: App) -> App:
    """The app with two finished runs of the same prompts and one of few."""
    other = replace(flux(), name="SD 3.5", model="sd3.5-large")
    few = replace(flux(), name="A few", model="sana1.5-1.6b", prompts=flux().prompts[:7])
    for plan in (flux(), other, few):
        sample_run(started.data / "runs", plan)
    end = time.monotonic() + RUN_MS / 1000
    while len(rows(started)) < 3:
        assert time.monotonic() < end, "the runs were not taken in"
        time.sleep(0.5)
    return started


def rows(app: App, query: str = "") -> dict[str, dict[str, Any]]:
    """The rows of the sample runs that are whole, by name, as the app answers."""
    view = app.ask("/api/explore/board" + query).json
    every = [one for group in view["groups"] for one in group["rows"]]
    names = ("Flux by night", "SD 3.5", "A few")
    return {one["name"]: one for one in every if one["name"] in names and not one["progress"]}


def board(page: Page) -> Locator:
    box = page.locator("#explore-board .th-board")
    published = box.locator(".th-published-table tbody tr").filter(visible=True)
    expect(published).to_have_count(9, timeout=RUN_MS)
    return box


def names(box: Locator) -> list[str]:
    return box.locator(".th-board-run .th-board-name > b").all_inner_texts()


def line(box: Locator, name: str) -> Locator:
    return box.locator(".th-board-run").filter(
        has=box.page.get_by_role("rowheader").filter(has_text=name)
    )


def test_the_first_run_fills_the_table_and_leaves_the_focus(
    visit: Visit, started: App, tmp_path: Path
) -> None:
    page = visit(started.address + "/?tab=explore")
    box = board(page)
    expect(page).to_have_url(re.compile(r"view=board$"))
    empty = box.locator(".th-board-empty")
    expect(empty).to_contain_text("No run yet")
    empty.get_by_role("button", name="Start a run").click()
    expect(page).to_have_url(re.compile("view=runs"))
    page.get_by_role("tab", name="Leaderboard").click()
    # Half of a run comes in, then the rest while a cell of it has the focus.
    table = tuple(
        prompt
        for prompt in flux().prompts
        if prompt.task == "cna" and prompt.system in TABLE_SYSTEMS
    )
    plan = replace(flux(), name="The first", prompts=table, set_name="mini")
    whole = sample_run(tmp_path, plan)
    there = started.data / "runs" / whole.run_id
    copytree(whole.path, there, ignore=ignore_patterns("w1-*"))
    run = line(box, "The first")
    expect(run.locator(".th-board-progress")).to_contain_text("50% drawn", timeout=RUN_MS)
    expect(empty).to_be_hidden()
    cell = run.get_by_role("button", name="Color name accuracy")
    cell.focus()
    page.evaluate("() => { window.thCell = document.activeElement; }")
    copy2(whole.shards()[1], there / "shards")
    expect(run.locator(".th-bar")).to_be_hidden(timeout=RUN_MS)
    assert page.evaluate("() => document.activeElement === window.thCell && thCell.isConnected")
    expect(box.locator(".th-board-group")).to_contain_text("9 prompts · a part of its 9,854")
    expect(run.locator("[data-column=average]")).to_contain_text("1 of 5 tasks")


def test_numbers_sort_and_open_what_is_behind_them(visit: Visit, filled: App) -> None:
    page = visit(filled.address + "/?tab=explore&view=board&systems=each")
    box = board(page)
    expect(line(box, "Flux by night")).to_be_visible(timeout=RUN_MS)
    found = rows(filled, "?systems=each")["Flux by night"]
    run = line(box, "Flux by night")
    for task in ("cna", "coa", "moc", "ica", "ncu", "average"):
        cell = run.locator(f"[data-column={task}]")
        expect(cell).to_contain_text(found["cells"][task]["text"])
        expect(cell).to_contain_text(found["cells"][task]["interval"])
    expect(line(box, "A few").locator("[data-column=average]")).to_contain_text("of 5 tasks")

    by_cna = {name: one["cells"]["cna"]["percent"] for name, one in rows(filled).items()}
    whole = sorted(("Flux by night", "SD 3.5"), key=lambda name: -by_cna[name])
    box.get_by_role("button", name="CNA").click()
    assert [name for name in names(box) if name in whole] == whole
    box.get_by_role("button", name="CNA").click()
    assert [name for name in names(box) if name in whole] == whole[::-1]
    expect(page).to_have_url(re.compile(r"systems=each&sort=cna$"))

    # Why some have no score, and these pictures.
    run.get_by_role("button", name="show why").click()
    cause = box.locator(".th-board-why").get_by_role("button", name="drawing failed")
    expect(cause).to_be_visible()
    cause.click()
    expect(page).to_have_url(re.compile(f"view=wall&runs={found['id']}&cause=no-image"))
    page.get_by_role("tab", name="Leaderboard").click()

    # A color system's number opens its failures alone; nothing of the filters before is left.
    part = next(one for one in found["cells"]["coa"]["parts"] if one["id"] == "l3")
    passes = re.match(r"(\d+) of (\d+) scored", part["title"])
    assert passes is not None
    failures = int(passes[2]) - int(passes[1])
    box.get_by_role("button", name="Flux by night, L3, Color-object association").click()
    expect(page).to_have_url(re.compile(f"view=wall&runs={found['id']}&task=coa&system=l3"))
    # The pictures have the focus, so arrows go through them at once.
    expect(page.locator("#explore-wall article.th-wall-card").first).to_be_focused()
    expect(page.locator("#explore-wall")).to_contain_text(re.compile(rf"\b{failures} picture"))


def test_the_rule_is_one_for_all_views_and_the_paper_stays_apart(visit: Visit, filled: App) -> None:
    page = visit(filled.address + "/?tab=explore&view=board")
    box = board(page)
    box.locator(".th-board-rules").get_by_role("button", name="released", exact=True).click()
    expect(page).to_have_url(re.compile(r"view=board&rule=released$"))
    text = rows(filled, "?rule=released")["SD 3.5"]["cells"]["cna"]["text"]
    expect(line(box, "SD 3.5").locator("[data-column=cna]")).to_contain_text(text)
    apart = box.locator(".th-board-published")
    expect(apart).to_contain_text("published under paper")
    expect(apart).to_contain_text("they answer another question than these")
    expect(apart.locator("tr").filter(has_text="Flux")).to_contain_text("yours, above")
    assert apart.get_by_role("button").count() == 0
    page.get_by_role("tab", name="Failures").click()
    expect(page).to_have_url(re.compile(r"view=wall&.*rule=released|view=wall&rule=released"))
    again = visit(page.url.replace("view=wall", "view=board"))
    pressed = board(again).locator(".th-board-rules [aria-pressed=true]")
    expect(pressed).to_have_text("released")

    with page.expect_download() as download:
        page.get_by_role("tab", name="Leaderboard").click()
        box.get_by_role("link", name="This table as CSV").click()
    assert download.value.suggested_filename == "truehue-leaderboard.csv"
    assert "SD 3.5" in download.value.path().read_text()


def test_a_mean_opens_its_systems_and_another_rule_is_told_of(
    visit: Visit, filled: App, watch: Watch
) -> None:
    watch.refused.add("?rule=nope&systems=averaged")
    page = visit(filled.address + "/?tab=explore&view=board&rule=nope")
    box = board(page)
    expect(box.locator(".th-board-problem")).to_contain_text('No rule is called "nope"')
    expect(box.locator(".th-board-problem")).to_contain_text("Shown by the rule truehue instead.")
    expect(box.locator(".th-board-rules [aria-pressed=true]")).to_have_text("truehue")
    expect(page).to_have_url(re.compile(r"view=board$"))
    found = rows(filled)["Flux by night"]
    passes = re.match(r"(\d+) of (\d+) scored", found["cells"]["cna"]["title"])
    assert passes is not None
    failures = int(passes[2]) - int(passes[1])
    box.get_by_role("button", name="Flux by night, Color name accuracy").click()
    expect(page).to_have_url(re.compile("task=cna&system=l2,l3,css"))
    wall = page.locator("#explore-wall")
    expect(wall).to_contain_text(re.compile(rf"\b{failures} picture"))
    chip = wall.locator(".th-wall-chips [data-field=system]")
    expect(chip).to_contain_text("Color system: L2, L3, CSS")
    chip.click()
    expect(page).not_to_have_url(re.compile("system="))


def test_on_a_phone_the_table_scrolls_and_the_page_does_not(visit: Visit, filled: App) -> None:
    page = visit(filled.address + "/?tab=explore&view=board")
    page.set_viewport_size({"width": 390, "height": 844})
    box = board(page)
    expect(line(box, "SD 3.5")).to_be_visible()
    wide = "document.documentElement.scrollWidth - window.innerWidth"
    assert page.evaluate(wide) <= 0
    box.locator(".th-scroll").first.evaluate("node => { node.scrollLeft = 300; }")
    name = line(box, "SD 3.5").locator(".th-board-name")
    name.scroll_into_view_if_needed()
    expect(name).to_be_in_viewport(ratio=0.98)


def test_pictures_are_measured_and_stand_in_the_order_of_a_measure(
    filled: App, visit: Visit
) -> None:
    page = visit(filled.address + "/?tab=explore&view=board")
    card = page.locator(".th-board-measures")
    expect(card.locator("tbody tr").first).to_be_visible(timeout=RUN_MS)
    card.get_by_role("button", name="Score the pictures").click()
    expect(card.locator(".th-measures-lack")).to_have_text(
        "Every picture was scored.", timeout=RUN_MS
    )
    line = card.locator("tbody tr", has_text="SD 3.5")
    mean = float(line.locator(".th-board-cell b").nth(1).inner_text())
    assert 0.0 < mean < 0.67
    line.locator(".th-board-cell button").nth(1).click()
    shots = page.locator(".th-wall-distance")
    expect(shots.first).to_contain_text("ΔSat")
    values = [float(text.split(" ")[1]) for text in shots.all_inner_texts()[:8]]
    assert values == sorted(values, reverse=True)
    assert "sort=delta_sat" in page.url
