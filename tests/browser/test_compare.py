"""Compare as a person uses it: two photographs, what moves between them, and tables of many."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.axe import barriers
from tests.browser.conftest import Visit
from tests.browser.still_life import still_life
from tests.concept_runs import concept_run, palettes_csv
from tests.running import App, running
from tests.salient import needs_weights
from truehue.core.concepts.reading import read_distributions
from truehue.core.generation.weights.carried import U2NETP
from truehue.core.records import GenerationRecord
from truehue.storage import Storage

pytestmark = pytest.mark.browser

SHOWN_MS = 60_000
# Runs are measured beside Chromium on two cores.
WORK_MS = 180_000
SENTENCE = "A natural photo of a banana, centered composition."
GAPS = """() => {
  const strip = document.querySelector('.th-people-set .th-people-strip');
  const all = [...strip.children].map((one) => one.getBoundingClientRect());
  return Math.max(...all.slice(1).map((one, at) => Math.abs(one.left - all[at].right)));
}"""


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app with two small runs and people's colors from a file."""
    data = tmp_path_factory.mktemp("compare") / "data"
    with Storage.open(data) as storage:
        for failure in ("none", "modifier-ignored"):
            storage.runs.ingest(concept_run(data / "runs", failure, guidances=(3.0, 7.0), seeds=1))
        file = read_distributions("palettes.csv", palettes_csv())
        storage.distributions.add(file, "Our palettes", "palettes.csv", "made", of_people=True)
    with running(data) as app:
        yield app


def photograph(name: str, albedo: tuple[int, int, int], seed: int) -> FilePayload:
    """A photograph without a mask or transparency."""
    out = io.BytesIO()
    Image.fromarray(still_life(albedo, seed)[0]).save(out, format="PNG")
    return {"name": name, "mimeType": "image/png", "buffer": out.getvalue()}


def drawn(view: Locator, name: str) -> Locator:
    figure = view.locator(f'.th-concept-figure[data-figure="{name}"]')
    expect(figure.locator(".main-svg").first).to_be_visible(timeout=SHOWN_MS)
    return figure


def saved(page: Page, press: Locator) -> tuple[str, bytes]:
    with page.expect_download(timeout=SHOWN_MS) as waiting:
        press.click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def measured(page: Page, view: str) -> Locator:
    """The view, once all that it needs is measured."""
    box = page.locator(f"#compare-{view} .th-numbers")
    expect(box.locator(".th-numbers-published h3")).to_be_visible(timeout=WORK_MS)
    fill = box.locator(".th-numbers-fill")
    if fill.is_visible():
        fill.click()
        expect(box.locator(".th-job-words")).to_contain_text("measured and saved", timeout=WORK_MS)
    expect(fill).to_be_hidden(timeout=WORK_MS)
    return box


def test_two_photographs_are_compared_marked_and_come_back(visit: Visit, started: App) -> None:
    page = visit(started.address + "/?tab=compare&view=concept")
    view = page.locator(".th-concept")
    expect(view.locator(".th-concept-concept").first).to_be_visible(timeout=SHOWN_MS)
    expect(view.locator(".th-concept-drop")).to_be_in_viewport()
    red = photograph("red jar.png", (200, 70, 40), 1)
    blue = photograph("blue jar.png", (40, 80, 190), 2)
    view.locator(".th-concept-drop input").set_input_files([red, blue])
    sources = view.locator(".th-concept-source")
    expect(sources).to_have_count(2, timeout=SHOWN_MS)
    distance = view.locator(".th-concept-table tbody tr td").nth(1).locator("b")
    expect(distance).to_have_text(re.compile(r"^\d+\.\d$"), timeout=SHOWN_MS)
    whole = float(distance.inner_text())
    # What moves is the first view of two; the ribbons are drawn.
    pair = drawn(view, "mirrored")
    expect(pair.locator(".shapelayer path[fill-rule]").nth(1)).to_be_attached()
    assert pair.bounding_box()["y"] < drawn(view, "histograms").bounding_box()["y"]  # type: ignore[index]

    # A bin is named at the arrow keys, and marked where it is in the other figures.
    pair.focus()
    page.keyboard.press("ArrowRight")
    tip = view.locator(".th-concept-tip")
    expect(tip).to_contain_text("Bin ")
    expect(view.locator('[data-figure="histograms"] .th-concept-column')).to_have_count(1)
    color = re.search(r"#[0-9A-Fa-f]{6}", tip.inner_text())
    assert color is not None
    fills = drawn(view, "histograms").evaluate(
        """node => [...node.querySelectorAll('.trace.bars .point path')]
             .map(bar => getComputedStyle(bar).fill)"""
    )
    channels = (int(color[0][index : index + 2], 16) for index in (1, 3, 5))
    assert f"rgb({', '.join(map(str, channels))})" in fills
    page.keyboard.press("Escape")

    # The figures come as files that stand by themselves.
    name, content = saved(page, view.locator('.th-concept-svg[data-of="flow"]'))
    assert name == "truehue-images-flow.svg"
    assert content.startswith(b"<svg")
    assert b"var(--" not in content
    name, content = saved(page, view.locator('.th-concept-png[data-of="flow"]'))
    assert name == "truehue-images-flow.png"
    assert content.startswith(b"\x89PNG")

    # A box around a jar, by keyboard: then it alone counts.
    sources.first.get_by_role("button", name="Select the object in A").click()
    dialog = page.get_by_role("dialog", name="Select the object")
    stage = dialog.get_by_role("group", name=re.compile("arrow keys"))
    expect(stage).to_be_focused()
    for side, value in (("Left", 165), ("Top", 80), ("Right", 375), ("Bottom", 345)):
        dialog.get_by_label(side).fill(str(value))
        dialog.get_by_label(side).press("Tab")
    expect(dialog.get_by_role("status")).to_contain_text("GrabCut · box", timeout=SHOWN_MS)
    dialog.get_by_role("button", name="Use this box").click()
    expect(sources.first).to_contain_text("GrabCut · box", timeout=SHOWN_MS)
    expect(distance).not_to_have_text(f"{whole:.1f}")
    marked = distance.inner_text()

    # Inspect marks finer, and Back returns to the comparison.
    view.get_by_role("button", name="Change the selection in A").click()
    page.get_by_role("button", name="Select in Inspect").click()
    inspect = page.get_by_role("tab", name="Inspect")
    expect(inspect).to_have_attribute("aria-selected", "true", timeout=SHOWN_MS)
    expect(page).to_have_url(re.compile("tab=inspect.*image="), timeout=SHOWN_MS)
    page.go_back()
    if "tab=compare" not in page.url:  # the room, then the image in it
        page.go_back()
    expect(page).to_have_url(re.compile("tab=compare"))
    expect(view.locator(".th-concept-source")).to_have_count(2, timeout=SHOWN_MS)
    expect(view.locator(".th-concept-table")).to_contain_text(marked)

    # Strips of people's colors are touching bins.
    page.get_by_role("tab", name="People and files").click()
    people = page.locator(".th-people-set")
    people.get_by_role("button", name="Show concepts").click()
    expect(people.locator(".th-people-strip").first).to_be_visible(timeout=SHOWN_MS)
    assert page.evaluate(GAPS) < 0.05


def test_no_view_over_many_concepts_keeps_anybody_out(visit: Visit, started: App) -> None:
    page = visit(started.address + "/?tab=compare&view=tables")
    names = {"tables": "Tables", "modifiers": "Modifiers", "guidance": "Guidance and size"}
    for view, name in names.items():
        page.set_viewport_size({"width": 1360, "height": 1000})
        page.get_by_role("tab", name=name, exact=True).click()
        box = measured(page, view)
        if view != "tables":
            expect(box.locator(".main-svg").first).to_be_visible(timeout=SHOWN_MS)
        assert barriers(page) == []


@needs_weights
def test_images_without_a_run_get_their_row_in_the_tables(visit: Visit, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Storage.open(data) as storage:
        file = read_distributions("palettes.csv", palettes_csv())
        storage.distributions.add(file, "Our palettes", "palettes.csv", "made", of_people=True)
        srgb8, _ = still_life((228, 200, 40), 1)
        image = storage.images.add(srgb8, SENTENCE, "generated")
        record = GenerationRecord(SENTENCE, "hub:a/b", seed=1, image_id=image.image_id)
        storage.drawings.add(record)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(U2NETP.variable)
        with running(data) as app:
            page = visit(app.address + "/?tab=compare&view=tables")
            outside = page.locator("#compare-tables .th-numbers-outside")
            expect(outside).to_contain_text(
                "1 image of concepts by a/b has no row", timeout=SHOWN_MS
            )
            outside.get_by_role("button", name="Add the row").click()
            numbers = page.locator("#compare-tables .th-tables-both tbody tr", has_text="a/b")
            expect(numbers.first).to_contain_text(re.compile(r"\d\.\d{3}"), timeout=WORK_MS)
            expect(outside).to_be_hidden()
