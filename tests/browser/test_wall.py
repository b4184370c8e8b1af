"""The wall of failures as a person uses it: filters, keyboard, Inspect, two runs side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from storage import Storage
from tests.browser.conftest import Visit, Watch
from tests.browser.workbench import Workbench
from tests.running import App, running
from tests.storage import run_samples

pytestmark = pytest.mark.browser

WALL = "/?tab=explore&view=wall"
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


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app with two runs on the same 60 prompts, the second with larger pictures."""
    folder = tmp_path_factory.mktemp("wall")
    with Storage.open(folder / "data") as storage, pytest.MonkeyPatch.context() as patched:
        for model, side in SIDES.items():
            patched.setattr(run_samples, "SIZE", side)
            run_samples._disk.cache_clear()  # it knows the size that was
            run_samples.fill(storage, folder / "runs", (model,), prompts=60, images=2)
    run_samples._disk.cache_clear()
    with running(folder / "data") as app:
        yield app


def wall(page: Page) -> Locator:
    box = page.locator("#explore-wall .th-wall")
    expect(box.locator("article.th-wall-card").first).to_be_visible(timeout=SHOWN_MS)
    # The counts of the filters come after the pictures; the hues are among those that are folded.
    expect(box.locator(".th-hue").first).to_be_attached(timeout=SHOWN_MS)
    return box


def number(box: Locator) -> int:
    """The pictures that the wall says it has."""
    text = box.locator(".th-wall-count").inner_text()
    return int(text.split()[0].replace(",", ""))


def counted(box: Locator, words: str) -> int:
    """The count in a button's words."""
    found = re.search(r"([\d,]+)$", words.strip())
    assert found
    return int(found[1].replace(",", ""))


def test_filters_narrow_the_wall_and_its_link(visit: Visit, started: App) -> None:
    page = visit(started.address + WALL)
    box = wall(page)
    fails = number(box)
    assert fails > 60
    expect(box.locator(".th-wall-status [data-id=fail]")).to_have_text(f"✕ Fail {fails}")
    # A hue, then an object that is found by typing.
    expect(box.locator(".th-hue").first).to_be_hidden()
    box.get_by_role("button", name="More filters").click()
    hue = box.locator(".th-hue:not(.th-none)").first
    within = counted(box, hue.locator("small").inner_text())
    hue.click()
    expect(box.locator(".th-wall-count")).to_have_text(re.compile(f"^{within} picture"))
    expect(box.locator(".th-wall-chips [data-field=sector]")).to_contain_text("Asked hue")
    picker = box.locator(".th-picker[data-field=object]")
    picker.locator("button").click()
    choices = picker.get_by_role("option")
    name = choices.nth(1).locator(".th-picker-label").inner_text()
    of_it = counted(box, choices.nth(1).locator("small").inner_text())
    page.keyboard.type(name)
    expect(choices.first.locator(".th-picker-label")).to_contain_text(name)
    page.keyboard.press("Enter")
    expect(box.locator(".th-wall-count")).to_have_text(re.compile(f"^{of_it} picture"))
    expect(picker.locator("button")).to_be_focused()
    chips = box.locator(".th-wall-chips .th-chip-button")
    expect(chips).to_have_count(3)
    expect(chips.nth(0)).to_contain_text(f"Object: {name}")
    cards = box.locator("article.th-wall-card")
    expect(cards).to_have_count(of_it)
    # The link opens the same, and a chip is taken away there.
    again = wall(visit(page.url))
    expect(again.locator(".th-wall-count")).to_have_text(re.compile(f"^{of_it} picture"))
    expect(again.locator(".th-wall-chips [data-field=object]")).to_contain_text(name)
    again.locator(".th-wall-chips [data-field=object]").click()
    expect(again.locator(".th-wall-count")).to_have_text(re.compile(f"^{within} picture"))
    # What could not be drawn says why; nothing at all says what to change.
    box.get_by_role("button", name="Clear all").click()
    expect(box.locator(".th-wall-count")).to_have_text(re.compile(f"^{fails} picture"))
    box.locator(".th-wall-status [data-id=unscored]").click()
    cause = box.locator(".th-picker[data-field=cause]")
    expect(box.locator(".th-wall-count")).not_to_have_text(re.compile(f"^{fails} picture"))
    cause.locator("button").click()
    cause.get_by_role("option").filter(has_text="no image").click()
    expect(cards.first.locator(".th-wall-picture")).to_have_text(
        "The model ran out of memory: give it a smaller size."
    )
    box.locator(".th-wall-status [data-id=pass]").click()
    expect(box.locator(".th-wall-empty").first).to_have_text(
        "Nothing passes under these filters. Remove a filter above, or choose another status."
    )
    assert page.url.endswith("view=wall&cause=no-image&status=pass")


def test_the_keyboard_goes_from_card_to_large_view_to_inspect(visit: Visit, started: App) -> None:
    page = visit(started.address + WALL + "&rule=released&task=coa")
    box = wall(page)
    cards = box.locator("article.th-wall-card")
    cards.first.focus()
    page.keyboard.press("ArrowRight")
    expect(cards.nth(1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("j")
    expect(cards.nth(2)).to_be_focused()
    expect(cards.nth(2)).to_have_attribute("aria-current", "true")
    page.keyboard.press("Enter")
    light = page.locator("dialog.th-light")
    expect(light).to_be_visible()
    words = cards.nth(2).get_attribute("aria-label")
    assert words
    expect(light).to_have_attribute("aria-label", words)
    picture = light.locator(".th-light-view img")
    expect(picture).to_be_visible()
    # Every rule stands there, and the zoom shows single pixels.
    expect(light.locator(".th-light-line")).to_have_count(2 * len(run_samples.RULES))
    width = picture.evaluate("image => image.getBoundingClientRect().width")
    page.keyboard.press("+")
    assert picture.evaluate("image => image.getBoundingClientRect().width") > width * 1.4
    assert picture.evaluate("image => getComputedStyle(image).imageRendering") == "pixelated"
    page.keyboard.press("1")
    expect(light.locator(".th-light-level")).to_have_text("100%")
    # M lays the outline of the mask over the picture, at its very place.
    page.keyboard.press("m")
    over = light.locator(".th-pane-mask")
    expect(over.locator("path")).to_have_count(2)
    assert over.evaluate("one => one.style.left") == picture.evaluate("one => one.style.left")
    expect(light.locator(".th-light-mask")).to_contain_text("of the picture")
    page.keyboard.press("m")
    expect(over).to_have_count(0)
    page.keyboard.press("ArrowRight")
    after = cards.nth(3).get_attribute("aria-label")
    assert after
    expect(light).to_have_attribute("aria-label", after)
    page.keyboard.press("Escape")
    expect(light).to_be_hidden()
    expect(cards.nth(3)).to_be_focused()
    # What was measured opens in Inspect, by this rule.
    asked = cards.nth(3).locator(".th-wall-asked").inner_text()
    told = cards.nth(3).locator(".th-wall-told").inner_text()
    page.keyboard.press("i")
    expect(page.get_by_role("tab", name="Inspect")).to_have_attribute(
        "aria-selected", "true", timeout=SHOWN_MS
    )
    bench = Workbench(page)
    bench.shown()
    assert bench.chosen_rule() == "released"
    assert asked.split(",")[0] == page.locator("#object-name input").input_value(), told


def tab(page: Page) -> str:
    """The room in front."""
    return page.locator("#th-tabs [role=tab][aria-selected=true]").first.inner_text().strip()


def test_back_goes_through_four_drill_downs_and_forward_again(visit: Visit, started: App) -> None:
    page = visit(started.address + "/?tab=explore&view=board")
    number_of = page.locator(".th-board-run .th-board-cell[data-column=average] button").first
    expect(number_of).to_be_visible(timeout=SHOWN_MS)
    expect(page).to_have_title("Leaderboard – TrueHue")
    # 1: a number opens its pictures, and the keyboard stands on the first of them.
    number_of.click()
    box = wall(page)
    cards = box.locator("article.th-wall-card")
    expect(cards.first).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(cards.nth(3)).to_be_focused()
    at_wall = page.url
    # 2: the large view has an address and a title of its own.
    page.keyboard.press("Enter")
    light = page.locator("dialog.th-light")
    expect(light).to_be_visible()
    spoken = cards.nth(3).get_attribute("aria-label")
    assert "large=" in page.url
    expect(page).to_have_title(re.compile("^Failures: Fail, .* – TrueHue$"))
    at_light = page.url
    # 3: Inspect, with the row of pictures that one came through; 4: the next picture but one.
    page.keyboard.press("i")
    bench = Workbench(page)
    bench.shown()
    film = page.locator(".th-film")
    expect(film.locator(".th-film-place")).to_have_text(
        re.compile(r"^4 of \d+ failures$"), timeout=SHOWN_MS
    )
    expect(page).to_have_title(re.compile("^Inspect: "))
    first = page.url
    film.get_by_role("button", name="Next picture").click()
    expect(page).not_to_have_url(first)
    expect(film.locator(".th-film-place")).to_have_text(re.compile(r"^5 of "))
    page.get_by_role("tab", name="Compare").first.click()
    expect(page).to_have_title(re.compile("^Compare"))
    inspected = film.locator("[aria-current=true]").get_attribute("title")
    # Back four times, each place as it was.
    page.go_back()
    expect(page).to_have_title(re.compile("^Inspect: "))
    expect(film.locator(".th-film-place")).to_have_text(re.compile(r"^5 of "))
    assert film.locator("[aria-current=true]").get_attribute("title") == inspected
    page.go_back()
    expect(light).to_be_visible()
    assert page.url == at_light
    expect(light).to_have_attribute("aria-label", str(spoken))
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
    # An address opens the large view in another browser.
    other = visit(at_light)
    expect(other.locator("dialog.th-light")).to_have_attribute(
        "aria-label", str(spoken), timeout=SHOWN_MS
    )


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
    return [float(one) for one in value]


def test_two_runs_side_by_side_with_one_zoom(visit: Visit, started: App) -> None:
    page = visit(started.address + WALL)
    box = wall(page)
    box.locator("article.th-wall-card").first.focus()
    page.keyboard.press("c")
    pair = box.locator(".th-compare-pair")
    expect(pair).to_be_focused(timeout=SHOWN_MS)
    images = pair.locator("img")
    expect(images.nth(0)).to_be_visible()
    expect(images.nth(1)).to_be_visible()
    sides = {images.nth(at).evaluate("image => image.naturalWidth") for at in (0, 1)}
    assert sides == set(SIDES.values())
    page.keyboard.press("+")
    page.keyboard.press("+")
    frame = images.nth(1).bounding_box()
    assert frame
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
    # Every outcome is here, and the filter bar says so; its runs are the two.
    status = box.locator(".th-wall-status")
    expect(status.locator("[aria-pressed=true]")).to_contain_text("All")
    expect(status.locator("button").first).to_be_disabled()
    expect(box.locator(".th-wall-chips [data-field=runs]")).to_have_count(2)
    expect(box.locator(".th-wall-note")).to_contain_text("Two runs show every outcome")
    # The table counts; a cell shows its pairs; the link opens the same one.
    cell = box.locator("[data-cell=only_a]")
    count = counted(box, cell.inner_text())
    assert count > 3
    cell.click()
    expect(pair.locator(".th-compare-place")).to_have_text(f"Pair 1 of {count}")
    pair.focus()
    page.keyboard.press("ArrowRight")
    expect(pair.locator(".th-compare-place")).to_have_text(f"Pair 2 of {count}")
    expect(pair.locator("[data-side=a] .th-status")).to_have_text("✓ Pass")
    expect(pair.locator("[data-side=b] .th-status")).to_have_text("✕ Fail")
    expect(box.locator(".th-compare-sentence")).to_contain_text("pairs with two scores")
    text = pair.locator(".th-compare-text").inner_text()
    told = pair.locator("[data-side=b] .th-wall-told").inner_text()
    other = visit(page.url).locator("#explore-wall")
    expect(other.locator(".th-compare-text")).to_have_text(text, timeout=SHOWN_MS)
    expect(other.locator("[data-side=b] .th-wall-told")).to_have_text(told)
    expect(other.locator("[data-cell=only_a]")).to_have_attribute("aria-pressed", "true")
    # Back to the pictures, where one was.
    pair.focus()
    page.keyboard.press("Escape")
    expect(box.locator("article.th-wall-card").first).to_be_focused()
    expect(status.locator("button").first).to_be_enabled()
    expect(box.locator(".th-wall-chips [data-field=runs]")).to_have_count(0)


def test_on_a_phone_figures_and_pictures_take_turns(visit: Visit, started: App) -> None:
    page = visit(started.address + WALL)
    page.set_viewport_size({"width": 390, "height": 844})
    box = wall(page)
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    expect(box.locator(".th-analyses")).to_be_hidden()
    tagged = box.locator("article.th-wall-card").first
    assert tagged.evaluate(TAG) <= 0
    box.get_by_role("button", name="Figures").click()
    expect(box.locator(".th-analyses")).to_be_visible()
    expect(box.locator(".th-wall-list")).to_be_hidden()
    box.get_by_role("button", name="Pictures", exact=True).click()
    box.locator("article.th-wall-card").first.click()
    expect(page.locator(".th-light-view img")).to_be_visible()
    page.get_by_role("button", name="Close (Esc)").click()
    box.get_by_role("button", name="Compare two runs").click()
    expect(box.locator(".th-compare-pair img").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0


def test_a_link_that_means_nothing_says_so(visit: Visit, started: App, watch: Watch) -> None:
    watch.refused.add("object=unicorn&status=fail&sort=delta_e00")
    watch.refused.add("object=unicorn&status=fail")
    page = visit(started.address + WALL + "&object=unicorn")
    box = page.locator("#explore-wall .th-wall")
    expect(box.locator(".th-wall-empty").first).to_contain_text(
        "No result has the object 'unicorn'", timeout=SHOWN_MS
    )
    box.locator(".th-wall-chips [data-field=object]").click()
    wall(page)
