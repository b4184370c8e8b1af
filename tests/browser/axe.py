"""What axe-core finds on a page that would keep somebody out."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import JSHandle, Page

COLORS = ("color-contrast", "link-in-text-block")
"""The rules of axe-core that look at colors, which take it longer than all others."""

LARGE, PHONE = (1360, 1000), (390, 844)
# What scrolls at a width is made known to the keyboard a moment later.
LATER_MS = 2_000

# axe-core reads the color of every element behind every text anew, for a third of its time.
REMEMBER_COLORS = """() => {
  const { prototype } = axe.commons.color.Color;
  const parse = prototype.parseString;
  const known = new Map();
  prototype.parseString = function (text) {
    if (!known.has(text)) {
      parse.call(this, text);
      known.set(text, [this.r, this.g, this.b, this.alpha]);
    }
    [this.r, this.g, this.b, this.alpha] = known.get(text);
    return this;
  };
}"""

RUN = """async ({ options, where }) => {
  if (where?.length === 0) return [];
  const { violations } = await axe.run(where ? { include: where } : document, {
    resultTypes: ['violations'], ...options,
  });
  return violations.map(({ id, impact, nodes }) => (
    { id, impact, places: nodes.map(({ html }) => html.slice(0, 120)) }
  ));
}"""

# What colors are judged by, of every element in sight.
LOOKS = """() => {
  const parts = ['color', 'backgroundColor', 'backgroundImage', 'opacity', 'fontSize',
    'fontWeight', 'textDecorationLine'];
  const looks = new Map();
  for (const element of document.body.querySelectorAll('*')) {
    if (!element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    looks.set(element, parts.map((part) => style[part]).join());
  }
  return looks;
}"""
# The elements that look otherwise, or were not in sight; what lies in one of them goes with it.
CHANGED = f"""(before) => {{
  const changed = [];
  for (const [element, look] of ({LOOKS})()) {{
    if (before.get(element) !== look && !changed.at(-1)?.contains(element)) changed.push(element);
  }}
  return changed;
}}"""


def barriers(page: Page) -> list[str]:
    """Serious and critical violations, and headings that leave out a level: in light and in dark,
    on a screen and on a phone.

    The theme is turned on the page as it stands, and light again in the end. It changes colors
    alone; on the phone, colors are looked at where they are not those of the screen.
    """
    _prepare(page)
    _turn(page, "light", LARGE)
    out = _lasting(page, "light, 1360 px", {})
    looks = page.evaluate_handle(LOOKS)
    _turn(page, "dark", LARGE)
    out += _lasting(page, "dark, 1360 px", {"runOnly": COLORS})
    _turn(page, "light", PHONE)
    out += _lasting(page, "light, 390 px", {"rules": {one: {"enabled": False} for one in COLORS}})
    out += _lasting(page, "light, 390 px", {"runOnly": COLORS}, looks)
    return out


def barriers_here(page: Page) -> list[str]:
    """Serious and critical violations of a page as it stands, which has one look alone."""
    _prepare(page)
    return _violations(page, {})


def _prepare(page: Page) -> None:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
        page.evaluate(REMEMBER_COLORS)


def _turn(page: Page, theme: str, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("on => document.body.classList.toggle('dark', on)", theme == "dark")


def _lasting(
    page: Page, view: str, options: dict[str, Any], looks: JSHandle | None = None
) -> list[str]:
    found = _violations(page, options, looks)
    if found:
        page.wait_for_timeout(LATER_MS)
        found = _violations(page, options, looks)
    return [f"{view}: {words}" for words in found]


def _violations(page: Page, options: dict[str, Any], looks: JSHandle | None = None) -> list[str]:
    """Of all of the page, or of what is not as it was when ``looks`` were taken."""
    where = page.evaluate_handle(CHANGED, looks) if looks else None
    return [
        f"{violation['id']} at {violation['places']}"
        for violation in page.evaluate(RUN, {"options": options, "where": where})
        if violation["impact"] in ("serious", "critical") or violation["id"] == "heading-order"
    ]
