"""The whole way in a real Chromium: a photograph in, a verdict out, and everything stored."""

from __future__ import annotations

import io
import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from core.color.systems import parse_target
from core.images.load import image_id, load_image
from core.verdict.measure import AskedObject, Measurement, measure
from core.verdict.rules import RULES
from storage import Storage
from tests.browser.conftest import Visit, Watch
from tests.browser.generate_page import GeneratePage
from tests.browser.still_life import JAR, box_around, phone_jpeg, png, still_life
from tests.browser.workbench import Shown, Workbench, drawn_pixels
from tests.core.photographs import overlap
from tests.running import App, running
from tests.test_app import huge_png

pytestmark = pytest.mark.browser

PHOTOGRAPH, TRUTH = still_life()
KEEP = ((JAR[0] - 30, JAR[1]), (JAR[0] + 30, JAR[1] + 40))
# Over the jar's neck, where the box alone takes it for part of the jar.
CUT = ((JAR[0] - 60, 75), (JAR[0] + 60, 75))


def of_its_own(seed: int) -> bytes:
    """A photograph that no other test uploads."""
    return png(still_life(seed=seed)[0])


def texts(found: Measurement) -> tuple[tuple[str, ...], ...]:
    """The three rows of the card as the numbers say them."""
    units = {"delta_chroma": ("Δa*b*", ""), "delta_e00": ("ΔE00", ""), "hue_deg": ("Hue", "°")}
    return tuple(
        (
            units[metric.name][0],
            f"{metric.value:.1f}{units[metric.name][1]}",
            f"< {metric.threshold:g}{units[metric.name][1]}",
            "✓ pass" if metric.passed else "✕ fail",
        )
        for metric in found.verdict.metrics
    )


# ── the story of the first issue ────────────────────────────────────────────────────────────────


def test_from_a_photograph_to_a_verdict_that_is_found_again(tmp_path: Path, visit: Visit) -> None:
    with running(tmp_path / "data") as app:
        page = visit(app.address)
        bench = Workbench(page)
        expect(bench.data).to_have_text(f"{tmp_path / 'data'} · 0 images · 0 verdicts")

        bench.open(png(PHOTOGRAPH), "jar on a shelf.png")
        expect(bench.stage.locator(".th-stage-size")).to_have_text("520 × 400")
        expect(bench.problem()).to_contain_text("draw a box")
        expect(bench.data).to_contain_text("1 image · 0 verdicts")
        assert np.array_equal(drawn_pixels(bench.picture), PHOTOGRAPH)

        bench.mark("Box", *box_around(TRUTH))
        expect(bench.mask).to_have_text(re.compile(r"^GrabCut · box · [\d,]+ px · \d+\.\d%$"))
        expect(bench.problem()).to_contain_text("Choose the asked color")
        boxed = bench.mask.inner_text()
        assert abs(bench.mask_px() - np.count_nonzero(TRUTH)) < 0.1 * np.count_nonzero(TRUTH)

        bench.rule("paper")
        bench.ask("vivid reddish orange")
        first = bench.shown()
        bench.mark("Keep", *KEEP)
        kept = bench.shown(other_than=first.evidence_id)
        expect(bench.mask).to_have_text(re.compile(r"^GrabCut · box, 1 stroke · "))
        with_keep = bench.mask.inner_text()
        bench.mark("Cut", *CUT)
        expect(bench.mask).to_have_text(re.compile(r"^GrabCut · box, 2 strokes · "))
        with_cut = bench.mask.inner_text()
        cut = bench.shown(other_than=kept.evidence_id)
        assert with_cut != with_keep != boxed

        bench.name("jar")
        by_paper = bench.shown(other_than=cut.evidence_id)
        assert by_paper.headline == "Fails"
        assert "ΔE00 from the asked color" in by_paper.reason
        assert "the jar is darker" in by_paper.reason
        assert [row[0] for row in by_paper.metrics] == ["Δa*b*", "ΔE00", "Hue"]
        assert [row[2] for row in by_paper.metrics] == ["< 5", "< 5", "< 30°"]
        assert "Vivid reddish orange\n#E83B1B\nL* 52.2 · a* 64.36 · b* 56.46" in by_paper.asked
        swatches_touch(bench, by_paper)
        # Drawn when it is seen.
        page.locator("#evidence .th-card-ab .th-figure").scroll_into_view_if_needed()
        expect(page.locator("#evidence .th-card-ab .main-svg").first).to_be_visible()

        bench.rule("released")
        released = bench.shown(other_than=by_paper.evidence_id)
        assert released.metrics != by_paper.metrics
        assert released.found != by_paper.found
        bench.rule("paper")
        assert bench.shown(other_than=released.evidence_id) == by_paper

        area = bench.mask_px()
        undo_and_redo(bench, [boxed, with_keep, with_cut])
        again = bench.shown()
        assert again == by_paper

        bench.rule("released")
        final = bench.shown(other_than=by_paper.evidence_id)
        assert final == released
        expect(page).to_have_url(re.compile("rule=released"))
        address = page.url
        opened_by_link(Workbench(visit(address)), final, with_cut)
        expect(bench.data).to_contain_text("1 image · 0 verdicts")
        bench.verdict.get_by_role("button", name="Keep verdict").click()
        expect(bench.verdict.locator(".th-kept-state")).to_have_text("Kept")
        expect(bench.data).to_contain_text(f"1 image · {len(RULES)} verdicts")

        visit.leave()
        app.stop(signal.SIGTERM)
    found_in_the_data_folder(tmp_path / "data", final, area)


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


def style(where: Locator, name: str) -> str:
    return str(
        where.evaluate("(node, name) => getComputedStyle(node).getPropertyValue(name)", name)
    )


def undo_and_redo(bench: Workbench, lines: list[str]) -> None:
    """Back through the mask's lines by button and by key, and forth again."""
    expect(bench.mask).to_have_text(lines[2])
    bench.button("Undo").click()
    expect(bench.mask).to_have_text(lines[1])
    bench.page.keyboard.press("Control+z")
    expect(bench.mask).to_have_text(lines[0])
    bench.button("Undo").click()
    expect(bench.mask).to_have_text("Nothing is marked yet")
    expect(bench.button("Undo")).to_be_disabled()
    for line, key in zip(lines, ("Control+Shift+Z", "Control+y", None), strict=True):
        if key is None:
            bench.button("Redo").click()
        else:
            bench.page.keyboard.press(key)
        expect(bench.mask).to_have_text(line)
    expect(bench.button("Redo")).to_be_disabled()
    bench.settle()


def opened_by_link(bench: Workbench, wanted: Shown, mask: str) -> None:
    """Another browser shows the same from the address alone."""
    assert bench.shown() == wanted
    expect(bench.mask).to_have_text(mask)
    expect(bench.object_name).to_have_value("jar")
    expect(bench.asked).to_have_value("Vivid reddish orange")
    assert bench.chosen_rule() == "released"
    expect(bench.stage.locator(".th-stage-name")).to_have_text("jar on a shelf.png")
    assert np.array_equal(drawn_pixels(bench.picture), PHOTOGRAPH)
    # What was marked can be marked on, not only looked at.
    expect(bench.button("Clear all marks")).to_be_enabled()


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
        wanted = measure(srgb8, mask, target, "released", asked=AskedObject("jar"))
        assert row.numbers == wanted.numbers()
        assert (row.status, row.reason) == (wanted.verdict.status, wanted.verdict.reason)
        assert (row.object_name, row.protocol) == ("jar", "released")
        assert row.reason == shown.reason
        assert texts(wanted) == shown.metrics
        assert storage.images.count() == 1
        assert storage.check() == []


# ── more photographs ────────────────────────────────────────────────────────────────────────────


def test_a_phone_photograph_is_turned_its_colors_are_those_that_it_encodes_and_its_link_opens_it(
    app: App, visit: Visit
) -> None:
    srgb8, truth = still_life(albedo=(205, 60, 45), seed=21)
    jpeg, raw = phone_jpeg(srgb8)
    page = visit(app.address)
    bench = Workbench(page)
    bench.open(jpeg, "IMG_0021.jpg", "image/jpeg")
    expect(bench.stage.locator(".th-stage-size")).to_have_text("520 × 400")
    notes = bench.stage.locator(".th-stage-notes")
    expect(notes).to_contain_text("Turned upright")
    expect(notes).to_contain_text("“Display P3” to sRGB")
    shown = drawn_pixels(bench.picture)
    assert np.array_equal(shown, load_image(jpeg, "IMG_0021.jpg").srgb8)

    bench.ask("#CD3C2D")
    bench.mark("Box", *box_around(truth))
    by_paper = bench.shown()
    target = parse_target("#CD3C2D")
    encoded, taken_raw = (measure(pixels, truth, target).verdict for pixels in (srgb8, raw))
    assert encoded.lab is not None
    assert taken_raw.lab is not None
    code = re.search(r"L\* ([\d.]+) · a\* ([\d.]+) · b\* ([\d.]+)", by_paper.found)
    assert code is not None
    found = np.array([float(number) for number in code.groups()])
    # JPEG and the edge of the mask cost little; the profile left out would cost much.
    assert np.linalg.norm(found - encoded.lab) < 1.0
    assert np.linalg.norm(found - taken_raw.lab) > 6.0
    # The link has to hold a color in hex as well.
    expect(page).to_have_url(re.compile("rule=truehue$"))
    again = Workbench(visit(page.url))
    expect(again.asked).to_have_value("#CD3C2D")
    assert again.shown() == by_paper


def test_neighbors_are_accepted_when_asked_for_and_other_rules_are_one_click_away(
    app: App, visit: Visit
) -> None:
    page = visit(app.address)
    bench = Workbench(page)
    page.get_by_role("button", name="Settings of the rule").click()
    bench.open(of_its_own(23), "neighbors.png")
    bench.button("Whole image").click()
    bench.ask("css:tomato")
    alone = bench.shown()
    other = bench.verdict.locator(".th-other").filter(has_text="released-unguided")
    told = other.inner_text()
    other.click()
    chosen = bench.shown(other_than=alone.evidence_id)
    assert bench.chosen_rule() == "released-unguided"
    for _, number_text, _, _ in chosen.metrics:
        assert number_text in told
    bench.rule("truehue")
    assert bench.shown(other_than=chosen.evidence_id) == alone

    number = page.locator("#neighbors input[type=number]")
    number.fill("9")
    number.press("Tab")
    wide = bench.shown(other_than=alone.evidence_id)
    assert "accepted color" in wide.reason
    assert "accepted color" not in alone.reason
    value = {row[0]: float(row[1].rstrip("°")) for row in alone.metrics}
    for label, text, _, _ in wide.metrics:
        assert float(text.rstrip("°")) <= value[label]
    expect(page).to_have_url(re.compile("k=9"))
    again = Workbench(visit(page.url))
    assert again.shown() == wide
    # The slider is judged by when it is moved by keys, too.
    page.locator("#neighbors input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("k=10"))
    assert bench.shown().evidence_id not in (wide.evidence_id, alone.evidence_id)


# ── what can be taken away ──────────────────────────────────────────────────────────────────────


def test_json_and_link_are_copied(app: App, visit: Visit) -> None:
    page = visit(app.address, permissions=["clipboard-read", "clipboard-write"])
    bench = Workbench(page)
    srgb8, truth = still_life(seed=25)
    bench.open(png(srgb8), "copied.png")
    bench.ask("l3:vivid reddish orange")
    bench.mark("Box", *box_around(truth))
    named = bench.shown()
    bench.name("jar")
    shown = bench.shown(other_than=named.evidence_id)
    button = bench.verdict.locator(".th-copy-json")
    button.click()
    expect(button).to_have_text("Copied")
    told = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert told["evidence_id"] == shown.evidence_id
    assert told["object"] == "jar"
    assert told["target"] == "Vivid reddish orange"
    assert told["reason"] == shown.reason
    assert told["mask_px"] == bench.mask_px()
    assert {"pass": "Passes", "fail": "Fails"}[told["status"]] == shown.headline
    for label, name in (("Δa*b*", "delta_chroma"), ("ΔE00", "delta_e00"), ("Hue", "hue_deg")):
        (row,) = [row for row in shown.metrics if row[0] == label]
        assert f"{told[name]:.1f}" == row[1].rstrip("°")
    bench.verdict.locator(".th-copy-link").click()
    expect(bench.verdict.locator(".th-copy-link")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_a_stored_image_is_opened_from_the_drawer(app: App, visit: Visit) -> None:
    first = app.upload(of_its_own(26), "older.png").json
    second = app.upload(of_its_own(27), "newer.png").json
    page = visit(app.address)
    bench = Workbench(page)
    bench.stage.locator("[data-action=browse]:visible").click()
    drawer = page.locator("dialog.th-library")
    expect(drawer).to_be_visible()
    items = drawer.locator(".th-library-item")
    expect(items.first).to_contain_text("newer.png")
    expect(items.nth(1)).to_contain_text("older.png")
    items.nth(1).click()
    expect(drawer).to_be_hidden()
    expect(bench.stage.locator(".th-stage-name")).to_have_text("older.png")
    expect(bench.picture).to_have_attribute("src", first["url"])
    bench.stage.locator("[data-action=browse]:visible").click()
    items.first.click()
    expect(bench.picture).to_have_attribute("src", second["url"])
    bench.stage.locator("[data-action=browse]:visible").click()
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(bench.stage.locator(".th-stage-name")).to_have_text("newer.png")


def test_the_header_counts_what_the_data_folder_holds(app: App, visit: Visit) -> None:
    page = visit(app.address)
    bench = Workbench(page)

    def counted() -> tuple[int, int]:
        numbers = re.search(r"([\d,]+) images? · ([\d,]+) verdicts?$", bench.data.inner_text())
        assert numbers is not None
        return int(numbers[1]), int(numbers[2])

    # The page was made when the app started: the counts of today come a moment later.
    expect(bench.data).to_have_text(app.ask("/api/ready").json["data"])
    assert bench.data.inner_text().startswith(str(app.data))
    images, verdicts = counted()
    bench.open(of_its_own(28), "counted.png")
    bench.ask("css:tomato")
    bench.button("Whole image").click()
    bench.shown()
    assert counted() == (images + 1, verdicts), "a draft is no verdict"
    page.keyboard.press("v")
    expect(bench.verdict.locator(".th-kept-state")).to_have_text("Kept")
    expect(bench.data).to_contain_text(f"{verdicts + len(RULES):,} verdicts")
    assert counted() == (images + 1, verdicts + len(RULES))
    assert app.ask("/api/ready").json["data"] == bench.data.inner_text()


def test_one_disagrees_with_a_verdict_deletes_its_picture_and_takes_that_back(
    app: App, visit: Visit
) -> None:
    page = visit(app.address)
    bench = Workbench(page)
    bench.open(of_its_own(77), "disagreed.png")
    bench.ask("css:tomato")
    bench.button("Whole image").click()
    shown = bench.shown()
    box = bench.verdict.locator(".th-judging")
    expect(box.locator(".th-kept-state")).to_have_text("Draft, not kept")
    page.keyboard.press("d")
    box.get_by_role("textbox").fill("The sun was low.")
    opposite = "It does not have the color" if shown.headline == "Passes" else "It has the color"
    expect(box.get_by_role("radio", name=opposite)).to_be_checked()
    box.get_by_role("button", name="Save").click()
    expect(box.locator(".th-judging-said")).to_contain_text("You disagree: ")
    expect(box.locator(".th-judging-said")).to_contain_text("“The sun was low.”")
    expect(box.locator(".th-kept-state")).to_have_text("Kept")
    page.get_by_role("tab", name="Explore").click()
    page.get_by_role("tab", name="Where the rules disagree").click()
    people = page.locator(".th-people-verdicts")
    expect(people.locator(".th-pv-item", has_text="The sun was low.")).to_contain_text(
        "You disagree with"
    )
    expect(people.locator(".th-pv-table tr")).to_have_count(1 + len(RULES))

    page.get_by_role("tab", name="Inspect").click()
    drawer = page.locator(".th-library")
    bench.stage.locator("[data-action=browse]:visible").click()
    drawer.get_by_role("searchbox").fill("disagreed")
    expect(drawer.locator(".th-library-item")).to_have_count(1)
    drawer.get_by_role("button", name="Select").click()
    drawer.locator(".th-library-item").click()
    # Before it goes: how measures change with its saturation.
    drawer.get_by_role("button", name="Saturation sweep").click()
    sweep = page.get_by_role("dialog", name="Saturation sweep")
    expect(sweep.locator(".js-plotly-plot")).to_be_visible()
    sweep.get_by_role("button", name="As a table").click()
    expect(sweep.locator("tbody tr", has_text="ΔSat")).to_have_count(9)
    sweep.get_by_role("button", name="Close").click()
    drawer.get_by_role("button", name="Delete", exact=True).click()
    expect(drawer.locator(".th-undo")).to_contain_text(
        f"Deleted: disagreed.png, with 1 mask and {len(RULES)} verdicts."
    )
    expect(drawer.locator(".th-library-item")).to_have_count(0)
    drawer.get_by_role("button", name="Undo").click()
    expect(drawer.locator(".th-library-item")).to_have_count(1)
    drawer.locator(".th-library-item").click()
    expect(bench.stage.locator(".th-stage-name")).to_have_text("disagreed.png")


# ── bad input ───────────────────────────────────────────────────────────────────────────────────


def cut_off() -> bytes:
    whole = of_its_own(31)
    return whole[: len(whole) // 2]


def test_files_that_cannot_be_read_are_explained_and_the_work_goes_on(
    app: App, visit: Visit, watch: Watch
) -> None:
    watch.refused.add("/api/images")
    before = app.ask("/api/ready").json["data"]
    bench = Workbench(visit(app.address))
    for data, name, said in (
        (b"Dear diary, no picture today.", "notes.txt", "not an image"),
        (cut_off(), "cut.png", "damaged or cut short"),
        (huge_png(), "bomb.png", "up to 64 megapixels"),
        (b"", "empty.png", "is empty"),
    ):
        bench.choose(data, name, "image/png")
        expect(bench.message).to_contain_text(name)
        expect(bench.message).to_contain_text(said)
        expect(bench.message).to_be_visible()
        expect(bench.stage.locator(".th-stage-progress")).to_be_hidden()
        assert app.ask("/api/ready").json["data"] == before
    goes_on(bench)


def goes_on(bench: Workbench) -> None:
    """The same page takes a good photograph to a verdict, and the message is gone."""
    bench.open(png(PHOTOGRAPH), "jar.png")
    expect(bench.message).to_be_hidden()
    bench.ask("css:tomato")
    bench.button("Whole image").click()
    bench.shown()


def test_an_unknown_color_offers_the_nearest_names_typed_or_in_a_link(
    app: App, visit: Visit, watch: Watch
) -> None:
    watch.refused.add("/api/images")
    page = visit(app.address)
    bench = Workbench(page)
    bench.open(of_its_own(33), "unknown.png")
    bench.button("Whole image").click()
    bench.asked.click()
    bench.asked.press_sequentially("vivd redish orange")
    options = page.locator("#asked-color [role=option]")
    expect(options.filter(has_text="Vivid reddish orange").first).to_be_visible()
    bench.asked.press("Tab")
    line = page.locator("#asked-color .th-picker-line")
    expect(line).to_contain_text("No color is called “vivd redish orange”")
    expect(line).to_contain_text("Nearest names: Vivid reddish orange")
    expect(bench.asked).to_have_attribute("aria-invalid", "true")
    bench.ask("vivid reddish orange")
    by_name = bench.shown()
    bench.ask("css:tomato")
    shown = bench.shown(other_than=by_name.evidence_id)

    # A file that cannot be read leaves the image that is open, and its verdict.
    bench.choose(b"no image", "broken.png")
    expect(bench.message).to_contain_text("broken.png")
    expect(bench.stage.locator(".th-stage-name")).to_have_text("unknown.png")
    assert bench.shown() == shown
    bench.button("Close this message").click()
    expect(bench.message).to_be_hidden()

    expect(page).to_have_url(re.compile("css:tomato"))
    again = Workbench(visit(page.url.replace("css:tomato", "css:tomatto")))
    expect(again.problem()).to_contain_text("tomato")
    expect(again.verdict.locator(".th-headline")).to_contain_text("Not scored")
    again.ask("css:tomato")
    assert again.shown() == shown


def test_a_link_to_an_image_that_is_not_stored_says_so(app: App, visit: Visit) -> None:
    for image in ("f" * 16, "no-image-at-all"):
        bench = Workbench(visit(f"{app.address}/?tab=inspect&image={image}&target=css:red"))
        expect(bench.message).to_contain_text("This link cannot be opened here")
        expect(bench.message).to_contain_text(image)
    goes_on(bench)


def test_marks_that_leave_nothing_are_explained(app: App, visit: Visit) -> None:
    bench = Workbench(visit(app.address))
    bench.open(of_its_own(36), "erased.png")
    bench.ask("css:tomato")
    bench.mark("Brush", (200, 200), (230, 200))
    bench.shown()
    bench.page.locator("#stage .th-stage-brush-size").fill("80")
    bench.mark("Erase", (190, 200), (240, 200))
    expect(bench.message).to_contain_text("leave no pixel")
    expect(bench.verdict.locator(".th-headline")).to_contain_text("Not scored")
    bench.button("Undo").click()
    bench.shown()
    expect(bench.message).to_be_hidden()


# ── keyboard, names, grays ──────────────────────────────────────────────────────────────────────


def test_the_tools_are_chosen_by_keys_and_a_box_of_no_size_is_no_mark(
    app: App, visit: Visit
) -> None:
    page = visit(app.address)
    bench = Workbench(page)
    bench.open(of_its_own(37), "keys.png")
    page.mouse.click(*bench.at(100, 100))
    expect(bench.stage.locator(".th-stage-status")).to_contain_text("Drag to draw a box")
    expect(bench.mask).to_have_text("Nothing is marked yet")
    for key, tool in (("k", "keep"), ("c", "cut"), ("p", "brush"), ("e", "erase"), ("b", "box")):
        page.keyboard.press(key)
        pressed = bench.stage.locator("[data-tool][aria-pressed=true]")
        expect(pressed).to_have_count(1)
        expect(pressed).to_have_attribute("data-tool", tool)
    page.keyboard.press("w")
    expect(bench.mask).to_have_text("Whole image · 208,000 px · 100.0%")
    page.keyboard.press("Control+z")
    expect(bench.mask).to_have_text("Nothing is marked yet")
    size = page.locator("#stage .th-stage-brush-size")
    before = int(size.input_value())
    page.keyboard.press("]")
    assert int(size.input_value()) > before
    page.keyboard.press("[")
    page.keyboard.press("[")
    assert int(size.input_value()) < before
    # Keys that are typed into a field are letters.
    bench.object_name.click()
    page.keyboard.type("keep cup")
    expect(bench.object_name).to_have_value("keep cup")
    expect(bench.stage.locator("[data-tool=box]")).to_have_attribute("aria-pressed", "true")


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
    found = [
        f"{node['role']['value']}: {source(node)}"
        for node in controls
        if not node.get("name", {}).get("value", "").strip()
        # Drawings without a name are Gradio's sign of loading and plotly's measure of letters.
        and not source(node).startswith("<svg")
    ]
    session.detach()
    return found


def test_everything_that_can_be_pressed_has_a_name(app: App, visit: Visit) -> None:
    page = visit(app.address)
    bench = Workbench(page)
    assert nameless(page) == []
    bench.open(of_its_own(38), "named.png")
    bench.ask("css:tomato")
    bench.button("Whole image").click()
    bench.shown()
    page.get_by_role("button", name="Settings of the rule").click()
    expect(page.locator("#neighbors input[type=number]")).to_be_visible()
    assert nameless(page) == []
    bench.stage.locator("[data-action=browse]:visible").click()
    expect(page.locator(".th-library-item").first).to_be_visible()
    assert nameless(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Generate").click()
    tab = GeneratePage(page)
    tab.facet("Color system")
    assert nameless(page) == []
    page.get_by_role("button", name="Bring your own images").click()
    expect(page.get_by_role("dialog", name="Bring your own images")).to_be_visible()
    assert nameless(page) == []


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


def gray(where: Locator) -> int:
    """The one number of the exactly neutral background that something lies on."""
    color = str(where.evaluate(BEHIND))
    numbers = re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", color)
    assert numbers is not None, f"{color} is not opaque"
    assert len(set(numbers.groups())) == 1, f"{color} is not neutral"
    return int(numbers[1])


THEMES = ("dark", "light")


def themes(page: Page) -> Iterator[str]:
    """The page as it stands in one theme after the other, by the sign that the button sets."""
    for theme in THEMES:
        page.evaluate("on => document.body.classList.toggle('dark', on)", theme == "dark")
        page.wait_for_timeout(400)  # colors may fade over
        yield theme


def test_nothing_on_the_page_tints_what_is_judged(app: App, visit: Visit) -> None:
    page = visit(f"{app.address}/?__theme=light")
    bench = Workbench(page)
    for theme in themes(page):
        assert page.evaluate(TINTS) == [], theme
    bench.open(of_its_own(39), "neutral.png")
    bench.ask("css:tomato")
    bench.button("Whole image").click()
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
            page.wait_for_timeout(400)  # the surround may fade over
            assert gray(bench.picture) == level
    page.get_by_role("tab", name="Generate").click()
    tab = GeneratePage(page)
    tab.facet("Color system")
    tab.mode("Own words")
    tab.choose("generate-size", "256 × 256")
    tab.drawn(tab.draw())
    expect(tab.shots.first.locator("img")).to_be_visible()
    for theme in themes(page):
        assert page.evaluate(TINTS) == [], theme
        assert gray(tab.shots.first.locator("img")) == 0x77


def test_the_chosen_page_and_surround_stay_in_this_browser(app: App, visit: Visit) -> None:
    page = visit(app.address)
    Workbench(page)
    was_dark = "dark" in (page.locator("body").get_attribute("class") or "")
    page.get_by_role("button", name="Light or dark page").click()
    page.get_by_role("button", name="dark gray", exact=True).click()
    page.reload()
    bench = Workbench(page)
    expect(bench.page.get_by_role("button", name="dark gray", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    assert ("dark" in (page.locator("body").get_attribute("class") or "")) is not was_dark


def test_a_tab_that_is_clicked_at_once_stays_in_front(app: App, visit: Visit) -> None:
    """What the page still loads must not throw a quick person back."""
    page = visit(app.address, wait_until="commit", fresh=True)
    # A slow line: 300 ms there and back.
    slow = {"offline": False, "latency": 300, "downloadThroughput": -1, "uploadThroughput": -1}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", slow)
    tab = page.get_by_role("tab", name="Generate")
    tab.click()
    page.wait_for_timeout(2500)  # by then the page has asked for all that it wants
    expect(tab).to_have_attribute("aria-selected", "true")


def test_a_picture_is_what_the_stage_shows_after_the_tab_was_left(app: App, visit: Visit) -> None:
    """The address always opens what is on screen, whichever tab is in front."""
    page = visit(app.address)
    bench = Workbench(page)
    bench.open(of_its_own(40), "tabs.png")
    bench.ask("css:tomato")
    bench.button("Whole image").click()
    shown = bench.shown()
    inspected = page.url
    page.get_by_role("tab", name="Generate").click()
    tab = GeneratePage(page)
    tab.mode("Own words")
    expect(page).to_have_url(re.compile("tab=generate"))
    page.get_by_role("tab", name="Inspect").click()
    expect(page).to_have_url(inspected)
    assert bench.shown() == shown
    assert parse_qs(urlsplit(inspected).query)["tab"] == ["inspect"]


def test_a_cutout_brings_its_mask(app: App, visit: Visit) -> None:
    srgb8, truth = still_life(seed=41)
    out = io.BytesIO()
    alpha = np.where(truth, 255, 0).astype(np.uint8)
    Image.fromarray(np.dstack([srgb8, alpha])).save(out, format="PNG")
    bench = Workbench(visit(app.address))
    bench.open(out.getvalue(), "cutout.png")
    expect(bench.mask).to_contain_text("From the file's transparency")
    assert bench.mask_px() == np.count_nonzero(truth)
    bench.rule("paper")
    bench.ask("vivid reddish orange")
    laid = np.where(truth[..., None], srgb8, 255).astype(np.uint8)
    found = measure(laid, truth, parse_target("l3:Vivid reddish orange"), "paper")
    assert bench.shown().metrics == texts(found)
