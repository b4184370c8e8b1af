"""A study of colorings in the page: from the form to a designer, an expert and Compare."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Page, expect

from storage import Storage
from tests.browser.axe import barriers_here
from tests.browser.conftest import Visit
from tests.running import App, running
from tests.tabs.accounts.people import add, session
from tests.tabs.studies.colored import Designers, colored_study, grid, sketch_of

pytestmark = pytest.mark.browser

CONSENT = "I take part. Questions: a@b.example."
TRIES = 2
PHONE = {"width": 390, "height": 844}


@dataclass(frozen=True)
class Lab:
    """An app with accounts, and studies that five designers took part in: one for every try of a
    test, which must not begin with what an earlier try left behind."""

    app: App
    studies: Iterator[str]
    cookies: dict[str, dict[str, str]]

    def opened(self, visit: Visit, who: str, query: str) -> Page:
        """A page of somebody who is signed in."""
        page = visit(f"{self.app.address}/signin", fresh=True)
        name, value = next(iter(self.cookies[who].items()))
        page.context.add_cookies([{"name": name, "value": value, "url": self.app.address}])
        page.goto(f"{self.app.address}/{query}")
        return page


def picture(name: str) -> FilePayload:
    """A small picture as a file."""
    out = io.BytesIO()
    Image.new("RGB", (64, 48), "#a04028").save(out, format="PNG")
    return {"name": name, "mimeType": "image/png", "buffer": out.getvalue()}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    data = tmp_path_factory.mktemp("colorings") / "data"
    with Storage.open(data) as storage:
        made = [
            colored_study(storage, Designers(), title="Colors of four things")[0]
            for _ in range(TRIES)
        ]
        storage.sketches.add(sketch_of(grid(5)), "horse", "import")
        storage.sketches.add(sketch_of(grid(6)), "practice sheet", "import")
        cookies = {
            role: session(storage.accounts, add(storage.accounts, f"Ann {role}", role))
            for role in ("admin", "researcher", "expert")
        }
    with running(data) as app:
        yield Lab(app, iter(made), cookies)


def test_from_the_form_to_a_designer_an_expert_and_compare(visit: Visit, lab: Lab) -> None:
    """A study is made and previewed, somebody colors for it by its link, an expert reviews that by
    keys and sees nothing else, and people's colors stand in Compare."""
    page = lab.opened(visit, "researcher", "?tab=judge&view=new&preset=colorings")
    room = page.locator(".th-judge")
    side = room.get_by_label("What this makes")
    # Nothing is asked of the app, and nothing refused, before something is chosen.
    expect(side.get_by_role("status")).to_contain_text("Choose the concepts that people color.")
    room.get_by_role("button", name="Create the draft").click()
    expect(room.locator("[data-field=concepts] .th-jd-wrong")).to_contain_text("Choose")
    room.get_by_label("Search concepts").fill("horse")
    room.get_by_role("checkbox", name="horse", exact=True).check()
    room.get_by_text("Other words", exact=True).click()
    typed = room.get_by_label("One a line, or with commas between")
    typed.fill("a rusty key")
    expect(room.get_by_text("Not added yet")).to_be_visible()
    room.get_by_role("button", name="Add these words").click()
    expect(room.locator(".th-jc-said")).to_have_text(
        "2 concepts chosen. 1 without a sketch: left out until a drawing is there."
    )
    room.get_by_label("On these concepts").fill("practice sheet")
    room.get_by_role("radio", name=re.compile("Automatically")).check()
    room.get_by_text("Screening", exact=True).click()
    for kind in ("Color-vision plates", "Dark and light patches"):
        room.get_by_role("checkbox", name=kind).uncheck()
    example = room.locator(".th-jc-example").first
    example.locator("input[type=file]").set_input_files(picture("brick.png"))
    expect(example.get_by_role("img")).to_be_visible()
    room.get_by_label("What they agree to").fill(CONSENT)
    expect(side.locator(".th-jd-facts")).to_contain_text("1 without a sketch: a rusty key")
    expect(side.get_by_role("status")).to_contain_text("5 people, about ")
    expect(side.locator("section")).to_have_attribute("aria-busy", "false")
    assert barriers_here(page) == []
    typed.fill("tired horse")  # and not added: they are of the study all the same
    room.get_by_role("button", name="Create the draft").click()
    expect(room.get_by_role("button", name="Open the study")).to_be_enabled()
    room.get_by_role("tab", name="Plan").click()
    expect(room.get_by_text("1 sketch, for 2 concepts")).to_be_visible()
    expect(room.get_by_text("practice sheet; looked at automatically")).to_be_visible()
    # Nobody sees what others colored before there is something.
    room.get_by_role("tab", name="Results").click()
    expect(room.get_by_role("heading", name="No colorings yet")).to_be_visible()
    with page.expect_popup() as preview:
        room.get_by_role("button", name="Preview").click()
    expect(preview.value.get_by_text("Preview: nothing is kept")).to_be_visible()
    preview.value.close()
    room.get_by_role("button", name="Open the study").click()
    room.get_by_role("tab", name="Links").click()
    room.get_by_role("button", name="Make", exact=True).click()
    link = room.locator(".th-jd-link, code").filter(has_text="/study/").first.inner_text()

    designer = visit(link, fresh=True)
    for words in ("I agree", "Start"):
        if words == "Start":
            expect(designer.locator(".example img")).to_be_visible()
        designer.get_by_role("button", name=words, exact=True).click()
    for position, color in enumerate(("#c82020", "#7a4a20", "#5a3a1a")):
        expect(designer.locator(".coloring, [data-screen=between]")).to_be_visible()
        if position == 1:
            designer.get_by_role("button", name="Continue", exact=True).click()
        expect(designer.locator(f".coloring[data-painted='{position}']")).to_be_visible()
        designer.locator(".cv-hex").fill(color)
        designer.keyboard.press("Enter")
        sheet = designer.locator(".cv-sheet").bounding_box()
        assert sheet is not None
        for share in (0.15, 0.45):
            at = sheet["x"] + share * sheet["width"], sheet["y"] + share * sheet["height"]
            designer.mouse.click(*at)
        designer.get_by_role("button", name="Done", exact=True).click()
    designer.get_by_role("button", name="Finish").click()
    expect(designer.locator("main[data-screen=finished]")).to_be_visible()

    room.get_by_role("tab", name="Results").click()
    expect(room.get_by_text("2 colorings of 2 concepts by 1 person")).to_be_visible()
    room.get_by_label("What experts review").select_option(index=1)
    room.get_by_role("button", name="Apply", exact=True).click()
    expect(room.get_by_text("Give experts an account of the role expert")).to_be_visible()
    expert_reviews(lab.opened(visit, "expert", "?tab=judge"))
    room.get_by_role("button", name="Open in Compare").click()
    expect(page).to_have_url(re.compile(r"\?tab=compare&(.*&)?words=\w*.?horse&d=set:"))


def expert_reviews(page: Page) -> None:
    """Both colorings, by keys; on a phone too."""
    room = page.locator(".th-judge")
    expect(room.get_by_role("button", name="Review: Colors of things")).to_be_visible()
    expect(room.get_by_role("button", name="All studies")).to_be_hidden()
    room.get_by_role("button", name="Review: Colors of things").click()
    expect(room.get_by_text("0 of 2 reviewed, 2 left")).to_be_visible()
    expect(room.get_by_role("img", name="Colors by share")).to_be_visible()
    expect(room.get_by_text("Each bar has the color of its bin")).to_be_visible()
    expect(room.locator(".th-jc-question")).to_contain_text("Are these the colors of")
    assert barriers_here(page) == []
    assert "Participant" not in room.inner_text()
    shown = room.locator(".th-jc-stage img")
    pictures = [shown.get_attribute("src")]
    for key, told in (("y", "1 of 2"), ("u", "0 of 2"), ("y", "1 of 2")):
        page.keyboard.press(key)
        expect(room.get_by_text(f"{told} reviewed")).to_be_visible()
        pictures.append(shown.get_attribute("src"))
    assert pictures[0] == pictures[2] != pictures[1]  # what was taken back is asked again
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.keyboard.press("n")
    expect(room.get_by_role("heading", name="All reviewed. Thank you.")).to_be_visible()


def test_colorings_are_read_and_decided_on(visit: Visit, lab: Lab) -> None:
    study = next(lab.studies)
    page = lab.opened(visit, "researcher", f"?tab=judge&study={study}&view=results")
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
    # What a view says once it has its data: before that, an empty line is all that is there.
    for view, words in (
        ("Live", "Sketches by person"),
        ("Practice", "No practice waits"),
        ("Results", "20 colorings of 4 concepts by 5 people"),
        ("Gallery", "A second coloring is asked for."),
    ):
        page.set_viewport_size(PHONE)
        room.get_by_role("tab", name=view, exact=True).click()
        expect(room.get_by_text(words)).to_be_visible()
        expect(room.locator("#th-jd-view .th-jd-note:empty:visible")).to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
