"""The view "People and files" of Compare: what was imported, and the ways to bring more in."""

from __future__ import annotations

from tabs.compare.people.examples import EXAMPLES
from tabs.compare.people.images import CONTRIBUTORS, MASKS
from tabs.page.templates import html

_MASK_WORDS = {
    "stored": "Stored mask",
    "marked-or-whole": "Mask, else whole",
    "whole": "Whole picture",
    "paper": "Without white paper",
}
assert _MASK_WORDS.keys() == MASKS.keys()


def template() -> str:
    """What the view begins as: its forms with their choices, and the formats that are read."""
    return html("compare/people", masks=_MASK_WORDS, contributors=CONTRIBUTORS, examples=EXAMPLES)
