"""The VLMs tab: questions about color put to vision-language models.

It fills itself over HTTP (``truehue.tabs.vlm.routes``); here is the place that it fills.
"""

from __future__ import annotations

from typing import Any

from truehue.tabs.page.context import Page
from truehue.tabs.page.widgets import widget


def layout(_: Page) -> Any:
    """Draws the tab. There is nothing to wire: none of it goes by way of Gradio."""
    return widget("vlm/vlm", elem_id="vlm")
