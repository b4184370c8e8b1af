"""People in front of the participants' pages, and what is stored of them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.browser.study_room import CODE, StudyRoom
from truehue.annotation.studies.cases import Kind
from truehue.core.studies import Event
from truehue.tabs.participants.page import participant_files

PHONE: dict[str, Any] = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}
READY_MS = 230
"""A little longer than the page waits before it takes a key for an answer."""


class Person:
    """Somebody in front of a page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def at(self, screen: str) -> Locator:
        """The screen with this name, once it is there."""
        main = self.page.locator(f"main[data-screen='{screen}']")
        expect(main).to_be_visible()
        return main

    def presses(self, text: str) -> None:
        self.page.get_by_role("button", name=text, exact=True).click()

    def begins(self) -> None:
        """Agrees, and reads what to do, where a study has nothing in between."""
        self.at("consent")
        self.presses("I agree")
        self.at("instructions")
        self.presses("Start")
        self.sees(0)

    def sees(self, position: int) -> None:
        """Waits until a trial is on the screen and takes an answer."""
        expect(self.page.locator(f".trial[data-painted='{position}']")).to_be_visible()
        now = self.page.evaluate("performance.now()")
        self.page.wait_for_function("at => performance.now() > at", arg=now + READY_MS)

    def answers(self, positions: range, key: str = "1") -> None:
        for position in positions:
            self.sees(position)
            self.page.keyboard.press(key)

    def finishes(self) -> None:
        self.at("comment")
        self.presses("Finish")
        expect(self.at("finished")).to_contain_text(CODE)


def one_person(room: StudyRoom, link: str) -> tuple[Event, ...]:
    (events,) = room.events(link).values()
    return events


def of_kind(events: tuple[Event, ...], *kinds: str) -> list[tuple[Any, ...]]:
    return [
        (event.kind, event.position, event.body.get("value"))
        for event in events
        if event.kind in kinds
    ]


def too_small(page: Page, within: str = "body") -> list[str]:
    """What is to be touched and is less than 48 px high or wide."""
    return page.evaluate(
        """(within) => [...document.querySelectorAll(within)]
        .flatMap((part) => [...part.querySelectorAll('button, a')])
        .filter((one) => one.offsetParent).map((one) => [one, one.getBoundingClientRect()])
        .filter(([, box]) => box.width < 48 || box.height < 48 || box.right > innerWidth + 0.5)
        .map(([one, box]) => `${one.textContent}: ${box.width} x ${box.height}`)""",
        within,
    )


def fetched(page: Page) -> set[str]:
    """The paths of all script and style that a page fetched."""
    names = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    paths = {urlsplit(name).path for name in names}
    return {path for path in paths if path.endswith((".js", ".css"))}


def needed(kind: Kind) -> set[str]:
    """Those that a study of this kind needs: what another kind needs is not among them."""
    files = participant_files()
    return {*files.first(kind), *files.styles(kind)}
