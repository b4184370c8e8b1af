"""HTTP routes of the examples on the first screen."""

from __future__ import annotations

from fastapi.responses import JSONResponse

from tabs.generate.examples import NamedExample, draw_example, listed
from tabs.page.answers import guarded
from tabs.page.context import Context
from tabs.page.door import Door


def example_routes(context: Context) -> Door:
    """The router of examples."""
    door = Door(context, "/api/examples")

    @door.get("")
    def examples() -> JSONResponse:
        return guarded(lambda: listed(context))

    door.takes("", NamedExample, draw_example)
    return door
