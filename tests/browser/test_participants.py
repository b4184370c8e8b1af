"""The participants' page as they use it: by keys, by touch, and without a network; that what they
voted is stored. What a page does with single keys, tabs and answers is tested without a browser
(tests/assets/participants/)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.axe import barriers_here
from tests.browser.conftest import Visit, Watch
from tests.browser.people import PHONE, Person, fetched, needed, of_kind, one_person, too_small
from tests.browser.study_room import BACK, CODE, INTRO, StudyRoom, study_room
from truehue.annotation.quality.agents import evidence_of
from truehue.annotation.studies import languages as languages_module
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.languages import FOLDER, languages
from truehue.annotation.studies.plan import Material, Screening
from truehue.core.images.load import image_id
from truehue.core.studies import State
from truehue.tabs.participants.tokens import hash_of

pytestmark = pytest.mark.browser


WEIGHT = """() => ['.tie', '.choose', 'figure:last-of-type .choose'].map((name) => {
  const node = document.querySelector(name);
  const style = getComputedStyle(node);
  let ground = node.parentElement;
  while (getComputedStyle(ground).backgroundColor === 'rgba(0, 0, 0, 0)')
    ground = ground.parentElement;
  const under = getComputedStyle(ground).backgroundColor;
  return [style.backgroundColor, style.color, style.fontWeight, under];
})"""
"""What makes an answer loud: its gray, its letters, and what it stands on."""
FOREIGN = """() => {
  document.body.append(Object.assign(document.createElement('script'), {
    textContent: 'window.foreign = 1',
  }));
  return window.foreign;
}"""
QUESTION = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRoom]:
    with study_room(tmp_path_factory.mktemp("studies")) as opened:
        yield opened


def test_from_the_link_to_the_code_by_keys_alone(
    room: StudyRoom, visit: Visit, watch: Watch
) -> None:
    """And axe finds nothing serious on any screen on the way; no script but the page's own runs."""
    page = visit(room.opened(room.plan(), State.CLOSED), fresh=True)
    person, keyboard = Person(page), page.keyboard
    person.at("closed")
    barriers = barriers_here(page)
    plan = room.plan(
        intro=INTRO,
        screening=Screening(),
        training=room.training(),
        attention=1,
        trials=3,
        question=QUESTION,
    )
    link = room.opened(plan)
    page.goto(f"{link}?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=e1")

    def through(screen: str) -> None:
        person.at(screen)
        barriers.extend(f"{screen}: {text}" for text in barriers_here(page))
        keyboard.press("Tab")
        keyboard.press("Enter")

    through("welcome")
    through("consent")
    for number in range(1, 7):
        expect(page.get_by_text(f"Image {number} of 6")).to_be_visible()
        if number in (1, 5):
            barriers.extend(barriers_here(page))
        keyboard.press("n" if number == 2 else "3")
    through("instructions")
    for position in (0, 1):
        person.sees(position)
        keyboard.press("ArrowLeft")
        expect(page.get_by_role("button", name="Continue")).to_be_focused()
        barriers.extend(barriers_here(page) if not position else [])
        keyboard.press("Enter")
    if page.get_by_text("Once more").count():
        through("between")
        person.answers(range(2, 4), "2")
    first = 2
    through("between")
    checked = 0
    for position in range(first, first + 4):
        person.sees(position)
        tie, *sides = page.evaluate(WEIGHT)
        assert sides == [tie, tie], "no difference is as loud as a side, also in a check"
        locator = page.locator(".field-words:visible")
        if locator.count():
            checked += 1
            barriers.extend(barriers_here(page))
            keyboard.press(re.findall(r"\d", locator.inner_text())[0])
        else:
            if position == first:
                barriers.extend(barriers_here(page))
                expect(page.get_by_role("heading")).to_have_text(QUESTION)
                person.presses("Stop")
                barriers.extend(barriers_here(page))
                keyboard.press("2")
                person.presses("Continue")
                person.sees(position)
            keyboard.press("=")
    assert checked == 1
    person.at("comment")
    barriers.extend(barriers_here(page))
    keyboard.press("Tab")
    expect(page.locator("textarea")).to_be_focused()
    keyboard.type("Some were hard: 1 2 0 <b>!</b>")
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(person.at("finished")).to_contain_text(CODE)
    barriers.extend(barriers_here(page))
    assert page.get_by_role("link").get_attribute("href") == BACK
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(page.get_by_role("button", name="Copied")).to_be_focused()
    assert barriers == []
    assert fetched(page) == needed(Kind.PAIRS)
    assert page.evaluate(FOREIGN) is None
    assert any("Content Security Policy" in fault for fault in watch.faults)
    watch.faults.clear()

    events = one_person(room, link)
    kinds = [event.kind.value for event in events]
    assert kinds == ["screening", *["answer"] * 6, "comment", "finish"]
    assert events[0].body["answers"]["plates"][1] == ""
    assert events[0].body["shown"] == 4
    assert events[-2].body["text"] == "Some were hard: 1 2 0 <b>!</b>"
    answers = [event for event in events if event.kind == "answer"]
    assert [event.position for event in answers] == list(range(6))
    assert all(event.body["response_ms"] >= 200 for event in answers)
    facts = answers[-1].body["display"]
    assert facts == {
        "viewport": "1360x1000",
        "dpr": 1,
        "arrangement": "below",
        "zoomed": False,
        "hidden_ms": 0,
    }


def test_a_script_that_clicks_is_flagged_by_what_the_page_records(
    room: StudyRoom, visit: Visit
) -> None:
    """In a real browser: it says that it is controlled, jumps, and presses the very centers."""
    link = room.opened(room.plan(trials=4, record_input=True))
    page = visit(link, fresh=True)
    person = Person(page)
    expect(person.at("consent")).to_contain_text("programs that answer in place of people")
    person.begins()
    for position in range(4):
        person.sees(position)
        page.locator(".choose").nth(position % 2).click()
    person.finishes()
    record = room.storage.invitations.by_token(hash_of(link.rsplit("/", 1)[-1]))
    assert record is not None
    (joined,) = room.storage.participants.of(record.study_id)
    events = room.storage.study_events.of(joined.id)
    evidence = evidence_of(True, joined.enrolled_at, events)
    assert {"browser", "jumps", "centered"} <= {sign.name for sign in evidence.signs}
    assert evidence.flagged
    # On a slow machine the consent is pressed before the script that listens is there.
    assert evidence.presses in (6, 7)


def test_a_phone_360_pixels_wide_by_touch(room: StudyRoom, visit: Visit) -> None:
    """Every kind of vote, one after the other in one browser."""
    page: Page | None = None
    for kind, values, name, value, lying in (
        (Kind.PAIRS, {"tie": True}, "Choose 2", 1, "rows"),
        (Kind.PAIRS, {"material": Material.DISTRIBUTIONS}, "Choose 2", 1, "rows"),
        (Kind.RATINGS, {}, "10", 10, None),
        (Kind.BEST_OF, {}, "Choose 4", 3, "below"),
    ):
        provided: dict[str, Any] = {"trials": 1, **values}
        link = room.opened(room.plan(kind, **provided))
        if page is None:
            page = visit(link, **PHONE)
            page.set_viewport_size({"width": 360, "height": 740})
        else:
            page.goto(link)
        person = Person(page)
        person.at("consent")
        assert too_small(page) == []
        page.get_by_role("button", name="I agree").tap()
        person.at("instructions")
        page.get_by_role("button", name="Start").tap()
        person.sees(0)
        assert too_small(page) == []
        assert page.evaluate(
            "document.documentElement.scrollWidth <= innerWidth "
            "&& document.documentElement.scrollHeight <= innerHeight"
        )
        sizes = page.evaluate(
            """() => [...document.querySelectorAll('.frame, .strip')].map((one) => {
              const box = one.getBoundingClientRect();
              return one.className.split(' ')[0] + ' ' + box.width + ' x ' + box.height;
            })"""
        )
        assert len(set(sizes)) == (2 if "material" in values else 1), sizes
        assert barriers_here(page) == []
        page.get_by_role("button", name=name, exact=True).tap()
        person.at("comment")
        assert too_small(page) == []
        page.get_by_role("button", name="Finish").tap()
        expect(person.at("finished")).to_contain_text(CODE)
        events = one_person(room, link)
        assert of_kind(events, "answer") == [("answer", 0, value)]
        assert events[0].body["display"].get("arrangement") == lying


COVERED = """() => [...document.querySelectorAll('.choose')].filter((one) => {
  const box = one.getBoundingClientRect();
  return !one.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
}).map((one) => document.querySelector('.field').dataset.arrangement + ' ' + one.textContent)"""
"""The buttons of a trial that a mouse does not reach, and how its places lie."""


def test_a_check_is_answered_by_mouse_however_places_lie(room: StudyRoom, visit: Visit) -> None:
    """Its words have no button under them."""
    page = visit(room.opened(room.plan(Kind.BEST_OF, trials=1, attention=1)))
    person = Person(page)
    person.begins()
    for position in range(2):
        person.sees(position)
        words, choice = page.locator(".field-words:visible"), "1"
        if words.count():
            (choice,) = re.findall(r"\d", words.inner_text())
            for width, height in ((1440, 900), (900, 1100), (390, 844), (800, 420)):
                page.set_viewport_size({"width": width, "height": height})
                assert page.evaluate(COVERED) == []
        person.presses(f"Choose {choice}")
    person.at("comment")


def test_votes_survive_a_lost_network_a_closed_page_and_a_reload(
    room: StudyRoom, visit: Visit, watch: Watch
) -> None:
    watch.refused.add("/events")
    link = room.opened(room.plan(trials=5))
    page = visit(link, fresh=True)
    person, context = Person(page), page.context
    person.begins()
    person.answers(range(2))
    person.sees(2)
    # What was answered so far is stored: the page keeps nothing of it any more.
    page.wait_for_function(
        "!Object.keys(localStorage).some((key) => key.startsWith('truehue-study:'))"
    )
    context.set_offline(True)
    person.answers(range(2, 4), "2")
    expect(page.get_by_text("Not sent yet")).to_contain_text("2 answers")
    person.sees(4)
    with page.expect_event("dialog") as target:
        page.evaluate("void setTimeout(() => location.reload())")
    assert target.value.type == "beforeunload"
    target.value.dismiss()
    page.close()
    # A closing page may still send what waited: the browser then forgets that it was offline.
    assert len(of_kind(one_person(room, link), "answer")) in (2, 4)
    context.set_offline(False)
    person = Person(context.new_page())
    person.page.goto(link)
    expect(person.at("again")).to_contain_text(re.compile("[24] of 5"))
    person.presses("Continue")
    person.answers(range(4, 5))
    expect(person.at("comment")).to_be_visible()
    # Whoever leaves the page after the last answer has finished.
    person.page.reload()
    expect(person.at("finished")).to_contain_text(CODE)
    values = [(position, value) for _, position, value in of_kind(one_person(room, link), "answer")]
    assert values == [(0, 0), (1, 0), (2, 1), (3, 1), (4, 0)]
    person.page.reload()
    expect(person.at("finished")).to_contain_text(CODE)


def off(page: Page, room: StudyRoom) -> int:
    """How many pixels of the screen differ from the stored picture of the question on it, each of
    whose pixels is a square of whole pixels of the screen."""
    image = page.locator(".exact-sheet img")
    box = image.bounding_box()
    assert box is not None
    clip: Any = box
    shot = np.asarray(Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB"))
    fetched = page.request.get(image.evaluate("(image) => image.src")).body()
    pixels = np.asarray(Image.open(io.BytesIO(fetched)).convert("RGB"))
    # The page has the very pixels that are stored.
    assert (room.storage.images.srgb8(image_id(pixels)) == pixels).all()
    scale, rest = divmod(shot.shape[1], pixels.shape[1])
    assert (scale >= 1, rest) == (True, 0)
    whole = pixels.repeat(scale, axis=0).repeat(scale, axis=1)
    assert shot.shape == whole.shape
    return int((shot != whole).any(axis=2).sum())


@pytest.mark.parametrize("dpr", [1, 2])
def test_a_picture_that_is_asked_about_is_on_the_screen_pixel_by_pixel(
    room: StudyRoom, visit: Visit, dpr: int
) -> None:
    """Also where the page was loaded again, and after it was looked at closely; on a phone of two
    pixels of the screen a CSS pixel, 360 of these wide."""
    plan = room.questions({"color_blindness": 2, "color_comparison": 1})
    page = visit(room.opened(plan), **(PHONE if dpr == 2 else {}))
    if dpr == 2:
        page.set_viewport_size({"width": 360, "height": 740})
    person = Person(page)
    person.begins()
    for position in range(3):
        if position == 1:
            page.reload()
            person.presses("Continue")
        person.sees(position)
        assert off(page, room) == 0
        if position == 0:
            assert too_small(page) == []
            assert barriers_here(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            person.presses("Zoom")
            expect(page.locator(".exact-hint")).to_be_visible()
        option = page.locator(".option:visible").last
        option.tap() if dpr == 2 else option.click()
    person.finishes()


def test_a_language_from_right_to_left_turns_the_page_and_no_stimulus(
    room: StudyRoom, visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pair keeps its sides, and the canvas shows the whole drawing."""
    (tmp_path / "en.json").write_bytes((FOLDER / "en.json").read_bytes())
    (tmp_path / "he.json").write_text('{"name": "עברית", "direction": "rtl"}', "utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(languages_module, "FOLDER", tmp_path)
        languages.cache_clear()
        link = room.opened(room.plan(language="he", trials=1))
        page = visit(link, fresh=True)
        person = Person(page)
        expect(page.locator("html")).to_have_attribute("dir", "rtl")
        person.begins()
        stop = page.get_by_role("button", name="Stop").bounding_box()
        first, second = (
            page.get_by_role("button", name=f"Choose {n}").bounding_box() for n in (1, 2)
        )
        assert stop
        assert first
        assert second
        assert stop["x"] < 100
        assert first["x"] < second["x"]
        page.keyboard.press("ArrowLeft")
        person.at("comment")
        assert of_kind(one_person(room, link), "answer") == [("answer", 0, 0)]
        page.goto(room.opened(room.colorings(language="he")))
        person.at("consent")
        person.presses("I agree")
        person.at("instructions")
        person.presses("Start")
        stage, sheet = page.locator(".cv-stage"), page.locator(".cv-sheet")
        expect(stage).to_be_visible()
        inside, whole = sheet.bounding_box(), stage.bounding_box()
        assert inside
        assert whole
        assert whole["x"] <= inside["x"]
        assert inside["x"] + inside["width"] <= whole["x"] + whole["width"] + 1
    languages.cache_clear()
