"""A figure of Failures that is clicked: the parts that plotly draws are where it says."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.running import App, running
from tests.storage.run_samples import fill
from truehue.storage import Storage

pytestmark = pytest.mark.browser

WALL = "/?tab=explore&view=failures&status=all"
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
    return page.locator(".th-failures-count")


def click_at(page: Page, name: str, x: float, y: float) -> None:
    """Clicks on a point of a figure, in the numbers of its axes."""
    evaluation = page.evaluate(
        """([name, x, y]) => {
          const node = document.querySelector(`.th-analysis[data-figure=${name}] > .th-figure`);
          const { xaxis, yaxis } = node._fullLayout, box = node.getBoundingClientRect();
          return [box.left + xaxis._offset + xaxis.l2p(x), box.top + yaxis._offset + yaxis.l2p(y)];
        }""",
        [name, x, y],
    )
    page.mouse.move(*evaluation)
    page.mouse.click(*evaluation)


def test_a_click_into_the_figure_opens_the_pictures_of_one_run(visit: Visit, started: App) -> None:
    page = visit(started.address + WALL)
    box = analysis(page, "categories")
    expect(shown(page)).to_have_text(f"{2 * PICTURES} images", timeout=DRAWN_MS)
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
    expect(shown(page)).not_to_have_text(f"{2 * PICTURES} images")
    # Both runs stay in the figure where one was chosen.
    rows = box.locator("> .th-figure .ytick text")
    expect(rows).to_have_count(8)
    # The second click is into the figure of the choice, not into the one that is being replaced.
    expect(box).not_to_have_attribute("aria-busy", "true")
    expect(box.locator("> .th-figure .xtick text")).to_have_text(names)
    click_at(page, "categories", names.index(category.split()[0]), 3)
    expect(shown(page)).to_have_text(f"{2 * PICTURES} images")
    assert run in rows.all_text_contents()[0]
    # Figures follow the page from light to dark.
    tick = box.locator("> .th-figure .xtick text").first
    ink = tick.evaluate("node => getComputedStyle(node).fill")
    page.locator(".th-theme").click()
    expect(tick).not_to_have_css("fill", ink)
