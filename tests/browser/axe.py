"""What axe-core finds on a page that would keep somebody out."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import JSHandle, Page

COLORS = ("color-contrast", "link-in-text-block")
"""The rules of axe-core that look at colors, which take it longer than all others."""

MILD = (
    "aria-allowed-role",
    "aria-deprecated-role",
    "empty-table-header",
    "focus-order-semantics",
    "form-field-multiple-labels",
    "hidden-content",
    "html-xml-lang-mismatch",
    "image-redundant-alt",
    "landmark-banner-is-top-level",
    "landmark-contentinfo-is-top-level",
    "landmark-main-is-top-level",
    "landmark-no-duplicate-banner",
    "landmark-no-duplicate-contentinfo",
    "landmark-no-duplicate-main",
    "landmark-one-main",
    "landmark-unique",
    "page-has-heading-one",
    "presentation-role-conflict",
    "region",
    "skip-link",
    "table-duplicate-name",
)
"""The rules of axe-core that find nothing serious, whatever the page: they are not asked."""

BY_SIZE = ("scrollable-region-focusable", "heading-order", "bypass")
"""What may hold at one width and not at another, though no element looks otherwise."""

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

# Rules look at some elements alone, where a run says so: each run builds a tree of the whole page,
# which takes it longer than most rules.
ASK_SOME = """({ colors, sized }) => {
  globalThis.some = { words: null, changed: null };
  for (const rule of axe._audit.rules) {
    const { id, matches } = rule;
    rule.matches = function (node, ...more) {
      const { words, changed } = globalThis.some;
      if (colors.includes(id) && words && !words.has(node)) return false;
      if (!colors.includes(id) && !sized.includes(id) && changed
        && !changed.some((one) => one.contains(node))) return false;
      return matches.call(this, node, ...more);
    };
  }
}"""

# To learn what lies on what, axe-core walks all elements. Hidden ones lie on nothing, and a page has
# up to ten times as many of them.
SKIP_HIDDEN = """() => {
  const walk = document.createTreeWalker;
  const { FILTER_ACCEPT, FILTER_REJECT } = NodeFilter;
  const filter = (node) => (node.checkVisibility() || getComputedStyle(node).display === 'contents'
    ? FILTER_ACCEPT : FILTER_REJECT);
  globalThis.skipHidden = async (run) => {
    document.createTreeWalker = (root, types) => walk.call(document, root, types, filter);
    try {
      return await run();
    } finally {
      delete document.createTreeWalker;
    }
  };
}"""

RUN = """async ({ only, mild, words, changed }) => {
  globalThis.some = { words: words && new Set(words), changed };
  const rules = Object.fromEntries(mild.map((one) => [one, { enabled: false }]));
  const { violations } = await skipHidden(() => axe.run(document, {
    resultTypes: ['violations'], ...(only ? { runOnly: only } : { rules }),
  }));
  return violations.map(({ id, impact, nodes }) => (
    { id, impact, places: nodes.map(({ html }) => html.slice(0, 120)) }
  ));
}"""

SAID = """() => {
  const said = new Map();
  for (const element of document.body.querySelectorAll('*')) {
    if (!element.checkVisibility()) continue;
    const all = [...element.attributes].filter(({ name }) => name !== 'style');
    said.set(element, all.map(({ name, value }) => name + '=' + value).join());
  }
  return said;
}"""
"""What is said of every element in sight."""
CHANGED = f"""(before) => {{
  const changed = [];
  for (const [element, said] of ({SAID})()) {{
    if (before.get(element) !== said && !changed.at(-1)?.contains(element)) changed.push(element);
  }}
  return changed;
}}"""
"""Of which something else is said now, or that were not in sight; what lies in one of them goes
with it."""
LOOKS = "() => ({ known: new Map(), alike: new Set() })"
NEW = """(looks) => {
  const parts = ['color', 'backgroundColor', 'backgroundImage', 'opacity', 'fontSize',
    'fontWeight', 'textDecorationLine'];
  const names = ['class', 'disabled', 'aria-disabled'];
  const own = new Map();
  const found = [];
  const here = new Map();
  for (const element of document.body.querySelectorAll('*')) {
    if (!element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const look = [own.get(element.parentElement), element.localName,
      ...names.map((name) => element.getAttribute(name)), ...parts.map((part) => style[part])];
    const key = look.join('|');
    if (!looks.known.has(key)) looks.known.set(key, looks.known.size);
    const id = looks.known.get(key);
    own.set(element, id);
    const words = [...element.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
    if (!words && !element.matches('input, select, textarea')) continue;
    if (looks.alike.has(id)) continue;
    here.set(id, (here.get(id) || 0) + 1);
    if (here.get(id) <= 2) found.push(element);
  }
  for (const id of here.keys()) looks.alike.add(id);
  return found;
}"""
"""The words in sight that look like none that were looked at before: a few of those that are alike,
with all that they stand on."""


def barriers(page: Page) -> list[str]:
    """Serious and critical violations, and headings that leave out a level: in light and in dark,
    on a screen and on a phone.

    The theme is turned on the page as it stands, and light again in the end. It changes colors
    alone; on the phone, what is as it was on the screen is not looked at again. Of rows that are
    alike, the colors of a few are looked at.
    """
    _prepare(page)
    _turn(page, "light", LARGE)
    said, looks = page.evaluate_handle(SAID), page.evaluate_handle(LOOKS)
    out = _lasting(page, "light, 1360 px", text=page.evaluate_handle(NEW, looks))
    _turn(page, "dark", LARGE)
    text = page.evaluate_handle(NEW, page.evaluate_handle(LOOKS))
    out += _lasting(page, "dark, 1360 px", only=COLORS, text=text)
    _turn(page, "light", PHONE)
    changed, text = page.evaluate_handle(CHANGED, said), page.evaluate_handle(NEW, looks)
    return out + _lasting(page, "light, 390 px", text=text, changed=changed)


def barriers_here(page: Page) -> list[str]:
    """Serious and critical violations of a page as it stands, which has one look alone."""
    _prepare(page)
    return _violations(page)


def _prepare(page: Page) -> None:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
        page.evaluate(REMEMBER_COLORS)
        page.evaluate(SKIP_HIDDEN)
        page.evaluate(ASK_SOME, {"colors": COLORS, "sized": BY_SIZE})


def _turn(page: Page, theme: str, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("on => document.body.classList.toggle('dark', on)", theme == "dark")


def _lasting(page: Page, view: str, **how: Any) -> list[str]:
    violations = _violations(page, **how)
    if violations:
        page.wait_for_timeout(LATER_MS)
        violations = _violations(page, **how)
    return [f"{view}: {item}" for item in violations]


def _violations(
    page: Page,
    only: tuple[str, ...] = (),
    text: JSHandle | None = None,
    changed: JSHandle | None = None,
) -> list[str]:
    """By all rules or some; the colors of these words, and the rest of these elements, where they
    are given."""
    values = {"only": only or None, "mild": MILD, "words": text, "changed": changed}
    return [
        f"{violation['id']} at {violation['places']}"
        for violation in page.evaluate(RUN, values)
        if violation["impact"] in ("serious", "critical") or violation["id"] == "heading-order"
    ]
