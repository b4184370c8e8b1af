"""The Compare tab: does a model know what colors people give a concept?

Its views fill themselves over HTTP (the modules ``truehue.tabs.compare.routes*``); here is what
belongs to Gradio: the places that they fill, and opening a picture in Inspect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from truehue.tabs.compare.people.examples import EXAMPLES
from truehue.tabs.compare.people.images import CONTRIBUTORS, MASKS
from truehue.tabs.compare.tables import frame
from truehue.tabs.explore.tab import opens
from truehue.tabs.page.context import Page
from truehue.tabs.page.templates import html
from truehue.tabs.page.widgets import widget

_MASK_WORDS = {
    "stored": "Stored mask",
    "marked-or-whole": "Mask, else whole",
    "whole": "Whole image",
    "paper": "Without white paper",
}
assert _MASK_WORDS.keys() == MASKS.keys()

TABLES = ("tables", "modifiers", "guidance")
VIEWS = ("concept", *TABLES, "people")
"""By the name of the script that fills each."""
OPENING = ("concept", "people")
"""The views from which pictures are opened in Inspect."""


@dataclass(frozen=True)
class View:
    """The tab's components: the switch and what it switches."""

    switch: Any
    views: tuple[Any, ...]


def people_html() -> str:
    """What "People and files" begins as: forms with their choices, and the formats it reads."""
    return html("compare/people", masks=_MASK_WORDS, contributors=CONTRIBUTORS, examples=EXAMPLES)


def layout(_: Page) -> View:
    """Draws the tab; nothing is wired yet."""
    switch = widget("compare/switch", elem_id="compare")
    filled = {name: frame.template(name) for name in TABLES} | {"people": people_html()}
    views = tuple(
        widget(
            f"compare/{name}",
            events=("open",) if name in OPENING else (),
            template=filled.get(name),
            elem_id=f"compare-{name}",
        )
        for name in VIEWS
    )
    return View(switch, views)


def wire(page: Page) -> None:
    """Connects the views to Inspect."""
    view: View = page.views["compare"]
    for name, source in zip(VIEWS, view.views, strict=True):
        if name in OPENING:
            opens(source, page)
