"""Generate in a real Chromium: from a search to pictures, Inspect and a link, and what only a
browser shows: layout on three screens, the tour's card, canvas, and exact pixels.

Rows, filters, links, baskets, the queue and the gallery are in ``tests/assets/generate``, what
Python answers in ``tests/tabs/generate``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit
from tests.browser.generate_page import DRAWN_MS, LINK, GeneratePage
from tests.browser.workbench import Workbench, drawn_pixels
from tests.running import App, running
from truehue.core.color.systems import parse_target
from truehue.core.generation.backends.reference import ReferenceRenderer
from truehue.core.generation.request import GenerationRequest
from truehue.core.images.load import image_id
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.prompts.sets import prompt_set
from truehue.core.records import GenerationRecord
from truehue.core.refinement.settings import rows_of, saturation_map
from truehue.storage import Storage
from truehue.tabs.generate.realism import first_props, realism_of

pytestmark = pytest.mark.browser
PAIRED = "A photo of a red mug, twice"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One app for this file, with the two pictures of :func:`store_pair` to begin with."""
    data = tmp_path_factory.mktemp("generate") / "data"
    store_pair(data)
    with running(data) as started:
        yield started


def store_pair(data: Path) -> None:
    """Stores a picture without CFR and one with it, as a model draws them for one request (which
    ``tests/tabs/generate/test_realism.py`` does)."""
    pixels = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    realism = realism_of({**first_props()["value"], "on": True})
    assert realism is not None
    cfr = dict(realism.cfr)
    how: dict[str, Any] = {"model": "small", "seed": 7}
    mapped = {**cfr, "map": rows_of(saturation_map(pixels))}
    with Storage.open(data) as storage:
        before, after = (
            storage.images.add(item, "", "generated").image_id for item in (pixels, pixels // 2)
        )
        plain = GenerationRecord(
            PAIRED, "small", image_id=before, seed=7, width=64, height=64, origin=how
        )
        refined = replace(
            plain, image_id=after, options={"cfr": cfr}, origin={**how, "cfr": mapped}
        )
        storage.drawings.add_many([plain, refined])


def rendered(request: GenerationRequest) -> np.ndarray:
    """What the renderer draws for a request, uint8 ``(H, W, 3)``."""
    from threading import Event

    (made,) = ReferenceRenderer().draw([request], lambda _: None, Event())
    return made.srgb8


def small(tab: GeneratePage) -> None:
    """Small pictures: these tests are not about the renderer."""
    tab.choose("generate-size", "256 × 256")


def pictures(count: int) -> str:
    """What the gallery says of so many."""
    return f"{count} images"


def test_from_a_search_to_pictures_inspect_and_a_link(app: App, visit: Visit) -> None:
    """The way of a researcher who looks for prompts that break a model, then tries words of their
    own and sends the link to somebody."""
    tab = GeneratePage(visit(app.address + LINK))
    page, bench_tab = tab.page, tab.page.get_by_role("tab", name="Inspect")

    # A search, a filter that keeps its place and focus, and three prompts in the basket.
    tab.find("vivid green", re.compile(r"^\d+ of 44,464 prompts$"))
    facets, tick = page.locator("#prompts .th-facets"), tab.tick("Task", "Multi-object color comp")
    facets.evaluate("(node) => { node.style.maxHeight = '150px'; }")
    tick.focus()
    facets.evaluate("(node) => { node.scrollTop = 20; }")
    tick.press("Space")
    expect(tab.matches).to_have_text(re.compile(r"^\d\d of 44,464"))
    expect(tick).to_be_focused()
    expect(tick).to_be_checked()
    assert facets.evaluate("(node) => node.scrollTop") == 20
    facets.evaluate("(node) => { node.style.maxHeight = ''; }")
    ids = tab.into_basket(3)
    assert all(name.startswith("moc-") for name in ids)
    basket = page.locator("#prompt-source").get_by_role("tab", name="Selection · 3")
    expect(basket).to_have_attribute("aria-selected", "true")
    small(tab)
    before = app.ask("/api/drawings").json["total"]
    tab.drawn(tab.draw("Generate 3 images"))
    # All are there before one of them is looked at: the newest stands first.
    expect(tab.status).to_have_text(pictures(before + 3))
    shot = tab.shots.first
    text = str(shot.locator(".th-shot-text").text_content())
    prompts = {prompt.text: prompt for prompt in prompt_set("gencolorbench").prompts()}
    prompt = prompts[text]
    assert prompt.id in ids
    # Every object was judged by its own exact mask.
    expect(shot.locator(".th-shot-target")).to_have_count(len(prompt.targets))
    expect(shot.locator(".th-badge")).to_have_count(len(prompt.targets))
    state = page.locator(f'#prompts [data-prompt="{prompt.id}"] .th-row-state')
    expect(state).to_have_text(re.compile("pass|fail"))

    # One of its objects in Inspect, which begins at its top; the pixels are the renderer's.
    second = prompt.targets[1]
    assert second.color is not None
    page.set_viewport_size({"width": 1000, "height": 500})
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.wait_for_function("window.scrollY > 100")
    shot.locator(".th-shot-target").nth(1).click()
    bench = Workbench(page)
    expect(bench_tab).to_have_attribute("aria-selected", "true")
    bench.shown()
    page.wait_for_function("window.scrollY === 0")
    page.set_viewport_size({"width": 1360, "height": 1000})
    expect(bench.object_name).to_have_value(second.name)
    expect(bench.asked).to_have_value(str(second.color.name))
    expect(bench.mask).to_contain_text("Exact mask from the renderer")
    request = GenerationRequest(
        "reference-renderer",
        text,
        width=256,
        height=256,
        targets=prompt.targets,
        prompt_id=prompt.id,
    )
    assert np.array_equal(drawn_pixels(bench.picture), rendered(request))

    # Back, and words of one's own: what will be judged is said before it is drawn.
    page.go_back()
    expect(tab.search).to_be_visible()
    tab.mode("Your prompt")
    message, reading = page.locator("#generate-text textarea"), page.locator("#reading")
    message.fill("A photo of a blue unicorn riding a teapot")
    expect(reading).to_contain_text("Will be scored for: blue unicorn")
    expect(reading).to_contain_text("The teapot has no target color")
    expect(page.locator("#generate-object input")).to_have_value("unicorn")
    tab.color.fill("red")
    tab.color.press("Enter")
    expect(reading).to_contain_text("You set the color manually; the prompt says unicorn, blue.")
    reading.get_by_role("button", name="Use the prompt’s").click()
    expect(reading).to_contain_text("Will be scored for: blue unicorn")
    expect(tab.color).to_have_value("blue")

    # What cannot be drawn is said before one presses.
    tab.write("generate-guidance", "strong")
    expect(tab.note).to_contain_text("'strong' is none")
    expect(tab.draw_button).to_be_disabled()
    tab.write("generate-guidance", "")
    expect(tab.draw_button).to_be_enabled()

    # The request as a link, which draws the very same picture.
    message.fill("")
    # Without words it is the first object again: what is chosen before that is overwritten.
    expect(page.locator("#generate-object input")).to_have_value("mug")
    tab.write("generate-object", "book")
    tab.color.fill("#8040C0")
    tab.color.press("Enter")
    tab.light("window")
    tab.fill_seed(1234)
    linked = re.compile("object=book.*target=%238040C0.*seed=1234.*light=window")
    expect(page).to_have_url(linked)
    target = ObjectTarget("book", parse_target("#8040C0"))
    wanted = GenerationRequest(
        "reference-renderer",
        "",
        1234,
        width=256,
        height=256,
        targets=(target,),
        options={"light": "window"},
    )
    thumb = re.compile(re.escape(f"/media/thumbs/{image_id(rendered(wanted))}.png"))
    page.reload()
    tab = GeneratePage(page)
    expect(page.locator("#generate-object input")).to_have_value("book")
    expect(tab.color).to_have_value("#8040C0")
    expect(page.locator("#generate-light input[value=window]")).to_be_checked()
    expect(tab.seed).to_have_value("1234")
    expect(page.locator("#generate-size select")).to_have_value("256")
    expect(page.locator("#prompts .th-chip-button")).to_have_count(1)
    expect(tab.search).to_have_value("vivid green")
    # The basket is the browser's, not the link's.
    expect(page.locator("#prompt-source").get_by_role("tab", name="Selection · 3")).to_be_visible()
    tab.drawn(tab.draw())
    expect(tab.status).to_have_text(pictures(before + 4))
    expect(tab.shots.first.locator("img")).to_have_attribute("src", thumb)
    shown = app.ask("/api/drawings?limit=96").json["items"]
    assert set(ids) <= {item["details"].split("\n")[0] for item in shown}


def test_the_first_picture_is_on_the_first_screen_and_back_comes_back_to_it(
    app: App, visit: Visit
) -> None:
    page = visit(app.address + LINK + "&mode=own&size=256")
    page.set_viewport_size({"width": 1440, "height": 900})
    tab = GeneratePage(page)
    tab.drawn(tab.draw())
    result = page.locator("#result")
    expect(result.locator(".th-result-about")).to_contain_text("orange mug")
    expect(result.locator(".th-result-verdict")).to_contain_text("y truehue", timeout=DRAWN_MS)
    assert page.evaluate("scrollY") == 0
    for part in ("#generate-button button", "#queue .th-queue", "#result .th-result-picture"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900, part
    # With open settings, in which what is wrong is marked where it stands.
    tab.write("generate-seed", "-5")
    tab.write("generate-steps", "abc")
    wrong = page.locator("#more-settings [aria-invalid=true]")
    expect(wrong).to_have_count(2)
    expect(tab.note).to_contain_text("Steps is a whole number")
    tab.write("generate-steps", "")
    tab.write("generate-seed", "3")
    expect(wrong).to_have_count(0)
    page.evaluate("window.scrollTo(0, 0)")
    tab.drawn(tab.draw())
    expect(result.locator(".th-result-about")).to_contain_text("seed 3")
    for shown in (tab.draw_button, result.locator("img"), result.locator(".th-result-verdict")):
        expect(shown).to_be_in_viewport(ratio=0.99)
    before = page.evaluate("window.scrollY")
    assert before > 0
    result.locator(".th-result-picture").click()
    expect(page.locator("#verdict .th-headline")).to_be_visible()
    expect(page).to_have_url(re.compile("tab=inspect"))
    page.go_back()
    expect(result.locator("img")).to_be_in_viewport()
    page.wait_for_function("(before) => Math.abs(window.scrollY - before) < 3", arg=before)


def test_on_a_phone_all_of_the_list_is_inside_its_card(app: App, visit: Visit) -> None:
    page = visit(app.address + LINK + "&q=green&f=task%3Dmoc&f=objects%3Dapple&f=objects%3Dbus")
    page.set_viewport_size({"width": 390, "height": 844})
    chips = page.locator("#prompts .th-chip-button")
    expect(chips.first).to_be_visible(timeout=DRAWN_MS)
    for filtered in (True, False):
        if not filtered:
            page.get_by_role("button", name="Clear all filters").click()
            expect(chips).to_have_count(0)
            GeneratePage(page)
        card = page.locator(".th-prompts-card").bounding_box()
        button = page.locator("#prompts .th-add-all").bounding_box()
        box = page.locator("#prompts .th-list").bounding_box()
        assert card is not None
        assert button is not None
        assert box is not None
        assert button["y"] + button["height"] <= card["y"] + card["height"]
        assert button["x"] >= card["x"]
        assert button["x"] + button["width"] <= card["x"] + card["width"]
        assert box["height"] > 150
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    filters = page.get_by_role("button", name="Filters", exact=True)
    facets = page.locator("#prompts .th-facets")
    expect(facets).to_be_hidden()
    filters.click()
    expect(filters).to_have_attribute("aria-expanded", "true")
    expect(facets).to_be_visible()


# Whether neither of two boxes lies over the other.
APART = """([one, other]) => {
  const [a, b] = [one, other].map((at) => document.querySelector(at).getBoundingClientRect());
  return a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
}"""


def wait_apart(card: Locator, part: str) -> None:
    """Waits until the tour's card has made way for a part of the page."""
    card.page.wait_for_function(APART, arg=[".th-tour", part])


def test_the_tour_makes_way_for_what_it_speaks_of(app: App, visit: Visit) -> None:
    page = visit(f"{app.address}{LINK}&mode=own&text=A%20vivid%20red%20cube&seed=7&size=256")
    tab = GeneratePage(page)
    text = page.locator("#generate-text textarea")
    # Answered as a whole, and the address names it: this is what the tour's end brings back.
    expect(page.locator("#reading")).to_contain_text("vivid red cube")
    start = page.get_by_role("button", name="Tour")
    start.focus()
    start.press("Enter")
    card = page.get_by_role("dialog", name="Tour")
    expect(card).to_be_focused()
    page.keyboard.press("Tab")
    expect(card.get_by_role("button", name="End")).to_be_focused()
    # The tour brings its own example, whatever stood in the form.
    expect(text).to_have_value("")
    expect(page.locator("#reading")).to_contain_text("vivid reddish orange mug")
    expect(tab.seed).to_have_value("0")
    tab.draw_button.click()
    expect(card).to_contain_text("See the verdict", timeout=DRAWN_MS)
    expect(page.locator("#result .th-result-picture")).to_be_enabled(timeout=DRAWN_MS)
    for part in ("#generate-button", "#queue .th-queue", "#result .th-result-picture"):
        wait_apart(card, part)
    card.get_by_role("button", name="Next").click()
    expect(card).to_contain_text("Change the rule")
    Workbench(page).shown()
    wait_apart(card, "#rule")
    card.get_by_role("button", name="Next").click()
    expect(card).to_contain_text("Select prompts")
    expect(tab.search).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(start).to_be_focused()
    # The reader's prompt is there again, and its fields follow it.
    expect(text).to_have_value("A vivid red cube")
    expect(tab.seed).to_have_value("7")
    expect(page.locator("#generate-object input")).to_have_value("cube")


def test_a_picture_is_compared_with_the_one_without_cfr(app: App, visit: Visit) -> None:
    """And a map is painted over it."""
    tab = GeneratePage(visit(app.address + LINK + "&mode=own&model=small"))
    page, realism = tab.page, tab.page.locator("#realism")
    shot = tab.shots.filter(has_text=PAIRED).filter(has_text="CFR").first
    # 64 pixels are shown five times as large, and never between.
    expect(shot.locator("img")).to_be_visible()
    sides = shot.locator("img").evaluate("(one) => one.getBoundingClientRect().width")
    assert sides % 64 == 0
    assert sides > 0

    # As from the comparison's address: More settings are folded away.
    expect(realism).to_be_hidden()
    shot.get_by_role("button", name="Compare without CFR").click()
    dialog = page.get_by_role("dialog", name="Without and with CFR")
    expect(dialog.get_by_role("row", name="ΔSat")).to_be_visible()
    expect(page).to_have_url(re.compile("&pair=[0-9a-f]{16}"))
    wipe = dialog.get_by_role("slider")
    expect(wipe).to_be_focused()
    wipe.press("ArrowRight")
    expect(wipe).to_have_value("51")
    box = dialog.locator(".th-cfr-stage").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.51 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 0.5 * box["height"], steps=3)
    page.mouse.up()
    assert abs(int(wipe.input_value()) - 25) <= 2
    dialog.get_by_role("button", name="Difference").click()
    expect(dialog.get_by_role("img", name="Difference of every pixel")).to_be_visible()
    expect(dialog.locator(".th-cfr-scale")).to_contain_text("ΔE00 0")

    dialog.get_by_role("button", name="Paint your own map").click()
    expect(page).not_to_have_url(re.compile("pair="))
    paint = page.get_by_role("dialog", name="Paint the guidance map")
    use = paint.get_by_role("button", name="Use this map")
    expect(use).to_be_disabled()
    stored = paint.get_by_role("application")
    expect(stored).to_be_focused()
    for key in ("Enter", "ArrowRight", "Enter"):
        stored.press(key)
    expect(paint).to_contain_text("Guidance is lowered on")
    use.click()
    expect(realism).to_contain_text("64 × 64 cells")
    expect(realism.get_by_role("radio", name="Painted by hand")).to_be_checked()
