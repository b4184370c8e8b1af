"""Find and Point in a real Chromium, with tiny real models behind the real app."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, Route, expect

from core.images.load import image_id
from core.masks.grounded.serialize import steps_of
from storage import Storage
from tests.browser.conftest import Visit
from tests.browser.still_life import png, still_life
from tests.browser.workbench import Workbench
from tests.running import App, running
from tests.tiny_models.folder import PRESENCE, Telling, models_folder, telling

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

    def choose_from(self, elem_id: str, option: str) -> None:
        self.page.locator(f"#{elem_id} input").click()
        self.page.get_by_role("option", name=option).first.click()

    def ask_for(self, best: Telling, presence: str = "") -> None:
        """Sets the folded controls as a person would."""
        self.page.get_by_text("Automatic mask", exact=True).click()
        names = {"sam-vit-b": "SAM ViT-B", "sam2.1-hiera-tiny": "SAM 2.1 Hiera tiny"}
        self.choose_from("segmenter", names[best.segmenter])
        variant = {"paper": "Paper", "released": "Released code"}[best.variant]
        self.page.locator("#mask-variant label").filter(has_text=variant).click()
        field = self.page.locator("#negative-labels").get_by_role("textbox")
        field.fill(", ".join(best.negatives))
        thresholds = {
            "box-threshold": best.box_threshold,
            "negative-threshold": best.negative_threshold,
        }
        for elem_id, value in thresholds.items():
            number = self.page.locator(f"#{elem_id} input[type=number]")
            # Choosing a variant fills these in; what is typed before that would be covered.
            expect(number).to_have_value(re.compile(r"0\.\d+"))
            number.fill(f"{value}")
            number.press("Tab")
        if presence:
            self.choose_from("presence-model", presence)

    def find(self) -> None:
        self.button("Find the object").click()
        expect(self.found).to_be_visible(timeout=FIRST_MS)
        self.settle()

    def tick(self, group: str, place: int) -> None:
        """Clicks a checkbox of the list and waits for the mask that follows."""
        part = self.found.locator(".th-found-group").filter(has_text=group)
        part.get_by_role("checkbox").nth(place).click()
        self.settle()

    def outline(self) -> str:
        return self.page.locator("#stage .th-stage-outline.white").get_attribute("d") or ""

    def click_at(self, x: float, y: float, hold: str = "") -> None:
        """Clicks an image pixel and waits until it is cut out and measured."""
        before = self.mask.inner_text()
        place = self.at(x, y)
        if hold:
            self.page.keyboard.down(hold)
        self.page.mouse.click(*place)
        if hold:
            self.page.keyboard.up(hold)
        expect(self.mask).not_to_have_text(before, timeout=60_000)
        self.settle()


def opened(visit: Visit, app: App, seed: int, name: str = "jar") -> Finder:
    """A page with a photograph of its own and the object's name."""
    bench = Finder(visit(app.address))
    picture = PHOTOGRAPH if seed == 0 else still_life(seed=seed)[0]
    bench.open(png(picture), f"jar {seed}.png")
    if name:
        bench.name(name)
    return bench


def test_found_overridden_pointed_at_and_opened_again(
    looking: App, visit: Visit, best: Telling
) -> None:
    bench = opened(visit, looking, 0)
    bench.ask("vivid reddish orange")
    bench.ask_for(best, presence="Janus-Pro 1B")
    bench.find()
    expect(bench.mask).to_contain_text("Automatic · jar, ")
    first, outline = bench.shown(), bench.outline()
    page = bench.page

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
    expect(bench.steps).to_contain_text("Boxes by GroundingDINO tiny")
    expect(bench.steps).to_contain_text("Is there a jar in the image?")

    # A box left out, and undone.
    for place in range(count - 1):
        bench.tick("Boxes", place)
    assert bench.outline() != outline
    by_hand = bench.shown(other_than=first.evidence_id)
    expect(bench.steps).to_contain_text("box 1 left out")
    expect(page.locator("#stage .th-stage-boxes g.unused")).to_have_count(count - 1)
    for _ in range(count - 1):
        bench.button("Undo").click()
        bench.settle()
    assert bench.outline() == outline
    assert bench.shown(other_than=by_hand.evidence_id) == first
    expect(rows.first).to_be_checked()

    # A negative part kept.
    bench.tick("Parts taken away", 0)
    assert bench.outline() != outline
    expect(bench.steps).to_contain_text(f"{best.negatives[0]} left in")
    bench.shown(other_than=first.evidence_id)

    # Presence answered by a person.
    expect(bench.verdict.locator(".th-absent")).to_have_count(0)
    bench.found.get_by_role("combobox").select_option("no")
    expect(bench.verdict.locator(".th-absent")).to_contain_text("You answered that there is no jar")
    expect(bench.steps).to_contain_text("Object present: no")

    # Points: one adds, one (with Alt) takes away.
    bench.button("Point to add").click()
    bench.click_at(30, 30)
    bench.click_at(480, 380, hold="Alt")
    expect(bench.mask).to_contain_text("2 points")
    expect(page.locator("#stage .th-stage-point")).to_have_count(2)
    last, text, path = bench.shown(), bench.mask.inner_text(), bench.outline()
    listed = bench.found.inner_text()

    # Another browser opens the same from the address.
    again = Finder(visit(page.url))
    assert again.shown() == last
    expect(again.mask).to_have_text(text)
    assert again.outline() == path
    assert again.found.inner_text() == listed
    expect(again.found.get_by_role("combobox")).to_have_value("no")
    expect(again.page.locator("#stage .th-stage-point")).to_have_count(2)
    expect(again.verdict.locator(".th-absent")).to_be_visible()


def test_a_point_alone_is_a_mask_and_a_second_one_takes_away(
    looking: App, visit: Visit, best: Telling
) -> None:
    bench = opened(visit, looking, 31, name="")
    bench.page.get_by_text("Automatic mask", exact=True).click()
    bench.choose_from("segmenter", "SAM ViT-B")
    bench.page.keyboard.press("Escape")
    bench.button("Point to add").click()
    bench.click_at(260, 200)
    expect(bench.mask).to_contain_text("Points · 1 point")
    bench.button("Point to take away").click()
    bench.click_at(20, 20)
    expect(bench.mask).to_contain_text("Points · 2 points")
    # Strokes work on top, and undo goes back one by one.
    bench.mark("Brush", (10, 10), (30, 10))
    expect(bench.mask).to_contain_text("2 points, 1 stroke")
    for words in ("Points · 2 points", "Points · 1 point", "Nothing is marked yet"):
        bench.button("Undo").click()
        expect(bench.mask).to_contain_text(words)
    expect(bench.page.locator("#stage .th-stage-point")).to_have_count(0)


def test_a_search_is_cancelled_and_the_page_goes_on(
    looking: App, visit: Visit, best: Telling
) -> None:
    bench = opened(visit, looking, 32)
    held: list[Route] = []

    def hold(route: Route) -> None:
        # Tiny models that are loaded already would be done before the click.
        if route.request.method == "GET":
            held.append(route)
        else:
            route.continue_()

    bench.page.route("**/api/jobs/**", hold)
    bench.button("Find the object").click()
    cancel = bench.working.get_by_role("button", name="Cancel")
    with bench.page.expect_request(lambda request: request.url.endswith("/cancel")):
        cancel.click()
    expect(bench.working).to_be_hidden()
    # The answer comes late, and nobody waits for it any more.
    for route in held:
        route.continue_()
    bench.button("Whole image").click()
    expect(bench.mask).to_contain_text("Whole image")
    bench.page.wait_for_timeout(1500)
    expect(bench.mask).to_contain_text("Whole image")
    expect(bench.found).to_be_hidden()


def test_a_search_goes_on_while_the_page_is_loaded_again(
    looking: App, visit: Visit, best: Telling
) -> None:
    bench = opened(visit, looking, 36)
    bench.ask_for(best, presence="Janus-Pro 1B")
    expect(bench.page).to_have_url(re.compile("image="))
    # The page is left the moment that the search is known by its name: later it may have ended.
    bench.page.evaluate(
        """() => {
            const put = Storage.prototype.setItem;
            Storage.prototype.setItem = function (name, value) {
                put.call(this, name, value);
                if (name === 'truehue-finding') location.reload();
            };
        }"""
    )
    with bench.page.expect_event("load"):
        bench.button("Find the object").click()
    again = Finder(bench.page)
    expect(again.found).to_be_visible(timeout=FIRST_MS)
    expect(again.mask).to_contain_text("Automatic · jar")
    again.settle()
    # Opened once more, there is nothing left to go on with: the link holds the mask.
    assert again.page.evaluate("sessionStorage.getItem('truehue-finding')") is None
    again.page.reload()
    expect(Finder(again.page).mask).to_contain_text("Automatic · jar")


def test_models_of_ones_own_are_typed_and_names_stay_text(
    looking: App, visit: Visit, models: Path
) -> None:
    name = "<b>jar</b>"
    bench = opened(visit, looking, 37, name=name)
    page = bench.page
    bench.ask("#c83c28")
    page.get_by_text("Automatic mask", exact=True).click()
    segmenter = page.locator("#segmenter input")

    def typed(text: str) -> None:
        segmenter.click()
        segmenter.fill(text)
        segmenter.press("Enter")
        segmenter.press("Tab")

    typed("Segment something")
    bench.button("Find the object").click()
    expect(bench.message).to_contain_text("There is no segmenter 'Segment something'")
    expect(bench.message).to_contain_text("hub:owner/name or folder:/path")
    file = models / "sam-vit-b" / "sam_vit_b_01ec64.pth"
    typed(str(file))
    number = page.locator("#box-threshold input[type=number]")
    number.fill("0.5")
    number.press("Tab")
    # The number is seen whole in its frame.
    assert number.evaluate("node => node.offsetHeight <= node.parentElement.clientHeight")
    bench.find()
    expect(bench.found.locator(".th-found-head")).to_contain_text(f"Found: {name}")
    expect(bench.found.locator(".th-found-made")).to_contain_text(f", {file.name}, variant Paper")
    expect(bench.found.locator(".th-found-name").first).to_have_text(f"1 {name}")
    # Words of boxes stay on the image.
    frame = page.locator("#stage .th-stage-overlay").bounding_box()
    assert frame is not None
    for tag in page.locator("#stage .th-stage-tags span").all():
        at = tag.bounding_box()
        assert at is not None
        assert at["x"] >= frame["x"] - 1
        assert at["y"] + at["height"] <= frame["y"] + frame["height"] + 1
    # The longest name breaks its line; it does not reach over the card.
    page.set_viewport_size({"width": 390, "height": 844})
    bench.name("jar" * 26)
    reason = bench.verdict.locator(".th-reason")
    expect(reason).to_contain_text("jar" * 26)
    assert reason.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_without_a_name_or_weights_it_says_what_to_do(app: App, visit: Visit) -> None:
    bench = opened(visit, app, 133, name="")
    bench.page.keyboard.press("f")
    expect(bench.message).to_have_text(re.compile("^Type what to look for in the field Object"))
    bench.name("mug")
    bench.page.get_by_text("Automatic mask", exact=True).click()
    field = bench.page.locator("#negative-labels").get_by_role("textbox")
    expect(field).to_have_value("handle, rim, base")
    bench.button("Find the object").click()
    expect(bench.message).to_contain_text("python -m core.masks download grounding-dino-tiny")
    expect(bench.message).to_contain_text("draw the box by hand")
    bench.button("Point to add").click()
    bench.page.mouse.click(*bench.at(100, 100))
    expect(bench.message).to_contain_text("python -m core.masks download sam-vit-b")
    expect(bench.page.locator("#stage .th-stage-point")).to_have_count(0)
    expect(bench.button("Undo")).to_be_disabled()
    # What works without is as it was.
    bench.button("Whole image").click()
    expect(bench.mask).to_contain_text("Whole image")


def test_on_a_phone_it_fits_and_works(looking: App, visit: Visit, best: Telling) -> None:
    page = visit(looking.address)
    page.set_viewport_size({"width": 390, "height": 844})
    bench = Finder(page)
    bench.open(png(still_life(seed=35)[0]), "phone.png")
    bench.name("jar")
    bench.ask_for(best)
    bench.find()
    bench.tick("Boxes", 0)
    expect(bench.mask).to_contain_text("1 step by hand")
    bench.ask("vivid reddish orange")
    bench.rule("truehue")
    confidence = bench.verdict.locator(".th-confidence")
    expect(confidence).to_have_text(re.compile(r"^confidence (over )?\d+% · "))
    # Of its numbers the misfit judges; the others are told without a limit or a mark.
    expect(bench.verdict.locator(".th-metric:not(.th-told) .th-label")).to_have_text("Misfit")
    expect(bench.verdict.locator(".th-told")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_steps_are_stored_and_at_overlay_zero_nothing_lies_over_the_image(
    tmp_path: Path, looking: App, visit: Visit, best: Telling
) -> None:
    # One pixel is another: what was found in the photograph before is stored already.
    picture = PHOTOGRAPH.copy()
    picture[0, 0] ^= 1
    bench = Finder(visit(looking.address))
    bench.open(png(picture), "jar again.png")
    bench.name("jar")
    bench.ask_for(best, presence="Janus-Pro 1B")
    bench.find()
    bench.page.locator("#stage .th-stage-veil-size").fill("0")
    for part in ("boxes", "tags", "hatch"):
        shown = bench.page.locator(f"#stage .th-stage-{part}")
        assert shown.evaluate("node => getComputedStyle(node).opacity") == "0"
    bench.tick("Parts taken away", 0)
    # All boxes left out: it is said, and they can be put back.
    rows = bench.found.locator(".th-found-group").filter(has_text="Boxes").get_by_role("checkbox")
    count = rows.count()
    for place in range(count):
        bench.tick("Boxes", place)
    expect(bench.message).to_contain_text("left out by hand")
    bench.tick("Boxes", 0)
    expect(bench.message).to_be_hidden()
    expect(rows.first).to_be_checked()
    visit.leave()
    # As it is on the disk while the app goes on.
    # Without the running app's socket, which is no file.
    ignored = shutil.ignore_patterns("control")
    shutil.copytree(looking.data, tmp_path / "data", ignore=ignored)
    with Storage.open(tmp_path / "data") as storage:
        *_, last, made = storage.masks.for_image(image_id(picture))  # the newest comes first
        steps = steps_of(made.parameters)
        assert made.parameters["presence"][0]["by"] == PRESENCE
        assert last.parameters["overrides"]["without_negatives"] == [steps.negatives[0].label]
        taken = storage.masks.pixels(last.mask_id) & ~storage.masks.pixels(made.mask_id)
        assert taken.any()
        assert not (np.logical_or.reduce([s.pixels for s in steps.segments]) & taken != taken).any()
        assert storage.check() == []
