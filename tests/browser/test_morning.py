"""A morning with two runs: started on the page, watched, a failing number opened, pictures browsed,
both runs compared, and the report taken home and opened without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from storage import Storage
from tabs.library.service import Library
from tests.browser.conftest import Visit
from tests.run_prompts import prompt_file
from tests.running import App, running

pytestmark = pytest.mark.browser

DRAWN_MS = 180_000
SHOWN_MS = 60_000


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    place = tmp_path_factory.mktemp("morning")
    with Storage.open(place / "data") as storage:
        Library(storage).take_file(prompt_file(place), "few.jsonl")
    with running(place / "data") as app:
        yield app


def start(page: Page, name: str, failure: str) -> Locator:
    """Begins a run on the page and waits for its end."""
    box = page.locator("#explore-runs .th-runs")
    few = box.locator("[name=set] option", has_text="few.jsonl").get_attribute("value")
    box.get_by_label("Prompt set").select_option(few)
    box.get_by_label("Images per prompt").fill("1")
    box.get_by_label("Size").select_option("128")
    if not box.get_by_label("Name of the run").is_visible():
        box.get_by_text("More settings").click()
    box.get_by_label("Name of the run").fill(name)
    box.get_by_label("Failure that it acts out").select_option(failure)
    expect(box.locator(".th-runs-total")).to_have_text("12 prompts × 1 = 12 pictures")
    box.get_by_role("button", name="Start", exact=True).click()
    run = box.locator(".th-run-item", has=page.get_by_text(name, exact=True))
    expect(run).to_have_attribute("data-status", "finished", timeout=DRAWN_MS)
    return run


def test_from_two_runs_to_a_report(
    visit: Visit, started: App, browser: Browser, tmp_path: Path
) -> None:
    page = visit(started.address + "/?tab=explore&view=runs")
    expect(page.locator(".th-runs-models input").first).to_be_visible(timeout=SHOWN_MS)
    expect(page.locator(".th-runs-total")).not_to_be_empty(timeout=SHOWN_MS)
    start(page, "as asked", "none")
    ignored = start(page, "ignores colors", "ignored")

    # The leaderboard by our rule: one run is right, the other one never.
    page.get_by_role("tab", name="Leaderboard").click()
    board = page.locator("#explore-board .th-board")
    board.get_by_role("button", name="truehue").click()
    line = board.locator(".th-board-run", has=page.get_by_text("ignores colors", exact=True))
    cell = line.get_by_role("button", name="Color name accuracy")
    expect(cell).to_contain_text("0.0", timeout=SHOWN_MS)
    right = board.locator(".th-board-run", has=page.get_by_text("as asked", exact=True))
    expect(right.get_by_role("button", name="Color name accuracy")).to_contain_text("100.0")

    # A failing number opens its pictures; they are browsed by keyboard.
    cell.click()
    wall = page.locator("#explore-wall .th-wall")
    expect(wall.locator(".th-wall-count")).to_have_text("12 pictures", timeout=SHOWN_MS)
    cards = wall.locator("article.th-wall-card")
    expect(cards).to_have_count(12)
    cards.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    light = page.locator(".th-light")
    expect(light.locator(".th-light-view img")).to_be_visible()
    expect(light.locator(".th-light-line")).to_have_count(3)
    page.keyboard.press("Escape")
    expect(light).to_be_hidden()

    # Both runs side by side: all twelve are right in one and wrong in the other.
    wall.get_by_role("button", name="Compare two runs").click()
    pair = wall.locator(".th-compare-pair")
    expect(pair.locator("img")).to_have_count(2, timeout=SHOWN_MS)
    expect(wall.locator(".th-compare-sentence")).to_contain_text("12 pairs with two scores")

    # The report is taken home, and opened where there is no network.
    page.get_by_role("tab", name="Runs").click()
    ignored.locator("summary", has_text="Export").click()
    with page.expect_download(timeout=DRAWN_MS) as download:
        ignored.get_by_role("button", name="Report").click()
    report = tmp_path / "report.html"
    download.value.save_as(report)
    alone = browser.new_context(offline=True)
    try:
        home = alone.new_page()
        home.goto(report.as_uri())
        expect(home.locator("h1")).to_have_text("ignores colors")
        plots = home.locator(".plot")
        expect(home.locator(".plot[data-drawn]")).to_have_count(plots.count(), timeout=SHOWN_MS)
        assert plots.count() >= 3
        assert home.locator("figure img").count() >= 12
    finally:
        alone.close()
