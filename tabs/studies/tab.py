"""The Studies tab: studies with people, planned, run and read by researchers.

It fills itself over HTTP (``truehue.tabs.studies.routes``); here is the place that it fills.
Participants never see it: their page is one of its own.
"""

from __future__ import annotations

from typing import Any

from truehue.tabs.page.context import Page
from truehue.tabs.page.widgets import widget


def layout(_: Page) -> Any:
    """Draws the tab. There is nothing to wire: none of it goes by way of Gradio."""
    return widget("studies/judge", elem_id="studies")
