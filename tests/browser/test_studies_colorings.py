"""A study of colorings in the page: a researcher makes one and reads it, an expert reviews."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from storage import Storage
from tests.browser.axe import barriers_here
from tests.browser.conftest import Visit, Watch
from tests.running import App, running
from tests.tabs.accounts.people import add, session
from tests.tabs.studies.colored import Designers, colored_study, grid, sketch_of

pytestmark = pytest.mark.browser

CONSENT = "I take part. Questions: a@b.example."
PHONE = {"width": 390, "height": 844}


@dataclass(frozen=True)
class Lab:
    """An app with accounts, and a study that five designers took part in."""

    app: App
    study: str
    cookies: dict[str, dict[str, str]]

    def opened(self, visit: Visit, who: str, query: str) -> Page:
        """A page of somebody who is signed in."""
        page = visit(f"{self.app.address}/signin", fresh=True)
        name, value = next(iter(self.cookies[who].items()))
        page.context.add_cookies([{"name": name, "value": value, "url": self.app.address}])
        page.goto(f"{self.app.address}/{query}")
        return page


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    data = tmp_path_factory.mktemp("colorings") / "data"
    with Storage.open(data) as storage:
        study_id, _ = colored_study(storage, Designers(), title="Colors of four things")
        storage.sketches.add(sketch_of(grid(5)), "horse", "import")
        storage.sketches.add(sketch_of(grid(6)), "practice sheet", "import")
        cookies = {
            role: session(storage.accounts, add(storage.accounts, f"Ann {role}", role))
            for role in ("admin", "researcher", "expert")
        }
    with running(data) as app:
        yield Lab(app, study_id, cookies)


def test_a_study_of_colorings_is_made_in_the_page(visit: Visit, watch: Watch, lab: Lab) -> None:
    watch.refused.add("/api/studies/outline")
    watch.refused.add("/api/reviews")
    page = lab.opened(visit, "researcher", "?tab=judge&view=new&preset=colorings")
    room = page.locator(".th-judge")
    room.get_by_label("Search concepts").fill("horse")
    room.get_by_role("checkbox", name="horse", exact=True).check()
    room.get_by_text("Other words", exact=True).click()
    room.get_by_label("One a line, or with commas between").fill("tired horse; a rusty key")
    room.get_by_role("button", name="Add these words").click()
    expect(room.locator(".th-jc-said")).to_have_text(
        "3 concepts chosen. 1 without a sketch: left out until a drawing is there."
    )
    room.get_by_label("On these concepts").fill("practice sheet")
    room.get_by_role("radio", name=re.compile("Automatically")).check()
    room.get_by_label("What they agree to").fill(CONSENT)
    side = room.get_by_label("What this makes")
    expect(side.locator(".th-jd-facts")).to_contain_text("1 without a sketch: a rusty key")
    expect(side.get_by_role("status")).to_contain_text("5 people, about 8 min each")
    assert barriers_here(page) == []
    room.get_by_role("button", name="Create the draft").click()
    expect(room.get_by_role("button", name="Open the study")).to_be_enabled()
    room.get_by_role("tab", name="Plan").click()
    expect(room.get_by_text("1 sketches, for 2 concepts")).to_be_visible()
    expect(room.get_by_text("practice sheet; looked at automatically")).to_be_visible()
    # Nobody sees what others colored before there is something.
    room.get_by_role("tab", name="Results").click()
    expect(room.get_by_role("heading", name="No colorings yet")).to_be_visible()


def test_colorings_are_read_and_stand_in_compare(visit: Visit, watch: Watch, lab: Lab) -> None:
    watch.refused.add("/api/reviews")
    page = lab.opened(visit, "researcher", f"?tab=judge&study={lab.study}&view=results")
    room = page.locator(".th-judge")
    expect(room.get_by_text("20 colorings of 4 concepts by 5 people")).to_be_visible()
    assert barriers_here(page) == []
    room.get_by_role("button", name="lonely cabin").first.click()
    expect(page).to_have_url(re.compile("view=gallery&concept="))
    first = room.locator(".th-jc-coloring").first
    expect(room.locator(".th-jc-coloring")).to_have_count(5)
    first.get_by_role("button", name="Discard").click()
    page.get_by_label("Why").fill("only the roof")
    page.get_by_role("button", name="Discard it").click()
    expect(first).to_contain_text("Discarded: only the roof")
    first.get_by_role("button", name="Take that back").click()
    expect(first.locator(".th-jc-standing")).to_contain_text("kept")
    first.get_by_role("button", name="Ask for a second").click()
    expect(first).to_contain_text("A second coloring is asked for.")
    assert barriers_here(page) == []
    for view in ("Live", "Practice", "Results", "Gallery"):
        page.set_viewport_size(PHONE)
        room.get_by_role("tab", name=view, exact=True).click()
        expect(room.locator("#th-jd-view > :not([hidden]) > :not([hidden])").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.set_viewport_size({"width": 1360, "height": 1000})
    room.get_by_role("tab", name="Results").click()
    room.get_by_role("button", name="Open in Compare").click()
    expect(page).to_have_url(re.compile(r"\?tab=compare&(.*&)?words=apple&d=set:"))


def test_an_expert_reviews_by_keys_and_sees_nothing_else(
    visit: Visit, watch: Watch, lab: Lab
) -> None:
    watch.refused.add("/api/studies")
    page = lab.opened(visit, "expert", "?tab=judge")
    room = page.locator(".th-judge")
    room.get_by_role("button", name="Review: Colors of four things").click()
    done = room.get_by_text("0 of 5 reviewed, 5 left")
    expect(done).to_be_visible()
    expect(room.get_by_role("img", name="Colors by share")).to_be_visible()
    expect(room.locator(".th-jc-question")).to_have_text("Are these the colors of lonely cabin?")
    assert barriers_here(page) == []
    assert "Participant" not in room.inner_text()
    shown = room.locator(".th-jc-stage img")
    pictures = [shown.get_attribute("src")]
    for key, told in (("y", "1 of 5"), ("n", "2 of 5"), ("u", "1 of 5")):
        page.keyboard.press(key)
        expect(room.get_by_text(f"{told} reviewed")).to_be_visible()
        pictures.append(shown.get_attribute("src"))
    assert pictures[1] == pictures[3] != pictures[2]  # what was taken back is asked again
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    for left in range(4, 0, -1):
        room.get_by_role("button", name="Yes").click()
        expect(room.get_by_text(f"{5 - left + 1} of 5 reviewed")).to_be_visible()
    expect(room.get_by_role("heading", name="All reviewed. Thank you.")).to_be_visible()
