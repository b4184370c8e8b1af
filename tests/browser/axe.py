"""What axe-core finds on a page that would keep somebody out."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

OPTIONS = {"resultTypes": ["violations"]}


VIEWS = (("light", 1360, 1000), ("dark", 1360, 1000), ("light", 390, 844))
"""Theme, width and height in px: colors change with the first, what scrolls with the second."""


def barriers(page: Page) -> list[str]:
    """Serious and critical violations, and headings that leave out a level, in all of ``VIEWS``.

    The theme is turned on the page as it stands, and light again in the end.
    """
    out = []
    for theme, width, height in VIEWS:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("on => document.body.classList.toggle('dark', on)", theme == "dark")
        found = _violations(page)
        if found:
            # What scrolls at this width is made known to the keyboard a moment later.
            page.wait_for_timeout(2_000)
            found = _violations(page)
        out += [f"{theme}, {width} px: {words}" for words in found]
    page.evaluate("() => document.body.classList.remove('dark')")
    return out


def _violations(page: Page) -> list[str]:
    return [
        f"{one['id']} at {[node['html'][:120] for node in one['nodes']]}"
        for one in Axe().run(page, options=OPTIONS).response["violations"]
        if one["impact"] in ("serious", "critical") or one["id"] == "heading-order"
    ]
