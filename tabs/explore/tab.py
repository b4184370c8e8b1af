"""The Explore tab: what runs found, can the measure be trusted, and where do the rules disagree?

Its views fill themselves over HTTP (the modules ``tabs.routes_*``).
"""

from __future__ import annotations

from truehue.tabs.page.context import Context
from truehue.tabs.page.widgets import widget


def layout(_: Context) -> None:
    """Draws the places of its views."""
    widget("explore/switch", elem_id="explore")
    for view in ("board", "wall", "runs", "trust", "audit", "judgments"):
        widget(f"explore/{view}", elem_id=f"explore-{view}")
