"""Back and Forward: the part of it that needs Gradio, and the row of pictures in Inspect.

``assets/js/shared/links.js`` keeps the browser's history for all rooms. What stood in Inspect is
opened again here, from the query of its address.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gradio as gr

from truehue.tabs.explore.tab import opens
from truehue.tabs.inspect import tab as inspect
from truehue.tabs.page.context import Page
from truehue.tabs.page.events import QUIET, Cause, on
from truehue.tabs.page.links import read
from truehue.tabs.page.widgets import widget


def film() -> Any:
    """The row of pictures that one came through; hidden until one came through any."""
    return widget("inspect/film", elem_id="film", events=("open",))


def places() -> Any:
    """The component that hears of Back and Forward; nothing of it is to be seen."""
    return widget("page/places", elem_id="places", events=("back",))


def wire(index: Any, row: Any, page: Page) -> None:
    """Connects both to Inspect."""
    context = page.context
    inspect_view: inspect.View = page.views["inspect"]
    opens(row, page)

    def gone_back(_: Cause, value: Any) -> list[Any]:
        query = value.get("query") if isinstance(value, Mapping) else None
        if not isinstance(query, Mapping):
            return [gr.skip()] * len(inspect_view.outputs)
        fields = {str(name): str(text) for name, text in query.items()}
        return inspect.restore(context, inspect_view, read(fields))

    index.back(
        on(context, "look", gone_back),
        index,
        inspect_view.outputs,
        trigger_mode="multiple",
        **inspect.IN_ORDER,
        **QUIET,
    )
