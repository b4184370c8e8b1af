"""The Studies tab: studies with people, planned, run and read by researchers.

It fills itself over HTTP (``truehue.tabs.studies.routes``); here is the place that it fills.
Participants never see it: their page is one of its own.
"""

from __future__ import annotations

from truehue.tabs.page.context import Context
from truehue.tabs.page.widgets import widget


def layout(_: Context) -> None:
    """Draws the tab; it fills itself over HTTP."""
    widget("studies/studies", elem_id="studies")
