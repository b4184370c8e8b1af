"""The VLMs tab: questions about color put to vision-language models.

It fills itself over HTTP (``truehue.tabs.vlm.routes``); here is the place that it fills.
"""

from __future__ import annotations

from typing import Any

from truehue.tabs.page.widgets import widget

NAME = "vlm"
"""The room's id: of its tab, and in links."""


def layout() -> Any:
    """Draws the tab; there is nothing to wire, as none of it goes by way of Gradio."""
    return widget("vlm/vlm", elem_id=NAME)
