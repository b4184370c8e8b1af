"""``python -m tests.bench.fills``: how soon a fill and its undo are on the screen.

A drawing of 1024 x 1024 pixels in a Chromium without a GPU, from the press to the frame that shows
it. The largest regions are filled and taken back, each many times. Exit status 0: goals are met.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence

from playwright.sync_api import Page, sync_playwright

from tests.browser import chromium
from tests.browser.canvas_room import canvas_room, house_drawing
from tests.browser.conftest import ARGUMENTS

FILL_MS, UNDO_MS = 50.0, 1000 / 60
PLACES = ((0.05, 0.05), (0.1, 0.95), (0.77, 0.4), (0.37, 0.4))
REST_MS = 100


def times(page: Page, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each fill and undo, without the first round, in which code is compiled."""
    box = page.locator(".cv-sheet").bounding_box()
    assert box is not None
    page.locator(".cv-hex").fill("#5d8a3c")
    page.keyboard.press("Enter")
    for number in range(rounds + 1):
        for x, y in PLACES:
            page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
            page.wait_for_timeout(REST_MS)
        for _ in PLACES:
            page.keyboard.press("Control+z")
            page.wait_for_timeout(REST_MS)
        if not number:
            page.evaluate("performance.clearMeasures()")
    return {
        name: page.evaluate(
            "name => performance.getEntriesByName('canvas ' + name).map((one) => one.duration)",
            name,
        )
        for name in ("fill", "undo")
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the times; 0 where both goals are met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=8)
    parse_args = parser.parse_args(arguments)
    with canvas_room(house_drawing()) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1360, "height": 900})
        page.goto(address)
        page.wait_for_selector(".cv[data-ready]")
        used = times(page, parse_args.rounds)
        browser.close()
    met = True
    for name, goal in (("fill", FILL_MS), ("undo", UNDO_MS)):
        values = sorted(used[name])
        median, late = statistics.median(values), values[int(0.95 * len(values))]
        met &= median <= goal
        print(
            f"{name}: median {median:.1f} ms, 95% within {late:.1f} ms of {len(values)}, "
            f"goal of the median {goal:.1f} ms: {'met' if median <= goal else 'NOT met'}"
        )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
