"""Signing in and out in a real browser, from the door to the page and back."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.axe import barriers_here
from tests.browser.conftest import Visit, Watch
from tests.running import App, running
from tests.tabs.accounts.people import PASSWORD, add
from truehue.storage import Storage

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740}


@pytest.fixture
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    data = tmp_path_factory.mktemp("lab") / "d"
    with Storage.open(data) as storage:
        add(storage.accounts, "Ann Miller")
    with running(data) as app:
        yield app


def test_one_signs_in_by_keyboard_works_and_signs_out(lab: App, visit: Visit, watch: Watch) -> None:
    watch.refused.add("/signin")
    page = visit(f"{lab.address}/?tab=compare", color_scheme="dark")
    expect(page).to_have_title("Sign in · TrueHue")
    assert barriers_here(page) == []
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="light")
    page.keyboard.type("ann miller")
    page.keyboard.press("Tab")
    page.keyboard.type("not my password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("The name or the password is not right.")
    assert barriers_here(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    # The name is kept, and the cursor stands in the field that is to be filled anew.
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    out = page.get_by_role("button", name="Sign out")
    expect(out).to_be_visible()
    expect(out).to_be_in_viewport(ratio=1)
    assert "tab=compare" in page.url
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator(".th-account-name")).to_have_text("Ann Miller")
    # All that the tab asked for is there: what is asked later is refused, and told as an error.
    expect(page.locator(".th-concept-start")).to_be_visible()
    # A page that was left open says that its session has ended, and leads back to where it was.
    watch.refused.add("/api/page")
    page.evaluate("() => fetch('/signout', { method: 'POST' })")
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_role("alert", name="Notices")).to_contain_text("You are signed out")
    router = page.get_by_role("link", name="Sign in").get_attribute("href")
    assert router is not None
    assert re.match(r"/signin\?next=%2F%3Ftab%3Dcompare", router)
    # The button of a page that is left behind signs nobody in.
    out.click()
    expect(page.get_by_role("status")).to_have_text("You are signed out.")
    page.goto(lab.address + router)
    expect(page).to_have_title("Sign in · TrueHue")
    page.goto(f"{lab.address}/?tab=compare")
    expect(page).to_have_title("Sign in · TrueHue")
    visit.leave()  # before the app ends, which a page would tell
