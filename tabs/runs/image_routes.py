"""HTTP routes of images that were drawn elsewhere: files of a folder, its plan, its import."""

from __future__ import annotations

from tabs.page.context import Context
from tabs.page.door import Door
from tabs.runs.image_import import (
    ImageFolder,
    StagedFile,
    StagedFolder,
    forget_folder,
    look,
    start_import,
    take_file,
)
from tabs.runs.imported import ScoreImages, start_scoring


def image_set_routes(context: Context) -> Door:
    """The router of folders of images."""
    door = Door(context, "/api/image-sets")
    door.takes_file("/files/{session}", StagedFile, context.limits.image_bytes, take_file)
    door.takes("/forget", StagedFolder, forget_folder)
    door.takes("/plan", ImageFolder, look)
    door.takes("/start", ImageFolder, start_import)
    door.takes("/score", ScoreImages, start_scoring)
    return door
