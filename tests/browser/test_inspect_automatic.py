"""The proposal of a mask, Find and Point in a real Chromium; the last two with tiny real models
behind the real app.

What needs neither is in ``tests/assets/stage/search.js`` and ``tests/tabs/inspect``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.still_life import png, still_life
from tests.browser.workbench import Workbench
from tests.core.masks.test_salient import PHOTOGRAPHS, noise
from tests.running import App, running
from tests.salient import link_weights, needs_weights
from tests.tiny_models.folder import Telling, models_folder, telling

pytestmark = pytest.mark.browser

PHOTOGRAPH, TRUTH = still_life()
# The first question also loads torch and the weights.
FIRST_MS = 120_000


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return models_folder(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def best(models: Path) -> Telling:
    return telling(models, PHOTOGRAPH, "jar")


@pytest.fixture(scope="module")
def looking(tmp_path_factory: pytest.TempPathFactory, models: Path) -> Iterator[App]:
    """One app with the tiny models for the tests of this file."""
    with running(tmp_path_factory.mktemp("looking") / "data", "--models", str(models)) as app:
        yield app


class Finder(Workbench):
    """Inspect with its automatic mask."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.found = page.locator("#stage .th-found")
        self.steps = page.locator("#evidence .th-steps")
        self.working = page.locator("#stage .th-stage-work")

    def choose_model(self, label: str, name: str) -> None:
        field = self.page.get_by_label(label)
        field.fill(name)
        field.press("Tab")
        expect(field).to_have_value(name)

    def ask_for(self, best: Telling, presence: str = "") -> None:
        """Sets the folded controls as a person would."""
        self.page.get_by_text("Automatic mask", exact=True).click()
        names = {"sam-vit-b": "SAM ViT-B", "sam2.1-hiera-tiny": "SAM 2.1 Hiera tiny"}
        self.choose_model("Segmenter", names[best.segmenter])
        variant = {"paper": "Paper", "released": "Released code"}[best.variant]
        self.page.get_by_role("group", name="Variant").get_by_text(variant, exact=True).click()
        self.page.get_by_label("Negative labels").fill(", ".join(best.negatives))
        for label, value in (
            ("Box score above", best.box_threshold),
            ("Negative score above", best.negative_threshold),
        ):
            number = self.page.get_by_role("spinbutton", name=label)
            # Choosing a variant has filled these in.
            expect(number).to_have_value(re.compile(r"0\.\d+"))
            number.fill(f"{value}")
            number.press("Tab")
        if presence:
            self.choose_model("Presence check", presence)

    def find(self) -> None:
        self.button("Find the object").click()
        expect(self.found).to_be_visible(timeout=FIRST_MS)
        self.settle()

    def tick(self, group: str, index: int) -> None:
        """Clicks a checkbox of the list and waits for the mask that follows."""
        part = self.found.locator(".th-found-group").filter(has_text=group)
        part.get_by_role("checkbox").nth(index).click()
        self.settle()

    def outline(self) -> str:
        return self.page.locator("#stage .th-stage-outline.white").get_attribute("d") or ""

    def click_at(self, x: float, y: float, hold: str = "") -> None:
        """Clicks an image pixel and waits until it is cut out and measured."""
        before = self.mask.inner_text()
        index = self.at(x, y)
        if hold:
            self.page.keyboard.down(hold)
        self.page.mouse.click(*index)
        if hold:
            self.page.keyboard.up(hold)
        expect(self.mask).not_to_have_text(before, timeout=60_000)
        self.settle()


@needs_weights
def test_a_dropped_photograph_has_a_verdict_without_a_mark(tmp_path: Path, visit: Visit) -> None:
    models = link_weights(tmp_path / "models")
    with running(tmp_path / "data", "--models", str(models)) as app:
        bench = Workbench(visit(app.address))
        status = bench.stage.locator(".th-stage-status")
        bench.open((PHOTOGRAPHS / "cheetah.jpg").read_bytes(), "cheetah.jpg", "image/jpeg")
        expect(status).to_have_text("Proposed mask: correct it with the tools, or draw a box.")
        expect(bench.mask).to_have_text(re.compile(r"^Salient object v1 · [\d,]+ px · \d+\.\d%$"))
        expect(bench.stage).to_have_class(re.compile(r"\bproposed\b"))
        bench.ask("dark orange yellow")
        expect(bench.verdict.locator(".th-headline h2")).to_have_text(re.compile("Passes|Fails"))
        expect(bench.page.locator("#evidence .th-steps")).to_contain_text("U²-Net small, version 1")

        # Corrected it is no proposal any more; undone twice, nothing is selected.
        bench.mark("Brush", (30, 30), (60, 30))
        expect(bench.mask).to_contain_text("Salient object v1 · 1 stroke")
        expect(bench.stage).not_to_have_class(re.compile(r"\bproposed\b"))
        bench.button("Undo").click()
        expect(status).to_contain_text("Proposed mask")
        bench.button("Undo").click()
        expect(bench.mask).to_have_text("Nothing selected yet")
        bench.mark("Box", (76, 112), (383, 243))
        expect(bench.mask).to_contain_text("Salient object v1 · box")

        bench.open(png(noise()), "grass.png")
        expect(status).to_have_text("Nothing stands out: draw a box around the object.")
        expect(bench.mask).to_have_text("")
        expect(bench.verdict).to_contain_text("Nothing stands out: draw a box around the object.")


def test_found_overridden_pointed_at_and_opened_again(
    looking: App, visit: Visit, best: Telling
) -> None:
    page = visit(looking.address)
    bench = Finder(page)
    bench.open(png(PHOTOGRAPH), "jar.png")
    bench.name("jar")
    bench.ask("vivid reddish orange")
    bench.ask_for(best, presence="Janus-Pro 1B")
    bench.find()
    expect(bench.mask).to_contain_text("Automatic · jar, ")
    first, outline = bench.shown(), bench.outline()

    # Boxes with scores, on the image and in the list; negative parts hatched, with their words.
    rows = bench.found.locator(".th-found-group").filter(has_text="Boxes").get_by_role("checkbox")
    count = rows.count()
    assert count >= 2
    expect(page.locator("#stage .th-stage-boxes g")).to_have_count(count)
    expect(page.locator("#stage .th-stage-tags span").first).to_have_text(
        re.compile(r"^1 jar \d\.\d\d$")
    )
    expect(bench.found).to_contain_text(re.compile(rf"{best.negatives[0]}\s*\d+\.\d%"))
    expect(page.locator("#stage .th-stage-legend .negative")).to_be_visible()
    expect(bench.steps).to_contain_text("Detected by GroundingDINO tiny")

    # A negative part kept, and undone; presence answered by a person.
    bench.tick("Excluded parts", 0)
    assert bench.outline() != outline
    expect(bench.steps).to_contain_text(f"{best.negatives[0]} kept")
    bench.button("Undo").click()
    bench.settle()
    assert bench.outline() == outline
    assert bench.shown() == first
    expect(bench.verdict.locator(".th-absent")).to_have_count(0)
    bench.found.get_by_role("combobox").select_option("no")
    expect(bench.verdict.locator(".th-absent")).to_contain_text("You answered that there is no jar")

    bench.button("Point to add").click()
    bench.click_at(30, 30)
    expect(bench.mask).to_contain_text("1 point")
    last, text, path = bench.shown(), bench.mask.inner_text(), bench.outline()
    listed = bench.found.inner_text()

    # The address alone opens the same, on a phone too.
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    again = Finder(page)
    assert again.shown() == last
    expect(again.mask).to_have_text(text)
    assert again.outline() == path
    assert again.found.inner_text() == listed
    expect(again.found.get_by_role("combobox")).to_have_value("no")
    expect(page.locator("#stage .th-stage-point")).to_have_count(1)
    expect(again.verdict.locator(".th-absent")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
