"""Scripts that take part in a study: in a real Chromium by Playwright, and without any page.

``DEVELOPMENT`` were looked at while signs and points were chosen, ``HELD_OUT`` were not.
``CAREFUL`` copy people, as an author of scripts can who knows what is looked for.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from playwright.async_api import Browser, Locator, Page

from tests.bench.voters import Connection
from tests.hands import Hand

HIDING = ("--disable-blink-features=AutomationControlled",)
"""What a script starts Chromium with, so that pages are not told."""
USER_AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/138.0.0.0 Safari/537.36"
)
VIEWPORT: Any = {"width": 1280, "height": 900}
PHONE: Mapping[str, Any] = {"has_touch": True, "is_mobile": True}
SOONEST_S = 0.21
"""The page takes no answer sooner."""
DISPATCH = """(node) => {
  const box = node.getBoundingClientRect();
  const at = { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
  for (const name of ['pointerdown', 'pointerup'])
    node.dispatchEvent(new PointerEvent(name, { ...at, pointerType: 'mouse' }));
  node.dispatchEvent(new MouseEvent('click', at));
}"""


class Script:
    """One script in a page; a kind overrides how it waits, presses and answers."""

    options: Mapping[str, Any] = {}
    waits = 0.0, 0.0

    def __init__(self, page: Page, rng: random.Random) -> None:
        self.page, self.rng = page, rng

    async def takes_part(self, link: str) -> None:
        """From the consent to the end."""
        page = self.page
        await page.goto(link, wait_until="domcontentloaded")
        await self.button("consent", "I agree")
        await self.button("instructions", "Start")
        position = 0
        while True:
            trial, end = f".trial[data-painted='{position}']", "main[data-screen='comment']"
            await page.wait_for_selector(f"{trial}, {end}")
            if await page.locator(end).count():
                break
            await asyncio.sleep(SOONEST_S + self.rng.uniform(*self.waits))
            await self.answer(self.rng.randrange(2))
            position += 1
        await self.button("comment", "Finish")
        await page.wait_for_selector("main[data-screen='finished']")

    async def button(self, screen: str, name: str) -> None:
        """Presses the button of a screen, once it is there."""
        await self.page.wait_for_selector(f"main[data-screen='{screen}']")
        await self.press(self.page.get_by_role("button", name=name, exact=True))

    async def press(self, target: Locator) -> None:
        """Presses a button."""
        await target.click()

    async def answer(self, side: int) -> None:
        """Answers the trial that is shown."""
        await self.press(self.page.locator(".choose").nth(side))

    async def point(self, target: Locator, spread: float) -> tuple[float, float]:
        """A point of a button, around its center by a share of its size."""
        await target.scroll_into_view_if_needed()
        box = await target.bounding_box()
        assert box is not None
        return (
            box["x"] + box["width"] * (0.5 + self.rng.uniform(-spread, spread)),
            box["y"] + box["height"] * (0.5 + self.rng.uniform(-spread, spread)),
        )

    async def press_here(self, least_s: float, most_s: float) -> None:
        """Presses where the mouse is."""
        await self.page.mouse.down()
        await asyncio.sleep(self.rng.uniform(least_s, most_s))
        await self.page.mouse.up()


class Click(Script):
    """``locator.click()``, as soon as it can."""


class PausedClick(Script):
    """``locator.click()`` after a pause of chance."""

    waits = 0.3, 1.5


class StraightMouse(Script):
    """``mouse.move(steps=…)`` to a point of the button, down, up."""

    waits = 0.2, 1.0

    async def press(self, target: Locator) -> None:
        x, y = await self.point(target, 0.3)
        await self.page.mouse.move(x, y, steps=self.rng.randint(5, 25))
        await self.page.mouse.down()
        await self.page.mouse.up()


class SteppedLine(Script):
    """A line in small steps with sleeps between them, off by a pixel, and a press that lasts."""

    waits = 0.2, 1.0
    place = 640.0, 20.0

    async def press(self, target: Locator) -> None:
        (x0, y0), (x1, y1) = self.place, await self.point(target, 0.3)
        steps = self.rng.randint(12, 40)
        for step in range(1, steps + 1):
            x, y = x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps
            await self.page.mouse.move(x + self.rng.uniform(-1, 1), y + self.rng.uniform(-1, 1))
            await asyncio.sleep(self.rng.uniform(0.004, 0.014))
        self.place = x1, y1
        await self.press_here(0.05, 0.12)


class ElementClick(Script):
    """``element.click()`` in the page."""

    waits = 0.1, 0.8

    async def press(self, target: Locator) -> None:
        await target.evaluate("(node) => node.click()")


class Keys(Script):
    """``keyboard.press()``; other buttons are clicked."""

    waits = 0.1, 1.0

    async def answer(self, side: int) -> None:
        await self.page.keyboard.press(str(side + 1))


class TimedKeys(Script):
    """``keyboard.press(delay=…)`` at a fixed pace."""

    def __init__(self, page: Page, rng: random.Random) -> None:
        super().__init__(page, rng)
        pause = rng.uniform(0.4, 1.2)
        self.waits = pause, pause
        self.delay_ms = rng.uniform(30, 90)

    async def answer(self, side: int) -> None:
        await self.page.keyboard.press(str(side + 1), delay=self.delay_ms)


class Dispatched(Script):
    """Pointer events and a click that a script in the page makes."""

    waits = 0.2, 1.5

    async def press(self, target: Locator) -> None:
        await target.evaluate(DISPATCH)


class PausedKeys(Script):
    """Keys that are held for a time of chance, after a pause of chance; other buttons are clicked."""

    waits = 0.4, 2.0

    async def answer(self, side: int) -> None:
        await self.page.keyboard.down(str(side + 1))
        await asyncio.sleep(self.rng.uniform(0.05, 0.13))
        await self.page.keyboard.up(str(side + 1))


class CurvedMouse(Script):
    """A Bézier curve with jitter, sleeps between its points, a pause, and a press that lasts: what
    is handed around as a human mouse."""

    waits = 0.3, 1.5
    place = 500.0, 300.0

    async def press(self, target: Locator) -> None:
        start, end = self.place, await self.point(target, 0.3)
        reach = math.dist(start, end)
        bends = [
            tuple(
                a + (b - a) * part + self.rng.uniform(-0.2, 0.2) * reach
                for a, b in zip(start, end, strict=True)
            )
            for part in (0.33, 0.66)
        ]
        steps = self.rng.randint(20, 45)
        for step in range(1, steps + 1):
            t = step / steps
            point = [
                (1 - t) ** 3 * a
                + 3 * t * (1 - t) ** 2 * b
                + 3 * t**2 * (1 - t) * c
                + t**3 * d
                + self.rng.gauss(0, 0.7)
                for a, b, c, d in zip(start, *bends, end, strict=True)
            ]
            await self.page.mouse.move(*point)
            await asyncio.sleep(self.rng.uniform(0.004, 0.016))
        self.place = end
        await asyncio.sleep(self.rng.uniform(0.02, 0.08))
        await self.press_here(0.05, 0.12)


class Tap(Script):
    """``locator.tap()`` on a phone."""

    options = PHONE
    waits = 0.3, 1.5

    async def press(self, target: Locator) -> None:
        await target.tap()


class ClickAnywhere(Script):
    """``locator.click(position=…, delay=…)`` at a point of chance, for a time of chance."""

    waits = 0.3, 1.5

    async def press(self, target: Locator) -> None:
        box = await target.bounding_box()
        assert box is not None
        place: Any = {
            "x": box["width"] * self.rng.uniform(0.2, 0.8),
            "y": box["height"] * self.rng.uniform(0.2, 0.8),
        }
        await target.click(position=place, delay=self.rng.uniform(40, 120))


class ComputerUse(Script):
    """An agent that looks at screenshots: long pauses, and whole pixels near the center."""

    waits = 1.0, 3.0

    async def press(self, target: Locator) -> None:
        x, y = await self.point(target, 0)
        x, y = round(x + self.rng.gauss(0, 5)), round(y + self.rng.gauss(0, 3))
        await self.page.mouse.move(x, y)
        await asyncio.sleep(self.rng.uniform(0.05, 0.3))
        await self.press_here(0.0, 0.06)


class TabAndEnter(Script):
    """The focus on the button, and Enter."""

    waits = 0.2, 1.5

    async def press(self, target: Locator) -> None:
        await target.press("Enter")


class CopiedHand(Script):
    """The movements of a simulated person, in their time."""

    def __init__(self, page: Page, rng: random.Random) -> None:
        super().__init__(page, rng)
        self.hand = Hand("mouse", np.random.default_rng(rng.randrange(2**32)), True)
        self.hand.at, self.hand.hover = (700.0, 300.0), 0.0

    async def press(self, target: Locator) -> None:
        await target.scroll_into_view_if_needed()
        box = await target.bounding_box()
        assert box is not None
        hand = self.hand
        hand.events.clear()
        start_ms = hand.now_ms
        wait_ms = 900 * math.exp(0.4 * self.rng.gauss(0, 1))
        hand.press((box["x"], box["y"], box["width"], box["height"]), wait_ms)
        begun = time.monotonic()
        for kind, *more in hand.events:
            if kind == "left":
                continue
            steps = more[0] if kind == "move" else [[0, 0, more[2] if kind == "down" else more[0]]]
            for x, y, stamp in steps:
                await asyncio.sleep(max(0, begun + (stamp - start_ms) / 1_000 - time.monotonic()))
                if kind == "move":
                    await self.page.mouse.move(x, y)
            if kind == "down":
                await self.page.mouse.down()
            if kind == "up":
                await self.page.mouse.up()


class CopiedKeys(Script):
    """Keys alone, also for the other buttons, in the times of people."""

    async def press(self, target: Locator) -> None:
        await target.focus()
        await self.hold("Enter")

    async def answer(self, side: int) -> None:
        await self.hold(str(side + 1))

    async def hold(self, key: str) -> None:
        """Presses a key as long as people do, when they do."""
        await asyncio.sleep(0.8 * math.exp(0.4 * self.rng.gauss(0, 1)))
        await self.page.keyboard.down(key)
        await asyncio.sleep(0.095 * math.exp(0.25 * self.rng.gauss(0, 1)))
        await self.page.keyboard.up(key)


DEVELOPMENT: Mapping[str, type[Script]] = {
    "locator.click()": Click,
    "click with pauses": PausedClick,
    "mouse.move(steps)": StraightMouse,
    "line with sleeps": SteppedLine,
    "element.click()": ElementClick,
    "keyboard.press()": Keys,
    "keys at a pace": TimedKeys,
}
HELD_OUT: Mapping[str, type[Script]] = {
    "dispatched events": Dispatched,
    "keys held at random": PausedKeys,
    "Bézier with jitter": CurvedMouse,
    "taps of a phone": Tap,
    "click(position, delay)": ClickAnywhere,
    "screenshot agent": ComputerUse,
    "focus and Enter": TabAndEnter,
}
CAREFUL: Mapping[str, type[Script]] = {
    "copied hand": CopiedHand,
    "copied keys": CopiedKeys,
}


async def in_browser(browser: Browser, kind: type[Script], link: str, seed: int) -> None:
    """One script takes part, in a context of its own."""
    options = {"viewport": VIEWPORT, "user_agent": USER_AGENT, **kind.options}
    context = await browser.new_context(**options)
    try:
        await kind(await context.new_page(), random.Random(seed)).takes_part(link)
    finally:
        await context.close()


Record = Callable[[random.Random], Mapping[str, Any]]


def no_record(_: random.Random) -> Mapping[str, Any]:
    """A script that does not know of records."""
    return {}


def forged_record(rng: random.Random) -> Mapping[str, Any]:
    """A script that makes one up."""
    held, reach = rng.randint(60, 110), rng.randint(200, 700)
    way: Mapping[str, Any] = {"distance": reach, "length": reach + 20, "jump": 30, "bend": 12.5}
    pace: Mapping[str, Any] = {"moves": 40, "took": 700, "rest": 90, "even": 0.8, "late": 0.5}
    return {"input": [{"by": "mouse", "held": held, "off": rng.randint(3, 20), **way, **pace}]}


async def by_requests(record: Record, link: str, seed: int) -> None:
    """One script takes part without a page, as fast as it is answered."""
    rng = random.Random(seed)
    address, _, token = link.partition("/study/")
    connection, path = Connection(address), f"/study/{token}"
    state = json.loads((await connection.ask(f"{path}/state"))[1])
    agreement = {"consent_version": state["study"]["consent"]["version"], "language": "en"}
    _, body = await connection.ask(f"{path}/enroll", {**agreement, **record(rng)})
    for trial in json.loads(body)["trials"]:
        time_ms = rng.uniform(900, 4_000)
        answer = {"kind": "place", "value": rng.randrange(2), "response_ms": time_ms}
        event = {"kind": "answer", "position": trial["position"], "body": {**answer, **record(rng)}}
        await connection.ask(
            f"{path}/events", {"events": [{"id": secrets.token_hex(16), "client_ms": 0, **event}]}
        )
    connection.close()
