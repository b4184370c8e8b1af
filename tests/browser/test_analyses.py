"""The linked analyses as a person uses them: a part of a figure narrows the wall, and back."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from storage import Storage
from tests.browser.conftest import Visit
from tests.running import App, running
from tests.storage.run_samples import fill

pytestmark = pytest.mark.browser

WALL = "/?tab=explore&view=wall&status=all"
PICTURES = 140
DRAWN_MS = 60_000


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app with two runs of 140 pictures."""
    data = tmp_path_factory.mktemp("analyses") / "data"
    with Storage.open(data) as storage:
        fill(storage, data / "runs", prompts=PICTURES, images=1)
    with running(data) as app:
        yield app


def analysis(page: Page, name: str) -> Locator:
    """A figure that is drawn."""
    box = page.locator(f".th-analysis[data-figure={name}]")
    expect(box.locator(".th-figure .main-svg").first).to_be_visible(timeout=DRAWN_MS)
    expect(box).not_to_have_attribute("aria-busy", "true")
    return box


def shown(page: Page) -> Locator:
    return page.locator(".th-wall-count")


def click_at(page: Page, name: str, x: float, y: float) -> None:
    """Clicks on a point of a figure, in the numbers of its axes."""
    at = page.evaluate(
        """([name, x, y]) => {
          const node = document.querySelector(`.th-analysis[data-figure=${name}] > .th-figure`);
          const { xaxis, yaxis } = node._fullLayout, box = node.getBoundingClientRect();
          return [box.left + xaxis._offset + xaxis.l2p(x), box.top + yaxis._offset + yaxis.l2p(y)];
        }""",
        [name, x, y],
    )
    page.mouse.move(*at)
    page.mouse.click(*at)


def test_a_cell_narrows_the_wall_is_marked_and_a_second_click_takes_it_back(
    visit: Visit, started: App
) -> None:
    page = visit(started.address + WALL + "&fig=confusion,hues")
    box = analysis(page, "hues")
    everything = shown(page)
    expect(everything).to_have_text(f"{2 * PICTURES} pictures", timeout=DRAWN_MS)
    box.get_by_role("button", name="As a table").click()
    first = box.locator("tbody button").first
    pick = first.get_attribute("data-pick")
    words = box.locator(".th-analysis-stands").inner_text()
    confusion = analysis(page, "confusion").locator(".th-analysis-stands")
    of_all = confusion.inner_text()

    first.click()
    expect(page).to_have_url(re.compile(r"sector=\d+|sector=neutral"))
    expect(everything).not_to_have_text(f"{2 * PICTURES} pictures")
    expect(everything).to_have_text(re.compile(r"^\d+ pictures?$"))
    chosen = box.locator(f"tbody button[data-pick='{pick}']").first
    expect(chosen).to_have_attribute("aria-pressed", "true")
    expect(chosen).to_be_focused()
    # It stands on as much as before, so that another hue can be taken; the other figure does not.
    assert box.locator(".th-analysis-stands").inner_text() == words
    expect(confusion).not_to_have_text(of_all)

    chosen.press("Enter")
    expect(everything).to_have_text(f"{2 * PICTURES} pictures")
    expect(page).not_to_have_url(re.compile("sector="))
    expect(confusion).to_have_text(of_all)


def test_a_click_into_the_figure_opens_the_pictures_of_one_run_and_its_link_opens_again(
    visit: Visit, started: App
) -> None:
    page = visit(started.address + WALL)
    box = analysis(page, "categories")
    expect(shown(page)).to_have_text(f"{2 * PICTURES} pictures", timeout=DRAWN_MS)
    box.get_by_role("button", name="As a table").click()
    row = box.locator("tbody tr").filter(has=page.locator("button")).filter(has_text="overall")
    label = row.first.locator("button").get_attribute("aria-label") or ""
    run, system, category = label.split(", ", 2)
    assert system == "overall"
    # The last row of the first run is its mean; the table tells which column has one.
    names = box.locator("> .th-figure .xtick text").all_text_contents()
    click_at(page, "categories", names.index(category.split()[0]), 3)
    # The mean of the three stands on these, so these are opened.
    opened = re.compile("runs=[0-9a-f]{16}&task=cna&system=l2,l3,css&category=")
    expect(page).to_have_url(opened)
    match = re.search(r"runs=([0-9a-f]{16})", page.url)
    assert match is not None
    expect(shown(page)).not_to_have_text(f"{2 * PICTURES} pictures")
    # Both runs stay in the figure where one was chosen.
    rows = box.locator("> .th-figure .ytick text")
    expect(rows).to_have_count(8)
    with_other = visit(page.url)
    expect(shown(with_other)).to_have_text(shown(page).inner_text(), timeout=DRAWN_MS)
    again = analysis(with_other, "categories")
    expect(again.locator("> .th-figure .ytick text")).to_have_count(4)

    click_at(page, "categories", names.index(category.split()[0]), 3)
    expect(shown(page)).to_have_text(f"{2 * PICTURES} pictures")
    assert run in rows.all_text_contents()[0]


def test_two_figures_at_a_time_and_the_link_names_them(visit: Visit, started: App) -> None:
    page = visit(started.address + WALL + "&fig=drift")
    analysis(page, "drift").get_by_role("button", name="Each color").click()
    names = page.locator(".th-analyses-names")
    names.get_by_role("button", name="Rules").click()
    expect(page).to_have_url(re.compile("fig=drift,rules&by=colors"))
    names.get_by_role("button", name="Found colors").click()
    expect(page.locator(".th-analysis")).to_have_count(2)
    names.get_by_role("button", name="Found colors").click()
    expect(page.locator(".th-analysis")).to_have_count(1)
    again = visit(page.url)
    analysis(again, "rules").get_by_role("button", name="Where the rules disagree").click()
    expect(again).to_have_url(re.compile("view=audit"))


def test_the_svg_stands_by_itself_on_white(visit: Visit, started: App, tmp_path: Path) -> None:
    page = visit(started.address + WALL + "&fig=found&__theme=dark", accept_downloads=True)
    box = analysis(page, "found")
    with page.expect_download() as download:
        box.get_by_role("button", name="SVG").click()
    assert download.value.suggested_filename == "truehue-found-truehue.svg"
    download.value.save_as(tmp_path / "found.svg")
    text = (tmp_path / "found.svg").read_text("utf-8")
    assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(--" not in text
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", text)
    assert "Objects: which colors are measured most often?" in text
    # Ink of the light page, also from the dark one.
    assert "rgb(28, 28, 28)" in text
    assert "rgb(236, 236, 236)" not in text
    with page.expect_download() as download:
        box.get_by_role("link", name="CSV").click()
    download.value.save_as(tmp_path / "found.csv")
    assert (tmp_path / "found.csv").read_text().startswith("rule,unscored_are,category,found_l2,")


def test_a_narrow_page_takes_turns_and_is_not_wider_than_the_window(
    visit: Visit, started: App
) -> None:
    page = visit(started.address + WALL + "&fig=modifiers")
    page.set_viewport_size({"width": 390, "height": 800})
    page.get_by_role("button", name="Figures", exact=True).click()
    box = analysis(page, "modifiers")
    for name in ("Categories", "Hue and chroma", "Rules", "Asked and found", "Drift"):
        page.locator(".th-analyses-names").get_by_role("button", name=name, exact=True).click()
    analysis(page, "drift")
    wider = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wider <= 0
    assert box.count() == 0
    width = page.locator(".th-analysis .main-svg").first.bounding_box()
    assert width is not None
    assert width["width"] <= 390


def test_a_selection_without_measured_colors_says_so(visit: Visit, started: App) -> None:
    found = started.ask("/api/explore/figures/drift?by=colors&sector=0").json["picks"]
    color = quote(found[0]["color"])
    page = visit(started.address + WALL + f"&fig=confusion&sector=180&color={color}")
    empty = page.locator(".th-analysis-empty")
    expect(empty).to_contain_text("Nothing was measured in this selection", timeout=DRAWN_MS)
    expect(page.locator(".th-analysis-foot")).to_be_hidden()
    page.get_by_role("button", name="Clear all").click()
    analysis(page, "confusion")
    expect(empty).to_be_hidden()
