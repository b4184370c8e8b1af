"""The row of examples above the stage of Inspect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truehue.tabs.generate.examples import drawn, example_of
from truehue.tabs.inspect import tab as inspect
from truehue.tabs.page.context import Page
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.events import QUIET, Cause, on
from truehue.tabs.page.widgets import widget


def row() -> Any:
    """The row of examples above the stage; hidden where an image of one's own is open."""
    return widget("inspect/examples", elem_id="examples", events=("open",))


def wire(view: Any, page: Page) -> None:
    """Opens the example that was pressed in Inspect, with its own question."""
    context = page.context
    inspect_view: inspect.View = page.views["inspect"]

    def opened(_: Cause, value: Any) -> list[Any]:
        key = str(value.get("example", "")) if isinstance(value, Mapping) else ""
        try:
            example, image_id = example_of(key), drawn(context, key)
            masks = context.storage.masks.for_image(image_id) if example.box else ()
            mask_id = masks[0].mask_id if masks else ""
            return inspect.open_image(context, inspect_view, image_id, example.question(), mask_id)
        except Exception as error:
            return inspect.refused(inspect_view, message_of(error))

    view.open(
        on(context, "look", opened),
        view,
        inspect_view.outputs,
        trigger_mode="always_last",
        **inspect.IN_ORDER,
        **QUIET,
    )
