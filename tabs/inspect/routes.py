"""HTTP routes of Inspect: what the eyedropper says."""

from __future__ import annotations

from fastapi.responses import JSONResponse

from tabs.inspect.colors import pixel_view
from tabs.page.answers import guarded
from tabs.page.context import Context
from tabs.page.door import Door


def inspect_routes(context: Context) -> Door:
    """The router of Inspect."""
    door = Door(context, "/api")

    @door.get("/color/{srgb}")
    def color(srgb: str) -> JSONResponse:
        return guarded(lambda: pixel_view(srgb))

    return door
