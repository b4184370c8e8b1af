"""Colorize as a designer and as an artist use it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Locator, Page, ViewportSize, expect

from tests.browser.conftest import VIEWPORT, Visit
from tests.running import App, running
from truehue.core.color.uw71 import COUNT
from truehue.core.concepts.records import DistributionFile, DistributionRow
from truehue.storage import Storage

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app where people and a model have given an apple colors."""
    folder = tmp_path_factory.mktemp("colorize")
    spread, white = np.full(COUNT, 1.0 / COUNT), np.eye(COUNT)[26]
    with Storage.open(folder / "data") as storage:
        for name, weights, of_people in (("Designers", spread, True), ("Grays", white, False)):
            file = DistributionFile("histograms", (DistributionRow("apple", "", weights, 12),))
            storage.distributions.add(file, name, "f.csv", "a test", of_people)
    with running(folder / "data") as app:
        yield app


def ready(page: Page) -> None:
    expect(page.locator(".cv[data-ready]")).to_be_visible()


def fill(page: Page, color: str, x: float, y: float) -> None:
    """A color, and a click at these shares of the drawing's width and height."""
    field = page.locator(".cv-hex")
    field.fill(color)
    field.press("Enter")
    frame = page.locator(".cv-sheet").bounding_box()
    assert frame is not None
    page.mouse.click(frame["x"] + frame["width"] * x, frame["y"] + frame["height"] * y)


def chosen(page: Page) -> Locator:
    return page.locator(".th-colorize-chosen li")


def drawing(name: str, gap: bool = False) -> FilePayload:
    """A scanned drawing: a disk in a ring, on paper that darkens to one side."""
    rows = np.linspace(0, 30, 400)[:, None]
    pixels = np.repeat(240.0 - rows, 400, axis=1).astype(np.uint8)
    cv2.circle(pixels, (200, 200), 150, 30, 7, cv2.LINE_AA)
    cv2.circle(pixels, (200, 200), 70, 30, 7, cv2.LINE_AA)
    if gap:
        pixels[190:204, 320:380] = 225
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, format="PNG")
    return {"name": name, "mimeType": "image/png", "buffer": out.getvalue()}


def test_drawings_are_brought_and_colored_and_colorings_kept(visit: Visit, started: App) -> None:
    """An artist brings two drawings and takes one for a thing; a designer colors, sees where that
    lies, reloads and keeps it; the drawing that waited is adjusted and colored."""
    page = visit(f"{started.address}/?tab=colorize&view=sketches")
    # Nobody can bring a drawing before the view is there; a script could.
    expect(page.locator(".th-sketches-list [role=option]").first).to_be_visible()
    page.locator(".th-sketches-drop input").set_input_files(
        [drawing("rotten_lemon.png"), drawing("wheel of fortune.png", gap=True)]
    )
    cards = page.locator(".th-sketches-brought .th-sketches-candidate")
    expect(cards).to_have_count(2)
    lemon = cards.filter(has=page.get_by_label("Concept in “rotten_lemon.png”"))
    expect(lemon).to_contain_text("3 regions")
    lemon.get_by_role("button", name="Use").click()
    expect(cards).to_have_count(1)
    # A state of it: the sketch is that of the thing.
    expect(page.locator(".th-sketches-body h3")).to_have_text("lemon")
    expect(page.locator(".th-sketches-in-use")).to_contain_text("imported as rotten_lemon.png")

    page.get_by_role("tab", name="Color", exact=True).click()
    page.get_by_role("searchbox", name="Search drawings").fill("rott appl")
    page.get_by_role("button", name="rotten apple").click()
    ready(page)
    expect(page).to_have_url(re.compile("drawing=concept-0041&words=rotten"))
    fill(page, "#b3202a", 0.5, 0.7)
    expect(chosen(page)).to_have_count(1)
    expect(chosen(page)).to_contain_text("#B3202A")
    expect(page.locator(".th-colorize-rows")).to_contain_text("There is no data for “rotten apple”")
    # Another name of the same drawing: of that there is something.
    page.get_by_role("button", name="apple", exact=True).click()
    expect(page.locator(".th-colorize-row")).to_have_count(2)
    expect(page.locator(".th-colorize-headline")).to_contain_text("Designers")
    expect(page.locator(".th-colorize-numbers dt")).to_have_count(7)
    fill(page, "#4f7a2c", 0.62, 0.16)
    expect(chosen(page)).to_have_count(2)
    expect(page.locator(".th-colorize-autosaved")).to_have_text("Saved in this browser")

    page.reload()
    ready(page)
    expect(page.locator(".th-colorize-said")).to_contain_text("2 steps")
    expect(chosen(page)).to_have_count(2)
    page.get_by_role("button", name="Save", exact=True).click()
    locator = page.locator(".th-colorize-kept-one")
    expect(locator).to_have_count(1)
    expect(locator).to_contain_text("2 steps")
    page.get_by_label("Download", exact=True).click()
    with page.expect_download() as saved:
        page.get_by_role("group", name="Download as a file").get_by_text("Colors").click()
    expect(page.get_by_role("group", name="Download as a file")).to_be_hidden()
    assert saved.value.suggested_filename == "apple-colors.png"
    page.get_by_label("Download", exact=True).click()
    with page.expect_download() as large:
        page.get_by_role("group", name="Download as a file").get_by_text("Large PNG").click()
    assert large.value.suggested_filename == "apple-large.png"
    pixels = Image.open(large.value.path())
    assert pixels.size == (3 * 1024, 3 * 1024)
    colors = [
        pixels.getpixel((round(x * 3072), round(y * 3072))) for x, y in ((0.5, 0.7), (0.01, 0.01))
    ]
    assert colors == [(0xB3, 0x20, 0x2A, 255), (255, 255, 255, 255)]
    layer = np.asarray(Image.open(saved.value.path()))
    assert {tuple(color) for color in layer.reshape(-1, 4)} == {
        (0, 0, 0, 0),
        (0xB3, 0x20, 0x2A, 255),
        (0x4F, 0x7A, 0x2C, 255),
    }
    # The list has it in its colors, and Next goes on to what is not saved.
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator(".th-colorize-words")).to_have_value("avocado")
    ready(page)
    expect(chosen(page)).to_have_count(0)
    fill(page, "#4f7a2c", 0.5, 0.7)
    expect(page.locator(".th-colorize-autosaved")).to_have_text("Saved in this browser")
    page.get_by_role("button", name="All drawings").click()
    page.get_by_role("searchbox", name="Search drawings").fill("")
    begun = page.locator(".th-colorize-begun")
    expect(begun).to_have_count(1)
    expect(begun).to_contain_text("avocado")
    green = """node => {
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = 1;
      const context = canvas.getContext('2d');
      context.drawImage(node, 128, 179, 1, 1, 0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data];
    }"""
    assert begun.locator("img").evaluate(green) == [0x4F, 0x7A, 0x2C, 255]
    saved_tile = page.locator(".th-colorize-tile", has_text="saved just now")
    expect(saved_tile).to_have_count(1)
    expect(saved_tile.locator("img")).to_have_attribute("src", re.compile("/kept/"))
    saved_tile.click()
    ready(page)
    expect(page).to_have_url(re.compile("kept="))
    expect(chosen(page)).to_have_count(2)
    # A phone, also on its side: the drawing and its tools fill the screen, with what saves it.
    for size in ({"width": 740, "height": 360}, PHONE):
        page.set_viewport_size(size)
        page.locator(".th-colorize-work").evaluate("node => node.scrollIntoView()")
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        for part in (".cv", ".th-colorize-back", ".th-colorize-keep", ".th-colorize-next"):
            expect(page.locator(part)).to_be_in_viewport(ratio=0.99)
        room = page.locator(".cv").bounding_box()
        assert room is not None
        assert room["width"] * room["height"] >= 0.8 * size["width"] * size["height"]
    # The line about a save has its place: the canvas stays under the finger.
    canvas = page.locator(".th-colorize-canvas")
    top = canvas.evaluate("node => node.offsetTop")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".th-colorize-said")).to_contain_text("Saved with every step")
    assert canvas.evaluate("node => node.offsetTop") == top
    page.set_viewport_size(VIEWPORT)
    page.go_back()
    expect(page.locator(".th-colorize-tiles")).to_be_visible()

    # The other drawing waits, also after the reload; it is adjusted and colored.
    page.get_by_role("tab", name="Sketches", exact=True).click()
    cards.get_by_role("button", name="Adjust").click()
    dialog = page.locator(".th-colorize-dialog")
    expect(dialog.locator(".th-colorize-regions")).to_contain_text("regions")
    dialog.get_by_label("Line threshold").fill("120")
    expect(dialog.locator("output").first).to_have_text("120")
    dialog.get_by_role("button", name="Use this sketch").click()
    expect(cards).to_have_count(0)
    page.get_by_role("tab", name="Color", exact=True).click()
    page.get_by_role("button", name="Imported 1").click()
    page.get_by_role("button", name="wheel of fortune").click()
    ready(page)
    # Nothing is said of its colors that was said of the other drawing's.
    expect(chosen(page)).to_have_count(0)
    fill(page, "#2050a0", 0.5, 0.5)
    expect(chosen(page)).to_contain_text("#2050A0")


def test_a_wide_gap_is_closed_with_a_line(visit: Visit, started: App) -> None:
    page = visit(f"{started.address}/?tab=colorize")
    expect(page.locator(".th-colorize-tiles button").first).to_be_visible()
    page.locator(".th-colorize-begin input[type=file]").set_input_files(
        drawing("wheel.png", gap=True)
    )
    count = page.locator(".th-colorize-regions:visible")
    # The ring is open at the right, by 14 of 400 pixels: 36 of the sketch.
    expect(count).to_contain_text("2 regions")
    page.get_by_role("button", name="Close a gap").click()
    image = page.locator(".th-colorize-prepared:visible").bounding_box()
    assert image is not None

    def to(x: float, y: float) -> tuple[float, float]:
        return image["x"] + x * image["width"], image["y"] + y * image["height"]

    page.mouse.move(*to(0.875, 0.45))
    page.mouse.down()
    page.mouse.move(*to(0.875, 0.53), steps=4)
    expect(page.locator(".th-colorize-stroke:visible")).to_have_count(1)
    page.mouse.up()
    expect(count).to_contain_text("3 regions")
    page.get_by_role("button", name="Remove line").click()
    expect(count).to_contain_text("2 regions")
    expect(page.get_by_role("button", name="Remove line")).to_be_hidden()
    page.mouse.move(*to(0.875, 0.45))
    page.mouse.down()
    page.mouse.move(*to(0.875, 0.53), steps=4)
    page.mouse.up()
    expect(count).to_contain_text("3 regions")
    page.get_by_role("button", name="Color it").click()
    ready(page)
    # The ring alone is filled: nothing leaks into the paper.
    fill(page, "#b3202a", 0.2, 0.5)
    expect(page.locator(".th-colorize-share")).to_contain_text("%")
    share = page.locator(".th-colorize-share").inner_text()
    assert float(share.partition("%")[0]) < 45


def test_a_drawing_fills_the_screen_until_one_leaves_it(visit: Visit, started: App) -> None:
    page = visit(f"{started.address}/?tab=colorize")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="turtle").click()
    ready(page)
    shown = page.locator(".cv-sheet").bounding_box()
    assert shown is not None
    # A reference image has the room of the colors beside the drawing, not of the drawing.
    page.get_by_role("button", name="Reference", exact=True).click()
    page.locator(".cv-reference input").set_input_files(drawing("cup.png"))
    expect(page.locator(".cv-reference canvas")).to_be_visible()
    page.wait_for_function(
        "width => document.querySelector('.cv-sheet').getBoundingClientRect().width > 0.95 * width",
        arg=shown["width"],
    )
    page.get_by_role("button", name="Reference", exact=True).click()
    full = page.get_by_role("button", name="Full screen")
    full.click()
    expect(full).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".cv-stage")).to_be_focused()
    page.wait_for_function(
        "width => document.querySelector('.cv-sheet').getBoundingClientRect().width > 1.2 * width",
        arg=shown["width"],
    )
    work = page.locator(".th-colorize-work").bounding_box()
    assert work == {"x": 0, "y": 0, "width": 1440, "height": 900}
    # Another drawing fills it, too; the list of all is on the page.
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator(".th-colorize-words")).not_to_have_value("turtle")
    ready(page)
    expect(full).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="All drawings").click()
    page.wait_for_function("!document.fullscreenElement")
    expect(page.locator(".th-colorize-tiles")).to_be_visible()
    # So does the browser's Back, and a drawing that is dropped.
    carried = page.evaluate_handle(
        """bytes => {
          const carried = new DataTransfer();
          carried.items.add(new File([Uint8Array.from(bytes)], 'cup.png', { type: 'image/png' }));
          return carried;
        }""",
        list(drawing("cup.png")["buffer"]),
    )
    for leave in (
        page.go_back,
        lambda: page.locator(".cv").dispatch_event("drop", {"dataTransfer": carried}),
    ):
        page.get_by_role("button", name="turtle").click()
        ready(page)
        full.click()
        expect(full).to_have_attribute("aria-pressed", "true")
        leave()
        page.wait_for_function("!document.fullscreenElement")
        expect(page.locator(".th-colorize-work")).to_be_hidden()
    page.get_by_role("button", name="Cancel").click()
    page.set_viewport_size(PHONE)
    page.get_by_role("button", name="turtle").click()
    ready(page)
    expect(full).to_be_hidden()


@pytest.mark.parametrize("size", [PHONE, {"width": 1440, "height": 900}])
def test_each_drawing_opens_at_the_same_place(
    visit: Visit, started: App, size: ViewportSize
) -> None:
    """Wherever its tile was, with or without modifiers, also those of the drawing before."""
    page = visit(f"{started.address}/?tab=colorize")
    page.set_viewport_size(size)
    positions = {}
    for name in ("strawberry", "turtle", "castle", "turtle"):
        page.locator(".th-colorize-tile").get_by_text(name, exact=True).click()
        ready(page)
        expect(page.locator(".th-colorize-family")).to_be_visible(visible=name != "turtle")
        positions[name] = page.evaluate("scrollY")
        expect(page.locator(".th-colorize-next")).to_be_in_viewport(ratio=1)
        expect(page.locator(".cv")).to_be_in_viewport(ratio=0.99)
        page.get_by_role("button", name="All drawings").click()
    assert len(set(positions.values())) == 1, positions
