"""What color it is, asked without a question, by a pixel, by keyboard, and with other limits."""

from __future__ import annotations

import re
import zlib

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core.concepts.color_description import describe_colors
from core.images.pixels import masked_colors
from core.verdict.rules import RULES
from tests.browser.conftest import Visit
from tests.browser.test_stage import png
from tests.browser.workbench import Workbench
from tests.core.photographs import bounds, object_photograph
from tests.running import App

pytestmark = pytest.mark.browser
SRGB8, TRUTH = object_photograph(300, seed=11)
BOX = bounds(TRUTH, 8)
WIDTHS = (1440, 1920, 820, 390)
OUTSIDE = """() => [...document.querySelectorAll(
    '.th-verdict, .th-verdict *, .th-evidence .th-card *')]
  .filter((node) => node.getClientRects().length && !node.closest('svg, details:not([open]) dl'))
  .flatMap((node) => {
    const card = node.closest('.th-verdict-card, .th-card').getBoundingClientRect();
    const box = node.getBoundingClientRect();
    const out = box.left < card.left - 1 || box.right > card.right + 1
      || box.bottom > card.bottom + 1;
    return out ? [node.tagName + '.' + node.className + ' ' + JSON.stringify(box)] : [];
  })"""


def opened(visit: Visit, app: App, name: str) -> Workbench:
    bench = Workbench(visit(app.address + "/?tab=inspect"))
    srgb8 = SRGB8.copy()
    # A picture of its own: what is stored already keeps its name.
    srgb8[0, 0] = list(zlib.crc32(name.encode()).to_bytes(4, "big")[:3])
    bench.open(png(srgb8), name)
    return bench


def boxed(visit: Visit, app: App, name: str) -> Workbench:
    bench = opened(visit, app, name)
    bench.mark("Box", (BOX[0], BOX[1]), (BOX[2], BOX[3]))
    return bench


def test_the_color_is_told_at_once_then_a_pixel_is_asked_for(app: App, visit: Visit) -> None:
    bench = opened(visit, app, "first.png")
    card = bench.verdict
    expect(card.get_by_role("heading", name="Colors of the whole picture")).to_be_visible()
    expect(card).to_contain_text("mark the object for its own color")
    bench.mark("Box", (BOX[0], BOX[1]), (BOX[2], BOX[3]))
    expect(card.get_by_role("heading", name="What color is it?")).to_be_visible()
    mask_px = bench.mask_px()
    assert 0.8 < mask_px / TRUTH.sum() < 1.2
    # The mask is not the truth, so the numbers are near, and the names are those of four systems.
    wanted = describe_colors(masked_colors(SRGB8, TRUTH))
    told = card.locator(".th-color").first.inner_text().replace("\u00a0", " ").replace("−", "-")
    found = re.search(r"L\* ([\d.]+) · a\* ([\d.-]+) · b\* ([\d.-]+)", told)
    assert found is not None
    np.testing.assert_allclose([float(part) for part in found.groups()], wanted.lit_lab, atol=2.5)
    expect(card.locator(".th-color").first.locator("dt")).to_have_text(
        ["CSS", "Level 1", "Level 2", "Level 3"]
    )
    expect(card.locator(".th-palette i").first).to_be_visible()
    # Drawn when it is seen.
    bench.page.locator("#evidence .th-card-ab .th-figure").scroll_into_view_if_needed()
    expect(bench.page.locator(".th-card-ab .main-svg").first).to_be_visible()
    expect(bench.data).to_contain_text(re.compile("verdict"))

    # The very pixel, by pointer; its color is asked for with one more press.
    bench.button("Pick a color").click()
    x, y = (BOX[0] + BOX[2]) // 2, (BOX[1] + BOX[3]) // 2
    bench.page.mouse.click(*bench.at(x + 0.5, y + 0.5))
    code = "#{:02X}{:02X}{:02X}".format(*SRGB8[y, x])
    words = bench.stage.locator(".th-stage-pick-words")
    expect(words).to_contain_text(f"Pixel {x}, {y} · sRGB {', '.join(map(str, SRGB8[y, x]))}")
    expect(words).to_contain_text(code)
    expect(bench.stage.locator(".th-stage-pick-names")).to_contain_text(re.compile("CSS .*L3 "))
    # By keyboard: from the middle one to the left, shown, and asked for.
    bench.button("Pick a color").press("Enter")
    scroll = bench.stage.locator(".th-stage-scroll")
    expect(scroll).to_be_focused()
    for key in ("Enter", "ArrowLeft", "Enter", "Enter"):
        scroll.press(key)
    code = "#{:02X}{:02X}{:02X}".format(*SRGB8[150, 149])
    expect(bench.asked).to_have_value(code)
    assert code in bench.shown().asked


def test_a_box_is_drawn_by_keyboard(app: App, visit: Visit) -> None:
    bench = opened(visit, app, "keys.png")
    bench.button("Box").press("Enter")
    scroll, said = bench.stage.locator(".th-stage-scroll"), bench.stage.locator(".th-stage-status")
    expect(said).to_have_text(re.compile("^Enter starts a box"))
    scroll.press("Enter")
    expect(said).to_have_text(re.compile("^Box 120 × 120 pixels, from 90, 90 to 210, 210."))
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp", "Shift+ArrowRight", "Shift+ArrowDown"):
        scroll.press(key)
    expect(said).to_have_text("Box 123 × 123 pixels, from 87, 84 to 210, 207.")
    scroll.press("Escape")
    expect(bench.mask).to_have_text("Nothing is marked yet")
    scroll.press("Enter")
    for _ in range(12):
        scroll.press("Shift+ArrowRight")
        scroll.press("Shift+ArrowDown")
    scroll.press("Enter")
    expect(bench.mask).to_contain_text("GrabCut · box")
    expect(said).to_have_attribute("role", "status")


def test_limits_move_and_the_stored_verdict_stays(app: App, visit: Visit) -> None:
    bench = boxed(visit, app, "limits.png")
    bench.rule("paper")
    bench.ask("lab(52 55 48)")
    shown = bench.shown()
    assert shown.headline == "Fails"
    yours = bench.verdict.locator(".th-yours")
    hint = bench.verdict.locator(".th-yours-words")
    expect(hint).to_have_text(re.compile("^Would pass with (a limit|limits) of"))
    count = bench.data.inner_text()
    page = bench.page
    names = ("ΔE00", "Δa*b*")
    for name in names:
        slider = page.get_by_role("slider", name=f"Limit of {name}")
        slider.evaluate(
            "node => { node.value = node.max; node.dispatchEvent(new Event('input')); }"
        )
    expect(yours.locator(".th-yours-badge")).to_have_text("With your limits")
    expect(yours).to_contain_text(re.compile("it would (pass|fail)"))
    assert bench.shown().headline == "Fails"
    expect(page).to_have_url(re.compile("limits=.*delta_e00:15"))
    assert bench.data.inner_text() == count
    # The link brings them back; the button gives the rule its own.
    again = Workbench(visit(page.url))
    assert again.shown().evidence_id == shown.evidence_id
    expect(again.verdict.locator(".th-yours-badge")).to_be_visible()
    again.verdict.get_by_role("button", name="Limits of the rule").click()
    expect(again.verdict.locator(".th-yours-badge")).to_be_hidden()
    expect(again.page).not_to_have_url(re.compile("limits="))


def test_the_rules_are_one_group_and_variants_are_folded(app: App, visit: Visit) -> None:
    bench = boxed(visit, app, "rules.png")
    rules = bench.page.locator("#rule")
    radios = rules.get_by_role("radio")
    main = radios.count()
    assert 1 < main < len(RULES)
    first = str(rules.locator("input:checked").get_attribute("value"))
    rules.locator("input:checked").focus()
    bench.page.keyboard.press("ArrowRight")
    expect(rules.locator("input:checked")).not_to_have_attribute("value", first)
    bench.page.keyboard.press("Tab")
    assert bench.page.evaluate("document.activeElement.type") != "radio"
    rules.get_by_role("button", name="Variants").click()
    # No line under the gap before the button.
    expect(rules.locator(".th-rule")).to_have_css("text-decoration-line", "none")
    assert radios.count() == len(RULES)


def test_no_box_leaves_its_panel_at_any_width_under_any_rule(app: App, visit: Visit) -> None:
    bench = boxed(visit, app, "all layouts.png")
    expect(bench.verdict.locator(".th-palette")).to_be_visible()
    _fits(bench.page, "no question")
    for target in ("l3:Vivid reddish orange", "css:blue"):
        bench.ask(target)
        for by in RULES:
            bench.rule(by.name)
            expect(bench.page).to_have_url(re.compile(f"rule={by.id}(&|$)"))
            expect(bench.verdict.locator(".th-metric").first).to_be_visible()
            _fits(bench.page, f"{target} by {by.id}")
    bench.page.set_viewport_size({"width": 390, "height": 900})
    bench.page.get_by_text("must not be", exact=True).click()
    word = bench.verdict.locator(".th-metric .th-state").first
    expect(word).to_contain_text(re.compile("matches|differs"))
    word.evaluate("node => { node.textContent = '✕ matches'; }")
    assert word.evaluate("node => node.scrollWidth - node.clientWidth") <= 0


def _fits(page: Page, what: str) -> None:
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(OUTSIDE) == [], (what, width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (what, width)
        if width > 900:
            # However long the verdict, the picture is no taller than the window.
            card = page.locator(".th-stage-card")
            assert card.evaluate("node => node.offsetHeight") <= 900, (what, width)
