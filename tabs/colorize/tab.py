"""The Colorize tab: designers color sketches, and artists prepare them.

Its script loads its content over HTTP (``truehue.tabs.colorize.routes``) into this layout.
"""

from __future__ import annotations

import json

from truehue.annotation.studies.languages import ENGLISH, language_of
from truehue.tabs.page.context import Context
from truehue.tabs.page.templates import html
from truehue.tabs.page.widgets import tab_widget


def template() -> str:
    """The tab, with the canvas's texts."""
    texts = json.dumps(dict(language_of(ENGLISH).canvas), ensure_ascii=False)
    return html("colorize/colorize", canvas_texts=texts)


def layout(_: Context) -> None:
    """Draws the tab; it fills itself over HTTP."""
    tab_widget("colorize/colorize", template(), elem_id="colorize")
