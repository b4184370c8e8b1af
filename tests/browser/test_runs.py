"""The Runs view as a person uses it: from the start of a run to its results."""

from __future__ import annotations

import json
import subprocess
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from storage import Storage
from tabs.library.service import Library
from tests.browser.conftest import Visit, Watch
from tests.run_prompts import prompt_file
from tests.running import ROOT, App, command, running

pytestmark = pytest.mark.browser

RUNS = "/?tab=explore&view=runs"
# Drawing shares two cores with Chromium here.
DRAWN_MS = 180_000


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app with a small imported set of prompts and a second folder of runs."""
    place = tmp_path_factory.mktemp("runs")
    with Storage.open(place / "data") as storage:
        Library(storage).take_file(prompt_file(place), "few.jsonl")
    (place / "shared").mkdir()
    with running(place / "data", "--runs", str(place / "shared")) as app:
        yield app


def runs(page: Page) -> Locator:
    """The view, once its form is filled."""
    box = page.locator("#explore-runs .th-runs")
    expect(box.locator(".th-runs-models input").first).to_be_visible(timeout=DRAWN_MS)
    expect(box.locator(".th-runs-total")).not_to_be_empty(timeout=DRAWN_MS)
    return box


def ask_for(box: Locator, name: str, images: str) -> None:
    """Fills the form in."""
    few = box.locator("[name=set] option", has_text="few.jsonl").get_attribute("value")
    box.get_by_label("Prompt set").select_option(few)
    box.get_by_label("Images per prompt").fill(images)
    box.get_by_label("Size").select_option("128")
    box.get_by_label("Workers").fill("1")
    box.get_by_text("More settings").click()
    box.get_by_label("Name of the run").fill(name)


def item(box: Locator, name: str) -> Locator:
    return box.locator(".th-run-item", has=box.page.get_by_text(name, exact=True))


def test_a_run_is_started_watched_paused_and_finished(
    visit: Visit, started: App, watch: Watch, tmp_path: Path
) -> None:
    page = visit(started.address + RUNS)
    box = runs(page)
    expect(box.locator(".th-runs-empty")).to_be_visible()
    # The models that find objects are not installed: another model gets masks that can be made.
    box.get_by_label("Small (trained on the renderer)").check()
    masks = box.get_by_role("group", name="Masks")
    expect(masks.get_by_role("button", name="Whole picture")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(box.locator(".th-runs-hint").first).to_contain_text("The background counts too")
    # Chosen all the same, the reason stands beside the button too.
    masks.get_by_role("button", name="Find the objects").click()
    watch.refused.add("/api/runs")
    box.get_by_role("button", name="Start", exact=True).click()
    beside = box.locator(".th-runs-form > .th-problem")
    expect(beside).to_contain_text("The weights of GroundingDINO base")
    box.get_by_label("Small (trained on the renderer)").uncheck()
    masks.get_by_role("button", name="Exact").click()
    expect(beside).to_be_hidden()
    ask_for(box, "mugs and cubes", "20")
    expect(box.locator(".th-runs-total")).to_have_text("12 prompts × 20 = 240 pictures")
    # What is wrong is said under the field that it speaks of, while it is typed.
    watch.refused.add("/api/runs/estimate")
    box.get_by_label("First seed").fill("-1")
    seed = box.get_by_label("First seed")
    expect(seed).to_have_attribute("aria-invalid", "true")
    expect(box.locator("#th-runs-problem")).to_contain_text("The first seed is a whole number")
    seed.fill("0")
    expect(box.locator("#th-runs-problem")).to_have_count(0)
    expect(box.locator(".th-runs-count")).to_have_text("12 prompts")
    box.get_by_role("button", name="Start").click()
    run = item(box, "mugs and cubes")
    expect(run).to_have_attribute("data-status", "running", timeout=DRAWN_MS)
    bar = run.get_by_role("progressbar")
    expect(bar).not_to_have_attribute("aria-valuenow", "0", timeout=DRAWN_MS)
    before = int(str(bar.get_attribute("aria-valuenow")))
    expect(bar).not_to_have_attribute("aria-valuenow", str(before), timeout=DRAWN_MS)
    assert int(str(bar.get_attribute("aria-valuenow"))) > before
    run.get_by_role("button", name="Pause").click()
    expect(run).to_have_attribute("data-status", "paused", timeout=DRAWN_MS)
    expect(run.locator(".th-run-word")).to_have_text("Paused")
    done = run.locator(".th-run-words").inner_text()
    # Another day, another page: it is as it was.
    again = runs(visit(started.address + RUNS))
    run = item(again, "mugs and cubes")
    expect(run.locator(".th-run-words")).to_have_text(done)
    run.get_by_role("button", name="Resume").click()
    expect(run).to_have_attribute("data-status", "running", timeout=DRAWN_MS)
    again.page.reload()
    run = item(runs(again.page), "mugs and cubes")
    expect(run).to_have_attribute("data-status", "finished", timeout=DRAWN_MS)
    expect(run.locator(".th-run-words")).to_contain_text("240 of 240 pictures")
    with again.page.expect_download() as download:
        run.locator("summary", has_text="Export").click()
        run.get_by_role("button", name="Archive that others can import").click()
    download.value.save_as(tmp_path / "run.zip")
    expect(run.locator(".th-runs-export")).to_contain_text("Made:")
    assert "manifest.json" in " ".join(zipfile.ZipFile(tmp_path / "run.zip").namelist())
    # Its results are in the wall of failures, of this run alone.
    run_id = str(run.get_attribute("data-run"))
    run.get_by_role("button", name="Open results").click()
    expect(again.page.locator("#explore-wall")).to_be_visible()
    assert run_id in again.page.url


def test_a_run_in_a_shared_folder_comes_in_while_the_app_has_the_database(
    visit: Visit, started: App, tmp_path: Path
) -> None:
    shared = started.data.parent / "shared"
    done = subprocess.run(
        command(
            "runs",
            "start",
            "--set",
            str(prompt_file(tmp_path)),
            "--data",
            str(started.data),
            "--shared",
            str(shared),
            "--size",
            "64",
            "--images",
            "1",
            "--workers",
            "1",
            "--yes",
            "--name",
            "from a cluster",
        ),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=DRAWN_MS / 1000,
    )
    assert done.returncode == 0, done.stderr
    assert f"started with --runs {shared}" in done.stderr
    run = item(runs(visit(started.address + RUNS)), "from a cluster")
    expect(run).to_have_attribute("data-status", "finished")
    expect(run.locator(".th-run-facts").first).to_contain_text(f"in {shared}")
    expect(run.get_by_role("button", name="Open results")).to_be_visible()
    end = time.monotonic() + DRAWN_MS / 1000
    while "from a cluster" not in started.ask("/api/explore/board").body.decode():
        assert time.monotonic() < end, "the app did not take the run in"
        time.sleep(0.2)


def test_a_run_of_the_command_line_shows_while_the_app_has_the_database(
    visit: Visit, started: App, tmp_path: Path
) -> None:
    """The command goes on without the database and says so; the app takes the results in."""
    few = prompt_file(tmp_path)
    done = subprocess.run(
        command(
            "runs",
            "start",
            "--set",
            str(few),
            "--data",
            str(started.data),
            "--size",
            "64",
            "--images",
            "1",
            "--workers",
            "1",
            "--yes",
            "--name",
            "from a terminal",
        ),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=DRAWN_MS / 1000,
    )
    assert done.returncode == 0, done.stderr
    assert "The app that has" in done.stderr
    box = runs(visit(started.address + RUNS))
    run = item(box, "from a terminal")
    expect(run).to_have_attribute("data-status", "finished")
    listed = json.loads(started.ask("/api/runs").body)["runs"]
    page = box.page
    for _ in range(100):
        found = next(one for one in listed if one["name"] == "from a terminal")
        if found["stored"] == 12:
            break
        page.wait_for_timeout(200)
        listed = json.loads(started.ask("/api/runs").body)["runs"]
    assert found["stored"] == 12
    # What only the database knows is asked of the app.
    refused = subprocess.run(
        command("runs", "start", "--set", "selection:mine", "--data", str(started.data), "--yes"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=DRAWN_MS / 1000,
    )
    assert refused.returncode == 2
    assert "begin this run in the app" in refused.stderr


def test_pictures_that_are_here_are_scored_on_a_narrow_page(visit: Visit, started: App) -> None:
    page = visit(started.address + RUNS)
    page.set_viewport_size({"width": 390, "height": 800})
    page.reload()
    new = page.locator(".th-runs-new")
    expect(page.locator(".th-run-item").first).to_be_visible(timeout=DRAWN_MS)
    expect(new).not_to_have_attribute("open", "")
    new.locator("summary").first.click()
    box = runs(page)
    box.get_by_role("button", name="Score pictures that are here").click()
    few = box.locator("[name=set] option", has_text="few.jsonl").get_attribute("value")
    box.get_by_label("Prompt set").select_option(few)
    whose = box.get_by_label("Whose pictures")
    value = whose.locator("option", has_text="mugs and cubes").get_attribute("value")
    whose.select_option(value)
    expect(box.locator(".th-runs-total")).to_have_text("240 pictures that are here")
    box.locator(".th-runs-rules").get_by_text("released", exact=True).click()
    box.get_by_role("button", name="Start").click()
    run = page.locator(".th-run-item").first
    expect(run).to_have_attribute("data-status", "finished", timeout=DRAWN_MS)
    expect(run.locator(".th-run-facts").first).to_contain_text("truehue, paper")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
