"""The Runs view as a person uses it: from the start of a run to its results."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit, Watch
from tests.run_prompts import prompt_file
from tests.running import App, running
from truehue.storage import Storage
from truehue.tabs.library.service import Library

pytestmark = pytest.mark.browser

RUNS = "/?tab=explore&view=runs"
# Images are generated on the two cores that Chromium has.
DRAWN_MS = 180_000
IMAGES = 6


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app with a small imported set of prompts."""
    index = tmp_path_factory.mktemp("runs")
    with Storage.open(index / "data") as storage:
        Library(storage).take_file(prompt_file(index), "few.jsonl")
    with running(index / "data") as app:
        yield app


def runs(page: Page) -> Locator:
    """The view, once its form is filled."""
    box = page.locator("#explore-runs .th-runs")
    expect(box.locator(".th-runs-models input").first).to_be_visible(timeout=DRAWN_MS)
    expect(box.locator(".th-runs-total")).not_to_be_empty(timeout=DRAWN_MS)
    return box


def ask_for(box: Locator, name: str) -> None:
    """Fills the form in."""
    few = box.locator("[name=set] option", has_text="few.jsonl").get_attribute("value")
    box.get_by_label("Prompt set").select_option(few)
    box.get_by_label("Images per prompt").fill(str(IMAGES))
    box.get_by_label("Size").select_option("128")
    box.get_by_label("Workers").fill("1")
    box.get_by_text("More settings").click()
    box.get_by_label("Name of the run").fill(name)


def item(box: Locator, name: str) -> Locator:
    return box.locator(".th-run-item", has=box.page.get_by_text(name, exact=True))


def test_a_run_is_started_paused_finished_exported_and_scored_again(
    visit: Visit, started: App, watch: Watch, tmp_path: Path
) -> None:
    # From an empty leaderboard, the first thing to do is a run.
    page = visit(started.address + "/?tab=explore")
    expect(page).to_have_url(re.compile(r"view=leaderboard$"))
    empty = page.locator("#explore-leaderboard .th-leaderboard-empty")
    expect(empty).to_contain_text("No run yet")
    empty.get_by_role("button", name="Start a run").click()
    expect(page).to_have_url(re.compile("view=runs"))
    box = runs(page)
    expect(box.locator(".th-runs-empty")).to_be_visible()
    # The models that find objects are not installed: another model gets masks that can be made.
    box.get_by_label("Small (trained on the renderer)").check()
    masks = box.get_by_role("group", name="Masks")
    expect(masks.get_by_role("button", name="Whole image")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(box.locator("[data-field=masker] .th-runs-hint")).to_contain_text(
        "The background counts too"
    )
    # Chosen all the same, the reason stands beside the button too.
    masks.get_by_role("button", name="Find objects").click()
    watch.refused.add("/api/runs")
    box.get_by_role("button", name="Start", exact=True).click()
    others = box.locator(".th-runs-form > .th-problem")
    expect(others).to_contain_text("The weights of GroundingDINO base")
    box.get_by_label("Small (trained on the renderer)").uncheck()
    masks.get_by_role("button", name="Exact").click()
    expect(others).to_be_hidden()
    ask_for(box, "mugs and cubes")
    expect(box.locator(".th-runs-total")).to_have_text(
        f"12 prompts × {IMAGES} = {12 * IMAGES} images"
    )
    # What is wrong is said under the field that it speaks of, while it is typed.
    watch.refused.add("/api/runs/estimate")
    seed = box.get_by_label("First seed")
    seed.fill("-1")
    expect(seed).to_have_attribute("aria-invalid", "true")
    expect(box.locator("#th-runs-problem")).to_contain_text("The first seed is a whole number")
    seed.fill("0")
    expect(box.locator("#th-runs-problem")).to_have_count(0)
    expect(box.locator(".th-runs-count")).to_have_text("12 prompts")
    box.get_by_role("button", name="Start", exact=True).click()
    run = item(box, "mugs and cubes")
    expect(run).to_have_attribute("data-status", "running", timeout=DRAWN_MS)
    run.get_by_role("button", name="Pause").click()
    expect(run).to_have_attribute("data-status", "paused", timeout=DRAWN_MS)
    expect(run.locator(".th-run-word")).to_have_text("Paused")
    done = run.locator(".th-run-words").inner_text()
    # Another day, a narrow page: it is as it was, and the form is folded.
    page.set_viewport_size({"width": 390, "height": 800})
    page.reload()
    new = page.locator(".th-runs-new")
    box = page.locator("#explore-runs .th-runs")
    run = item(box, "mugs and cubes")
    expect(run.locator(".th-run-words")).to_have_text(done, timeout=DRAWN_MS)
    expect(new).not_to_have_attribute("open", "")
    run.get_by_role("button", name="Resume").click()
    expect(run).to_have_attribute("data-status", "finished", timeout=DRAWN_MS)
    expect(run.locator(".th-run-words")).to_contain_text(f"{12 * IMAGES} of {12 * IMAGES} images")
    run_id = str(run.get_attribute("data-run"))
    with page.expect_download() as download:
        run.locator("summary", has_text="Export").click()
        run.get_by_role("button", name="Portable archive").click()
    download.value.save_as(tmp_path / "run.zip")
    expect(run.locator(".th-runs-export")).to_contain_text("Made:")
    assert "manifest.json" in " ".join(zipfile.ZipFile(tmp_path / "run.zip").namelist())

    # Its images are scored again, by other rules.
    page.reload()
    expect(run).to_be_visible(timeout=DRAWN_MS)
    new.locator("summary").first.click()
    runs(page)
    box.get_by_role("button", name="Score existing images").click()
    few = box.locator("[name=set] option", has_text="few.jsonl").get_attribute("value")
    box.get_by_label("Prompt set").select_option(few)
    whose = box.get_by_label("Source")
    value = whose.locator("option", has_text="mugs and cubes").get_attribute("value")
    whose.select_option(value)
    expect(box.locator(".th-runs-total")).to_have_text(f"{12 * IMAGES} images that are stored")
    box.locator(".th-runs-rules").get_by_text("released", exact=True).click()
    box.get_by_role("button", name="Start", exact=True).click()
    scored = page.locator(f".th-run-item:not([data-run='{run_id}'])")
    expect(scored).to_have_attribute("data-status", "finished", timeout=DRAWN_MS)
    expect(scored.locator(".th-run-facts").first).to_contain_text("truehue, paper")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # Its results are in the wall of failures, of this run alone.
    page.locator(f".th-run-item[data-run='{run_id}']").get_by_role(
        "button", name="Open results"
    ).click()
    expect(page.locator("#explore-failures")).to_be_visible()
    assert run_id in page.url
