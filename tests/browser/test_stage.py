"""The marking stage in a real Chromium, with the real maskers behind it."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from core.images.mask import Mask
from core.masks.display import outline_path
from core.masks.from_marks import mask_from_marks
from tests.browser.stage_app import Bench, serving
from tests.core.photographs import object_photograph, overlap

pytestmark = pytest.mark.browser
SIZE = 420
PHOTOGRAPH, TRUTH = object_photograph(SIZE, seed=1)


def png(pixels: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, format="PNG")
    return out.getvalue()


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
        self.message = page.locator(".th-stage-message-text")

    def open(self, data: bytes | None = None, name: str = "made.png") -> None:
        with self.page.expect_file_chooser() as chooser:
            self.root.locator("[data-action=choose]:visible").click()
        file = {"name": name, "mimeType": "image/png", "buffer": data or png(PHOTOGRAPH)}
        chooser.value.set_files([file])

    def opened(self) -> Stage:
        self.open()
        expect(self.page.locator(".th-stage:not(.empty)")).to_be_visible()
        self.settle()
        # Gradio reports the empty marks of a new image too, some time after it is shown; tests
        # that count what was sent begin after that.
        for _ in range(150):
            if any("marks" in value for value in BENCH.sent):
                return self
            self.page.wait_for_timeout(100)
        raise AssertionError("The app did not hear of the opened image.")

    def settle(self) -> None:
        expect(self.status).to_have_text("")

    def button(self, name: str) -> Any:
        return self.root.get_by_role("button", name=name, exact=True)

    def outline(self) -> str:
        return self.page.locator(".th-stage-outline.white").get_attribute("d") or ""

    def drag(self, *points: tuple[float, float], finish: bool = True) -> None:
        """Draws through image pixels."""
        frame = self.page.locator(".th-stage-overlay").bounding_box()
        assert frame is not None
        scale = frame["width"] / SIZE
        at = [(frame["x"] + x * scale, frame["y"] + y * scale) for x, y in points]
        self.page.mouse.move(*at[0])
        self.page.mouse.down()
        for point in at[1:]:
            self.page.mouse.move(*point, steps=5)
        if finish:
            self.page.mouse.up()
            self.settle()

    def mark(self, tool: str, *points: tuple[float, float]) -> None:
        self.button(tool).click()
        self.drag(*points)

    def box(self) -> None:
        self.mark("Box", (80, 75), (350, 350))


@pytest.fixture
def stage(browser: Browser, address: str) -> Iterator[Stage]:
    BENCH.__init__()  # type: ignore[misc]
    with browser.new_page(viewport={"width": 1400, "height": 900}) as page:
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(address)
        # Until its script is there, nobody can press anything, and what is dropped is lost.
        page.wait_for_function(
            "(stage => stage && !stage.closest('[inert]'))(document.querySelector('.th-stage'))"
        )
        yield Stage(page)
        assert not problems


def marks() -> list[dict[str, Any]]:
    return BENCH.sent[-1]["marks"]


def test_box_keep_undo_redo_and_brush(stage: Stage) -> None:
    stage.opened()
    expect(stage.page.locator(".th-stage-mask")).to_have_text("Nothing is marked yet")
    before = len(BENCH.sent)
    stage.box()
    assert len(BENCH.sent) == before + 1, "one mark, one event"
    assert [mark["type"] for mark in marks()] == ["box"]
    assert overlap(BENCH.masks[-1].pixels, TRUTH) > 0.97
    boxed = stage.outline()
    assert boxed == outline_path(BENCH.masks[-1].pixels)
    expect(stage.page.locator(".th-stage-mask")).to_contain_text("GrabCut · box ·")

    stage.mark("Keep", (30, 30), (60, 30))
    assert [mark["type"] for mark in marks()] == ["box", "keep"]
    assert BENCH.masks[-1].pixels[30, 30:60].all()
    kept = stage.outline()
    assert kept != boxed
    stage.button("Undo").click()
    stage.settle()
    assert stage.outline() == boxed
    stage.page.keyboard.press("Control+Shift+Z")
    stage.settle()
    assert stage.outline() == kept
    stage.page.keyboard.press("Control+z")
    stage.settle()
    assert stage.outline() == boxed

    stage.page.keyboard.press("p")
    expect(stage.button("Brush")).to_have_attribute("aria-pressed", "true")
    stage.drag((380, 30), (400, 60))
    assert [mark["type"] for mark in marks()] == ["box", "brush"]
    assert BENCH.masks[-1].pixels[30, 380]
    expect(stage.button("Redo")).to_be_disabled()
    stage.button("Clear all marks").click()
    stage.settle()
    assert marks() == []
    assert stage.outline() == ""
    stage.button("Undo").click()
    stage.settle()
    assert [mark["type"] for mark in marks()] == ["box", "brush"]
    again = mask_from_marks(PHOTOGRAPH, marks())
    assert again.content_sha256 == BENCH.masks[-1].content_sha256


def test_marks_are_where_the_pointer_was(stage: Stage) -> None:
    stage.opened()
    stage.box()
    assert np.abs(np.array(marks()[0]["box"]) - (80, 75, 350, 350)).max() < 1.5
    stage.page.keyboard.press("e")
    # Zoomed in, a pixel of the image is many on the screen.
    for _ in range(4):
        stage.button("Zoom in").click()
    stage.drag((210, 200), (230, 200))
    points = np.array(marks()[-1]["points"])
    assert np.abs(points[[0, -1]] - [(210, 200), (230, 200)]).max() < 1
    assert marks()[-1]["type"] == "erase"


def test_space_and_drag_move_the_image(stage: Stage) -> None:
    stage.opened()
    for _ in range(4):
        stage.button("Zoom in").click()
    sheet, before = stage.page.locator(".th-stage-sheet"), len(BENCH.sent)
    start = sheet.bounding_box()
    stage.page.mouse.move(500, 300)
    stage.page.keyboard.down(" ")
    stage.page.mouse.down()
    stage.page.mouse.move(440, 280, steps=4)
    stage.page.mouse.up()
    stage.page.keyboard.up(" ")
    end = sheet.bounding_box()
    assert start is not None
    assert end is not None
    assert (round(end["x"] - start["x"]), round(end["y"] - start["y"])) == (-60, -20)
    assert len(BENCH.sent) == before
    stage.page.keyboard.down("Control")
    stage.page.mouse.wheel(0, -200)
    stage.page.keyboard.up("Control")
    expect(sheet).not_to_have_js_property("offsetWidth", round(end["width"]))


def test_the_image_is_shown_in_exact_pixels(stage: Stage) -> None:
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 256, (300, 500, 3), dtype=np.uint8)
    stage.open(png(noise))
    expect(stage.page.locator(".th-stage:not(.empty)")).to_be_visible()
    expect(stage.page.locator(".th-stage-size")).to_have_text("500 × 300")
    stage.settle()
    for name, scale in (("Fit the image", 1), ("One image pixel to one screen pixel", 1)):
        stage.button(name).click()
        stage.page.mouse.move(5, 890)
        expect(stage.page.locator(".th-stage-zoom")).to_have_text(f"{100 * scale}%")
        shot = stage.page.locator(".th-stage-picture").screenshot()
        shown = np.array(Image.open(io.BytesIO(shot)).convert("RGB"))
        assert np.array_equal(shown, noise)
    # A small image grows by whole steps: every pixel becomes an equal square.
    stage.open(png(noise[:40, :50]))
    expect(stage.page.locator(".th-stage-size")).to_have_text("50 × 40")
    stage.settle()
    shot = stage.page.locator(".th-stage-picture").screenshot()
    shown = np.array(Image.open(io.BytesIO(shot)).convert("RGB"))
    step = shown.shape[1] // 50
    assert step > 5
    assert np.array_equal(shown, noise[:40, :50].repeat(step, axis=0).repeat(step, axis=1))


def test_at_overlay_zero_nothing_lies_over_the_inside(stage: Stage) -> None:
    stage.opened()
    stage.page.keyboard.press("w")
    stage.settle()
    assert BENCH.masks[-1].maker == "whole"
    expect(stage.button("Whole image")).to_have_attribute("aria-current", "true")
    stage.page.locator(".th-stage-veil-size").fill("0")
    veil = stage.page.locator(".th-stage-veil")
    assert veil.evaluate("node => getComputedStyle(node).fillOpacity") == "0"


def test_unreadable_files_say_so_as_text(stage: Stage) -> None:
    stage.open(b"no image", name="<img src=x onerror=alert(1)>.png")
    expect(stage.message).to_have_text(
        "<img src=x onerror=alert(1)>.png is no image that can be read."
    )
    assert stage.message.locator("img").count() == 0
    stage.button("Close this message").click()
    expect(stage.message).to_be_hidden()
    expect(stage.page.locator(".th-stage-invite")).to_be_visible()


def test_errors_of_marks_are_shown_and_the_marks_stay_visible(stage: Stage) -> None:
    stage.opened()
    stage.mark("Cut", (200, 200))
    BENCH.masks.clear()
    stage.page.locator(".th-stage-brush-size").fill("1")
    stage.button("Clear all marks").click()
    stage.settle()
    stage.mark("Brush", (100, 100))
    expect(stage.message).to_have_text("The mask is a single pixel: mark at least 2 pixels.")
    assert stage.outline() == ""
    assert stage.page.locator(".th-stage-live > *").count() == 1
    stage.button("Undo").click()
    stage.settle()
    expect(stage.message).to_be_hidden()


def test_measuring_is_said_and_only_the_latest_answer_shows(stage: Stage) -> None:
    stage.opened()
    BENCH.answers.clear()
    stage.button("Box").click()
    stage.drag((80, 75), (350, 350), finish=False)
    stage.page.mouse.up()
    expect(stage.status).to_have_text("Measuring…")
    stage.page.keyboard.press("w")
    BENCH.answers.set()
    for _ in range(100):  # the line is empty for a moment between the two answers
        if [mark["type"] for mark in marks()] == ["box", "whole"]:
            break
        stage.page.wait_for_timeout(50)
    stage.settle()
    assert [mark["type"] for mark in marks()] == ["box", "whole"]
    whole = stage.page.locator(".th-stage-outline.white")
    expect(whole).to_have_attribute("d", outline_path(np.ones((SIZE, SIZE), dtype=bool)))
    assert len(BENCH.masks) >= 2, "the answer to the box came too, and was passed over"


def test_a_tiny_drag_is_no_box(stage: Stage) -> None:
    stage.opened()
    before = len(BENCH.sent)
    frame = stage.page.locator(".th-stage-overlay").bounding_box()
    assert frame is not None
    stage.page.mouse.click(frame["x"] + 60, frame["y"] + 60)
    expect(stage.status).to_have_text("Drag to draw a box around the object.")
    assert len(BENCH.sent) == before


def test_keys_belong_to_text_fields_while_one_has_the_focus(stage: Stage) -> None:
    stage.opened()
    before = len(BENCH.sent)
    field = stage.page.locator("#object-name textarea, #object-name input").first
    field.click()
    stage.page.keyboard.type("wek")
    expect(field).to_have_value("wek")
    expect(stage.button("Box")).to_have_attribute("aria-pressed", "true")
    assert len(BENCH.sent) == before


@pytest.mark.parametrize("way", ["paste", "drop"])
def test_files_come_by_paste_and_drop(stage: Stage, way: str) -> None:
    stage.page.evaluate(
        """([way, data]) => {
          const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
          const carried = new DataTransfer();
          carried.items.add(new File([bytes], 'carried é.png', { type: 'image/png' }));
          const target = way === 'paste' ? document.body : document.querySelector('.th-stage');
          const how = { bubbles: true, cancelable: true };
          target.dispatchEvent(way === 'paste'
            ? new ClipboardEvent('paste', { clipboardData: carried, ...how })
            : new DragEvent('drop', { dataTransfer: carried, ...how }));
        }""",
        [way, base64.b64encode(png(PHOTOGRAPH)).decode()],
    )
    expect(stage.page.locator(".th-stage-name")).to_have_text("carried é.png")
    stage.page.locator(".th-stage-info button").focus()
    notes = stage.page.locator(".th-stage-notes li")
    expect(notes).to_have_text(["Display P3 was converted to sRGB.", "<b>16 bits</b> became 8."])


def test_stored_images_and_the_exact_mask(stage: Stage) -> None:
    BENCH.base = Mask(TRUTH, "renderer")
    stage.button("Stored images").click()
    stage.opened()
    assert BENCH.browsed == 1
    stage.button("Exact mask").click()
    stage.settle()
    assert marks() == [{"type": "stored", "mask_id": "m1"}]
    assert BENCH.masks[-1].content_sha256 == BENCH.base.content_sha256
    expect(stage.button("Exact mask")).to_have_attribute("aria-current", "true")


def test_a_second_image_starts_over(stage: Stage) -> None:
    stage.opened()
    expect(stage.button("Exact mask")).to_be_hidden()
    stage.box()
    stage.open(png(np.flipud(PHOTOGRAPH)), name="other.png")
    expect(stage.page.locator(".th-stage-name")).to_have_text("other.png")
    stage.settle()
    assert stage.outline() == ""
    expect(stage.button("Undo")).to_be_disabled()
    # The same image again: its marks are gone here and there.
    stage.box()
    assert stage.outline()
    stage.open(png(np.flipud(PHOTOGRAPH)), name="other.png")
    expect(stage.button("Undo")).to_be_disabled()
    expect(stage.page.locator(".th-stage-outline.white")).to_have_attribute("d", "")


def test_everything_has_a_name(stage: Stage) -> None:
    stage.opened()
    named = stage.page.locator(".th-stage button, .th-stage input")
    for k in range(named.count()):
        control = named.nth(k)
        assert (control.get_attribute("aria-label") or control.inner_text()).strip()
    for name in ("Box", "Keep", "Cut", "Brush", "Erase"):
        expect(stage.button(name)).to_have_attribute("aria-pressed", str(name == "Box").lower())


def test_a_phone_can_mark_by_touch(browser: Browser, address: str) -> None:
    BENCH.__init__()  # type: ignore[misc]
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
    with context, context.new_page() as page:
        page.goto(address)
        page.wait_for_selector(".th-stage")
        stage = Stage(page).opened()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.locator(".th-stage-overlay").scroll_into_view_if_needed()
        frame = page.locator(".th-stage-overlay").bounding_box()
        assert frame is not None
        touch = context.new_cdp_session(page)

        def send(kind: str, *points: tuple[float, float]) -> None:
            at = [
                {
                    "x": frame["x"] + x * frame["width"] / SIZE,
                    "y": frame["y"] + y * frame["height"] / SIZE,
                    "id": k,
                }
                for k, (x, y) in enumerate(points)
            ]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

        send("touchStart", (80, 75))
        for step in range(1, 6):
            send("touchMove", (80 + 54 * step, 75 + 55 * step))
        send("touchEnd")
        stage.settle()
        assert [mark["type"] for mark in marks()] == ["box"]
        assert overlap(BENCH.masks[-1].pixels, TRUTH) > 0.95
        # Two fingers zoom and mark nothing.
        sent = len(BENCH.sent)
        small = page.locator(".th-stage-sheet").bounding_box()
        send("touchStart", (200, 200), (220, 220))
        for step in range(1, 5):
            send("touchMove", (200 - 20 * step, 200), (220 + 20 * step, 220))
        send("touchEnd")
        large = page.locator(".th-stage-sheet").bounding_box()
        assert small is not None
        assert large is not None
        assert large["width"] > 2 * small["width"]
        assert len(BENCH.sent) == sent
