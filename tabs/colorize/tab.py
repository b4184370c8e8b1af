"""The Colorize tab: designers color drawings, and artists prepare them.

It fills itself over HTTP (``truehue.tabs.colorize.routes``); here is the place that it fills.
"""

from __future__ import annotations

from truehue.tabs.page.context import Context
from truehue.tabs.page.widgets import widget


def layout(_: Context) -> None:
    """Draws the tab; it fills itself over HTTP."""
    widget("colorize/colorize", elem_id="colorize")
