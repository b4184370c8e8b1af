"""The Colorize tab: designers color sketches, and artists prepare them.

Its script loads its content over HTTP (``truehue.tabs.colorize.routes``) into this layout.
"""

from __future__ import annotations

from truehue.tabs.page.context import Context
from truehue.tabs.page.widgets import tab_widget


def layout(_: Context) -> None:
    """Draws the tab; it fills itself over HTTP."""
    tab_widget("colorize/colorize", elem_id="colorize")
