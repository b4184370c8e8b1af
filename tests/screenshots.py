"""The screenshots of README and the documentation: ``python -m tests.screenshots`` writes them.

They show the pages as they are, over made-up data (tests.shown_data). Each is called by its
feature and its look. Names after the command take these alone.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import chromium
from tests.browser.conftest import ARGUMENTS
from tests.browser.people import PHONE, Person
from tests.browser.study_room import study_room
from tests.running import App, running_alone
from tests.shown_data import Shown, fill
from truehue.annotation.studies.plan import Review
from truehue.storage import Storage

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "assets" / "screenshots"
SHOWN_MS = 180_000
WIDTH = 1360


def generate(page: Page) -> None:
    """Three prompts are chosen and their images generated."""
    for row in (0, 4, 10):
        page.locator("#prompts .th-row input[type=checkbox]").nth(row).check()
    page.locator("#generate-button .th-primary").click()
    expect(page.locator("#gallery .th-shot")).to_have_count(3, timeout=SHOWN_MS)
    expect(page.locator("#queue .th-job-done")).to_have_count(1, timeout=SHOWN_MS)


def inspect(page: Page) -> None:
    """An example with its verdict."""
    page.get_by_role("button", name="Two objects, one leaked").click()
    expect(page.locator("#verdict .th-headline")).to_be_visible(timeout=SHOWN_MS)
    # A figure is drawn once it is on the screen.
    page.locator("#evidence").scroll_into_view_if_needed()
    _drawn(page, "#evidence", 1)
    page.evaluate("scrollTo(0, 0)")


def failures(page: Page) -> None:
    """The failures beside the figure of their hues and chromas."""
    page.get_by_role("button", name="Hue and chroma").click()
    _drawn(page, ".th-analysis", 1)


def rule_accuracy(page: Page) -> None:
    """With its curves."""
    _drawn(page, "#explore-rule_accuracy", 2)


def compare(page: Page) -> None:
    """People and two models on one concept."""
    page.locator(".th-concept-concept", has_text="unripe banana").first.click()
    expect(page.locator(".th-concept-table tbody tr")).to_have_count(3, timeout=SHOWN_MS)
    _drawn(page, '.th-concept-figure[data-figure="histograms"]', 1)


def colorize(page: Page) -> None:
    """The bananas are filled, and their colors compared with the other data."""
    field = page.locator(".cv-hex")
    field.fill("#f2d33b")
    field.press("Enter")
    box = page.locator(".cv-sheet").bounding_box()
    assert box is not None
    for x, y in ((0.59, 0.35), (0.27, 0.6), (0.44, 0.47), (0.67, 0.6), (0.14, 0.16)):
        page.mouse.click(box["x"] + box["width"] * x, box["y"] + box["height"] * y)
    expect(page.locator(".th-colorize-row").first).to_be_visible(timeout=SHOWN_MS)


def study_plan(page: Page) -> None:
    """The three runs that have their cases in common are compared."""
    models = page.locator(".th-studies label", has=page.locator("input[type=checkbox]"))
    for model in models.filter(has_text="9 prompts").all():
        model.get_by_role("checkbox").uncheck()
    for model in models.filter(has_text="30 prompts").all():
        model.get_by_role("checkbox").check()
    expect(page.get_by_text("No cases are left")).to_have_count(0, timeout=SHOWN_MS)


def _drawn(page: Page, within: str, count: int) -> None:
    figures = page.locator(f"{within} .main-svg")
    expect(figures.nth(count - 1)).to_be_attached(timeout=SHOWN_MS)


def nothing(page: Page) -> None:
    """The page as it comes."""


@dataclass(frozen=True)
class Shot:
    """A page by its address, what is in sight when it has come, what is done there, and how high
    the screenshot is."""

    query: str
    sight: str
    act: Callable[[Page], None] = nothing
    height: int = 900


SHOTS = {
    "generate-light": Shot("tab=generate", "#prompts .th-row", generate, 1280),
    "inspect-dark": Shot("tab=inspect", "#verdict .th-waiting", inspect, 1480),
    "explore-leaderboard-light": Shot("tab=explore&view=leaderboard", ".th-leaderboard-run"),
    "explore-failures-dark": Shot("tab=explore&view=failures", ".th-failures-card img", failures),
    "explore-rule-accuracy-light": Shot(
        "tab=explore&view=rule_accuracy", ".th-accuracy-figures h4", rule_accuracy, 640
    ),
    "compare-light": Shot("tab=compare&view=concept", ".th-concept-concept", compare, 1120),
    "colorize-light": Shot(
        "tab=colorize&view=color&drawing=concept-0044", ".cv[data-ready]", colorize
    ),
    "studies-plan-light": Shot(
        "tab=studies&view=new&preset=adherence", ".th-study-headline", study_plan, 1180
    ),
    "studies-live-light": Shot(
        "tab=studies&study={study}&view=live", ".th-study-tile", height=1000
    ),
    "studies-results-light": Shot(
        "tab=studies&study={study}&view=results", ".th-studies .main-svg", height=1060
    ),
    "studies-colorings-light": Shot(
        "tab=studies&study={colorings}&view=results", ".th-studies table", height=945
    ),
}


def shoot(browser: Browser, app: App, shown: Shown, name: str) -> None:
    """Writes one screenshot of the app."""
    shot = SHOTS[name]
    with _page(browser, {"width": WIDTH, "height": shot.height}) as page:
        theme = name.rsplit("-", 1)[-1]
        page.add_init_script(f"localStorage.setItem('th-theme', '{theme}')")
        query = shot.query.format(study=shown.study, colorings=shown.colorings)
        page.goto(f"{app.address}/?{query}", timeout=SHOWN_MS)
        sight = page.locator(shot.sight).filter(visible=True).first
        expect(sight).to_be_visible(timeout=SHOWN_MS)
        shot.act(page)
        # What is no part of the page: the folder of the data, and the mark of the focus.
        page.add_style_tag(content=".th-data { visibility: hidden }")
        page.evaluate("document.activeElement?.blur()")
        _write(page, name)


def participants(browser: Browser) -> None:
    """Writes the pages of participants: a pair on a laptop, and a coloring on a phone."""
    with tempfile.TemporaryDirectory() as folder, study_room(Path(folder), 640, noise=0) as room:
        laptop: Any = {"width": WIDTH, "height": 800}
        with _page(browser, laptop) as page:
            page.goto(room.opened(room.plan(tie=True)))
            Person(page).begins()
            _write(page, "participants-laptop")
        phone: Any = {"width": 360, "height": 740}
        with _page(browser, phone, **PHONE) as page:
            page.goto(room.opened(room.colorings(practice=0, review=Review.NONE)))
            person = Person(page)
            person.at("consent")
            person.presses("I agree")
            person.at("instructions")
            person.presses("Start")
            expect(page.locator(".cv[data-ready]")).to_be_visible()
            _write(page, "participants-phone")


@contextmanager
def _page(browser: Browser, size: Any, **options: Any) -> Iterator[Page]:
    context = browser.new_context(viewport=size, **options)
    context.set_default_timeout(SHOWN_MS)
    yield context.new_page()
    context.close()


def _write(page: Page, name: str) -> None:
    page.wait_for_timeout(1500)
    path = FOLDER / f"{name}.png"
    page.screenshot(path=path)
    with Image.open(path) as image:
        image.convert("RGB").save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB", flush=True)


def main(names: list[str]) -> None:
    """Writes the screenshots of these names, or all."""
    os.environ["TRUEHUE_EXAMPLE"] = "1"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=ARGUMENTS)
        chosen = [name for name in SHOTS if not names or name in names]
        if chosen:
            data = Path(folder) / "data"
            with Storage.open(data) as storage:
                shown = fill(storage, data / "runs")
            with running_alone(data) as app:
                for name in chosen:
                    shoot(browser, app, shown, name)
        if not names or any(name.startswith("participants") for name in names):
            participants(browser)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
