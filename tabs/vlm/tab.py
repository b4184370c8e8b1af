"""The VLMs tab: questions about color put to vision-language models.

Its script loads its content over HTTP (``truehue.tabs.vlm.routes``) into this layout.
"""

from __future__ import annotations

from truehue.tabs.page.context import Context
from truehue.tabs.page.widgets import tab_widget


def layout(_: Context) -> None:
    """Draws the tab; it fills itself over HTTP."""
    tab_widget("vlm/vlm", elem_id="vlm")
