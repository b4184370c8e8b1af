"""The participants' page of a study of colorings: by mouse, pen and touch, with and without a
network; what is stored gives the pixels that were on the screen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Error, Page, expect

from tests.browser.axe import barriers_here
from tests.browser.conftest import Visit, Watch
from tests.browser.people import PHONE, Person, fetched, needed, one_person, too_small
from tests.browser.study_room import CODE, StudyRoom, study_room
from truehue.annotation.colorings import checksum, paint, read_action
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import Example, Review
from truehue.core.sketches.regions import regions
from truehue.core.studies import Event, MarkKind

pytestmark = pytest.mark.browser

LOOKED_AGAIN = """() => {
  const set = (hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  };
  set(true);
  set(false);
  return document.querySelector('main[data-screen=between]') !== null;
}"""
"""Somebody turns to the page again, as often as it takes: it asks every few seconds at most."""


def covered(page: Page) -> list[str]:
    """What is to be touched on the canvas and is not 44 px high and wide, not whole on the screen
    after scrolling to it, or lies under something else."""
    return page.evaluate(
        """() => [...document.querySelectorAll('.cv-rail button, .cv-looks button')]
        .filter((one) => one.offsetParent).filter((one) => {
          one.scrollIntoView({ block: 'nearest' });
          const box = one.getBoundingClientRect();
          const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
          return box.width < 44 || box.height < 44 || box.left < 0 || box.right > innerWidth
            || box.top < 0 || box.bottom > innerHeight
            || !one.contains(document.elementFromPoint(x, y));
        }).map((one) => one.textContent)"""
    )


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRoom]:
    with study_room(tmp_path_factory.mktemp("colorings")) as opened:
        yield opened


class Designer(Person):
    """Somebody who colors."""

    def sees(self, position: int) -> None:
        expect(self.page.locator(f".coloring[data-painted='{position}']")).to_be_visible()

    def takes(self, color: str) -> None:
        self.page.locator(".cv-hex").fill(color)
        self.page.locator(".cv-hex").press("Enter")

    def fills(self, color: str, x: float = 0.5, y: float = 0.55) -> None:
        """Fills the region at this place of the drawing, 0 to 1."""
        self.takes(color)
        index = self.place(x, y)
        self.page.mouse.click(*index)

    def place(self, x: float, y: float) -> tuple[float, float]:
        box = self.page.locator(".cv-sheet").bounding_box()
        assert box is not None
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    def strokes(self, *points: tuple[float, float], ends: bool = True) -> None:
        """Draws with the mouse from point to point."""
        mouse = self.page.mouse
        mouse.move(*self.place(*points[0]))
        mouse.down()
        for point in points[1:]:
            mouse.move(*self.place(*point), steps=4)
        if ends:
            mouse.up()

    def does(self) -> None:
        self.presses("Done")

    def saved(self) -> None:
        expect(self.page.locator(".saved")).to_have_text("Saved")

    def colors(self, positions: range, color: str = "#c02030") -> None:
        for position in positions:
            self.sees(position)
            self.fills(color)
            self.does()


def same_pixels(room: StudyRoom, events: tuple[Event, ...]) -> int:
    """How many colorings stand; the log of each gives the pixels that were on the screen."""
    number = 0
    for index, answer in enumerate(events):
        if answer.kind != "answer" or answer.body["kind"] != "coloring":
            continue
        log = [
            read_action(event.body)
            for event in events[:index]
            if event.kind == "action" and event.position == answer.position
        ]
        assert answer.body["actions"] == len(log)
        layers = {
            checksum(paint(log, regions(room.storage.sketches.ink(sketch_id))))
            for sketch_id in room.sketches.values()
        }
        assert answer.body["checksum"] in layers
        number += 1
    return number


def test_from_the_link_to_the_code_by_mouse(room: StudyRoom, visit: Visit) -> None:
    """Practice that is reviewed, a reload in the middle, going back, a skip, a comment; and axe
    finds nothing serious on any screen on the way."""
    examples = (
        Example("Only the apple is colored.", True, room.images[0]),
        Example("The sky is colored too.", False),
    )
    wording = (("break_text", "Have some tea; “{words}” stays as it is."),)
    plan = room.colorings(2, Review.RESEARCHER, trials=4, examples=examples, wording=wording)
    link = room.opened(plan)
    page = visit(link)
    designer = Designer(page)
    barriers: list[str] = []

    def look(screen: str) -> None:
        designer.at(screen)
        barriers.extend(f"{screen}: {text}" for text in barriers_here(page))

    look("consent")
    designer.presses("I agree")
    look("instructions")
    expect(page.locator("main")).to_contain_text("Only the apple is colored.")
    designer.presses("Start")
    designer.sees(0)
    picker = page.locator(".cv-side")
    before = picker.bounding_box()
    chip = picker.locator(".cv-chip")
    # Crossed out, so that gray is not taken for a color.
    expect(chip).to_have_css("background-image", re.compile("linear-gradient"))
    page.mouse.click(*designer.place(0.5, 0.55))
    expect(page.locator(".cv-told")).to_have_text("Choose a color first.")
    assert picker.bounding_box() == before
    # What is no color stays to be mended, and is said.
    designer.takes("#12345")
    typed = picker.locator(".cv-hex")
    expect(typed).to_have_value("#12345")
    expect(typed).to_have_attribute("aria-invalid", "true")
    expect(picker.locator(".cv-edge")).to_contain_text("“#12345” is not a hex color.")
    designer.takes("#c02030")
    expect(typed).not_to_have_attribute("aria-invalid", "true")
    expect(chip).to_have_css("background-image", "none")
    expect(chip).to_have_css("background-color", "rgb(192, 32, 48)")
    # Who has read what to do does not read it again after a reload, also before the first step.
    page.reload()
    designer.sees(0)
    designer.fills("#c02030")
    page.get_by_role("button", name="Done", exact=True).dblclick()
    designer.sees(1)
    expect(page.locator(".said")).to_be_empty()
    designer.colors(range(1, 2))
    look("review")
    room.mark(link, 1, MarkKind.PRACTICE, "again", "The sky is colored too.")
    page.wait_for_function(LOOKED_AGAIN, polling=500)
    expect(designer.at("between")).to_contain_text("The sky is colored too.")
    barriers.extend(barriers_here(page))
    designer.presses("Start")
    designer.colors(range(2, 4))
    designer.at("review")
    room.mark(link, 3, MarkKind.PRACTICE, "accepted")
    page.reload()
    expect(designer.at("between")).to_contain_text("There are 4 sketches")
    designer.presses("Continue")

    designer.sees(4)
    # It is there after a reload, too.
    expect(page.locator("header")).to_be_visible()
    expect(page.locator("header")).to_contain_text("Sketch 1 of 4")
    look("coloring")
    designer.does()
    expect(page.locator(".said")).to_contain_text("Nothing is colored yet")
    designer.fills("#336699")
    designer.takes("#cc8844")
    page.locator(".cv-stage").focus()
    page.keyboard.press("b")
    designer.strokes((0.3, 0.5), (0.6, 0.6), (0.4, 0.7))
    page.keyboard.press("Control+z")
    designer.saved()
    designer.strokes((0.3, 0.5), (0.5, 0.55), ends=False)
    page.reload()
    page.mouse.up()
    designer.sees(4)
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Shift+z")
    designer.does()
    designer.sees(5)
    designer.presses("Previous sketch")
    designer.sees(4)
    page.keyboard.press("f")
    designer.fills("#77aa22", 0.02, 0.02)
    designer.does()

    designer.sees(5)
    designer.presses("Comment")
    barriers.extend(barriers_here(page))
    page.locator("textarea").fill("The line has a gap: <b>here</b>")
    designer.presses("Save")
    designer.presses("I don’t know this word")
    barriers.extend(barriers_here(page))
    page.locator("dialog[open]").get_by_role("button", name="I don’t know this word").click()
    designer.sees(6)
    designer.presses("Take a break")
    look("break")
    expect(designer.at("break")).to_contain_text("Your work is saved.")
    expect(designer.at("break")).to_contain_text(re.compile("Have some tea; “.+” stays as it is"))
    designer.presses("Continue")
    designer.colors(range(6, 8))
    look("comment")
    designer.presses("Finish")
    expect(designer.at("finished")).to_contain_text(CODE)
    assert barriers == []
    more = fetched(page) - needed(Kind.COLORINGS)
    # These drawings are small, and so shown larger than they are.
    assert {path.rpartition("/")[2] for path in more} == {"glance.js", "sharp.js"}
    assert needed(Kind.COLORINGS) <= fetched(page)

    events = one_person(room, link)
    assert same_pixels(room, events) == 8
    done = [event.body["do"] for event in events if event.kind == "action" and event.position == 4]
    # What was being drawn when the page was left is there as far as it was drawn.
    assert done == ["fill", "stroke", "undo", "stroke", "undo", "redo", "fill"]
    said = [event for event in events if event.kind == "comment"]
    assert [(item.position, item.body["text"]) for item in said] == [
        (5, "The line has a gap: <b>here</b>")
    ]
    (skip,) = [event.body for event in events if event.body.get("kind") == "skip"]
    assert skip["reason"] == "unknown-word"
    assert [event.position for event in events if event.kind == "undo"] == [4]
    assert [event.body["reason"] for event in events if event.kind == "away"] == ["break"]
    answers = [event.body for event in events if event.kind == "answer"]
    colorings = [answer for answer in answers if answer["kind"] == "coloring"]
    assert all(0 < coloring["active_ms"] <= coloring["response_ms"] for coloring in colorings)
    assert {answer["display"]["pointer"] for answer in answers} == {"mouse", "none"}


def test_sketches_by_touch_and_a_while_without_a_network(
    room: StudyRoom, visit: Visit, watch: Watch
) -> None:
    """On a phone 360 pixels wide, which is turned on its side for the last one."""
    watch.refused |= {"/events", ".png", ".regions"}
    link = room.opened(room.colorings(practice=0, trials=4))
    page = visit(link, **PHONE)
    page.set_viewport_size({"width": 360, "height": 640})
    designer = Designer(page)
    page.get_by_role("button", name="I agree").tap()
    page.get_by_role("button", name="Start").tap()
    for position in range(4):
        designer.sees(position)
        if position == 3:
            page.set_viewport_size({"width": 740, "height": 360})
        if position in (0, 3):
            assert too_small(page, ".coloring > .sketch-bar, header") == []
            assert page.evaluate(
                "document.documentElement.scrollWidth <= innerWidth "
                "&& document.documentElement.scrollHeight <= innerHeight"
            )
            assert barriers_here(page) == []
        if position > 1:
            assert covered(page) == []
        if position == 1:
            page.context.set_offline(True)
        page.locator(".cv-color").tap()
        designer.takes(f"#{position}0a0c0")
        page.locator(".cv-side .cv-close").tap()
        page.touchscreen.tap(*designer.place(0.5, 0.55))
        if position == 1:
            # The next sketches are here already.
            expect(page.locator(".saved")).to_have_text("Not saved yet")
        page.locator(".done").tap()
        if position == 2:
            page.context.set_offline(False)
            designer.saved()
    designer.at("comment")
    page.get_by_role("button", name="Finish").tap()
    expect(designer.at("finished")).to_contain_text(CODE)
    events = one_person(room, link)
    assert same_pixels(room, events) == 4
    assert {e.body["display"]["pointer"] for e in events if e.kind == "answer"} == {"touch"}


def test_what_was_done_without_a_network_is_there_after_a_crash(
    room: StudyRoom, visit: Visit, watch: Watch
) -> None:
    """By pen: what is in the middle of a sketch, and the end of the practice. A stroke that was
    being drawn then is none."""
    watch.refused.add("/events")
    long_word = "unbreakable" * 12
    plan = room.colorings(1, Review.NONE, trials=1)
    cases = tuple(replace(case, words=long_word) for case in plan.cases[:2])
    link = room.opened(replace(plan, cases=cases))
    page = visit(link, fresh=True)
    context, designer = page.context, Designer(page)
    designer.presses("I agree")
    designer.presses("Start")
    designer.sees(0)
    # A long word stays below the question, also beside the canvas of a phone on its side.
    page.set_viewport_size({"width": 740, "height": 360})
    concept, target = page.locator(".concept").bounding_box(), page.locator(".asked").bounding_box()
    assert concept is not None
    assert target is not None
    assert target["x"] <= concept["x"] < concept["x"] + concept["width"] <= 740
    page.set_viewport_size({"width": 1360, "height": 1000})
    designer.fills("#336699")
    designer.saved()

    def goes_offline(page: Page) -> None:
        context.set_offline(True)
        page.wait_for_function("!navigator.onLine")  # a busy browser does not know it at once

    goes_offline(page)
    designer.takes("#cc8844")
    page.locator(".cv-rail").get_by_role("button", name="Brush").click()
    pen = context.new_cdp_session(page)

    def moves(kind: str, x: float, y: float) -> None:
        index = designer.place(x, y)
        event = {"x": index[0], "y": index[1], "button": "left", "buttons": int(kind != "Released")}
        pen.send(
            "Input.dispatchMouseEvent",
            {"type": f"mouse{kind}", "pointerType": "pen", "clickCount": 1, **event},
        )

    def crashes(page: Page) -> Designer:
        """The same person, who opens the link again."""
        expect(page.locator(".saved")).to_have_text("Not saved yet")
        with page.expect_event("crash"), pytest.raises(Error, match="crash"):
            page.goto("chrome://crash")
        page.close()
        context.set_offline(False)
        again = context.new_page()
        again.goto(link)
        return Designer(again)

    for number in range(3):
        moves("Pressed", 0.4, 0.5 + number / 20)
        moves("Moved", 0.6, 0.5 + number / 20)
        if number < 2:
            moves("Released", 0.6, 0.5 + number / 20)
    designer = crashes(page)
    designer.sees(0)
    designer.saved()
    goes_offline(designer.page)
    designer.does()
    designer.at("keeping")
    designer = crashes(designer.page)
    expect(designer.at("between")).to_contain_text("There is one sketch.")
    designer.presses("Continue")
    designer.colors(range(1, 2))
    designer.at("comment")
    designer.presses("Finish")
    designer.at("finished")
    events = one_person(room, link)
    assert same_pixels(room, events) == 2
    done = [event.body["do"] for event in events if event.kind == "action"]
    assert done == ["fill", "stroke", "stroke", "fill"]


def test_done_while_a_stroke_is_still_drawn(room: StudyRoom, visit: Visit) -> None:
    """By keys, with the mouse still down: the stroke is of the coloring as far as it was drawn."""
    link = room.opened(room.colorings(practice=0, trials=1))
    page = visit(link)
    designer = Designer(page)
    designer.presses("I agree")
    designer.presses("Start")
    designer.sees(0)
    designer.takes("#cc8844")
    page.locator(".cv-stage").focus()
    page.keyboard.press("b")
    designer.strokes((0.4, 0.5), (0.6, 0.6), ends=False)
    page.keyboard.press("Control+Enter")
    designer.at("comment")
    page.mouse.up()
    designer.presses("Finish")
    designer.at("finished")
    events = one_person(room, link)
    assert same_pixels(room, events) == 1
    assert [event.body["do"] for event in events if event.kind == "action"] == ["stroke"]


def test_the_color_in_hand_is_there_in_the_next_sketch(room: StudyRoom, visit: Visit) -> None:
    """Where the plan keeps it; else each sketch begins without one."""
    for keeps in (True, False):
        plan = room.colorings(practice=0, trials=2, review=Review.NONE, keep_color=keeps)
        page = visit(room.opened(plan))
        designer = Designer(page)
        designer.begins()
        designer.fills("#c02030")
        designer.does()
        designer.sees(1)
        expect(page.locator(".cv-hex")).to_have_value("#c02030" if keeps else "")
        page.mouse.click(*designer.place(0.5, 0.55))
        told = page.locator(".cv-told")
        expect(told).to_have_text("" if keeps else "Choose a color first.")


def test_a_tap_beside_the_thing_is_asked_about_and_undone(room: StudyRoom, visit: Visit) -> None:
    """By one tap or key, also at Done; what is said to be part of it is said once."""
    link = room.opened(room.colorings(practice=0, trials=2, ask_background=True))
    page = visit(link, **PHONE)
    page.set_viewport_size({"width": 390, "height": 844})
    designer = Designer(page)
    prompts = page.locator(".cv-ask")
    page.get_by_role("button", name="I agree").tap()
    page.get_by_role("button", name="Start").tap()
    designer.sees(0)
    page.locator(".cv-color").tap()
    designer.takes("#704c1e")
    page.locator(".cv-side .cv-close").tap()
    page.touchscreen.tap(*designer.place(0.02, 0.02))
    expect(prompts).to_contain_text("This is the background. Is it part of “")
    assert too_small(page, ".cv-ask") == []
    assert barriers_here(page) == []
    prompts.get_by_role("button", name="No, undo").tap()
    expect(prompts).to_be_hidden()
    page.touchscreen.tap(*designer.place(0.5, 0.55))
    expect(prompts).to_be_hidden()
    page.touchscreen.tap(*designer.place(0.02, 0.02))
    page.keyboard.press("Escape")
    expect(prompts).to_be_hidden()
    page.touchscreen.tap(*designer.place(0.02, 0.02))
    expect(prompts).to_be_visible()
    # Nothing was answered, and the page is loaded again: Done asks.
    designer.saved()
    page.reload()
    designer.sees(0)
    page.locator(".done").tap()
    prompts.get_by_role("button", name="Yes, it is part of it").tap()
    designer.sees(1)
    designer.saved()
    (answer,) = (item for item in one_person(room, link) if item.kind == "answer")
    assert answer.body["background"] == {"asked": 4, "undone": 2, "part": True}
    assert same_pixels(room, one_person(room, link)) == 1
