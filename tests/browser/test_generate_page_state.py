"""What is on the Generate tab stays: focus, presses, places, links, and a basket in two tabs."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from storage import Storage
from tests.browser.conftest import Visit, Watch
from tests.browser.generate_page import DRAWN_MS, LINK, GeneratePage
from tests.browser.modules import STORE
from tests.browser.workbench import Workbench
from tests.running import App, running
from tests.storage.samples import drawing, picture

pytestmark = pytest.mark.browser

# The same node before and after: what was drawn anew would not have the mark.
MARK = "(node) => { node.marked = true; }"
MARKED = "(node) => node.marked === true"
JSON = {"X-TrueHue": "1", "Content-Type": "application/json"}


def until(done: Callable[[], bool], seconds: float = 20.0) -> None:
    """Waits for what Playwright has no words for."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "It did not come to this."
        time.sleep(0.05)


def press_slowly(page: Page, button: Locator, ms: int = 450) -> None:
    """Presses the mouse and lets go later, as many people do."""
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.wait_for_timeout(ms)
    page.mouse.up()


LongJob = Callable[[GeneratePage], Locator]


@pytest.fixture
def long_job(app: App) -> Iterator[LongJob]:
    """Begins a job that is still at it when the test looks; it ends with the test, however that
    ends: for minutes it would take what all later tests need."""
    begun: list[str] = []

    def begin(tab: GeneratePage) -> Locator:
        tab.mode("Own words")
        tab.choose("generate-size", "2048 × 2048")
        tab.write("generate-seeds", "12")
        job = tab.draw("Draw 12 images")
        begun.append(str(job.get_attribute("data-job")))
        expect(job.get_by_role("progressbar")).to_be_visible()
        return job

    yield begin
    for job_id in begun:
        app.ask(f"/api/jobs/{job_id}/cancel", b"{}", JSON)


def small_pictures(tab: GeneratePage, count: int) -> None:
    """Draws pictures of one's own words; returns when all are drawn."""
    tab.mode("Own words")
    tab.choose("generate-size", "256 × 256")
    tab.write("generate-seeds", str(count))
    tab.drawn(tab.draw("Draw" if count == 1 else f"Draw {count} images"))


def mini(app: App, count: int = 2) -> list[list[str]]:
    """References of prompts of the mini set."""
    rows = app.ask(f"/api/prompts/search?set=mini&limit={count}").json["rows"]
    return [[row["source"], row["id"]] for row in rows]


def save_selection(app: App, name: str) -> None:
    body = json.dumps({"name": name, "refs": mini(app)}).encode()
    assert app.ask("/api/selections", body, JSON).status == 200


# The queue


def test_a_slow_press_on_cancel_counts_and_is_shown_until_it_is_done(
    app: App, visit: Visit, long_job: LongJob
) -> None:
    tab = GeneratePage(visit(app.address + LINK, fresh=True))
    job = long_job(tab)
    job.evaluate(MARK)
    button = job.get_by_role("button")
    expect(button).to_have_text("Cancel")
    said: list[str] = []
    tab.page.expose_function("told", lambda text: said.append(text))
    job.evaluate(
        "(node) => new MutationObserver(() => told(node.querySelector('button').textContent))"
        ".observe(node, { subtree: true, childList: true, characterData: true })"
    )
    press_slowly(tab.page, button)
    expect(job).to_have_class(re.compile("th-job-cancelled"), timeout=DRAWN_MS)
    expect(button).to_have_text("Dismiss")
    assert job.evaluate(MARKED)
    asked = said[said.index("Cancelling…") :]
    assert "Cancel" not in asked


def test_the_queue_keeps_the_focus_and_tells_only_what_is_new(
    app: App, visit: Visit, long_job: LongJob
) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    live = tab.page.locator("#queue [role=status]")
    live.evaluate(
        "(node) => { node.told = 0; new MutationObserver(() => { node.told += 1; })"
        ".observe(node, { childList: true, characterData: true, subtree: true }); }"
    )
    job = long_job(tab)
    expect(live).to_have_text(re.compile("drawing"))
    button = job.get_by_role("button")
    button.focus()
    told = live.evaluate("(node) => node.told")
    first = str(job.locator(".th-job-words").text_content())
    expect(job.locator(".th-job-words")).not_to_have_text(first)
    tab.page.wait_for_timeout(900)
    expect(button).to_be_focused()
    assert live.evaluate("(node) => node.told") == told
    assert job.locator("[aria-live]").count() == 0
    button.press("Enter")
    expect(button).to_have_text("Cancelling…")
    expect(button).to_be_focused()
    expect(job).to_have_class(re.compile("th-job-cancelled"), timeout=DRAWN_MS)
    expect(live).to_have_text(re.compile("Cancelled"))
    expect(button).to_be_focused()


# Links


def test_a_link_says_what_to_draw_also_beside_a_chosen_prompt(app: App, visit: Visit) -> None:
    (_, prompt), *_ = mini(app)
    link = f"{LINK}&set=mini&prompt={prompt}&mode="
    for mode, name in (("own", "Own words"), ("chosen", "Chosen prompt"), ("basket", "Basket")):
        tab = GeneratePage(visit(app.address + link + mode))
        row = tab.page.locator(f'#prompts [data-prompt="{prompt}"]')
        expect(row).to_have_attribute("aria-selected", "true")
        tab.page.wait_for_function(f"async () => {STORE}.get('chosen')")
        shown = tab.page.locator("#ask").get_by_role("tab", name=name)
        expect(shown).to_have_attribute("aria-selected", "true")
        expect(tab.page).to_have_url(re.compile(f"mode={mode}"))


def test_an_empty_object_stays_empty_in_the_link(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    tab.mode("Own words")
    tab.write("generate-text", "A blue mug")
    # The words were read: the object was "mug" before, the color was not blue.
    expect(tab.color).to_have_value("blue")
    expect(tab.page.locator("#generate-object input")).to_have_value("mug")
    tab.write("generate-object", "")
    expect(tab.page).to_have_url(re.compile("[&]object=(&|$)"))
    # The color follows the words still, here and in the link.
    assert "target=" not in tab.page.url
    again = GeneratePage(visit(tab.page.url))
    expect(again.page.locator("#generate-text textarea")).to_have_value("A blue mug")
    expect(again.page.locator("#generate-object input")).to_have_value("")
    expect(again.color).to_have_value("blue")
    expect(again.page.locator("#reading")).to_contain_text("Object was set by hand")


def test_each_filter_stands_alone_in_the_link(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    tab.filter("Category", "Animals")
    tab.filter("Task", "Multi-object color composition")
    chips = tab.page.locator("#prompts .th-chip-button")
    expect(chips).to_have_count(3)
    expect(tab.page).to_have_url(re.compile("f=.*&f="))
    assert "|" not in tab.page.url
    assert "%7C" not in tab.page.url
    count = str(tab.matches.text_content())
    parts = re.findall(r"f=([^&]*)", tab.page.url)
    old = tab.page.url.replace("f=" + "&f=".join(parts), "f=" + "%7C".join(parts))
    assert old.count("f=") == 1
    for link in (tab.page.url, old):
        again = GeneratePage(visit(link))
        expect(again.matches).to_have_text(count)
        expect(again.page.locator("#prompts .th-chip-button")).to_have_count(3)


def test_a_value_with_a_bar_in_it_is_one_filter(app: App, visit: Visit) -> None:
    page = visit(app.address + LINK + "&f=objects%3Da%7Cb")
    chip = page.locator("#prompts .th-chip-button")
    expect(chip).to_have_text(re.compile(r"^Number of objects: a\|b"), timeout=DRAWN_MS)
    expect(page).to_have_url(re.compile("f=objects%3Da%7Cb(&|$)"))


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("no-such-set", "There is no set “no-such-set” here"),
        ("selection:of another machine", "There is no selection “of another machine” here"),
    ],
)
def test_a_set_that_is_not_here_is_named(app: App, visit: Visit, named: str, said: str) -> None:
    page = visit(f"{app.address}{LINK}&set={named}")
    expect(page.locator("#prompts .th-list-empty")).to_contain_text(said, timeout=DRAWN_MS)
    expect(page.locator("#prompts .th-row")).to_have_count(0)
    expect(page.locator("#prompts .th-add-all")).to_be_disabled()
    page.get_by_role("combobox", name="Prompt set").select_option("mini")
    tab = GeneratePage(page)
    expect(page.locator("#prompts .th-list-empty")).to_be_hidden()
    expect(tab.page.locator("#prompts .th-set option:disabled")).to_have_count(0)


def test_filters_of_any_name_can_be_taken_away(app: App, visit: Visit, watch: Watch) -> None:
    names = ("__proto__", "constructor", "toString")
    watch.refused.add(f"f={names[-1]}%3Dx")  # the app says that there is no such filter
    page = visit(app.address + LINK + "".join(f"&f={name}%3Dx" for name in names))
    chips = page.locator("#prompts .th-chip-button")
    for name in names:
        chip = chips.filter(has_text=re.compile(f"^{name}: x"))
        expect(chip).to_be_visible(timeout=DRAWN_MS)
        expect(page.locator("#prompts .th-list-empty")).to_contain_text("There is no facet")
        chip.click()
        expect(chip).to_have_count(0)
    expect(chips).to_have_count(0)
    expect(GeneratePage(page).matches).to_have_text(re.compile("^44,464"))


# The basket


def test_two_tabs_of_one_browser_share_the_basket(app: App, visit: Visit) -> None:
    first = GeneratePage(visit(app.address + LINK))
    other = first.page.context.new_page()
    other.goto(app.address + LINK)
    second = GeneratePage(other)
    first.mode("Own words")
    second.mode("Own words")
    held = second.rows.nth(2)
    first.box(first.rows.nth(0)).check()
    expect(second.box(second.rows.nth(0))).to_be_checked()
    # What another tab puts in does not change what this one draws.
    own = second.page.locator("#ask").get_by_role("tab", name="Own words")
    expect(own).to_have_attribute("aria-selected", "true")
    second.box(held).check()
    for tab in (first, second):
        expect(tab.page.locator("#ask").get_by_role("tab", name="Basket · 2")).to_be_visible()
    first.box(first.rows.nth(0)).uncheck()
    expect(second.box(second.rows.nth(0))).not_to_be_checked()
    expect(second.box(held)).to_be_checked()


def test_a_basket_that_was_written_in_silence_is_read_before_it_is_written(
    app: App, visit: Visit
) -> None:
    """A tab in the background may hear of a change late."""
    tab = GeneratePage(visit(app.address + LINK))
    tab.mode("Own words")
    (source, prompt), *_ = mini(app, 1)
    # The event goes to other tabs only, so that this page hears nothing of it.
    tab.page.evaluate(
        "(item) => localStorage.setItem('th-basket', JSON.stringify([item]))",
        {"source": source, "id": prompt, "text": "kept", "hexes": []},
    )
    tab.box(tab.rows.nth(3)).check()
    expect(tab.page.locator("#ask").get_by_role("tab", name="Basket · 2")).to_be_visible()
    expect(tab.page.locator("#ask .th-basket-list li").first).to_contain_text("kept")


def test_what_was_left_out_of_a_selection_is_said(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    tab.page.evaluate(
        "localStorage.setItem('th-basket', JSON.stringify([{source: 'gone', id: '1', text: 'x'}]))"
    )
    tab.box(tab.rows.nth(0)).check()
    tab.page.get_by_role("textbox", name="Name of the selection").fill("one of two")
    tab.page.get_by_role("button", name="Save", exact=True).click()
    said = tab.page.locator("#ask .th-ask-note")
    expect(said).to_contain_text("Saved as “one of two” with 1 prompt:")
    expect(said).to_contain_text("1 prompt is not here any more and was left out.")


# Filters and rows


def test_filters_keep_focus_words_and_places(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    objects = tab.facet("Object")
    find = objects.get_by_role("searchbox")
    find.fill("ap")
    values = objects.locator(".th-facet-values")
    label = values.locator("label:visible").nth(1)
    name = str(label.locator("span").last.text_content())
    tick = values.get_by_role("checkbox", name=re.compile(f"^{name}"))
    facets = tab.page.locator("#prompts .th-facets")
    # Lower than its content, as on a laptop's screen.
    facets.evaluate("(node) => { node.style.maxHeight = '600px'; }")
    tick.focus()  # which scrolls to it
    values.evaluate("(node) => { node.scrollTop = 20; }")
    facets.evaluate("(node) => { node.scrollTop = 60; }")
    places = [values.evaluate("(n) => n.scrollTop"), facets.evaluate("(n) => n.scrollTop")]
    assert places[1] > 0
    tick.press("Space")
    expect(tab.page.locator("#prompts .th-chip-button")).to_have_count(1)
    expect(tab.matches).to_have_text(re.compile(" of 44,464 prompts"))
    expect(tick).to_be_checked()
    expect(tick).to_be_focused()
    expect(find).to_have_value("ap")
    shown = values.locator("label:visible").all_text_contents()
    assert shown
    assert all("ap" in text.lower() for text in shown)
    after = [values.evaluate("(n) => n.scrollTop"), facets.evaluate("(n) => n.scrollTop")]
    assert after == places
    tab.page.locator("#prompts .th-chip-button").click()
    expect(tick).not_to_be_checked()


def test_rows_stay_in_sight_while_their_marks_are_asked_for_and_tell_what_is_checked(
    app: App, visit: Visit
) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    row = tab.rows.nth(1)
    row.evaluate(MARK)
    tab.page.locator("#prompts .th-list").evaluate(
        "(list) => { window.blanks = 0; new MutationObserver(() => {"
        " if ([...list.querySelectorAll('.th-row')].some((row) => !row.dataset.prompt))"
        " window.blanks += 1; }).observe(list, { childList: true, subtree: true }); }"
    )
    with tab.page.expect_response(re.compile("/api/prompts/search.*facets=0")):
        tab.page.evaluate(f"async () => {STORE}.tell('drawn')")
    tab.page.wait_for_timeout(300)
    assert tab.page.evaluate("window.blanks") == 0
    assert row.evaluate(MARKED)
    # The list tells what is checked and what is open.
    box = tab.page.get_by_role("grid", name=re.compile("^Prompts"))
    expect(box).to_have_attribute("aria-multiselectable", "true")
    row = box.get_by_role("row").first
    tick = row.get_by_role("gridcell").first.get_by_role("checkbox", name=re.compile("^In the"))
    expect(tick).not_to_be_checked()
    tab.box(row).check()
    expect(tick).to_be_checked()
    expect(box).to_be_focused()
    box.press("Home")
    box.press(" ")
    expect(tick).not_to_be_checked()


# The pictures


def test_new_pictures_leave_the_others_where_they_are(tmp_path: Path, visit: Visit) -> None:
    with Storage.open(tmp_path / "data") as storage:
        shown = storage.images.add(picture(), "", "generated").image_id
        storage.drawings.add_many([drawing(shown, seed=seed) for seed in range(99)])
    with running(tmp_path / "data") as app:
        tab = GeneratePage(visit(app.address + LINK))
        small_pictures(tab, 1)
        expect(tab.shots).to_have_count(25)
        more = tab.page.get_by_role("button", name="Show more")
        for count in (49, 73, 97, 100):
            more.click()
            expect(tab.shots).to_have_count(count)
        expect(more).to_be_hidden()
        shot = tab.shots.first
        mine = shot.get_attribute("data-drawing")
        kept = tab.page.locator(f'#gallery [data-drawing="{mine}"]')
        button = kept.locator(".th-shot-picture")
        kept.evaluate(MARK)
        tab.write("generate-seeds", "3")
        tab.fill_seed(5000)
        job = tab.draw("Draw 3 images")
        button.focus()
        tab.drawn(job)
        expect(tab.shots).to_have_count(103)
        assert kept.evaluate(MARKED)
        expect(button).to_be_focused()
        expect(tab.page.locator("#gallery .th-shot").nth(3)).to_have_attribute(
            "data-drawing", str(mine)
        )
        ids = tab.shots.evaluate_all("(nodes) => nodes.map((node) => node.dataset.drawing)")
        assert len(set(ids)) == 103
        told = [row["drawing_id"] for row in app.ask("/api/drawings?limit=96").json["items"]]
        assert ids[:96] == told
        # The rule's marks change where they stand.
        expect(kept.locator(".th-shot-word")).to_be_visible()
        rule = tab.page.get_by_role("combobox", name="Rule of the verdicts")
        rule.select_option("released")
        expect(kept.locator(".th-shot-target")).to_have_attribute("title", re.compile("released"))
        visit.leave()


def test_inspect_opens_at_its_top(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    small_pictures(tab, 1)
    tab.page.set_viewport_size({"width": 1000, "height": 500})
    tab.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    until(lambda: bool(tab.page.evaluate("window.scrollY > 100")))
    tab.shots.first.locator(".th-shot-picture").click()
    Workbench(tab.page).shown()
    until(lambda: tab.page.evaluate("window.scrollY") == 0)


# Narrow pages, sets that go, the tour


def test_on_a_phone_all_of_the_list_is_inside_its_card(app: App, visit: Visit) -> None:
    page = visit(app.address + LINK + "&q=green&f=task%3Dmoc&f=objects%3Dapple&f=objects%3Dbus")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("#prompts .th-chip-button").first).to_be_visible(timeout=DRAWN_MS)
    for address in ("", LINK):
        if address:
            page.goto(app.address + address)
            GeneratePage(page)
        card = page.locator(".th-prompts-card").bounding_box()
        button = page.locator("#prompts .th-add-all").bounding_box()
        assert card is not None
        assert button is not None
        assert button["y"] + button["height"] <= card["y"] + card["height"]
        assert button["x"] >= card["x"]
        assert button["x"] + button["width"] <= card["x"] + card["width"]
        box = page.locator("#prompts .th-list").bounding_box()
        assert box is not None
        assert box["height"] > 150
    filters = page.get_by_role("button", name="Filters")
    expect(filters).to_have_attribute("aria-expanded", "false")
    filters.click()
    expect(filters).to_have_attribute("aria-expanded", "true")


def test_a_set_and_a_selection_are_removed_after_a_question(app: App, visit: Visit) -> None:
    save_selection(app, "to be removed")
    headers = {"X-TrueHue": "1", "X-File-Name": "to-go.txt"}
    set_id = app.ask("/api/prompts/sets", b"A red bus.\nA green bus.\n", headers).json["set_id"]
    tab = GeneratePage(visit(f"{app.address}{LINK}&set={set_id}"))
    expect(tab.matches).to_have_text("2 prompts")
    remove = tab.page.get_by_role("button", name="Remove this set from the list")
    remove.click()
    dialog = tab.page.get_by_role("dialog", name="Remove “to-go.txt”?")
    dialog.get_by_role("button", name="Remove").click()
    expect(dialog).to_be_hidden()
    expect(tab.matches).to_have_text("44,464 prompts")
    assert set_id not in [one["id"] for one in app.ask("/api/prompts/sets").json["sets"]]

    expect(remove).to_be_hidden()
    sets = tab.page.get_by_role("combobox", name="Prompt set")
    sets.select_option("selection:to be removed")
    expect(tab.matches).to_have_text("2 prompts")
    remove.click()
    dialog = tab.page.get_by_role("dialog", name="Remove “to be removed”?")
    dialog.get_by_role("button", name="Keep it").click()
    expect(dialog).to_be_hidden()
    expect(sets).to_have_value("selection:to be removed")
    remove.click()
    dialog.get_by_role("button", name="Remove").click()
    expect(dialog).to_be_hidden()
    expect(tab.matches).to_have_text("44,464 prompts")
    expect(sets.locator("option", has_text="to be removed")).to_have_count(0)
    expect(remove).to_be_hidden()
    names = [one["name"] for one in app.ask("/api/prompts/sets").json["selections"]]
    assert "to be removed" not in names


def test_the_tour_takes_the_focus_and_gives_it_back(app: App, visit: Visit) -> None:
    page = visit(app.address)
    start = page.get_by_role("button", name="Tour")
    start.focus()
    start.press("Enter")
    card = page.get_by_role("dialog", name="Tour")
    expect(card).to_be_focused()
    page.keyboard.press("Tab")
    expect(card.get_by_role("button", name="End")).to_be_focused()
    page.keyboard.press("Enter")
    expect(card).to_be_hidden()
    expect(start).to_be_focused()


def test_draw_with_open_settings_shows_the_result_and_back_comes_back_to_it(
    app: App, visit: Visit
) -> None:
    page = visit(app.address + LINK)
    page.set_viewport_size({"width": 1440, "height": 900})
    tab = GeneratePage(page)
    tab.write("generate-seed", "-5")
    tab.write("generate-steps", "abc")
    wrong = page.locator("#more-settings [aria-invalid=true]")
    expect(wrong).to_have_count(2)
    expect(tab.note).to_contain_text("Steps is a whole number")
    tab.write("generate-steps", "")
    tab.write("generate-seed", "3")
    expect(wrong).to_have_count(0)
    page.evaluate("window.scrollTo(0, 0)")
    tab.drawn(tab.draw())
    result = page.locator("#result")
    for part in (tab.draw_button, result.locator("img"), result.locator(".th-result-verdict")):
        expect(part).to_be_in_viewport(ratio=0.99)
    before = page.evaluate("window.scrollY")
    assert before > 0
    result.locator(".th-result-picture").click()
    expect(page.locator("#verdict .th-headline")).to_be_visible()
    expect(page).to_have_url(re.compile("tab=inspect"))
    page.go_back()
    expect(result.locator("img")).to_be_in_viewport()
    page.wait_for_function("(before) => Math.abs(window.scrollY - before) < 3", arg=before)
