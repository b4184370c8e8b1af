"""HTTP routes of the notices above the tabs."""

from __future__ import annotations

from fastapi.responses import JSONResponse

from tabs.page.answers import guarded
from tabs.page.context import Context
from tabs.page.door import Door
from tabs.page.notices import Notice, notices, read_notice


def notice_routes(context: Context) -> Door:
    """The router of notices."""
    door = Door(context, "/api/notices")

    @door.get("")
    def shown() -> JSONResponse:
        return guarded(lambda: notices(context))

    door.takes("/read", Notice, read_notice)
    return door
