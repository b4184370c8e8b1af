"""Inspect from begin to end in a real Chromium: a photograph in, a verdict out, everything stored.

What needs no browser of it is in ``tests/assets/stage``, ``tests/assets/inspect`` and
``tests/tabs/inspect``; pointer, exact pixels and layout are in ``test_stage.py``.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.generate_page import GeneratePage
from tests.browser.still_life import JAR, box_around, png, still_life
from tests.browser.workbench import Shown, Workbench, drawn_pixels
from tests.core.photographs import overlap
from tests.running import App, running
from truehue.core.color.systems import parse_target
from truehue.core.images.load import image_id
from truehue.core.verdict.measure import Measurement, TargetObject, measure
from truehue.core.verdict.rules import RULES
from truehue.storage import Storage

pytestmark = pytest.mark.browser

PHOTOGRAPH, TRUTH = still_life()
KEEP = ((JAR[0] - 30, JAR[1]), (JAR[0] + 30, JAR[1] + 40))


def texts(measurement: Measurement) -> tuple[tuple[str, ...], ...]:
    """The three rows of the card as the numbers say them."""
    units = {"delta_chroma": ("Δa*b*", ""), "delta_e00": ("ΔE00", ""), "hue_deg": ("Hue", "°")}
    return tuple(
        (
            units[metric.name][0],
            f"{metric.value:.1f}{units[metric.name][1]}",
            f"limit {metric.threshold:g}{units[metric.name][1]}",
            "✓ pass" if metric.passed else "✕ fail",
        )
        for metric in measurement.verdict.metrics
    )


def test_from_a_photograph_to_a_verdict_that_is_found_again(tmp_path: Path, visit: Visit) -> None:
    with running(tmp_path / "data") as app:
        page = visit(app.address)
        bench = Workbench(page)
        expect(bench.data).to_have_text(f"{tmp_path / 'data'} · 0 images · 0 verdicts")

        bench.open(png(PHOTOGRAPH), "jar on a shelf.png")
        expect(bench.stage.locator(".th-stage-size")).to_have_text("520 × 400")
        expect(bench.verdict).to_contain_text("select the object for its own color")
        expect(bench.data).to_contain_text("1 image · 0 verdicts")
        assert np.array_equal(drawn_pixels(bench.picture), PHOTOGRAPH)

        bench.mark("Box", *box_around(TRUTH))
        expect(bench.mask).to_have_text(re.compile(r"^GrabCut · box · [\d,]+ px · \d+\.\d%$"))
        expect(bench.verdict.get_by_role("heading", name="What color is it?")).to_be_visible()
        boxed = bench.mask.inner_text()
        assert abs(bench.mask_px() - np.count_nonzero(TRUTH)) < 0.1 * np.count_nonzero(TRUTH)
        bench.rule("paper")
        bench.ask("vivid reddish orange")
        first = bench.shown()
        bench.mark("Foreground scribble", *KEEP)
        shown = bench.shown(other_than=first.evidence_id)
        expect(bench.mask).to_have_text(re.compile(r"^GrabCut · box, 1 stroke · "))
        with_keep = bench.mask.inner_text()
        assert with_keep != boxed

        bench.name("jar")
        by_paper = bench.shown(other_than=shown.evidence_id)
        assert by_paper.headline == "Fails"
        assert "ΔE00 from the target color" in by_paper.reason
        assert "the jar is darker" in by_paper.reason
        assert [row[0] for row in by_paper.metrics] == ["Δa*b*", "ΔE00", "Hue"]
        assert [row[2] for row in by_paper.metrics] == ["limit 5", "limit 5", "limit 30°"]
        assert "Vivid reddish orange\n#E83B1B\nL* 52.2 · a* 64.36 · b* 56.46" in by_paper.asked
        swatches_touch(bench, by_paper)
        # Drawn when it is seen.
        page.locator("#evidence .th-card-ab .th-figure").scroll_into_view_if_needed()
        expect(page.locator("#evidence .th-card-ab .main-svg").first).to_be_visible()

        released = by_keys_to_another_rule(bench, by_paper)
        bench.rule("paper")
        assert bench.shown(other_than=released.evidence_id) == by_paper
        area = bench.mask_px()
        undo_and_redo(bench, [boxed, with_keep])
        assert bench.shown() == by_paper
        neighbors_are_accepted(bench, by_paper)
        assert nameless(page) == []
        drawer_is_named(bench)

        # The address opens what is on screen, whichever tab was in front meanwhile.
        inspected = page.url
        assert parse_qs(urlsplit(inspected).query)["tab"] == ["inspect"]
        page.get_by_role("tab", name="Generate").click()
        expect(page).to_have_url(re.compile("tab=generate"))
        page.get_by_role("tab", name="Inspect").click()
        expect(page).to_have_url(inspected)
        assert bench.shown() == by_paper
        opened_by_link(Workbench(visit(inspected)), by_paper, with_keep)

        expect(bench.data).to_contain_text("1 image · 0 verdicts")
        page.keyboard.press("v")
        expect(bench.verdict.locator(".th-kept-state")).to_have_text("Saved")
        expect(bench.data).to_contain_text(f"1 image · {len(RULES)} verdicts")
        assert app.ask("/api/ready").json["data"] == bench.data.inner_text()

        visit.leave()
        app.stop(signal.SIGTERM)
    found_in_the_data_folder(tmp_path / "data", by_paper, area)


def by_keys_to_another_rule(bench: Workbench, before: Shown) -> Shown:
    """The rules are one stop of the Tab key; arrows go through them."""
    chosen = bench.page.locator("#rule input:checked")
    chosen.focus()
    bench.page.keyboard.press("ArrowRight")
    expect(chosen).not_to_have_attribute("value", "paper")
    bench.page.keyboard.press("Tab")
    assert bench.page.evaluate("document.activeElement.type") != "radio"
    other = bench.shown(other_than=before.evidence_id)
    assert other.metrics != before.metrics
    return other


def neighbors_are_accepted(bench: Workbench, alone: Shown) -> None:
    """The field and the slider of the rule's settings judge again, and are in the address."""
    page = bench.page
    page.get_by_text("Rule settings", exact=True).click()
    number = page.get_by_role("spinbutton", name="Neighbors accepted")
    number.fill("9")
    number.press("Tab")
    wide = bench.shown(other_than=alone.evidence_id)
    assert "accepted color" in wide.reason
    expect(page).to_have_url(re.compile("k=9"))
    page.get_by_role("slider", name="Neighbors accepted").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("k=10"))
    ten = bench.shown(other_than=wide.evidence_id)
    number.fill("0")
    number.press("Tab")
    assert bench.shown(other_than=ten.evidence_id) == alone


def drawer_is_named(bench: Workbench) -> None:
    """The drawer of stored images: its controls have names, and Escape leaves it."""
    bench.stage.locator("[data-action=browse]:visible").click()
    drawer = bench.page.locator("dialog.th-library")
    expect(drawer.locator(".th-library-item")).to_have_count(1)
    assert nameless(bench.page) == []
    bench.page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()


def swatches_touch(bench: Workbench, shown: Shown) -> None:
    """Asked and found lie side by side with no gap and no line, in the colors that they name."""
    boxes = []
    for side, text in (("asked", shown.asked), ("found", shown.found)):
        swatch = bench.verdict.locator(f".th-swatch-{side}")
        boxes.append(swatch.bounding_box())
        code = re.search("#[0-9A-F]{6}", text)
        assert code is not None
        rgb = tuple(bytes.fromhex(code[0][1:]))
        assert style(swatch, "background-color") == f"rgb{rgb}"
        assert {style(swatch, f"border-{edge}-width") for edge in ("left", "right")} == {"0px"}
    assert boxes[0]["x"] + boxes[0]["width"] == pytest.approx(boxes[1]["x"], abs=0.01)
    assert boxes[0]["y"] == boxes[1]["y"]


def style(locator: Locator, name: str) -> str:
    return str(
        locator.evaluate("(node, name) => getComputedStyle(node).getPropertyValue(name)", name)
    )


def undo_and_redo(bench: Workbench, lines: list[str]) -> None:
    """Back through the mask's lines by button and by key, and forth again."""
    expect(bench.mask).to_have_text(lines[1])
    bench.page.keyboard.press("Control+z")
    expect(bench.mask).to_have_text(lines[0])
    bench.button("Undo").click()
    expect(bench.mask).to_have_text("Nothing selected yet")
    expect(bench.button("Undo")).to_be_disabled()
    bench.page.keyboard.press("Control+Shift+Z")
    expect(bench.mask).to_have_text(lines[0])
    bench.button("Redo").click()
    expect(bench.mask).to_have_text(lines[1])
    expect(bench.button("Redo")).to_be_disabled()
    bench.settle()


def opened_by_link(bench: Workbench, wanted: Shown, mask: str) -> None:
    """Another browser shows the same from the address alone."""
    assert bench.shown() == wanted
    expect(bench.mask).to_have_text(mask)
    expect(bench.object_name).to_have_value("jar")
    expect(bench.asked).to_have_value("Vivid reddish orange")
    assert bench.chosen_rule() == "paper"
    expect(bench.stage.locator(".th-stage-name")).to_have_text("jar on a shelf.png")
    assert np.array_equal(drawn_pixels(bench.picture), PHOTOGRAPH)
    # What was marked can be marked on, not only looked at.
    expect(bench.button("Clear the selection")).to_be_enabled()
    # A long file name and a full card have their room on a phone.
    bench.page.set_viewport_size({"width": 390, "height": 844})
    assert bench.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def found_in_the_data_folder(data: Path, shown: Shown, area: int) -> None:
    """The row, the mask and the image, and the same numbers from them without any page."""
    with Storage.open(data) as storage:
        row = storage.evidence.get(shown.evidence_id)
        assert row.mask_id is not None
        record = storage.images.get(row.image_id)
        srgb8 = storage.images.srgb8(row.image_id)
        mask = storage.masks.pixels(row.mask_id)
        assert (record.name, record.source) == ("jar on a shelf.png", "upload")
        assert np.array_equal(srgb8, PHOTOGRAPH)
        assert image_id(srgb8) == row.image_id
        assert np.count_nonzero(mask) == area == storage.masks.get(row.mask_id).area_px
        assert overlap(mask, TRUTH) > 0.85
        target = parse_target("l3:Vivid reddish orange")
        wanted = measure(srgb8, mask, target, "paper", target_object=TargetObject("jar"))
        assert row.numbers == wanted.numbers()
        assert (row.status, row.reason) == (wanted.verdict.status, wanted.verdict.reason)
        assert (row.object_name, row.protocol) == ("jar", "paper")
        assert row.reason == shown.reason
        assert texts(wanted) == shown.metrics
        assert storage.images.count() == 1
        assert storage.check() == []


# ── names and grays ─────────────────────────────────────────────────────────────────────────────

NAMED = (
    "button",
    "tab",
    "radio",
    "checkbox",
    "combobox",
    "textbox",
    "slider",
    "spinbutton",
    "link",
    "img",
    "image",
    "dialog",
    "toolbar",
    "listbox",
    "option",
)


def nameless(page: Page) -> list[str]:
    """What a screen reader meets without a name, by the browser's own accessibility tree."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]

    def source(node: dict[str, Any]) -> str:
        """How the page writes it, for the message."""
        got = session.send("DOM.getOuterHTML", {"backendNodeId": node["backendDOMNodeId"]})
        return str(got["outerHTML"])[:160]

    controls = [
        node
        for node in nodes
        if not node.get("ignored") and node.get("role", {}).get("value") in NAMED
    ]
    # Under an open dialog its controls are all that there is, however few images are stored.
    assert controls, "the tree is empty: is the page drawn?"
    result = [
        f"{node['role']['value']}: {source(node)}"
        for node in controls
        if not node.get("name", {}).get("value", "").strip()
        # Drawings without a name are Gradio's sign of loading and plotly's measure of letters.
        and not source(node).startswith("<svg")
    ]
    session.detach()
    return result


# Backgrounds, letters and lines that are seen, and are not the data that the page is about.
TINTS = r"""() => {
  const data = '.th-swatches i, .th-palette i, .th-color-swatch, .th-swatch, .th-picker-swatch, .th-chip, .th-figure *, img, .th-library-item img';
  const seen = [];
  const neutral = (color) => {
    const numbers = (color.match(/[\d.]+/g) || []).map(Number);
    if (!/^rgba?\(/.test(color)) return false;
    return numbers[3] === 0 || (numbers[0] === numbers[1] && numbers[1] === numbers[2]);
  };
  document.querySelectorAll('body, body *').forEach((node) => {
    const box = node.getBoundingClientRect();
    if (!box.width || !box.height || node.matches(data) || node.closest('.th-swatch')) return;
    const style = getComputedStyle(node);
    if (style.visibility === 'hidden' || style.display === 'none') return;
    const colors = { background: style.backgroundColor, text: style.color };
    ['Top', 'Right', 'Bottom', 'Left'].forEach((edge) => {
      if (style['border' + edge + 'Style'] !== 'none' && parseFloat(style['border' + edge + 'Width'])) {
        colors['border ' + edge] = style['border' + edge + 'Color'];
      }
    });
    if (style.outlineStyle !== 'none') colors.outline = style.outlineColor;
    if (style.accentColor !== 'auto') colors.accent = style.accentColor;
    Object.entries(colors).forEach(([what, color]) => {
      if (!neutral(color)) seen.push([node.tagName, node.id, String(node.className), what, color].join(' '));
    });
    if (/gradient/.test(style.backgroundImage) && !node.closest('input')) {
      (style.backgroundImage.match(/rgba?\([^)]*\)/g) || []).forEach((color) => {
        if (!neutral(color)) seen.push([node.tagName, String(node.className), 'gradient', color].join(' '));
      });
    }
  });
  return [...new Set(seen)];
}"""  # noqa: E501


BEHIND = """node => {
  let color = '';
  for (let at = node; at && !color; at = at.parentElement) {
    const own = getComputedStyle(at).backgroundColor;
    if (!/, 0\\)$/.test(own)) color = own;
  }
  return color;
}"""


def gray(locator: Locator) -> int:
    """The one number of the exactly neutral background that something lies on."""
    color = str(locator.evaluate(BEHIND))
    numbers = re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", color)
    assert numbers is not None, f"{color} is not opaque"
    assert len(set(numbers.groups())) == 1, f"{color} is not neutral"
    return int(numbers[1])


THEMES = ("dark", "light")


def themes(page: Page) -> Iterator[str]:
    """The page as it stands in one theme after the other, by the sign that the button sets."""
    page.emulate_media(reduced_motion="reduce")  # colors do not fade over
    for theme in THEMES:
        page.evaluate("on => document.body.classList.toggle('dark', on)", theme == "dark")
        yield theme


def test_nothing_on_the_page_tints_what_is_judged(app: App, visit: Visit) -> None:
    page = visit(f"{app.address}/?__theme=light")
    bench = Workbench(page)
    for theme in themes(page):
        assert page.evaluate(TINTS) == [], theme
    bench.open(png(still_life(seed=39)[0]), "neutral.png")
    bench.button("Whole image").click()
    bench.settle()
    bench.ask("css:tomato")
    bench.shown()
    # Drawn when it is seen.
    page.locator("#evidence .th-card-ab .th-figure").scroll_into_view_if_needed()
    expect(page.locator("#evidence .th-card-ab .main-svg").first).to_be_visible()
    bench.asked.click()
    bench.asked.fill("pink")
    expect(page.locator("#asked-color [role=option]").first).to_be_visible()
    for theme in themes(page):
        assert page.evaluate(TINTS) == [], theme
    bench.asked.press("Escape")
    surrounds = (("light gray", 0xCF), ("dark gray", 0x26), ("middle gray, L* 50", 0x77))
    for theme in themes(page):
        body, card = gray(page.locator("body")), gray(page.locator(".th-card:visible").first)
        if theme == "light":
            assert min(body, card) > 200
        else:
            assert max(body, card) < 60
        for name, level in surrounds:
            page.get_by_role("button", name=name, exact=True).click()
            # A picture has no background of its own: what is found lies behind it.
            assert gray(bench.picture) == level
    page.get_by_role("tab", name="Generate").click()
    tab = GeneratePage(page)
    tab.facet("Color system")
    tab.mode("Your prompt")
    tab.choose("generate-size", "256 × 256")
    tab.drawn(tab.draw())
    expect(tab.shots.first.locator("img")).to_be_visible()
    for theme in themes(page):
        assert page.evaluate(TINTS) == [], theme
        assert gray(tab.shots.first.locator("img")) == 0x77


def test_a_tab_that_is_clicked_at_once_stays_in_front(app: App, visit: Visit) -> None:
    """What the page still loads must not throw a quick person back."""
    page = visit(app.address, wait_until="commit", fresh=True)
    # A slow line: 300 ms there and back.
    slow = {"offline": False, "latency": 300, "downloadThroughput": -1, "uploadThroughput": -1}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", slow)
    tab = page.get_by_role("tab", name="Generate")
    tab.click()
    # Both tabs have what they ask for when they are drawn.
    expect(page.locator("#verdict").locator(".th-waiting, .th-headline")).to_be_attached()
    expect(page.locator("#prompts .th-row").first).to_be_visible()
    expect(tab).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile("tab=generate"))
