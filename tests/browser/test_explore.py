"""Explore as a person uses it: leaderboard, failures, Inspect and back, and its reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.workbench import Workbench
from tests.running import App, running
from tests.storage import run_samples
from truehue.storage import Storage

pytestmark = pytest.mark.browser

SHOWN_MS = 60_000
# How far a long tag of shapes that stand in for others leaves a card.
TAG = """(card) => {
  const tag = document.createElement('span');
  tag.className = 'th-stand-in';
  tag.textContent = 'teddy bear for snow leopard, cylinder for wooden garden fence post';
  card.append(tag);
  const over = tag.getBoundingClientRect().right - card.getBoundingClientRect().right;
  tag.remove();
  return over;
}"""
SIDES = {"model-a": 32, "model-b": 48}
WIDER = "document.documentElement.scrollWidth - window.innerWidth"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app with two runs on the same 40 prompts, the second with larger pictures."""
    folder = tmp_path_factory.mktemp("explore")
    with Storage.open(folder / "data") as storage, pytest.MonkeyPatch.context() as patched:
        for model, side in SIDES.items():
            patched.setattr(run_samples, "SIZE", side)
            run_samples._disk.cache_clear()  # it knows the size that was
            run_samples.fill(storage, folder / "runs", (model,), prompts=40, images=2)
    run_samples._disk.cache_clear()
    with running(folder / "data") as app:
        yield app


def wall(page: Page) -> Locator:
    box = page.locator("#explore-failures .th-failures")
    expect(box.locator("article.th-failures-card").first).to_be_visible(timeout=SHOWN_MS)
    # The counts of the filters come after the pictures; the hues are among those that are folded.
    expect(box.locator(".th-hue").first).to_be_attached(timeout=SHOWN_MS)
    return box


def fraction(page: Page, side: str) -> list[float]:
    """The part of a picture that its pane shows: left, top, right, bottom, 0 to 1."""
    value: Any = page.locator(f"[data-side={side}]").evaluate(
        """side => {
            const box = side.querySelector('.th-pane').getBoundingClientRect();
            const image = side.querySelector('img').getBoundingClientRect();
            const at = (x, y) => [(x - image.left) / image.width, (y - image.top) / image.height];
            return [...at(box.left, box.top), ...at(box.right, box.bottom)];
        }"""
    )
    return [float(item) for item in value]


def tab(page: Page) -> str:
    """The room in front."""
    return page.locator("#th-tabs [role=tab][aria-selected=true]").first.inner_text().strip()


def zoom_pixel_by_pixel(page: Page, light: Locator) -> None:
    """The large view enlarges single pixels, and lays the outline of the mask at their place."""
    stored = light.locator(".th-light-view img")
    # An image has its size once its file is there, which the page waits for as people do.
    stored.evaluate("image => image.decode()")
    width = stored.evaluate("image => image.getBoundingClientRect().width")
    assert width > 0
    page.keyboard.press("+")
    assert stored.evaluate("image => image.getBoundingClientRect().width") > width * 1.4
    assert stored.evaluate("image => getComputedStyle(image).imageRendering") == "pixelated"
    page.keyboard.press("1")
    expect(light.locator(".th-light-level")).to_have_text("100%")
    page.keyboard.press("m")
    over = light.locator(".th-pane-mask")
    expect(over.locator("path")).to_have_count(2)
    assert over.evaluate("one => one.style.left") == stored.evaluate("one => one.style.left")
    page.keyboard.press("m")
    expect(over).to_have_count(0)


def zoom_two_runs_as_one(page: Page, box: Locator) -> None:
    """Two pictures of different sizes show the same part of both, wherever the mouse drags."""
    page.keyboard.press("c")
    pair = box.locator(".th-compare-pair")
    expect(pair).to_be_focused(timeout=SHOWN_MS)
    images = pair.locator("img")
    for index in (0, 1):
        expect(images.nth(index)).to_be_visible()
        expect(images.nth(index)).not_to_have_js_property("naturalWidth", 0)
    sides = {images.nth(position).evaluate("image => image.naturalWidth") for position in (0, 1)}
    assert sides == set(SIDES.values())
    page.keyboard.press("+")
    page.keyboard.press("+")
    pane = pair.locator(".th-pane").nth(1).bounding_box()
    assert pane
    page.mouse.move(pane["x"] + pane["width"] * 0.7, pane["y"] + pane["height"] * 0.3)
    page.mouse.wheel(0, -500)
    page.mouse.down()
    page.mouse.move(pane["x"] + pane["width"] * 0.6, pane["y"] + pane["height"] * 0.45, steps=4)
    page.mouse.up()
    first, second = fraction(page, "a"), fraction(page, "b")
    assert first == pytest.approx(second, abs=0.02)
    assert first[3] - first[1] < 0.5
    # The middle moved with the mouse, up and to the right.
    assert (first[1] + first[3]) / 2 < 0.45
    assert (first[0] + first[2]) / 2 > 0.55
    pair.focus()
    page.keyboard.press("Escape")
    expect(pair).to_be_hidden()


def test_from_the_leaderboard_to_pictures_inspect_and_back(visit: Visit, started: App) -> None:
    page = visit(started.address + "/?tab=explore&view=leaderboard")
    number_of = page.locator(
        ".th-leaderboard-run .th-leaderboard-cell[data-column=average] button"
    ).first
    expect(number_of).to_be_visible(timeout=SHOWN_MS)
    expect(page).to_have_title("Leaderboard – TrueHue")
    # 1: a number opens its pictures, and the keyboard stands on the first of them.
    number_of.click()
    box = wall(page)
    cards = box.locator("article.th-failures-card")
    expect(cards.first).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(cards.nth(1)).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(cards.nth(3)).to_be_focused()
    at_wall = page.url
    # 2: the large view has an address and a title of its own.
    page.keyboard.press("Enter")
    light = page.locator("dialog.th-light")
    expect(light).to_be_visible()
    spoken = str(cards.nth(3).get_attribute("aria-label"))
    assert "large=" in page.url
    expect(page).to_have_title(re.compile("^Failures: Fail, .* – TrueHue$"))
    at_light = page.url
    zoom_pixel_by_pixel(page, light)
    # 3: Inspect, with the row of images that one came through; 4: the next image but one.
    page.keyboard.press("i")
    bench = Workbench(page)
    bench.shown()
    film = page.locator(".th-film")
    expect(film.locator(".th-film-place")).to_have_text(
        re.compile(r"^4 of \d+ failures$"), timeout=SHOWN_MS
    )
    expect(page).to_have_title(re.compile("^Inspect: "))
    first = page.url
    film.get_by_role("button", name="Next image").click()
    expect(page).not_to_have_url(first)
    expect(film.locator(".th-film-place")).to_have_text(re.compile(r"^5 of "))
    # Compare, which was never opened before, with all colors of the mask.
    page.get_by_role("button", name="Color distribution").click()
    expect(page).to_have_title(re.compile("^Compare"))
    expect(page).to_have_url(re.compile("view=concept.*d=image:"))
    expect(page.locator("#compare-concept .th-concept-source")).to_have_count(1, timeout=SHOWN_MS)
    inspected = film.locator("[aria-current=true]").get_attribute("title")
    # Back four times, each place as it was.
    page.go_back()
    expect(page).to_have_title(re.compile("^Inspect: "))
    expect(film.locator(".th-film-place")).to_have_text(re.compile(r"^5 of "))
    assert film.locator("[aria-current=true]").get_attribute("title") == inspected
    # And once more, now that the room is there.
    page.get_by_role("button", name="Color distribution").click()
    expect(page).to_have_url(re.compile("view=concept.*d=image:"))
    expect(page.locator("#compare-concept .th-concept-source")).to_be_visible()
    page.go_back()
    expect(page).to_have_title(re.compile("^Inspect: "))
    page.go_back()
    expect(light).to_be_visible()
    assert page.url == at_light
    expect(light).to_have_attribute("aria-label", spoken)
    page.go_back()
    expect(light).to_be_hidden()
    expect(cards.nth(3)).to_be_focused()
    expect(cards.nth(3)).to_be_in_viewport()
    assert page.url == at_wall
    page.go_back()
    expect(number_of).to_be_visible()
    expect(number_of).to_be_focused()
    assert tab(page) == "Explore"
    # And forward, with the picture selected.
    page.go_forward()
    expect(cards.nth(3)).to_be_focused()
    page.go_forward()
    expect(light).to_be_visible()
    page.keyboard.press("Escape")
    expect(light).to_be_hidden()
    expect(page).to_have_url(at_wall)
    expect(cards.nth(3)).to_be_focused()
    zoom_two_runs_as_one(page, box)


def test_on_a_phone_nothing_scrolls_sideways(visit: Visit, started: App) -> None:
    page = visit(started.address + "/?tab=explore&view=failures")
    page.set_viewport_size({"width": 390, "height": 844})
    box = wall(page)
    assert page.evaluate(WIDER) <= 0
    expect(box.locator(".th-analyses")).to_be_hidden()
    assert box.locator("article.th-failures-card").first.evaluate(TAG) <= 0
    # Figures and pictures take turns.
    box.get_by_role("button", name="Figures").click()
    expect(box.locator(".th-analyses")).to_be_visible()
    expect(box.locator(".th-failures-list")).to_be_hidden()
    sample = page.locator(".th-analysis .main-svg").first
    expect(sample).to_be_visible(timeout=SHOWN_MS)
    # Plotly draws at a width of its own before it looks at the place it has.
    page.wait_for_function("(node) => node.clientWidth <= 390", arg=sample.element_handle())
    assert page.evaluate(WIDER) <= 0
    box.get_by_role("button", name="Images", exact=True).click()
    box.locator("article.th-failures-card").first.click()
    expect(page.locator(".th-light-view img")).to_be_visible()
    page.get_by_role("button", name="Close (Esc)").click()
    box.get_by_role("button", name="Compare two runs").click()
    expect(box.locator(".th-compare-pair img").first).to_be_visible()
    assert page.evaluate(WIDER) <= 0
    # The leaderboard scrolls in itself; the names stay.
    page.get_by_role("tab", name="Leaderboard").click()
    table = page.locator("#explore-leaderboard .th-leaderboard")
    line = table.locator(".th-leaderboard-run").first
    expect(line).to_be_visible()
    assert page.evaluate(WIDER) <= 0
    table.locator(".th-scroll").first.evaluate("node => { node.scrollLeft = 300; }")
    name = line.locator(".th-leaderboard-name")
    name.scroll_into_view_if_needed()
    expect(name).to_be_in_viewport(ratio=0.98)
    # Both reports.
    page.get_by_role("tab", name="Rule accuracy").click()
    rates = page.locator("#explore-rule_accuracy .th-part tbody tr").first
    expect(rates).to_be_visible(timeout=SHOWN_MS)
    roc = page.locator("#explore-rule_accuracy [data-system=l2] .legend .traces")
    expect(roc.first).to_be_attached(timeout=SHOWN_MS)
    assert page.evaluate(WIDER) <= 0
    page.get_by_role("tab", name="Rule disagreements").click()
    expect(page.locator("#explore-disagreements .th-disagreements-sentence")).not_to_be_empty(
        timeout=SHOWN_MS
    )
    assert page.evaluate(WIDER) <= 0
