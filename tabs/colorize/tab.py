"""The Colorize tab: designers color drawings, and artists prepare them.

It fills itself over HTTP (``truehue.tabs.colorize.routes``); here is the place that it fills.
"""

from __future__ import annotations

from typing import Any

from truehue.tabs.page.context import Page
from truehue.tabs.page.widgets import widget


def layout(_: Page) -> Any:
    """Draws the tab. There is nothing to wire: none of it goes by way of Gradio."""
    return widget("colorize/colorize", elem_id="colorize")
