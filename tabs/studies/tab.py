"""The Studies tab: studies with people, planned, run and read by researchers.

Its script loads its content over HTTP (``truehue.tabs.studies.routes``) into this layout.
Participants never see it: they have a page of their own.
"""

from __future__ import annotations

from truehue.tabs.page.context import Context
from truehue.tabs.page.widgets import tab_widget


def layout(_: Context) -> None:
    """Draws the tab; it fills itself over HTTP."""
    tab_widget("studies/studies", elem_id="studies")
