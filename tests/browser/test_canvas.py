"""The coloring canvas as designers use it: by mouse, pen, fingers and keys alone."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import CDPSession, FilePayload, Page, expect

from tests.browser.axe import barriers
from tests.browser.canvas_room import canvas_room, house_drawing
from tests.browser.conftest import Visit
from truehue.annotation.colorings import checksum, paint, read_action
from truehue.core.sketches.regions import regions

pytestmark = pytest.mark.browser

SIDE = 512
SKY, ROOF, CROWN, DOOR = (0.05, 0.05), (0.37, 0.4), (0.77, 0.4), (0.365, 0.68)
PHONE: dict[str, Any] = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}


@pytest.fixture(scope="module")
def ink() -> np.ndarray:
    return house_drawing(SIDE)


@pytest.fixture(scope="module")
def address(ink: np.ndarray) -> Iterator[str]:
    with canvas_room(ink) as started:
        yield started


class Easel:
    """A canvas on a page, and what was done on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.told = page.locator(".cv-told")
        self.heard = page.locator(".cv-heard")
        expect(page.locator(".cv[data-ready]")).to_be_visible()

    def at(self, index: tuple[float, float]) -> tuple[float, float]:
        """Where a place of the drawing, 0 to 1, is on the page."""
        box = self.page.locator(".cv-sheet").bounding_box()
        assert box is not None
        return box["x"] + index[0] * box["width"], box["y"] + index[1] * box["height"]

    def clicks(self, index: tuple[float, float]) -> None:
        self.page.mouse.click(*self.at(index))

    def chooses(self, color: str) -> None:
        self.page.locator(".cv-hex").fill(color)
        self.page.keyboard.press("Enter")

    def presses(self, text: str) -> None:
        self.page.get_by_role("button", name=text, exact=True).first.click()

    @property
    def log(self) -> list[dict[str, Any]]:
        return self.page.evaluate("window.log")

    @property
    def kinds(self) -> str:
        return " ".join(action["do"] for action in self.log)

    def color(self, index: tuple[float, float]) -> str | None:
        """What the layer has at a place."""
        x, y = (int(part * SIDE) for part in index)
        return self.page.evaluate("([x, y]) => canvas.layer.colorAt(x, y)", [x, y])

    @property
    def scale(self) -> float:
        return self.page.evaluate("canvas.view.scale")


def test_by_mouse_from_the_first_color_to_what_the_server_paints(
    visit: Visit, address: str, ink: np.ndarray
) -> None:
    easel = Easel(page := visit(address))
    easel.clicks(ROOF)
    expect(easel.told).to_have_text("Choose a color first.")
    assert easel.log == []
    plane = page.locator(".cv-plane").bounding_box()
    assert plane is not None
    page.mouse.click(plane["x"] + plane["width"] * 0.4, plane["y"] + plane["height"] * 0.5)
    easel.clicks(ROOF)
    first = easel.color(ROOF)
    assert first is not None
    easel.chooses("#ffffff")
    easel.clicks(SKY)
    easel.clicks(SKY)
    expect(easel.told).to_have_text("This region already has that color.")
    page.keyboard.press("b")
    page.keyboard.press("]")
    page.mouse.move(*easel.at((0.3, 0.55)))
    page.mouse.down()
    page.mouse.move(*easel.at((0.44, 0.7)), steps=5)
    page.mouse.up()
    assert easel.color((0.3, 0.55)) == "#ffffff"
    assert easel.color(DOOR) is None
    page.keyboard.press("Control+z")
    assert easel.color((0.3, 0.55)) is None
    page.keyboard.press("Control+y")
    page.keyboard.down("Alt")
    easel.clicks(ROOF)
    page.keyboard.up("Alt")
    expect(page.locator(".cv-hex")).to_have_value(first)
    easel.presses("Clear")
    easel.clicks(SKY)
    assert easel.color(SKY) is None
    page.mouse.move(*easel.at(ROOF))
    page.mouse.down()
    page.mouse.move(*easel.at(DOOR), steps=4)
    page.mouse.up()
    assert [easel.color(each) for each in (ROOF, DOOR)] == [None, None]
    assert easel.kinds == "fill fill stroke undo redo fill fill_regions"
    recent = page.locator(".cv-swatches").first.get_by_role("button")
    assert [item.get_attribute("aria-label") for item in recent.all()] == [first, "#ffffff"]
    layer = paint([read_action(action) for action in easel.log], regions(ink))
    assert page.evaluate("canvas.checksum()") == checksum(layer)
    page.set_viewport_size({"width": 1100, "height": 680})
    page.reload()
    Easel(page)
    assert page.evaluate("canvas.checksum()") == checksum(layer)
    undo = page.get_by_role("button", name="Undo", exact=True).first
    expect(undo).not_to_have_attribute("aria-disabled", "true")
    # The original stands beside the drawing, and does not touch it.
    page.get_by_role("button", name="Original").click()
    expect(page.locator(".cv-original")).to_be_visible()
    original, sheet = (page.locator(part).bounding_box() for part in (".cv-original", ".cv-sheet"))
    assert original is not None
    assert sheet is not None
    assert original["x"] + original["width"] + 11 <= sheet["x"]


class Fingers:
    """Touches of a screen, by their places on the page."""

    def __init__(self, session: CDPSession) -> None:
        self.session = session

    def send(self, kind: str, *positions: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(positions)]
        self.session.send(
            "Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points}
        )


def test_fingers_draw_until_a_pen_was_seen(visit: Visit, address: str) -> None:
    """Two fingers always zoom, and what the first of them began to draw is taken back."""
    page = visit(address, **PHONE)
    page.set_viewport_size({"width": 390, "height": 760})
    easel = Easel(page)
    session = page.context.new_cdp_session(page)
    fingers = Fingers(session)
    page.locator(".cv-color").tap()
    easel.chooses("#5d8a3c")
    scrolled = "node => node.scrollTop"
    page.locator(".cv-side").evaluate("node => node.scrollTo(0, 200)")
    assert page.locator(".cv-side").evaluate(scrolled) > 0
    easel.presses("Done")
    page.touchscreen.tap(*easel.at(CROWN))
    assert easel.kinds == "fill"
    # The sheet leaves the drawing its size, and goes once a color that is there is taken.
    before = easel.scale
    page.locator(".cv-color").tap()
    assert easel.scale == before
    assert page.locator(".cv-side").evaluate(scrolled) == 0
    page.locator(".cv-swatches button").first.tap()
    expect(page.locator(".cv-side")).to_be_hidden()
    # Under the thumb, no swatch is cut in half.
    fitting = page.locator(".cv-lasts").evaluate(
        "row => (row.clientWidth + 2) / (row.firstChild.getBoundingClientRect().width + 2)"
    )
    assert fitting == pytest.approx(round(fitting), abs=0.02)
    # A finger that rests sees what it would fill.
    fingers.send("Start", easel.at(ROOF))
    expect(page.locator(".cv-loupe")).to_be_visible()
    fingers.send("Cancel")
    expect(page.locator(".cv-loupe")).to_be_hidden()
    assert easel.kinds == "fill"
    # A drag fills where the whole drawing is in sight; closer, a finger moves it.
    fingers.send("Start", easel.at(ROOF))
    fingers.send("Move", easel.at((0.37, 0.53)))
    fingers.send("End")
    assert easel.log.pop()["points"] == pytest.approx([0.37 * SIDE, 0.4 * SIDE] * 2, abs=80)
    easel.presses("Undo")
    drawn = "fill fill_regions undo"
    assert easel.kinds == drawn
    easel.presses("Brush")
    x, y = easel.at((0.3, 0.55))
    before = easel.scale
    fingers.send("Start", (x, y))
    fingers.send("Start", (x, y), (x + 60, y))
    for step in range(1, 5):
        fingers.send("Move", (x - 10 * step, y), (x + 60 + 10 * step, y))
    fingers.send("End")
    assert easel.scale > 1.5 * before
    assert easel.kinds == drawn
    # The buttons over a drawing that is looked at closer stay in place, whole and beside each other.
    parts = (".cv-segments", ".cv-zooms", ".cv-strip")
    boxes = (
        "parts => parts.map(part => document.querySelector('.cv-field ' + part) || "
        "document.querySelector(part)).map(node => node?.getBoundingClientRect().toJSON())"
    )
    for width, counted in ((360, False), (390, False), (390, True)):
        page.set_viewport_size({"width": width, "height": 760})
        if counted:
            page.get_by_role("button", name="Uncolored").tap()
            expect(page.locator(".cv-looks b")).to_be_visible()
        easel.presses("Fill")
        before_brush = page.evaluate(boxes, parts)[:2]
        easel.presses("Brush")
        *looks, strip = page.evaluate(boxes, parts)
        assert looks == before_brush
        for one, other in combinations([*looks, strip], 2):
            assert (
                one["right"] <= other["left"]
                or other["right"] <= one["left"]
                or one["bottom"] <= other["top"]
                or other["bottom"] <= one["top"]
            ), (one, other)
        assert max(box["right"] for box in (*looks, strip)) <= width
        reference = page.get_by_role("button", name="Reference").bounding_box()
        assert reference is not None
        assert reference["x"] + reference["width"] <= looks[0]["right"] + 0.5
    page.get_by_role("button", name="Uncolored").tap()
    easel.presses("Whole drawing")
    fingers.send("Start", (x, y))
    fingers.send("Move", (x + 30, y + 8))
    fingers.send("End")
    assert easel.kinds == drawn + " stroke"

    def pen(kind: str, index: tuple[float, float]) -> None:
        event = {"x": index[0], "y": index[1], "button": "left", "buttons": int(kind != "Released")}
        session.send(
            "Input.dispatchMouseEvent",
            {"type": f"mouse{kind}", "pointerType": "pen", "clickCount": 1, **event},
        )

    pen("Pressed", (x, y + 30))
    pen("Moved", (x + 20, y + 34))
    pen("Released", (x + 20, y + 34))
    assert easel.kinds == drawn + " stroke stroke"
    left = page.locator(".cv-sheet").bounding_box()
    fingers.send("Start", (x, y))
    fingers.send("Move", (x + 25, y))
    fingers.send("Move", (x + 50, y))
    fingers.send("End")
    assert easel.kinds == drawn + " stroke stroke"
    moved = page.locator(".cv-sheet").bounding_box()
    assert left is not None
    assert moved is not None
    assert moved["x"] - left["x"] == pytest.approx(50, abs=1)


def two_halves() -> FilePayload:
    """An image, red at the left and blue at the right."""
    pixels = np.zeros((200, 300, 3), np.uint8)
    pixels[:, :150, 0] = pixels[:, 150:, 2] = 200
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, format="PNG")
    return {"name": "halves.png", "mimeType": "image/png", "buffer": out.getvalue()}


RED, BLUE = "#c80000", "#0000c8"


def test_a_finger_takes_from_the_reference_what_its_ring_shows(visit: Visit, address: str) -> None:
    page = visit(address, **PHONE)
    page.set_viewport_size({"width": 390, "height": 844})
    easel = Easel(page)
    fingers = Fingers(page.context.new_cdp_session(page))
    page.get_by_role("button", name="Reference").tap()
    page.locator(".cv-reference input").set_input_files(two_halves())
    image = page.locator(".cv-reference canvas")
    expect(image).to_be_visible()
    chip = page.locator(".cv-reference .cv-chip")
    box = image.bounding_box()
    assert box is not None

    def at(x: float, y: float = 0.5) -> tuple[float, float]:
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    def in_hand(color: str) -> None:
        code = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
        expect(chip).to_have_css("background-color", "rgb({}, {}, {})".format(*code))
        assert page.evaluate("canvas.color") == color

    picks = [{"do": "pick", "color": BLUE}]
    fingers.send("Start", at(0.2))
    for x in (0.3, 0.5, 0.8):
        fingers.send("Move", at(x))
    expect(chip).to_have_css("background-color", "rgb(0, 0, 200)")
    assert easel.log == []
    fingers.send("End")
    in_hand(BLUE)
    assert easel.log == picks
    # Two fingers take nothing, and what they pass is not shown as the color in hand.
    fingers.send("Start", at(0.2, 0.3))
    fingers.send("Start", at(0.2, 0.3), at(0.3, 0.6))
    fingers.send("Move", at(0.1, 0.2), at(0.4, 0.8))
    in_hand(BLUE)
    fingers.send("End", at(0.1, 0.2))
    fingers.send("Move", at(0.15, 0.2))
    fingers.send("End")
    in_hand(BLUE)
    assert easel.log == picks
    page.touchscreen.tap(*at(0.2))
    in_hand(RED)
    assert easel.log == [*picks, {"do": "pick", "color": RED}]


def test_fingers_enlarge_the_reference_and_take_from_it(visit: Visit, address: str) -> None:
    page = visit(address, **PHONE)
    page.set_viewport_size({"width": 390, "height": 844})
    easel = Easel(page)
    fingers = Fingers(page.context.new_cdp_session(page))
    page.get_by_role("button", name="Reference").tap()
    larger = page.get_by_role("button", name="Enlarge the image")
    expect(larger).to_be_hidden()
    page.locator(".cv-reference input").set_input_files(two_halves())
    frame = page.locator(".cv-reference-image")
    expect(page.locator(".cv-reference canvas")).to_be_visible()

    def at(x: float) -> tuple[float, float]:
        box = frame.bounding_box()
        assert box is not None
        return box["x"] + x * box["width"], box["y"] + box["height"] / 2

    def colors() -> list[str]:
        return [action["color"] for action in easel.log]

    page.touchscreen.tap(*at(0.6))
    assert colors() == [BLUE]
    # What was at 0.4, in the red half, stays there, and three times as much is around it.
    fingers.send("Start", at(0.35))
    fingers.send("Start", at(0.35), at(0.45))
    for part in (0.1, 0.15):
        fingers.send("Move", at(0.4 - part), at(0.4 + part))
    fingers.send("End")
    assert colors() == [BLUE]
    page.touchscreen.tap(*at(0.6))
    assert colors() == [BLUE, RED]
    ring = page.locator(".cv-reference i").bounding_box()
    assert ring is not None
    assert ring["x"] + ring["width"] / 2 == pytest.approx(at(0.6)[0], abs=2)
    # In the place of the drawing, until a color is taken.
    before, scale = page.locator(".cv-reference").bounding_box(), easel.scale
    larger.tap()
    expect(larger).to_have_attribute("aria-pressed", "true")
    grown, field = (page.locator(part).bounding_box() for part in (".cv-reference", ".cv"))
    assert grown == field
    page.touchscreen.tap(*at(0.02))
    assert colors() == [BLUE, RED, RED]
    expect(larger).to_have_attribute("aria-pressed", "false")
    assert page.locator(".cv-reference").bounding_box() == before
    assert easel.scale == scale
    assert easel.kinds == "pick pick pick"


def test_wheel_and_keys_enlarge_the_reference(visit: Visit, address: str) -> None:
    page = visit(address)
    page.set_viewport_size({"width": 1100, "height": 720})
    easel = Easel(page)
    page.get_by_role("button", name="Reference").click()
    page.locator(".cv-reference input").set_input_files(two_halves())
    image = page.locator(".cv-reference canvas")
    expect(image).to_be_visible()
    whole = image.bounding_box()
    assert whole is not None
    scale = easel.scale
    page.mouse.move(whole["x"] + 0.4 * whole["width"], whole["y"] + whole["height"] / 2)
    for _ in range(5):
        page.mouse.wheel(0, -120)
    page.wait_for_function(
        "width => document.querySelector('.cv-reference canvas').getBoundingClientRect().width > "
        "3 * width",
        arg=whole["width"],
    )
    page.mouse.click(whole["x"] + 0.6 * whole["width"], whole["y"] + whole["height"] / 2)
    assert easel.log == [{"do": "pick", "color": RED}]
    assert easel.scale == scale
    # By keys: the whole of it, its middle larger, and a step to the right.
    for key in ("0", "+", "+", "ArrowLeft", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert easel.log[1:] == [{"do": "pick", "color": BLUE}]
    page.keyboard.press("0")
    assert image.bounding_box() == whole
    # With others they are the browser's, which zooms the page and goes back.
    allowed = """(node, [key, held]) => node.dispatchEvent(
      new KeyboardEvent('keydown', { key, [held]: true, bubbles: true, cancelable: true }))"""
    for pair in (["+", "ctrlKey"], ["-", "metaKey"], ["0", "ctrlKey"], ["ArrowLeft", "altKey"]):
        assert image.evaluate(allowed, pair), pair
    assert image.bounding_box() == whole
    larger = page.get_by_role("button", name="Enlarge the image")
    larger.click()
    large, stage = image.bounding_box(), page.locator(".cv-stage").bounding_box()
    assert large is not None
    assert stage is not None
    assert large["width"] > 2 * whole["width"]
    assert large["x"] >= stage["x"]
    assert large["y"] + large["height"] <= stage["y"] + stage["height"]
    page.keyboard.press("Escape")
    expect(larger).to_have_attribute("aria-pressed", "false")
    assert image.bounding_box() == whole


def test_the_next_region_is_enlarged_where_it_is_small(visit: Visit, address: str) -> None:
    page = visit(address)
    page.set_viewport_size({"width": 760, "height": 500})
    easel = Easel(page)
    whole = easel.scale
    side = """() => {
      const { view, layer, regions, closing } = canvas;
      const label = layer.labelAt(view.cursor.x, view.cursor.y, closing);
      return Math.sqrt(regions.share(closing, label) * regions.width * regions.height);
    }"""
    page.locator(".cv-stage").focus()
    sheet = page.locator(".cv-sheet")
    before = sheet.bounding_box()
    # At its edge the whole drawing stays in place.
    for _ in range(40):
        page.keyboard.press("ArrowLeft")
    assert sheet.bounding_box() == before
    scales = set()
    for _ in range(22):
        page.keyboard.press("n")
        small = page.evaluate(side)
        assert small * easel.scale > 19.9
        if small * whole > 20.1:
            assert easel.scale == whole
            assert sheet.bounding_box() == before
        scales.add(easel.scale)
    assert len(scales) > 1
    # Who looked closer before stays there.
    for key in ("0", "+", "n", "n", "n"):
        page.keyboard.press(key)
    assert easel.scale >= 1.49 * whole


def test_a_reference_without_an_image_leaves_the_drawing_its_size(
    visit: Visit, address: str
) -> None:
    page = visit(address)
    page.set_viewport_size({"width": 1100, "height": 720})
    easel = Easel(page)
    before = easel.scale
    page.get_by_role("button", name="Reference").click()
    opens = page.get_by_role("button", name="Open an image")
    expect(opens).to_be_in_viewport(ratio=1)
    expect(opens).to_be_focused()
    assert easel.scale == before
    page.locator(".cv-reference input").set_input_files(two_halves())
    image = page.locator(".cv-reference canvas")
    expect(image).to_be_visible()
    sheet, beside = (page.locator(part).bounding_box() for part in (".cv-sheet", ".cv-reference"))
    assert sheet is not None
    assert beside is not None
    assert sheet["x"] + sheet["width"] < beside["x"]
    # A mouse takes where it is let go, and what it passes later is not in hand.
    box = image.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.2 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], middle, steps=3)
    page.mouse.up()
    assert easel.log == [{"do": "pick", "color": BLUE}]
    page.mouse.move(box["x"] + 0.2 * box["width"], middle)
    page.mouse.move(*easel.at(SKY))
    expect(page.locator(".cv-reference .cv-chip")).to_have_css("background-color", "rgb(0, 0, 200)")


def test_a_message_is_as_wide_as_its_lines(visit: Visit, address: str) -> None:
    page = visit(address, **PHONE)
    page.set_viewport_size({"width": 390, "height": 760})
    easel = Easel(page)
    page.locator(".cv-color").tap()
    easel.chooses("#5d8a3c")
    page.touchscreen.tap(*easel.at(SKY))
    expect(easel.told).to_contain_text("The paper around the drawing is filled.")
    width, lines = page.evaluate(
        """() => {
          const told = document.querySelector('.cv-told');
          const range = new Range();
          range.selectNodeContents(told);
          return [told.offsetWidth, range.getBoundingClientRect().width];
        }"""
    )
    assert lines < width < lines + 30


def test_a_hex_code_takes_the_place_of_what_is_there(visit: Visit, address: str) -> None:
    easel = Easel(page := visit(address))
    easel.chooses("#102030")
    field = page.locator(".cv-hex")
    field.click()
    page.keyboard.type("FF88")
    expect(page.locator(".cv-now .cv-chip")).to_have_css("background-color", "rgb(16, 32, 48)")
    # The color is there with the sixth digit, and what is typed stays as it is until the end.
    page.keyboard.type("00")
    expect(page.locator(".cv-now .cv-chip")).to_have_css("background-color", "rgb(255, 136, 0)")
    expect(field).to_have_value("#ff8800")
    expect(page.locator(".cv-stage")).to_be_focused()
    # Enter after the code is no fill, and other keys are for the drawing.
    page.keyboard.press("Enter")
    page.keyboard.press("b")
    expect(page.get_by_role("button", name="Brush", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    assert easel.log == []
    # A digit in the middle is mended without leaving the field.
    field.click()
    page.keyboard.press("Home")
    for key in ("ArrowRight", "Delete", "3"):
        page.keyboard.press(key)
    expect(page.locator(".cv-now .cv-chip")).to_have_css("background-color", "rgb(63, 136, 0)")
    expect(field).to_be_focused()


def test_edges_are_smooth_for_who_looks_closer_and_pixels_stay(visit: Visit, address: str) -> None:
    easel = Easel(page := visit(address))
    easel.chooses("#c02030")
    page.keyboard.press("b")
    page.mouse.move(*easel.at((0.3, 0.55)))
    page.mouse.down()
    page.mouse.move(*easel.at((0.44, 0.7)), steps=5)
    page.mouse.up()
    before = page.evaluate("canvas.checksum()")
    for _ in range(3):
        page.keyboard.press("+")
    page.wait_for_function("document.querySelectorAll('.cv-sheet canvas.cv-ink').length === 2")
    # How many values of opacity each has: the finer one has more than the two of the layer.
    opacities = """selector => {
      const node = document.querySelector(selector);
      const { data } = node.getContext('2d').getImageData(0, 0, node.width, node.height);
      return new Set(data.filter((_, i) => i % 4 === 3)).size;
    }"""
    finer = ".cv-layer + canvas.cv-ink"
    page.wait_for_function(f"({opacities})('{finer}') > 2")
    assert page.evaluate(opacities, ".cv-layer") == 2
    assert page.evaluate("canvas.checksum()") == before
    expect(page.locator(".cv-layer")).to_have_css("visibility", "hidden")


def test_by_keys_alone_and_without_barriers(visit: Visit, address: str) -> None:
    easel = Easel(page := visit(address))
    keyboard = page.keyboard

    def tab_to(selector: str) -> None:
        for _ in range(60):
            keyboard.press("Tab")
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"The keyboard does not reach {selector}")

    tab_to(".cv-stage")
    expect(easel.heard).to_have_text("Region 6 of 22, 6.7% of the drawing, no color.")
    keyboard.press("Enter")
    expect(easel.told).to_have_text("Choose a color first.")
    expect(page.locator(".cv-plane")).to_be_focused()
    for _ in range(3):
        keyboard.press("Shift+ArrowRight")
    tab_to(".cv-hue")
    keyboard.press("Tab")
    keyboard.type("0,6")
    keyboard.press("Enter")
    tab_to(".cv-stage")
    keyboard.press("n")
    keyboard.press("Enter")
    expect(easel.heard).to_contain_text("Filled,")
    keyboard.press("b")
    keyboard.press("n")
    keyboard.press("Enter")
    for _ in range(3):
        keyboard.press("ArrowRight")
    keyboard.press("Shift+ArrowDown")
    keyboard.press("Enter")
    keyboard.press("Control+z")
    keyboard.press("Control+Shift+z")
    keyboard.press("f")
    for _ in range(3):
        keyboard.press("ArrowLeft")
    keyboard.press("Delete")
    assert easel.kinds == "fill stroke undo redo fill"
    stroke = easel.log[1]
    assert len(stroke["points"]) == 10
    assert stroke["points"][7] + 1 == stroke["points"][9]
    assert easel.log[-1]["color"] is None
    keyboard.press("+")
    assert page.locator(".cv-zooms output").inner_text() != "100%"
    # What stands over the drawing stays there while keys have it.
    expect(page.locator(".cv-stage")).to_be_focused()
    easel.presses("Whole drawing")
    assert barriers(page) == []


def test_a_phone_360_pixels_wide_has_room_for_everything(visit: Visit, address: str) -> None:
    page = visit(address, **PHONE)
    page.set_viewport_size({"width": 360, "height": 600})
    Easel(page)
    small = """() => [...document.querySelectorAll('.cv button, .cv-hue, .cv-plane')]
      .map((one) => [one, one.getBoundingClientRect()]).filter(([, box]) => box.width)
      .filter(([, box]) => box.height < 40 || box.width < 40 || box.right > 360.5)
      .map(([one, box]) => `${one.className} ${one.textContent}: ${box.width} x ${box.height}`)"""
    # Its words are in one line.
    assert page.locator(".cv-color span").evaluate("span => span.offsetHeight") < 20
    for sheet in ("", ".cv-color", ".cv-do-options"):
        if sheet:
            page.locator(sheet).tap()
        assert page.evaluate(small) == []
        if sheet:
            page.get_by_role("button", name="Done").locator("visible=true").tap()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
