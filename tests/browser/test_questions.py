"""A human baseline: questions asked of a person, pixel by pixel, and what they got right."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from core.images.load import image_id
from core.vision_language.generators import Difficulty, GeneratedSettings, generated
from core.vision_language.question_set import QuestionSet
from core.vision_language.records import Question
from storage.question_sets import QuestionSets
from tests.browser.axe import barriers, barriers_here
from tests.browser.conftest import Visit
from tests.browser.people import PHONE, Person, too_small
from tests.running import App

pytestmark = pytest.mark.browser

COUNTS = {"color_blindness": 2, "color_counting": 2, "color_comparison": 3, "color_illusion": 3}
WRONG = 3
CONSENT = "I take part. Questions: a@b.example."


@pytest.fixture
def questions(app: App) -> QuestionSet:
    """Ten questions in the data folder of the app."""
    sets = QuestionSets(app.data / "questions")
    items = generated(GeneratedSettings(COUNTS, Difficulty.EASY, 21))
    return sets.open(sets.add(items, "Ten easy ones", {})[0])


def opens_study(page: Page, address: str, set_id: str) -> tuple[str, str]:
    """Makes the study that a link from Ask leads to, opens it, and makes a link for people; that
    link, and one of a preview."""
    page.goto(f"{address}/?tab=judge&new=questions&set={set_id}")
    room = page.locator(".th-judge")
    made = room.get_by_role("complementary", name="What this makes")
    expect(made).to_contain_text("Ten easy ones")
    expect(page).to_have_url(re.compile(f"view=new&preset=questions&set={set_id}"))
    expect(room.get_by_label("Set of questions")).to_have_value(set_id)
    for label, value in (
        ("Answers per question", "1"),
        ("Repeated questions", "0"),
        ("Attention checks", "0"),
        ("What they agree to", CONSENT),
    ):
        room.get_by_label(label).fill(value)
    room.locator("summary", has_text="Screening").click()
    room.get_by_label("Color-vision plates").uncheck()
    room.get_by_label("Dark and light patches").uncheck()
    expect(made.locator(".th-jd-headline")).to_have_text(re.compile("1 person"))
    assert barriers(page) == []
    made.get_by_role("button", name="Create the draft").click()
    with page.expect_popup() as popup:
        room.get_by_role("button", name="Preview").click()
    expect(popup.value).to_have_url(re.compile("/study/"))
    preview = popup.value.url
    popup.value.close()
    room.get_by_role("button", name="Open the study").click()
    room.get_by_role("tab", name="Links", exact=True).click()
    room.get_by_role("button", name="Make", exact=True).click()
    return room.locator(".th-jd-urls code").inner_text(), preview


def asked(page: Page, of: QuestionSet) -> Question:
    """The question on the screen, by its text and the pixels that its page fetched."""
    address = page.locator(".exact-sheet img").evaluate("(image) => image.src")
    fetched = Image.open(io.BytesIO(page.request.get(address).body())).convert("RGB")
    shown, words = image_id(np.asarray(fetched)), page.locator(".about").inner_text()
    (found,) = (q for q in of.questions() if q.image_id == shown and q.text == words)
    return found


def off(page: Page, of: QuestionSet, question: Question) -> int:
    """How many pixels of the screen differ from the picture, each of whose pixels is a square of
    whole pixels of the screen."""
    image = page.locator(".exact-sheet img")
    box = image.bounding_box()
    assert box is not None
    clip: Any = box
    shot = np.asarray(Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB"))
    pixels = of.image(question)
    scale, rest = divmod(shot.shape[1], pixels.shape[1])
    assert (scale >= 1, rest) == (True, 0)
    whole = pixels.repeat(scale, axis=0).repeat(scale, axis=1)
    assert shot.shape == whole.shape
    return int((shot != whole).any(axis=2).sum())


def sees_a_plate_on_a_phone(page: Page, of: QuestionSet) -> None:
    """A phone of two pixels of the screen a CSS pixel, 360 of these wide."""
    page.set_viewport_size({"width": 360, "height": 740})
    person = Person(page)
    person.begins()
    for position in range(10):
        person.sees(position)
        question = asked(page, of)
        if question.task == "color_blindness":
            assert off(page, of, question) == 0
            assert too_small(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            return
        page.locator(".option:visible").first.tap()
    raise AssertionError("No plate was shown.")


def test_ten_questions_answered_by_a_person(visit: Visit, app: App, questions: QuestionSet) -> None:
    page = visit(app.address)
    link, preview = opens_study(page, app.address, questions.sha256[:32])
    sees_a_plate_on_a_phone(visit(preview, **PHONE), questions)

    taking = visit(link)
    person = Person(taking)
    person.begins()
    plates = 0
    for position in range(10):
        person.sees(position)
        question = asked(taking, questions)
        if question.task == "color_blindness":
            plates += 1
            assert off(taking, questions, question) == 0
        right = question.answer
        if position == 0:
            assert barriers_here(taking) == []
            taking.keyboard.press("s")
            person.sees(1)
            taking.keyboard.press("u")
            person.sees(0)
            # Closer is a whole number of times closer, and another question is whole again.
            taking.keyboard.press("z")
            expect(taking.locator(".exact-hint")).to_be_visible()
        if position == 4:
            taking.reload()
            person.presses("Continue")
            person.sees(4)
            question = asked(taking, questions)
            right = question.answer
        key = right if position >= WRONG else "AB"[right == "A"]
        if position % 2:
            taking.keyboard.press(key.lower())
        else:
            taking.locator(".option:visible").nth("ABCD".index(key)).click()
    assert plates == 2
    person.at("comment")
    person.presses("Finish")
    person.at("finished")

    page.locator(".th-judge").get_by_role("tab", name="Results", exact=True).click()
    shares = page.get_by_role("table", name="Share right", exact=True)
    overall = shares.get_by_role("row", name=re.compile("All questions"))
    expect(overall).to_contain_text("70.0%")
    expect(page.locator(".th-jd-views")).to_contain_text("one person answered, or all alike")
    rows = page.get_by_role("table", name="Answers to every question").get_by_role("row")
    expect(rows).to_have_count(11)
    expect(rows.nth(1)).to_contain_text("0% of 1")
    assert barriers(page) == []
