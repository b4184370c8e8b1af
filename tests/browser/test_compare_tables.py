"""Compare's views over many concepts as a person uses them.

Runs that ignore or overdo modifiers are measured, and shown as what they do, against people from
two kinds of files.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from core.concepts.reading import read_distributions
from storage import Storage
from tests.browser.axe import barriers
from tests.browser.conftest import Visit
from tests.concept_runs import concept_run, palettes_csv, ratings_csv
from tests.running import App, running

pytestmark = pytest.mark.browser

FAILURES = ("none", "modifier-ignored", "modifier-overshot")
# Runs are taken in and measured beside Chromium on two cores.
WORK_MS = 180_000
OPENED = "/?tab=compare&view="


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app with three small runs and people's colors from two files."""
    data = tmp_path_factory.mktemp("compare") / "data"
    with Storage.open(data) as storage:
        for failure in FAILURES:
            storage.runs.ingest(concept_run(data / "runs", failure, guidances=(3.0, 7.0)))
        for name, content in (("palettes", palettes_csv()), ("ratings", ratings_csv())):
            file = read_distributions(f"{name}.csv", content, normalize=name == "ratings")
            storage.distributions.add(file, f"Our {name}", f"{name}.csv", "made", of_people=True)
    with running(data) as app:
        yield app


def box_of(page: Page, view: str) -> Locator:
    return page.locator(f"#compare-{view} .th-an")


def measured(page: Page, view: str) -> Locator:
    """The view, once all that it needs is measured."""
    box = box_of(page, view)
    expect(box.locator(".th-an-published h3")).to_be_visible(timeout=WORK_MS)
    fill = box.locator(".th-an-fill")
    if fill.is_visible():
        fill.click()
        expect(box.locator(".th-job-words")).to_contain_text("measured and kept", timeout=WORK_MS)
    expect(fill).to_be_hidden(timeout=WORK_MS)
    return box


def test_an_empty_app_leads_to_a_run(visit: Visit, app: App) -> None:
    page = visit(app.address + OPENED + "modifiers")
    box = box_of(page, "modifiers")
    empty = box.locator(".th-an-empty")
    expect(empty).to_contain_text("No concept run yet", timeout=WORK_MS)
    expect(empty).to_contain_text("runs start --set concepts")
    expect(box.locator(".th-an-printed")).to_have_count(3)
    empty.get_by_role("button", name="Start a run").click()
    expect(page.locator("#explore-runs .th-runs")).to_be_visible(timeout=WORK_MS)


def test_modifiers_that_are_ignored_or_overdone_are_seen(visit: Visit, started: App) -> None:
    page = visit(started.address + OPENED + "modifiers")
    box = measured(page, "modifiers")
    people = box.get_by_role("combobox", name="People")
    for name in ("Our palettes", "Our ratings (ratings)"):
        people.select_option(label=name)
        expect(box.locator(".th-an-people")).to_contain_text(name.partition(" (")[0])
        table = box.locator(".th-modifiers-table")
        expect(row(table, "modifier-ignored")).to_contain_text("inertia", timeout=WORK_MS)
        expect(row(table, "modifier-overshot")).to_contain_text("over-correction")
        expect(row(table, "none")).to_contain_text("precise adaptation")
        plane = box.locator("[data-figure=modifiers-plane]")
        expect(plane.locator(".th-figure")).to_contain_text("Inertia 6", timeout=WORK_MS)
    expect(page).to_have_url(re.compile(r"view=modifiers&people=set:[0-9a-f]{16}$"))
    # A limit is moved: nothing is overdone any more, and the link says so.
    box.get_by_label("Over-correction above").fill("90")
    box.get_by_label("Over-correction above").press("Enter")
    expect(row(box.locator(".th-modifiers-table"), "modifier-overshot")).not_to_contain_text(
        "over-correction", timeout=WORK_MS
    )
    expect(page).to_have_url(re.compile("high=90"))
    with page.expect_download() as file:
        box.locator("[data-figure=modifiers-plane]").get_by_role("button", name="SVG").click()
    drawn = file.value.path().read_text()
    assert drawn.startswith("<svg")
    assert "Precise adaptation" in drawn
    assert "var(--" not in drawn
    with page.expect_download() as file:
        box.locator("[data-figure=modifiers-plane]").get_by_role("link", name="CSV").click()
    assert file.value.path().read_text().count("\n") == 19


def row(table: Locator, name: str) -> Locator:
    return table.locator("tbody tr").filter(has_text=name)


def test_a_number_lists_its_concepts_and_opens_one(visit: Visit, started: App) -> None:
    page = visit(started.address + OPENED + "tables")
    box = measured(page, "tables")
    table = box.locator(".th-an-ours").first
    best = table.get_by_role("button", name=re.compile("Earth mover.*best"))
    expect(best.first).to_contain_text("★", timeout=WORK_MS)
    cell = row(table, "modifier-ignored").locator("[data-cell$='/visual state/photo/emd_lab']")
    cell.click()
    listed = box.locator(".th-tables-concepts")
    expect(listed.locator("li")).to_have_count(6, timeout=WORK_MS)
    values = [float(text) for text in listed.locator("li b").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    expect(page).to_have_url(re.compile("cell="))
    # The link opens the list again.
    again = box_of(visit(page.url), "tables").locator(".th-tables-concepts")
    expect(again.locator("li")).to_have_count(6, timeout=WORK_MS)
    with page.expect_download() as file:
        box.locator(".th-tables-csv").click()
    assert "modifier-overshot" in file.value.path().read_text()
    expect(box.locator(".th-an-printed")).to_have_count(2)
    first = listed.locator("li button").first
    words = first.inner_text()
    first.click()
    opened = "view=concept&concept=concept-[0-9]{4}-(unripe|rotten)&d=set:[0-9a-f]{16},run:"
    expect(page).to_have_url(re.compile(opened))
    assert words.split()[0] in page.url


def late(route: Route) -> None:
    """Answers when what was begun has long ended."""
    time.sleep(2.0)
    route.continue_()


def test_guidance_shows_a_line_a_run(visit: Visit, started: App) -> None:
    page = visit(started.address + OPENED + "guidance", color_scheme="dark")
    # Work that has ended before the page hears of it for the first time is taken in as well.
    page.route("**/api/jobs?seen=*", late)
    box = measured(page, "guidance")
    figure = box.locator("[data-figure=guidance-guidance]")
    expect(figure.locator(".scatterlayer .trace")).to_have_count(3, timeout=WORK_MS)
    box.get_by_role("button", name="PCC").click()
    expect(page).to_have_url(re.compile("metric=pcc"))
    expect(figure).to_contain_text("Pearson")
    figure.get_by_role("button", name="As a table").click()
    expect(figure.locator("tbody tr")).to_have_count(6)
    expect(box.locator("[data-figure=guidance-category] .th-figure")).to_be_visible()
    expect(box.locator(".th-an-published")).to_contain_text("no table of it")
    # One run fewer, and the link says which are left.
    box.locator(".th-an-runs button").first.click()
    expect(figure.locator(".scatterlayer .trace")).to_have_count(2, timeout=WORK_MS)
    expect(page).to_have_url(re.compile("runs=[0-9a-f]{16},[0-9a-f]{16}"))


@pytest.mark.parametrize("view", ["tables", "modifiers", "guidance"])
def test_no_view_keeps_anybody_out(visit: Visit, started: App, view: str) -> None:
    page = visit(started.address + OPENED + view)
    measured(page, view)
    assert barriers(page) == []
