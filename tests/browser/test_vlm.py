"""Ask, as a researcher does: a set is made, a served model and the baselines are asked, and their
answers are looked at one by one, and where two of them differ."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, Watch
from tests.core.vlm.chat_server import ChatServer, completion
from tests.running import App

pytestmark = pytest.mark.browser


def asked(page: Page, model: str) -> None:
    """Begins to ask one of the list and waits for its end."""
    page.locator(".th-vlm-form [name=known]").select_option(model)
    page.locator(".th-vlm-form [type=submit]").click()


GO = """(address) => {
  history.pushState({}, '', address);
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
}"""
"""Another place of the page that is there, as Forward leads to it."""


def test_a_set_is_made_asked_browsed_and_compared(visit: Visit, watch: Watch, app: App) -> None:
    watch.refused |= {"/api/vlm/sets/make", "/api/vlm/evaluations"}
    page = visit(f"{app.address}/?tab=vlm")
    page.get_by_role("button", name="Generate a question set…").click()
    dialog = page.get_by_role("dialog", name="Generate a question set")
    for task in ("Color Proportion", "Color Comparison", "Object Counting"):
        dialog.get_by_role("checkbox", name=task).uncheck()
    dialog.get_by_label("Questions per task").fill("0")
    dialog.get_by_role("button", name="Generate", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("Questions per task is a whole number")
    dialog.get_by_label("Questions per task").fill("3")
    dialog.get_by_role("button", name="Generate", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(page.locator(".th-vlm-tasks li")).to_have_count(4)

    # The pixel reader was asked by itself: its line stands in the figure before any model's.
    blocks = page.locator(".th-vlm-block")
    extraction = blocks.filter(has_text="Color Extraction")
    expect(extraction.locator(".th-vlm-lane")).to_contain_text("Pixel reader100.0")
    expect(blocks.filter(has_text="Color Blindness")).to_contain_text("People (published)94.0")

    # A folder that is not there, a served model that talks too long, and chance.
    page.locator(".th-vlm-form [name=known]").select_option("folder:")
    page.get_by_label("Folder", exact=True).fill("/nowhere")
    submit = page.locator(".th-vlm-form [type=submit]")
    submit.click()
    expect(page.locator(".th-vlm-refused")).to_have_text("There is no folder /nowhere.")
    expect(page.get_by_label("Folder", exact=True)).to_be_focused()
    page.locator(".th-vlm-form [name=known]").select_option("server:")
    page.get_by_label("Model name on the server").fill("color-vlm")
    page.get_by_text("More settings").click()
    page.get_by_label("Max. tokens", exact=True).fill("4")
    evaluations = page.locator(".th-vlm-evaluation")
    finished = evaluations.filter(has_text="12 of 12 questions").filter(has_text="Finished")
    server = ChatServer()
    server.answers += [completion("I see many", "length")] * 12
    with server.running():
        page.get_by_label("Address", exact=True).fill(server.base_url)
        submit.click()
        expect(finished).to_have_count(2)
    assert {item["max_tokens"] for _, item in server.got} == {4}
    asked(page, "chance")
    chance = evaluations.filter(has_text="Chance")
    expect(chance).to_contain_text("Finished")
    expect(page.locator(".th-vlm-legend")).to_contain_text("Chance")
    expect(page.locator(".th-vlm-figure")).to_contain_text("All questions (micro average)")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Figure as SVG").click()
    assert "All questions (micro average)" in Path(saved.value.path()).read_text("utf-8")
    page.locator("summary", has_text="All numbers").click()
    expect(page.get_by_role("link", name="Answers as CSV")).to_be_visible()

    # One by one: what was said, what was read of it, and how the answer is known.
    page.get_by_role("tab", name="Questions").click()
    items = page.locator(".th-vlm-item")
    expect(items).to_have_count(12)
    page.go_back()
    blocks.get_by_role("button", name="Color Blindness").click()
    expect(items).to_have_count(3)
    items.first.get_by_role("button").click()
    large = page.get_by_role("dialog", name="A question")
    expect(large.locator(".th-vlm-known")).to_contain_text("Confusion line")
    expect(large.locator(".th-vlm-answer").first).to_contain_text("truncated")
    plate = large.get_by_role("img")
    box = plate.bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (400, 400)
    assert plate.evaluate("(image) => image.naturalWidth") == 400
    page.keyboard.press("ArrowRight")
    expect(large.locator(".th-vlm-id")).to_contain_text("-0001")
    expect(large.locator("header").first).to_contain_text("2 of 3")
    link = page.url
    assert parse_qs(urlsplit(link).query)["q"] == ["color_blindness-medium-0-0001"]
    page.keyboard.press("Escape")
    expect(items.nth(1).get_by_role("button")).to_be_focused()

    # Where the pixel reader and chance differ, side by side.
    evaluations.filter(has_text="color-vlm").get_by_role("checkbox").uncheck()
    evaluations.filter(has_text="Pixel reader").get_by_role("checkbox").check()
    page.get_by_role("tab", name="Compare two").click()
    page.get_by_label("Task", exact=True).select_option("")
    expect(page.locator(".th-vlm-found")).to_contain_text("that only one of")
    expect(items.first.locator(".th-vlm-answer")).to_have_count(2)
    expect(page.get_by_role("group", name="Outcome")).to_contain_text("Only 2 correct")

    # Opened without a link to answers, the same ones are ticked.
    page.goto(f"{app.address}/?tab=vlm&set={parse_qs(urlsplit(link).query)['set'][0]}")
    expect(evaluations.filter(has_text="Pixel reader").get_by_role("checkbox")).to_be_checked()
    expect(page.locator(".th-vlm-evaluation input[type=checkbox]:checked")).to_have_count(2)
    # The link opens the same again.
    page.evaluate(GO, link)
    expect(large.locator(".th-vlm-id")).to_contain_text("-0001")
    expect(large.locator(".th-vlm-answer")).to_have_count(2)
