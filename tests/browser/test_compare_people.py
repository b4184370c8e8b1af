"""People and files of the Compare tab as a person uses them."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Locator, Page, expect

from tabs.compare.people.examples import EXAMPLES
from tests.browser.conftest import Visit, Watch
from tests.running import App, running

pytestmark = pytest.mark.browser

MADE = {one.file_name: one.make().encode() for one in EXAMPLES}
VIEW = "/?tab=compare&view=people"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app of its own: what is imported stays for the tests after."""
    with running(tmp_path_factory.mktemp("people") / "data") as app:
        yield app


def file(name: str, content: bytes, kind: str = "text/csv") -> FilePayload:
    return {"name": name, "mimeType": kind, "buffer": content}


def sheet(name: str, color: tuple[int, int, int]) -> FilePayload:
    """A colored ellipse with an outline on white paper."""
    rows, columns = np.mgrid[:120, :160]
    inside = ((rows - 60) / 36.0) ** 2 + ((columns - 80) / 52.0) ** 2
    pixels = np.full((120, 160, 3), 255, dtype=np.uint8)
    pixels[inside < 1.1] = 0
    pixels[inside < 1.0] = color
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, format="PNG")
    return file(name, out.getvalue(), "image/png")


def opened(page: Page) -> Locator:
    view = page.locator(".th-people")
    expect(view).to_be_visible()
    return view


def part(view: Locator, name: str) -> Locator:
    return view.locator(f'[data-part="{name}"]')


def entry(view: Locator, name: str) -> Locator:
    return view.locator(".th-people-set").filter(has_text=name)


def sets(app: App) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = app.ask("/api/compare/sets").json["sets"]
    return found


def test_without_people_the_page_says_where_they_can_come_from(visit: Visit, started: App) -> None:
    page = visit(started.address + VIEW)
    view = opened(page)
    expect(view.locator(".th-people-none")).to_contain_text("were not published")
    expect(view.locator(".th-people-empty")).to_be_visible()
    # Every example that the page offers comes down as it is made.
    links = view.locator(".th-people-formats a")
    expect(links).to_have_count(len(EXAMPLES))
    for at, one in enumerate(EXAMPLES):
        with page.expect_download() as got:
            links.nth(at).click()
        assert got.value.suggested_filename == f"truehue-{one.file_name}"
        assert Path(got.value.path()).read_bytes() == MADE[one.file_name]


def test_ratings_are_refused_first_and_taken_by_the_button(visit: Visit, started: App) -> None:
    page = visit(started.address + VIEW)
    view = opened(page)
    box = part(view, "file")
    box.locator("input[type=file]").first.set_input_files(file("mine.csv", MADE["ratings.csv"]))
    # A question, and no error.
    expect(box.get_by_text("What are these numbers?")).to_be_visible()
    expect(box.locator(".th-people-report .th-soft")).to_contain_text("No row of mine.csv sums")
    expect(box.locator(".th-people-report .th-problem")).to_have_count(0)
    expect(box.get_by_role("button", name="Store")).to_be_hidden()
    box.get_by_role("button", name="These are ratings: normalize them").click()
    report = box.locator(".th-people-report")
    expect(report).to_contain_text("Read as ratings.")
    expect(report.locator(".th-people-row")).to_have_count(3)
    assert sets(started) == []  # only looked at
    expect(box.get_by_label("Name")).to_have_value("mine")
    box.get_by_label("Who made it").fill("A lab, 2023")
    box.get_by_role("button", name="Store 3 concepts").click()
    one = entry(view, "mine")
    expect(one).to_contain_text("ratings, normalized to sum 1")
    expect(one).to_contain_text("A lab, 2023")
    expect(one.locator(".th-people-badge")).to_have_text("people")
    expect(view.locator(".th-people-none")).to_be_hidden()
    # Its concepts lie open, in true colors; the strip is one row of touching bins.
    row = one.get_by_role("button", name=re.compile("rotten banana"))
    strip = row.locator(".th-people-strip i")
    expect(strip).to_have_count(71)
    gaps = page.evaluate(
        "() => { const strip = document.querySelector('.th-people-set .th-people-strip'); "
        "const all = [...strip.children].map((one) => one.getBoundingClientRect()); "
        "return Math.max(...all.slice(1).map((one, at) => Math.abs(one.left - all[at].right))); }"
    )
    assert gaps < 0.05
    assert "L*" in (strip.first.get_attribute("title") or "")
    # A concept opens where it can be compared, with this set as a source.
    set_id = sets(started)[0]["set_id"]
    row.click()
    expect(page).to_have_url(re.compile(r"view=concept.*concept=concept-\d+-rotten"))
    expect(page).to_have_url(re.compile("d=set:" + set_id[:16]))


def test_counts_are_taken_by_their_own_button_and_labels_become_sets(
    visit: Visit, started: App
) -> None:
    page = visit(started.address + VIEW)
    view = opened(page)
    box = part(view, "file")
    header = ",".join(map(str, range(71)))
    counts = f"concept,{header}\nbanana,60,40{',0' * 69}\n"
    chosen = box.locator("input[type=file]").first
    chosen.set_input_files(file("counts.csv", counts.encode()))
    box.get_by_role("button", name="These are counts or percent: divide them by their sum").click()
    expect(box.locator(".th-people-report")).to_contain_text("Read as histograms.")
    box.get_by_role("button", name="Store 1 concept").click()
    expect(entry(view, "counts")).to_contain_text("histograms: shares of the UW-71 bins")
    # As the Concept view writes its shares.
    shares = (
        f"concept,label,kind,method,people,{header}\n"
        f"banana,A run,pictures,extracted,0,1,0{',0' * 69}\n"
        f"banana,A lab,ratings,given,20,0.5,0.5{',0' * 69}\n"
    )
    chosen.set_input_files(file("shares.csv", shares.encode()))
    report = box.locator(".th-people-report")
    expect(report.locator(".th-people-row")).to_have_count(2)
    expect(report.locator(".th-people-row").first).to_contain_text("A run")
    box.get_by_role("button", name="Store 2 sets").click()
    expect(box.locator(".th-people-status")).to_contain_text("2 sets are stored")
    expect(box.locator(".th-people-status")).to_contain_text("Of 0 people by the file")
    expect(entry(view, "shares: A run").locator(".th-people-badge")).to_have_text(
        "another measurement"
    )
    expect(entry(view, "shares: A lab")).to_contain_text("ratings, normalized to sum 1")


def test_palettes_bad_files_and_putting_away(visit: Visit, started: App) -> None:
    page = visit(started.address + VIEW)
    view = opened(page)
    box = part(view, "file")
    chosen = box.locator("input[type=file]").first
    before = len(sets(started))
    bad = {
        "empty.csv": b"",
        "picture.csv": b"\x89PNG\r\n\x1a\n\0\0\0",
        "columns.csv": b"concept,c1,c2\nbanana,0.5,0.5\n",
        "broken.json": b'{"banana": [1,',
    }
    for name, content in bad.items():
        chosen.set_input_files(file(name, content))
        expect(box.locator(".th-people-report b").first).to_contain_text(name)
        expect(box.locator(".th-problem")).not_to_be_empty()
        expect(box.get_by_role("button", name="Store")).to_be_hidden()
        box.get_by_role("button", name="Choose another file").click()
    chosen.set_input_files(file("mine.csv", MADE["palettes.csv"]))
    expect(box.locator(".th-people-report")).to_contain_text("Read as palettes.")
    box.get_by_role("button", name="Put away").click()
    expect(box.locator(".th-people-status")).to_contain_text("nothing was stored")
    assert len(sets(started)) == before
    chosen.set_input_files(file("mine.csv", MADE["palettes.csv"]))
    box.get_by_label("Name").fill("Our palettes")
    box.get_by_role("button", name="Another measurement").click()
    box.get_by_role("button", name="Store 3 concepts").click()
    one = entry(view, "Our palettes")
    expect(one.locator(".th-people-badge")).to_have_text("another measurement")
    # Renamed, hidden, and shown again.
    one.get_by_role("button", name="Rename").first.click()
    one.get_by_label("Name of the set").fill("Their palettes")
    one.get_by_label("Name of the set").press("Enter")
    renamed = entry(view, "Their palettes")
    expect(renamed).to_be_visible()
    renamed.get_by_role("button", name="Hide").click()
    expect(renamed).to_have_count(0)
    view.get_by_label("Show hidden (1)").check()
    renamed.get_by_role("button", name="Show again").click()
    expect(view.locator(".th-people-hidden")).to_be_hidden()
    expect(renamed).to_be_visible()


def test_one_distribution_asks_for_its_concept(visit: Visit, started: App) -> None:
    page = visit(started.address + VIEW)
    box = part(opened(page), "file")
    box.locator("input[type=file]").first.set_input_files(file("one.csv", MADE["one.csv"]))
    field = box.get_by_label("Concept of this distribution")
    field.fill("bananna")
    box.get_by_role("button", name="banana", exact=True).click()
    expect(field).to_have_value("banana")
    box.get_by_role("button", name="Read it as this concept").click()
    expect(box.locator(".th-people-report .th-people-row")).to_contain_text("banana")
    box.get_by_role("button", name="Store 1 concept").click()
    expect(box.locator(".th-people-status")).to_contain_text("is stored")


def test_colored_sheets_become_a_set_without_their_paper(visit: Visit, started: App) -> None:
    page = visit(started.address + VIEW)
    view = opened(page)
    view.get_by_role("button", name="Pictures of a concept").click()
    expect(page).to_have_url(re.compile("bring=pictures"))
    box = part(view, "pictures")
    box.locator("input[type=file]").set_input_files(
        [
            sheet("p1_banana.png", (240, 210, 60)),
            sheet("p2_banana.png", (150, 170, 60)),
            file("p3_banana.png", b"\x89PNG\r\n\x1a\nno", "image/png"),
        ]
    )
    cards = box.locator(".th-people-preview")
    expect(cards).to_have_count(3)
    expect(cards.first).to_contain_text("No mask of these pixels is stored")
    field = box.get_by_label("Concept that they show")
    field.fill("rotten ban")
    expect(box.get_by_role("option", name=re.compile("rotten banana"))).to_be_visible()
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("rotten banana")
    box.get_by_role("button", name="Without white paper").click()
    expect(cards.first).to_contain_text("Without the white paper, 3")
    box.get_by_role("button", name="People", exact=True).click()
    box.get_by_label("Who colored which picture").select_option("name")
    expect(cards.first).to_contain_text("by p1")
    box.get_by_role("button", name="Store 2 of 3 pictures").click()
    report = box.locator(".th-people-report")
    expect(report).to_contain_text("rotten banana, 2 pictures: stored with 2 pictures")
    expect(report.locator("li")).to_contain_text("p3_banana.png")
    stored = next(one for one in sets(started) if one["type"] == "pictures")
    assert (stored["contributors"], stored["of_people"]) == (2, True)
    one = entry(view, "rotten banana, 2 pictures")
    expect(one.locator(".th-people-preview")).to_have_count(2)
    report.get_by_role("button", name="Compare now").click()
    expect(page).to_have_url(re.compile("d=pictures:" + stored["set_id"][:16]))


def test_pictures_without_a_mask_wait_for_inspect(visit: Visit, started: App) -> None:
    page = visit(started.address + VIEW + "&bring=pictures")
    view = opened(page)
    box = part(view, "pictures")
    box.locator("input[type=file]").set_input_files([sheet("plain.png", (30, 90, 200))])
    box.get_by_label("Concept that they show").fill("blue moon")
    before = len(sets(started))
    box.get_by_role("button", name="Keep them for Inspect").click()
    report = box.locator(".th-people-report")
    expect(report).to_contain_text("there is no set")
    assert len(sets(started)) == before
    report.get_by_role("button", name="Mark in Inspect").click()
    expect(page).to_have_url(re.compile("tab=inspect"))


def test_one_image_goes_straight_to_its_histogram(visit: Visit, started: App) -> None:
    page = visit(started.address + VIEW + "&bring=image")
    box = part(opened(page), "image")
    box.locator("input[type=file]").set_input_files([sheet("any.png", (200, 40, 40))])
    expect(page).to_have_url(re.compile(r"view=concept.*d=image:[0-9a-f]{16}"))


def test_a_picture_that_is_none_is_said_at_its_place(
    visit: Visit, started: App, watch: Watch
) -> None:
    watch.refused.add("/api/images")
    page = visit(started.address + VIEW + "&bring=image")
    box = part(opened(page), "image")
    box.locator("input[type=file]").set_input_files([file("no.png", b"no", "image/png")])
    expect(box.locator(".th-people-status")).to_contain_text("no.png is not an image")
