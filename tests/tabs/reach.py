"""Who reaches the app of a test's context, and by which routes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi.routing import APIRoute

from truehue.tabs.page.context import Context


def as_demo(context: Context, demo: bool = True) -> None:
    """From now on it is a demonstration, where everybody is a visitor; or it is not."""
    object.__setattr__(context, "local", not demo)
    object.__setattr__(context, "demo", demo)


def routes_of(app: Any) -> Iterator[APIRoute]:
    """All routes of ours, without Gradio's."""
    for route in app.routes:
        if isinstance(route, APIRoute):
            yield route
        elif hasattr(route, "original_router"):  # as FastAPI includes a router
            yield from routes_of(route.original_router)
