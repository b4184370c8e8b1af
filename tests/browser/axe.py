"""What axe-core finds on a page that would keep somebody out."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

COLORS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
"""The rules of axe-core that look at colors: another theme changes nothing else."""

VIEWS: tuple[tuple[str, int, int, dict[str, Any]], ...] = (
    ("light", 1360, 1000, {}),
    ("dark", 1360, 1000, {"runOnly": COLORS}),
    ("light", 390, 844, {}),
)
"""Theme, width and height in px, and what of axe-core: colors change with the first, what scrolls
with the second."""

RUN = """async (options) => {
  const { violations } = await axe.run(document, { resultTypes: ['violations'], ...options });
  return violations.map(({ id, impact, nodes }) => (
    { id, impact, places: nodes.map(({ html }) => html.slice(0, 120)) }
  ));
}"""


def barriers(page: Page) -> list[str]:
    """Serious and critical violations, and headings that leave out a level, in all of ``VIEWS``.

    The theme is turned on the page as it stands, and light again in the end.
    """
    out = []
    page.evaluate(AXE_SCRIPT)
    for theme, width, height, options in VIEWS:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("on => document.body.classList.toggle('dark', on)", theme == "dark")
        found = _violations(page, options)
        if found:
            # What scrolls at this width is made known to the keyboard a moment later.
            page.wait_for_timeout(2_000)
            found = _violations(page, options)
        out += [f"{theme}, {width} px: {words}" for words in found]
    page.evaluate("() => document.body.classList.remove('dark')")
    return out


def barriers_here(page: Page) -> list[str]:
    """Serious and critical violations of a page as it stands, which has one look alone."""
    page.evaluate(AXE_SCRIPT)
    return _violations(page, {})


def _violations(page: Page, options: dict[str, Any]) -> list[str]:
    return [
        f"{violation['id']} at {violation['places']}"
        for violation in page.evaluate(RUN, options)
        if violation["impact"] in ("serious", "critical") or violation["id"] == "heading-order"
    ]
