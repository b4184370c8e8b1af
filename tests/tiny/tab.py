"""The tab of the tiny feature."""

from __future__ import annotations

from typing import Any

import gradio as gr

from truehue.tabs.page.context import Context


def layout(_: Context) -> Any:
    """Draws the tab."""
    return gr.HTML("<p>Colors that were noted.</p>", elem_id="tiny")
