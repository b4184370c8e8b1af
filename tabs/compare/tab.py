"""The Compare tab: does a model know the colors that people associate with a concept?

The scripts of its views load their content over HTTP (``truehue.tabs.compare.routes*``).
"""

from __future__ import annotations

from truehue.tabs.compare.people.examples import EXAMPLES
from truehue.tabs.compare.people.images import CONTRIBUTORS, MASKS
from truehue.tabs.compare.tables import frame
from truehue.tabs.page.context import Context
from truehue.tabs.page.templates import html, parts
from truehue.tabs.page.widgets import tab_widget

_MASK_WORDS = {
    "salient-or-whole": "What stands out",
    "stored": "Stored mask",
    "whole": "Whole image",
    "paper": "Without white paper",
}
assert _MASK_WORDS.keys() == MASKS.keys()

TABLES = ("tables", "modifiers", "guidance")


def people_html() -> str:
    """What "People and files" begins as: forms with their choices, and the formats it reads."""
    return html("compare/people", masks=_MASK_WORDS, contributors=CONTRIBUTORS, examples=EXAMPLES)


def layout(_: Context) -> None:
    """Draws the places of its views."""
    views = {
        "compare": html("compare/switch"),
        "compare-concept": html("compare/concept"),
        **{f"compare-{name}": frame.template(name) for name in TABLES},
        "compare-people": people_html(),
    }
    tab_widget("compare/compare", parts(views))
