"""The Compare tab: does a model know what colors people give a concept?

Its views fill themselves over HTTP (the modules ``tabs.compare.routes*``); here is what belongs to
Gradio: the places that they fill, and opening a picture in Inspect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabs.compare.concept import view as compare_concept
from tabs.compare.people import view as compare_people
from tabs.compare.tables import guidance as compare_guidance
from tabs.compare.tables import modifiers as compare_modifiers
from tabs.compare.tables import view as compare_tables
from tabs.explore.tab import opens
from tabs.inspect import tab as inspect
from tabs.page.context import Context
from tabs.page.widgets import widget

SWITCH = """<h2 class="th-unseen">Compare</h2>
<nav class="th-explore-switch th-compare-switch" role="tablist" aria-label="What to compare">
<button type="button" role="tab" data-view="concept">A concept</button>
<button type="button" role="tab" data-view="tables">Tables</button>
<button type="button" role="tab" data-view="modifiers">Modifiers</button>
<button type="button" role="tab" data-view="guidance">Guidance and size</button>
<button type="button" role="tab" data-view="people">People and files</button></nav>"""

VIEWS = {
    "concept": compare_concept,
    "tables": compare_tables,
    "modifiers": compare_modifiers,
    "guidance": compare_guidance,
    "people": compare_people,
}
"""By the name of the script that fills each."""
OPENING = ("concept", "people")
"""The views from which pictures are opened in Inspect."""


@dataclass(frozen=True)
class View:
    """The tab's components: the switch and what it switches."""

    switch: Any
    views: tuple[Any, ...]


def layout() -> View:
    """Draws the tab; nothing is wired yet."""
    switch = widget("compare/switch", SWITCH, elem_id="compare")
    views = tuple(
        widget(
            f"compare/{name}",
            view.TEMPLATE,
            elem_id=f"compare-{name}",
            events=("open",) if name in OPENING else (),
        )
        for name, view in VIEWS.items()
    )
    return View(switch, views)


def wire(view: View, inspect_view: inspect.View, context: Context, header: Any, tabs: Any) -> None:
    """Connects the views to Inspect."""
    for name, source in zip(VIEWS, view.views, strict=True):
        if name in OPENING:
            opens(source, inspect_view, context, header, tabs)
