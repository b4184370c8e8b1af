"""The Colorize tab: designers color drawings, and artists prepare them.

It fills itself over HTTP (``truehue.tabs.colorize.routes``); here is the place that it fills.
"""

from __future__ import annotations

from typing import Any

from truehue.tabs.page.widgets import widget

NAME = "colorize"
"""The room's id: of its tab, and in links."""


def layout() -> Any:
    """Draws the tab; there is nothing to wire, as none of it goes by way of Gradio."""
    return widget("colorize/colorize", elem_id=NAME)
