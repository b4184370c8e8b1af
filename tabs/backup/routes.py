"""HTTP routes of backups: the list, a new one, and a file."""

from __future__ import annotations

from fastapi.responses import FileResponse, Response

from truehue.tabs.backup.service import NamedBackup, backup_file, backups_view, start_backup
from truehue.tabs.page.answers import refusal
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter


def backup_routes(context: Context) -> FeatureRouter:
    """The router of backups."""
    router = FeatureRouter(context, "/api/backups")
    router.get_json("", EmptyRequest, backups_view)
    router.post_json("", EmptyRequest, start_backup)

    @router.get("/{name}")
    def file(name: str, actor: Actor = router.current_actor) -> Response:
        try:
            path = backup_file(context, actor, NamedBackup(name=name))
        except Exception as error:
            return refusal(error)
        # Images do not get smaller by packing them again on their way.
        headers = {"Cache-Control": "no-store", "Content-Encoding": "identity"}
        return FileResponse(path, headers=headers, filename=path.name, media_type="application/zip")

    return router
