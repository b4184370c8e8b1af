"""A study of colorings in the page: from the form to a designer, an expert and Compare."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.axe import barriers_here
from tests.browser.conftest import Visit
from tests.running import App, running
from tests.tabs.accounts.people import add, session
from tests.tabs.studies.colored import Designers, colored_study, grid, sketch_of
from truehue.storage import Storage

pytestmark = pytest.mark.browser

CONSENT = "I take part. Questions: a@b.example."
STUDY = "Colors of four things"
COLORINGS = "20 colorings of 4 concepts by 5 people"
PHONE = {"width": 390, "height": 844}


@dataclass(frozen=True)
class Lab:
    """An app with accounts, and a study that five designers took part in."""

    app: App
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


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    data = tmp_path / "data"
    with Storage.open(data) as storage:
        colored_study(storage, Designers(), title=STUDY)
        storage.sketches.add(sketch_of(grid(5)), "horse", "import")
        storage.sketches.add(sketch_of(grid(6)), "practice sheet", "import")
        cookies = {
            role: session(storage.accounts, add(storage.accounts, f"Ann {role}", role))
            for role in ("admin", "researcher", "expert")
        }
    with running(data) as app:
        yield Lab(app, cookies)


def test_from_the_form_to_decisions_an_expert_and_compare(lab: Lab, visit: Visit) -> None:
    """A draft is made; of a study that people colored for, colorings are decided on, an expert
    reviews by keys and sees nothing else, and people's colors stand in Compare."""
    page = lab.opened(visit, "researcher", "?tab=studies&view=new&preset=colorings")
    room = page.locator(".th-studies")
    makes_a_draft(page)
    room.get_by_role("button", name="All studies").click()
    room.get_by_role("link", name=STUDY).click()
    opens(page, "Results", COLORINGS)
    assert barriers_here(page) == []
    decides(page)
    room.get_by_role("tab", name="Results", exact=True).click()
    room.get_by_label("Colorings to review").select_option(index=1)
    room.get_by_role("button", name="Apply", exact=True).click()
    expect(room.get_by_text("Give experts an account with the role")).to_be_visible()
    expert_reviews(lab.opened(visit, "expert", "?tab=studies"))
    room.get_by_role("button", name="Open in Compare").click()
    expect(page).to_have_url(re.compile(r"\?tab=compare&(.*&)?d=set:"))


def makes_a_draft(page: Page) -> None:
    """In the form, with words that have no sketch and a picture as an example."""
    room = page.locator(".th-studies")
    side = room.get_by_label("Summary")
    # Nothing is asked of the app, and nothing refused, before something is chosen.
    expect(side.get_by_role("status")).to_contain_text("Choose the concepts to color.")
    room.get_by_role("button", name="Create the draft").click()
    expect(room.locator("[data-field=concepts] .th-study-wrong")).to_contain_text("Choose")
    room.get_by_label("Search concepts").fill("horse")
    room.get_by_role("checkbox", name="horse", exact=True).check()
    room.get_by_text("Other concepts", exact=True).click()
    typed = room.get_by_label("One per line, or comma-separated")
    typed.fill("a rusty key")
    expect(room.get_by_text("Not added yet")).to_be_visible()
    room.get_by_role("button", name="Add concepts").click()
    expect(room.locator(".th-colorings-said")).to_have_text(
        "2 concepts chosen. 1 without a sketch: excluded until you add a drawing."
    )
    room.get_by_label("Practice concepts").fill("practice sheet")
    room.get_by_role("radio", name=re.compile("Automatic: ")).check()
    example = room.locator(".th-colorings-example").first
    example.locator("input[type=file]").set_input_files(picture("brick.png"))
    expect(example.get_by_role("img")).to_be_visible()
    # What the app says of this last change; until then, what it said before is dimmed.
    with page.expect_response(
        lambda item: item.url.endswith("/outline") and CONSENT in (item.request.post_data or "")
    ):
        room.get_by_label("Consent text").fill(CONSENT)
    expect(side.locator(".th-study-facts")).to_contain_text("1 without a sketch: a rusty key")
    expect(side.get_by_role("status")).to_contain_text("5 people, about ")
    expect(side.locator("section")).to_have_attribute("aria-busy", "false")
    assert barriers_here(page) == []
    typed.fill("tired horse")  # and not added: they are of the study all the same
    room.get_by_role("button", name="Create the draft").click()
    expect(room.get_by_role("button", name="Open the study")).to_be_enabled()
    opens(page, "Plan", "1 sketch, for 2 concepts")
    expect(room.get_by_text("practice sheet; reviewed automatically")).to_be_visible()
    # Nobody sees what others colored before there is something.
    opens(page, "Results", "No colorings yet")


def opens(page: Page, view: str, text: str) -> None:
    """A view of the study, once it has its data: before that, it is an empty line."""
    room = page.locator(".th-studies")
    room.get_by_role("tab", name=view, exact=True).click()
    expect(room.get_by_text(text).first).to_be_visible()
    expect(room.locator("#th-study-view .th-study-note:empty:visible")).to_have_count(0)


def decides(page: Page) -> None:
    """On the colorings of one concept; on a phone, nothing is wider than the window."""
    room = page.locator(".th-studies")
    room.get_by_role("button", name="lonely cabin").first.click()
    expect(page).to_have_url(re.compile("view=gallery&concept="))
    first = room.locator(".th-colorings-coloring").first
    expect(room.locator(".th-colorings-coloring")).to_have_count(5)
    first.get_by_role("button", name="Discard").click()
    page.get_by_label("Why").fill("only the roof")
    page.get_by_role("button", name="Discard", exact=True).click()
    expect(first).to_contain_text("Discarded: only the roof")
    first.get_by_role("button", name="Undo").click()
    expect(first.locator(".th-colorings-standing")).to_contain_text("included")
    first.get_by_role("button", name="Request a second").click()
    expect(first).to_contain_text("A second coloring was requested.")
    assert barriers_here(page) == []
    page.set_viewport_size(PHONE)
    for view, text in (
        ("Live", "Sketches by person"),
        ("Practice", "No practice to review"),
        ("Results", COLORINGS),
        ("Gallery", "A second coloring was requested."),
    ):
        opens(page, view, text)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def expert_reviews(page: Page) -> None:
    """The colorings of all concepts, by keys; on a phone too. Nothing else is on the page."""
    expect(page).to_have_url(re.compile(r"/review$"))
    page.get_by_role("button", name=f"Review: {STUDY}").click()
    expect(page.get_by_text("0 of 20 reviewed")).to_be_visible()
    expect(page.get_by_role("img", name="Colors by share")).to_be_visible()
    expect(page.get_by_text("Each bar shows the color of its bin")).to_be_visible()
    expect(page.get_by_role("heading", name="Are these the colors of")).to_be_visible()
    assert barriers_here(page) == []
    assert "Participant" not in page.locator("body").inner_text()
    assert page.get_by_role("tab").count() == 0
    shown = page.get_by_role("img", name="The coloring")
    images = [shown.get_attribute("src")]
    for key, message in (("y", "1 of 20"), ("u", "0 of 20"), ("y", "1 of 20")):
        page.keyboard.press(key)
        expect(page.get_by_text(f"{message} reviewed")).to_be_visible()
        images.append(shown.get_attribute("src"))
    assert images[0] == images[2] != images[1]  # what was taken back is asked again
    page.keyboard.press("c")
    page.keyboard.type("Any such yellow?")
    page.keyboard.press("Enter")
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    for done in range(2, 20):
        page.keyboard.press("n")
        expect(page.get_by_text(f"{done} of 20 reviewed")).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="All reviewed. Thank you.")).to_be_visible()
