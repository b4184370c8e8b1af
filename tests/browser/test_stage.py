"""Inspect's stage and cards in a real Chromium: the pointer, the keyboard, exact pixels, layout.

What needs no browser of the stage is in ``tests/assets/stage``, of the cards in
``tests/tabs/inspect/test_cards.py``.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.browser.stage_app import Bench, serving
from tests.browser.still_life import png
from tests.core.photographs import bounds, object_photograph, overlap
from truehue.core.masks.display import outline_path
from truehue.core.verdict.rules import RULES
from truehue.storage import Storage
from truehue.tabs.inspect.score import judge
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.browser
SIZE = 420
PHOTOGRAPH, TRUTH = object_photograph(SIZE, seed=1)
BENCH = Bench()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(BENCH.app()) as url:
        yield url


class Stage:
    """The stage on a page, as a person meets it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root = page.locator(".th-stage")
        self.status = page.locator(".th-stage-status")
        self.mask = page.locator(".th-stage-mask")
        # Until its script is there, nobody can press anything.
        expect(page.locator("#stage:not([inert]) .th-stage-main")).to_be_visible()

    def open(self, data: bytes, size: str) -> None:
        with self.page.expect_file_chooser() as chooser:
            self.root.locator("[data-action=choose]:visible").click()
        chooser.value.set_files([{"name": "made.png", "mimeType": "image/png", "buffer": data}])
        expect(self.page.locator(".th-stage-size")).to_have_text(size)
        self.page.wait_for_function(
            "document.querySelector('.th-stage-picture').naturalWidth && "
            "document.querySelector('.th-stage-picture').complete"
        )

    def opened(self) -> Stage:
        self.open(png(PHOTOGRAPH), f"{SIZE} × {SIZE}")
        return self

    def settle(self) -> None:
        expect(self.root).to_have_attribute("aria-busy", "false")

    def button(self, name: str) -> Any:
        return self.root.get_by_role("button", name=name, exact=True)

    def outline(self) -> str:
        return self.page.locator(".th-stage-outline.white").get_attribute("d") or ""

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where an image pixel is on the page."""
        frame = self.page.locator(".th-stage-overlay").bounding_box()
        assert frame is not None
        scale = frame["width"] / SIZE
        return frame["x"] + x * scale, frame["y"] + y * scale

    def drag(self, *points: tuple[float, float]) -> None:
        """Draws through image pixels, and waits for the mask."""
        index = [self.at(*point) for point in points]
        self.page.mouse.move(*index[0])
        self.page.mouse.down()
        for point in index[1:]:
            self.page.mouse.move(*point, steps=5)
        self.page.mouse.up()
        self.settle()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    BENCH.__init__()  # type: ignore[misc]
    with browser.new_page(viewport={"width": 1400, "height": 900}) as page:
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(address)
        yield page
        assert problems == []


def marks() -> list[dict[str, Any]]:
    return BENCH.sent[-1]["marks"]


def kinds() -> list[str]:
    return [mark["type"] for mark in marks()]


def test_the_pointer_marks_where_it_is_and_moves_the_image(page: Page) -> None:
    stage = Stage(page).opened()
    stage.drag((80, 75), (350, 350))
    assert np.abs(np.array(marks()[0]["box"]) - (80, 75, 350, 350)).max() < 1.5
    assert len(BENCH.sent) == 1, "one mark, one event"
    assert overlap(BENCH.masks[-1].pixels, TRUTH) > 0.97
    boxed = stage.outline()
    assert boxed == outline_path(BENCH.masks[-1].pixels)
    expect(stage.mask).to_contain_text("GrabCut · box ·")
    stage.button("Foreground scribble").click()
    stage.drag((30, 30), (60, 30))
    assert kinds() == ["box", "keep"]
    assert BENCH.masks[-1].pixels[30, 30:60].all()
    outline = stage.outline()
    assert outline != boxed
    # A press of the pointer leaves the keys with the image.
    stage.button("Undo").click()
    stage.settle()
    assert stage.outline() == boxed
    stage.press("Control+Shift+Z")
    assert stage.outline() == outline
    stage.press("Control+z")
    assert stage.outline() == boxed
    stage.page.locator(".th-stage-veil-size").fill("0")
    veil = page.locator(".th-stage-veil")
    assert veil.evaluate("node => getComputedStyle(node).fillOpacity") == "0"

    # Zoomed in, a pixel of the image is many on the screen.
    stage.press("e")
    for _ in range(4):
        stage.button("Zoom in").click()
    stage.drag((210, 200), (230, 200))
    points = np.array(marks()[-1]["points"])
    assert kinds() == ["box", "erase"]
    assert np.abs(points[[0, -1]] - [(210, 200), (230, 200)]).max() < 1

    sheet, before = page.locator(".th-stage-sheet"), len(BENCH.sent)
    start = sheet.bounding_box()
    page.mouse.move(500, 300)
    page.keyboard.down(" ")
    page.mouse.down()
    page.mouse.move(440, 280, steps=4)
    page.mouse.up()
    page.keyboard.up(" ")
    end = sheet.bounding_box()
    assert start is not None
    assert end is not None
    assert (round(end["x"] - start["x"]), round(end["y"] - start["y"])) == (-60, -20)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    expect(sheet).not_to_have_js_property("offsetWidth", round(end["width"]))
    assert len(BENCH.sent) == before


def test_by_keyboard_alone_a_box_is_drawn_and_a_pixel_is_asked_for(page: Page) -> None:
    stage = Stage(page).opened()
    scroll = page.locator(".th-stage-scroll")
    stage.button("Box").press("Enter")
    expect(scroll).to_be_focused()
    expect(stage.status).to_have_text(
        "Enter starts a box in the middle; arrows move it, Shift+arrows resize it, "
        "Enter applies it."
    )
    stage.press("Enter", "ArrowLeft", "ArrowUp", "Shift+ArrowRight")
    expect(stage.status).to_have_text("Box 172 × 168 pixels, from 122, 122 to 294, 290.")
    stage.press("Enter")
    assert marks() == [{"type": "box", "box": [122, 122, 294, 290]}]
    expect(stage.mask).to_contain_text("GrabCut · box ·")

    # The very pixel, by pointer and by keyboard; once more, and it is asked for.
    page.evaluate(
        """async () => {
          const { store } = await import(document.querySelector('script[type=module]').textContent
            .match(/'([^']*)stage\\/stage\\.js'/)[1] + 'shared/state.js');
          store.subscribe('ask-color', (news) => { window.asked = news; });
        }"""
    )
    text = page.locator(".th-stage-pick-words")
    stage.button("Pick a color").click()
    page.mouse.click(*stage.at(200.5, 190.5))
    code = "#{:02X}{:02X}{:02X}".format(*PHOTOGRAPH[190, 200])
    numbers = ", ".join(map(str, PHOTOGRAPH[190, 200]))
    expect(text).to_contain_text(f"Pixel 200, 190 · sRGB {numbers} · {code}")
    expect(page.locator(".th-stage-pick-names")).to_have_text(
        f"people say gray 50% · CSS {code[1:]} 0.0 ΔE00"
    )
    stage.button("Pick a color").press("Enter")
    stage.press("Enter", "ArrowLeft", "Shift+ArrowDown")
    code = "#{:02X}{:02X}{:02X}".format(*PHOTOGRAPH[220, 209])
    expect(text).to_contain_text(
        f"Pixel 209, 220 · sRGB {', '.join(map(str, PHOTOGRAPH[220, 209]))}"
    )
    assert page.evaluate("window.asked") is None
    stage.press("Enter", "Enter")
    assert page.evaluate("window.asked") == {"picker": "asked-color", "text": code}

    # Keys that are typed into a field are letters.
    before = len(BENCH.sent)
    page.locator("#object-name").click()
    page.keyboard.type("wek")
    expect(page.locator("#object-name")).to_have_value("wek")
    expect(stage.button("Pick a color")).to_have_attribute("aria-pressed", "true")
    assert len(BENCH.sent) == before


def shot(stage: Stage) -> np.ndarray:
    """The image as it is on the screen."""
    used = stage.page.locator(".th-stage-picture").screenshot()
    return np.array(Image.open(io.BytesIO(used)).convert("RGB"))


def test_the_image_is_shown_in_exact_pixels(page: Page) -> None:
    stage = Stage(page)
    noise = np.random.default_rng(0).integers(0, 256, (300, 500, 3), dtype=np.uint8)
    stage.open(png(noise), "500 × 300")
    for name in ("Fit the image", "One image pixel to one screen pixel"):
        stage.button(name).click()
        page.mouse.move(5, 890)
        expect(page.locator(".th-stage-zoom")).to_have_text("100%")
        assert np.array_equal(shot(stage), noise)
    # A small image grows by whole steps: every pixel becomes an equal square.
    stage.open(png(noise[:40, :50]), "50 × 40")
    shown = shot(stage)
    step = shown.shape[1] // 50
    assert step > 5
    assert np.array_equal(shown, noise[:40, :50].repeat(step, axis=0).repeat(step, axis=1))


def test_a_phone_can_mark_by_touch(browser: Browser, address: str) -> None:
    BENCH.__init__()  # type: ignore[misc]
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
    with context, context.new_page() as page:
        page.goto(address)
        stage = Stage(page).opened()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.locator(".th-stage-overlay").scroll_into_view_if_needed()
        touch = context.new_cdp_session(page)

        def send(kind: str, *points: tuple[float, float]) -> None:
            index = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": index})

        send("touchStart", stage.at(80, 75))
        for step in range(1, 6):
            send("touchMove", stage.at(80 + 54 * step, 75 + 55 * step))
        send("touchEnd")
        stage.settle()
        assert kinds() == ["box"]
        assert overlap(BENCH.masks[-1].pixels, TRUTH) > 0.95
        # Two fingers zoom and mark nothing.
        sent = len(BENCH.sent)
        small = page.locator(".th-stage-sheet").bounding_box()
        x, y = stage.at(210, 210)
        send("touchStart", (x - 10, y), (x + 10, y))
        for far in range(20, 60, 10):
            send("touchMove", (x - far, y), (x + far, y))
        send("touchEnd")
        large = page.locator(".th-stage-sheet").bounding_box()
        assert small is not None
        assert large is not None
        assert large["width"] > 2 * small["width"]
        assert len(BENCH.sent) == sent


# ── layout ──────────────────────────────────────────────────────────────────────────────────────

WIDTHS = (1440, 1920, 820, 390)
# What reaches out of its card, of each view in turn, and how wide and high the page gets.
OUTSIDE = """({ views, evidence }) => {
  const outside = (name) => [...document.querySelectorAll(
      '.th-verdict, .th-verdict *, .th-evidence .th-card *, .th-found *')]
    .filter((node) => node.getClientRects().length && !node.closest('svg, details:not([open]) > :not(summary)'))
    .flatMap((node) => {
      const card = node.closest('.th-card').getBoundingClientRect();
      const box = node.getBoundingClientRect();
      const out = box.left < card.left - 1 || box.right > card.right + 1
        || (box.bottom > card.bottom + 1 && !node.closest('.th-found'));
      return out ? [name + ': ' + node.tagName + '.' + node.className] : [];
    });
  const found = [];
  for (const [name, view] of Object.entries(views)) {
    window.widgets.verdict({ view });
    window.widgets.evidence({ view: evidence });
    found.push(...outside(name));
    const page = document.documentElement.scrollWidth;
    if (page > innerWidth) found.push(name + ': the page is ' + page + ' pixels wide');
    const image = document.querySelector('.th-stage-card').offsetHeight;
    if (innerWidth > 900 && image > innerHeight) found.push(name + ': the stage is higher');
  }
  return found;
}"""
TAGS = """() => {
  const frame = document.querySelector('.th-stage-overlay').getBoundingClientRect();
  return [...document.querySelectorAll('.th-stage-tags span')].filter((tag) => {
    const box = tag.getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > frame.right + 1
      || box.bottom > frame.bottom + 1;
  }).map((tag) => tag.textContent);
}"""
LONG = "jar" * 26


def found() -> dict[str, Any]:
    """An automatic mask with boxes at every edge, and the longest name."""
    used = {"note": "", "used": True, "by_hand": False}
    positions = [(0, 0, 90, 90), (330, 5, 420, 60), (5, 400, 60, 420), (350, 395, 420, 420)]
    boxes = [{**used, "box": index, "label": "jar", "text": "0.91"} for index in positions]
    negatives = [{**used, "label": "handle " * 5, "text": "4.0%", "found": True}]
    target = [{"answer": "yes", "note": f"Janus-Pro 1B to “Is there a {LONG}?”", "override": ""}]
    return {
        "object": LONG,
        "made": "GroundingDINO tiny, /home/somebody/models/sam_vit_b_01ec64.pth, variant Paper",
        "boxes": boxes,
        "negatives": negatives,
        "presence": target,
        "notes": [],
    }


def test_nothing_leaves_its_card_at_any_width_under_any_rule(page: Page, tmp_path: Path) -> None:
    with Storage.open(tmp_path / "data") as storage:
        context = make_context(storage, "data")
        srgb8, truth = object_photograph(128)
        image = storage.images.add(srgb8, "made.png", "upload")
        mark = {"type": "box", "box": bounds(truth, 6)}
        value = {"image_id": image.image_id, "marks": [mark], "seq": 1}

        def judged(target: str, rule: str, relation: str) -> tuple[Any, Any]:
            requested = (LONG, target, rule, 0, True, "l3", relation)
            _, verdict, evidence = judge(context, value, *requested)
            figures = {name: {"layout": {"height": 260}} for name in ("chromaticity", "lightness")}
            return verdict["view"], {**evidence["view"], **figures}

        views = {"no question": judged("", RULES[0].id, "matches")[0]}
        for target, relation in (
            ("l3:Vivid reddish orange", "matches"),
            ("css:blue", "differs"),
        ):
            for by in RULES:
                views[f"{target} by {by.id}"], evidence = judged(target, by.id, relation)
        context.close()
    stage = Stage(page).opened()
    stage.press("w")
    page.evaluate("found => widgets.stage({ found })", found())
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(OUTSIDE, {"views": views, "evidence": evidence}) == [], width
        assert page.evaluate(TAGS) == [], width
    # The longest word of a limit that is met has its room on a phone.
    word = page.locator(".th-metric .th-state").first
    word.evaluate("node => { node.textContent = '✕ matches'; }")
    assert word.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    expect(page.locator(".th-reason")).to_contain_text(LONG)
