"""One concept in Compare as a person uses it: import, choose, compare, look, take away."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Locator, Page, expect

from core.color.uw71 import uw71
from tests.browser.conftest import Visit
from tests.browser.still_life import still_life
from tests.running import App, running

pytestmark = pytest.mark.browser

VIEW = "/?tab=compare&view=concept"
SHOWN_MS = 60_000
YELLOW, BROWN, GREEN = 69, 37, 40
REAL = "human_uw71/uw71_all_concept_ratings.csv"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app of its own: it begins with nothing."""
    with running(tmp_path_factory.mktemp("compare") / "data") as app:
        yield app


def ratings() -> FilePayload:
    """A file of ratings as it is published: 71 columns by index, 0 to 1, a concept a row; the real
    one where the environment says where it is."""
    shared = os.environ.get("TRUEHUE_SHARED_DATA")
    if shared and (Path(shared) / REAL).is_file():
        return payload("ratings.csv", (Path(shared) / REAL).read_bytes(), "text/csv")
    rng = np.random.default_rng(3)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["", *range(71)])
    for words, fullest in (("banana", YELLOW), ("mango", GREEN), ("justice", BROWN)):
        row = rng.uniform(0.05, 0.3, 71)
        row[fullest] = 0.95
        writer.writerow([words, *(f"{value:.6f}" for value in row)])
    return payload("ratings.csv", out.getvalue().encode(), "text/csv")


def import_ratings(started: App) -> None:
    """The file of ratings as a set of people's; it is stored once, however often it is imported."""
    sets = f"/api/compare/sets/distributions/{uuid4().hex}"
    head = {"X-TrueHue": "1", "X-File-Name": "ratings.csv", "Content-Type": "application/json"}
    assert started.ask(sets, ratings()["buffer"], head).status == 200
    options = {"normalize": True, "of_people": True, "name": "ratings"}
    assert started.ask(f"{sets}/store", json.dumps(options).encode(), head).status == 200


def payload(name: str, content: bytes, kind: str) -> FilePayload:
    return {"name": name, "mimeType": kind, "buffer": content}


def cut_out(name: str, index: int, seed: int) -> FilePayload:
    """A thing in the colors around a bin, cut out: what is around it is transparent."""
    rows, columns = np.mgrid[:96, :128]
    inside = ((rows - 48) / 30.0) ** 2 + ((columns - 64) / 46.0) ** 2 < 1.0
    rng = np.random.default_rng(seed)
    color = np.array(uw71()[index].srgb8) + rng.normal(0.0, 3.0, (96, 128, 3))
    pixels = np.dstack([np.clip(color, 0, 255), np.where(inside, 255, 0)]).astype(np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, format="PNG")
    return payload(name, out.getvalue(), "image/png")


def opened(page: Page) -> Locator:
    view = page.locator(".th-cc")
    expect(view.locator(".th-cc-concept").first).to_be_visible(timeout=SHOWN_MS)
    return view


def add_pictures(view: Locator, files: list[FilePayload]) -> None:
    """Pictures come a row each, and are pooled into one row by a press."""
    before = view.locator(".th-cc-source").count()
    view.locator(".th-cc-drop input").set_input_files(files)
    expect(view.locator(".th-cc-source")).to_have_count(before + len(files), timeout=SHOWN_MS)
    view.get_by_role("button", name=f"Pool these {len(files)} images into one row").click()
    view.get_by_role("button", name="Pool them").click()
    expect(view.locator(".th-cc-source")).to_have_count(before + 1, timeout=SHOWN_MS)


def photograph(name: str, albedo: tuple[int, int, int], seed: int) -> FilePayload:
    """A photograph without a mask or transparency."""
    out = io.BytesIO()
    Image.fromarray(still_life(albedo, seed)[0]).save(out, format="PNG")
    return payload(name, out.getvalue(), "image/png")


def drawn(view: Locator, name: str) -> Locator:
    figure = view.locator(f'.th-cc-figure[data-figure="{name}"]')
    expect(figure.locator(".main-svg").first).to_be_visible(timeout=SHOWN_MS)
    return figure


def saved(page: Page, press: Locator) -> tuple[str, bytes]:
    with page.expect_download(timeout=SHOWN_MS) as waiting:
        press.click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def test_people_against_two_sets_of_images(visit: Visit, started: App) -> None:
    page = visit(started.address + VIEW)
    view = opened(page)
    # Nothing is here yet: what to do first is said.
    expect(view.locator(".th-cc-start")).to_be_visible()
    expect(view.get_by_role("button", name="Start a concept run")).to_be_visible()
    # A concept is found by typing.
    view.get_by_role("searchbox").fill("banan")
    expect(view.locator(".th-cc-list .th-cc-concept")).to_have_count(6)
    page.keyboard.press("Enter")
    expect(view.locator(".th-cc-words")).to_have_text("banana")
    expect(view.locator(".th-cc-start")).to_be_hidden()
    expect(view.locator(".th-cc-no-people")).to_contain_text("No people's colors of this concept")
    # Ratings are no shares: the file is taken once that is said.
    view.locator(".th-cc-drop input").set_input_files([ratings()])
    view.get_by_role("button", name="Add", exact=True).click()
    view.get_by_role("button", name="These are ratings: normalize them").click()
    people = view.locator(".th-cc-source").first
    expect(people).to_contain_text("ratings, normalized", timeout=SHOWN_MS)
    expect(view.locator(".th-cc-no-people")).to_be_hidden()
    add_pictures(view, [cut_out(f"yellow-{n}.png", YELLOW, n) for n in range(4)])
    add_pictures(view, [cut_out(f"brown-{n}.png", BROWN, n) for n in range(3)])
    expect(view.locator(".th-cc-source").nth(2)).to_contain_text("3 images")

    # Histograms in the colors of the bins.
    figure = drawn(view, "histograms")
    fills = figure.evaluate(
        """node => [...node.querySelectorAll('.trace.bars .point path')]
             .map(bar => getComputedStyle(bar).fill)"""
    )
    red, green, blue = uw71()[YELLOW].srgb8
    assert f"rgb({red}, {green}, {blue})" in fills

    # All pairs have numbers, and intervals come after.
    rows = view.locator(".th-cc-table tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(2).locator("td").nth(1).locator(".th-cc-span")).to_have_text(
        re.compile(r"[\d.]+ to [\d.]+"), timeout=SHOWN_MS
    )
    expect(view.locator(".th-cc-notes")).to_contain_text("is kept as it is")
    heading = view.locator(".th-cc-table thead th").filter(has_text="EMD")
    expect(heading).to_have_attribute("title", re.compile(r"Σ mass × distance.*equation 2", re.S))

    # The two sets of images are the pair: everything goes from yellow to brown.
    rows.nth(2).get_by_role("button").first.click()
    expect(rows.nth(2).locator(".th-cc-pair-button")).to_have_attribute("aria-pressed", "true")
    move = view.locator(".th-cc-moves-list li").first
    expect(move).to_contain_text(
        f"100.0% from {uw71()[YELLOW].name} to {uw71()[BROWN].name}", timeout=SHOWN_MS
    )
    distance = float(np.linalg.norm(np.subtract(uw71()[YELLOW].lab, uw71()[BROWN].lab)))
    expect(move).to_contain_text(f"{distance:.1f} Lab")
    flow = drawn(view, "flow")
    expect(flow.locator(".shapelayer path")).to_have_count(1)

    # A bin below the mouse is named, and marked in the other figures.
    tip = view.locator(".th-cc-tip")
    pair = drawn(view, "mirrored")
    pair.focus()
    names = []
    for _ in range(71):
        page.keyboard.press("ArrowRight")
        names.append(tip.locator("b").inner_text())
        if names[-1] == uw71()[YELLOW].name:
            break
    expect(tip).to_contain_text(f"Bin {YELLOW} · {uw71()[YELLOW].hex}")
    expect(tip.locator("tr").nth(1)).to_have_text(re.compile(r"B.*100\.0%"))
    expect(view.locator('[data-figure="histograms"] .th-cc-column')).to_have_count(1)
    expect(view.locator('[data-figure="map"] .th-cc-ring')).to_have_count(1)
    # A click lists its images, and one of them opens in Inspect.
    page.keyboard.press("Enter")
    images = page.get_by_role("dialog", name="Images of a bin")
    expect(images.locator(".th-cc-picture")).to_have_count(4)
    expect(images).to_contain_text("4 of 4 images have pixels nearest to this bin")
    expect(images).to_contain_text("It came as numbers: there are no images to show.")
    images.get_by_role("button", name="Close").click()

    # Swapped, the same has to move the other way; ribbons show it between the histograms.
    view.get_by_role("button", name="Swap the two").click()
    expect(move).to_contain_text(f"100.0% from {uw71()[BROWN].name} to {uw71()[YELLOW].name}")
    view.get_by_role("button", name="Swap the two").click()
    expect(move).to_contain_text(f"100.0% from {uw71()[YELLOW].name} to {uw71()[BROWN].name}")
    view.get_by_role("button", name="What moves").click()
    expect(pair.locator(".shapelayer path[fill-rule]")).to_have_count(3)

    # The figure and the tables come as files.
    name, content = saved(page, view.locator('.th-cc-svg[data-of="flow"]'))
    assert name == "truehue-banana-flow.svg"
    assert content.startswith(b"<svg")
    name, content = saved(page, view.locator('.th-cc-png[data-of="flow"]'))
    assert name == "truehue-banana-flow.png"
    assert content.startswith(b"\x89PNG")
    name, content = saved(page, view.get_by_role("link", name="Numbers as CSV"))
    assert name == "truehue-banana-numbers.csv"
    table = list(csv.DictReader(io.StringIO(content.decode())))
    assert len(table) == 3
    assert float(table[2]["emd"]) == pytest.approx(distance, abs=1e-6)
    assert table[0]["kind_a"] == "ratings, normalized"
    name, content = saved(page, view.get_by_role("link", name="Shares as CSV"))
    assert name == "truehue-banana-histograms.csv"
    shares = list(csv.DictReader(io.StringIO(content.decode())))
    assert float(shares[1][uw71()[YELLOW].hex]) == pytest.approx(1.0, abs=1e-9)

    # The link opens all of it again.
    again = opened(visit(page.url))
    expect(again.locator(".th-cc-source")).to_have_count(3, timeout=SHOWN_MS)
    expect(again.locator(".th-cc-moves-list li").first).to_contain_text(f"{distance:.1f} Lab")
    # A sibling is one click away; what there is not of it is said, not shown as data.
    again.locator(".th-cc-siblings").get_by_role("button", name="rotten").click()
    expect(again.locator(".th-cc-words")).to_have_text("rotten banana")
    expect(again.locator(".th-cc-source")).to_have_count(0)
    expect(again.locator(".th-cc-choices")).to_contain_text("Nothing is stored of this concept yet")


def test_two_photographs_in_one_drop(visit: Visit, started: App) -> None:
    page = visit(started.address + VIEW)
    view = opened(page)
    # There is a place to drop before a concept is chosen.
    expect(view.locator(".th-cc-drop")).to_be_in_viewport()
    red = photograph("red jar.png", (200, 70, 40), 1)
    blue = photograph("blue jar.png", (40, 80, 190), 2)
    view.locator(".th-cc-drop input").set_input_files([red, blue])
    sources = view.locator(".th-cc-source")
    expect(sources).to_have_count(2, timeout=SHOWN_MS)
    expect(sources.first).to_contain_text("red jar")
    # Nothing was refused: the whole picture counts, and the row says so.
    expect(sources.first).to_contain_text("The whole picture counts, background and all.")
    expect(view.get_by_role("alert")).to_have_count(0)
    distance = view.locator(".th-cc-table tbody tr td").nth(1).locator("b")
    expect(distance).to_have_text(re.compile(r"^\d+\.\d$"), timeout=SHOWN_MS)
    whole = float(distance.inner_text())
    # What moves is the first view of two; the ribbons are drawn.
    moves = view.locator(".th-cc-between").get_by_role("button", name="What moves")
    expect(moves).to_have_attribute("aria-pressed", "true")
    pair = drawn(view, "mirrored")
    expect(pair.locator(".shapelayer path[fill-rule]").nth(1)).to_be_attached()
    assert pair.bounding_box()["y"] < drawn(view, "histograms").bounding_box()["y"]  # type: ignore[index]
    # The list of concepts is folded: the figure comes first. No interval: said once.
    expect(view.locator(".th-cc-list")).to_be_hidden()
    expect(view.get_by_role("button", name="Choose a concept")).to_be_visible()
    expect(view.locator(".th-cc-notes p")).to_have_count(1)
    expect(view.locator(".th-cc-notes")).to_have_text(
        "There is no interval: nothing can be resampled. "
        "red jar.png is of one image. blue jar.png is of one image."
    )
    expect(view.locator(".th-cc-span:not(:empty)")).to_have_count(0)

    # A box around each thing, by keyboard: then the jars alone count, and they are further apart.
    for at, letter in enumerate("AB"):
        sources.nth(at).get_by_role("button", name=f"Mark the thing in {letter}").click()
        dialog = page.get_by_role("dialog", name="Mark the thing")
        stage = dialog.get_by_role("group", name=re.compile("arrow keys"))
        expect(stage).to_be_focused()
        left = int(dialog.get_by_label("Left").input_value())
        page.keyboard.press("ArrowRight")
        expect(dialog.get_by_label("Left")).to_have_value(str(left + 10))
        page.keyboard.press("Shift+ArrowLeft")
        for name, value in (("Left", 165), ("Top", 80), ("Right", 375), ("Bottom", 345)):
            dialog.get_by_label(name).fill(str(value))
            dialog.get_by_label(name).press("Tab")
        expect(dialog.get_by_role("status")).to_contain_text("GrabCut · box", timeout=SHOWN_MS)
        dialog.get_by_role("button", name="Use this mark").click()
        expect(sources.nth(at)).to_contain_text("GrabCut · box", timeout=SHOWN_MS)
    expect(distance).not_to_have_text(f"{whole:.1f}")
    marked = float(distance.inner_text())
    assert marked > whole

    # The link opens it again: two rows, their marks, their distance, and what moves.
    again = opened(visit(page.url))
    expect(again.locator(".th-cc-source")).to_have_count(2, timeout=SHOWN_MS)
    expect(again.locator(".th-cc-source").nth(1)).to_contain_text("GrabCut · box")
    expect(again.locator(".th-cc-table tbody tr td").nth(1)).to_contain_text(f"{marked:.1f}")
    expect(drawn(again, "mirrored").locator(".shapelayer path[fill-rule]").nth(1)).to_be_attached()
    # Chosen by hand, the other view is in the link too.
    between = again.locator(".th-cc-between")
    between.get_by_role("button", name="Bins").click()
    expect(again.page).to_have_url(re.compile("between=bins"))
    # The line between the two is left, the ribbons are gone.
    expect(again.locator('[data-figure="mirrored"] .shapelayer path[fill-rule]')).to_have_count(1)
    # Inspect marks finer, and Back returns to the comparison.
    again.get_by_role("button", name="Mark it anew in A").click()
    again.page.get_by_role("button", name="Mark it in Inspect").click()
    inspect = again.page.get_by_role("tab", name="Inspect")
    expect(inspect).to_have_attribute("aria-selected", "true", timeout=SHOWN_MS)
    expect(again.page).to_have_url(re.compile("tab=inspect.*image="), timeout=SHOWN_MS)
    again.page.go_back()
    if "tab=compare" not in again.page.url:  # the room, then the image in it
        again.page.go_back()
    expect(again.page).to_have_url(re.compile("tab=compare"))
    expect(again.locator(".th-cc-source")).to_have_count(2, timeout=SHOWN_MS)
    expect(again.locator(".th-cc-table")).to_contain_text(f"{marked:.1f}")


def test_a_concept_comes_with_its_rows_beside_images_of_ones_own(
    visit: Visit, started: App
) -> None:
    import_ratings(started)
    page = visit(started.address + VIEW)
    view = opened(page)
    view.locator(".th-cc-drop input").set_input_files(
        [photograph("red jar.png", (200, 70, 40), 1), photograph("blue jar.png", (40, 80, 190), 2)]
    )
    labels = view.locator(".th-cc-source-label")
    expect(labels).to_have_text(["red jar.png", "blue jar.png"], timeout=SHOWN_MS)
    view.get_by_role("button", name="Choose a concept").click()
    view.get_by_role("searchbox").fill("mango")
    page.keyboard.press("Enter")
    expect(view.locator(".th-cc-words")).to_have_text("mango")
    expect(labels).to_have_text(["ratings", "red jar.png", "blue jar.png"], timeout=SHOWN_MS)
    expect(view.locator(".th-cc-guests")).to_contain_text("2 images of yours stay beside mango.")
    view.get_by_role("button", name="Remove them").click()
    expect(labels).to_have_text(["ratings"], timeout=SHOWN_MS)
    # Nothing is left: what can be done is said.
    view.get_by_role("button", name="Remove A").click()
    expect(view.locator(".th-cc-nothing")).to_contain_text(
        "Nothing is shown. Add a distribution of mango", timeout=SHOWN_MS
    )
    # The concept is a press from its images.
    view.get_by_role("button", name="Generate this concept").click()
    form = page.locator("#explore-runs form")
    expect(form.get_by_label("Prompt set")).to_have_value("concepts", timeout=SHOWN_MS)
    expect(form.get_by_role("textbox", name="Concepts")).to_have_value("mango")
    expect(form.locator(".th-runs-count")).to_have_text("2 prompts of 2,558", timeout=SHOWN_MS)


def test_what_is_gone_is_told_where_it_stood(visit: Visit, started: App) -> None:
    gone = "set:0123456789abcdef"
    page = visit(f"{started.address}{VIEW}&concept=concept-0060&d={gone},image:00000000")
    view = opened(page)
    sources = view.locator(".th-cc-source")
    expect(sources).to_have_count(2, timeout=SHOWN_MS)
    expect(sources.first.get_by_role("alert")).to_have_text(
        "There is no set '0123456789abcdef' here."
    )
    sources.first.get_by_role("button", name="Remove A").click()
    expect(sources).to_have_count(1)
    assert "0123456789abcdef" not in page.url


def test_steps_open_a_picture_in_inspect(visit: Visit, started: App) -> None:
    page = visit(started.address + VIEW + "&words=plum")
    view = opened(page)
    expect(view.locator(".th-cc-words")).to_have_text("plum", timeout=SHOWN_MS)
    add_pictures(view, [cut_out(f"plum-{n}.png", BROWN, 10 + n) for n in range(2)])
    steps = view.locator(".th-cc-steps")
    expect(steps).to_contain_text("dominant colors within ΔE00 ≤ 12", timeout=SHOWN_MS)
    expect(steps.locator(".th-cc-group")).to_have_count(1)
    expect(steps.locator(".th-cc-merge .th-cc-strip")).to_have_count(2)
    steps.locator(".th-cc-picture").first.click()
    expect(page.get_by_role("tab", name="Inspect")).to_have_attribute(
        "aria-selected", "true", timeout=SHOWN_MS
    )


def test_a_run_of_concepts_is_a_press_away(visit: Visit, app: App) -> None:
    page = visit(app.address + VIEW)
    # Explore was not looked at yet: its form comes with the set chosen.
    view = opened(page)
    view.locator(".th-cc-go-run").evaluate("button => button.click()")
    form = page.locator("#explore-runs form")
    expect(form.get_by_label("Prompt set")).to_have_value("concepts", timeout=SHOWN_MS)
    expect(page).to_have_url(re.compile("tab=explore&view=runs"))


def test_a_link_with_too_much_shows_the_first_six(visit: Visit, app: App) -> None:
    wanted = ",".join(f"image:{number:016x}" for number in range(8))
    page = visit(f"{app.address}{VIEW}&d={wanted}&method=none&sort=none")
    view = page.locator(".th-cc")
    expect(view.locator(".th-cc-source")).to_have_count(6, timeout=SHOWN_MS)
    said = view.locator(".th-cc-said")
    expect(said).to_contain_text("holds 8 distributions: the first six")
    expect(said).to_contain_text("There is no method “none”, which the link asks for")
    expect(said).to_contain_text("There is no order of bins “none”")
    expect(page).not_to_have_url(re.compile("none"))
