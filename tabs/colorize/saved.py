"""Saved colorings with their whole log, so that each opens as it was."""

from __future__ import annotations

from typing import Any, TypedDict

from pydantic import Field

from truehue.annotation.colorings import has_color, read_action
from truehue.core.concepts.matching import normal
from truehue.core.errors import BadInput
from truehue.core.records import ColoringHead
from truehue.tabs.colorize.images import ColoringRequest, replay_coloring
from truehue.tabs.colorize.sketches import save_sketch
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest, PageRequest
from truehue.tabs.page.roles import Actor, Resource, allowed, authorize
from truehue.tabs.sources.sketches import PREFIX, SketchJson, find, sketch_json

MAX_LISTED = 200
OTHER_PICTURE = (
    "The server's copy of your coloring differs from the one on your page, so nothing was "
    "saved. Reload the page: your work is still there."
)


class SaveColoringRequest(ColoringRequest):
    """A coloring with the ``checksum`` of the layer that the page shows."""

    checksum: str = Field(max_length=8, title="The checksum")


class NamedColoring(PageRequest):
    """A kept coloring by its id."""

    coloring: str = Field(max_length=64, title="The coloring")


class ColoringFiles(TypedDict):
    """The addresses of a coloring's files."""

    coloring: str
    colors: str
    svg: str


class ColoringHeadJson(TypedDict):
    """A saved coloring; ``mine`` says that the user may delete it."""

    id: str
    words: str
    sketch_id: str
    at: str
    mine: bool
    thumb: str
    files: ColoringFiles


class SavedColoring(ColoringHeadJson):
    """A saved coloring in the list; ``actions`` counts them."""

    actions: int


class OpenedColoring(ColoringHeadJson):
    """A saved coloring with its sketch and its whole log."""

    sketch: SketchJson
    actions: list[Any]


class NewColoring(TypedDict):
    """The coloring that was saved."""

    kept: SavedColoring


class SavedColorings(TypedDict):
    """The saved colorings, newest first."""

    kept: list[SavedColoring]


@requires("add")
def save_coloring(context: Context, actor: Actor, request: SaveColoringRequest) -> NewColoring:
    """Saves a coloring, and its sketch where that was not stored. The log is replayed first, so
    that the saved image is the one that was seen."""
    text = normal(request.words)
    if not text:
        raise BadInput("Enter the concept that you colored, then save it.", "words")
    if not has_color([read_action(action) for action in request.actions]):
        raise BadInput("Nothing is colored yet. Fill a region, then save it.")
    source = replay_coloring(context, request.sketch, request.actions)
    if source.checksum != request.checksum:
        raise BadInput(OTHER_PICTURE)
    # Its log alone: the picture is made of it whenever somebody asks.
    context.require_space(sum(len(str(action)) for action in request.actions))
    save_sketch(context, actor, source.found)
    record = context.storage.colorings.add(source.sketch.id, text, request.actions, actor.id)
    return {"kept": _saved_json(actor, context.storage.colorings.head(record.id))}


@requires("look")
def saved_view(context: Context, actor: Actor, request: EmptyRequest) -> SavedColorings:
    """The saved colorings, newest first, and whether the user may delete each."""
    heads = context.storage.colorings.all(limit=MAX_LISTED)
    return {"kept": [_saved_json(actor, head) for head in heads]}


@requires("look")
def coloring_view(context: Context, actor: Actor, request: NamedColoring) -> OpenedColoring:
    """A saved coloring with its sketch and its whole log. Raises NotStored."""
    record = context.storage.colorings.get(request.coloring)
    return {
        **_head_json(actor, context.storage.colorings.head(record.id)),
        "sketch": sketch_json(find(context, record.sketch_id)),
        "actions": list(record.actions),
    }


@requires("delete")
def delete_coloring(context: Context, actor: Actor, request: NamedColoring) -> SavedColorings:
    """Deletes a coloring that the user saved; its sketch stays."""
    head = context.storage.colorings.head(request.coloring)
    authorize(actor, "delete", _resource(head))
    context.storage.colorings.delete(head.id)
    return saved_view(context, actor, EmptyRequest())


def _resource(head: ColoringHead) -> Resource:
    return Resource(frozenset({head.maker} if head.maker else ()))


def _saved_json(actor: Actor, head: ColoringHead) -> SavedColoring:
    return {**_head_json(actor, head), "actions": head.length}


def _head_json(actor: Actor, head: ColoringHead) -> ColoringHeadJson:
    address = f"{PREFIX}/kept/{head.id}"
    return {
        "id": head.id,
        "words": head.words,
        "sketch_id": head.sketch_id,
        "at": head.created_at.isoformat(),
        "mine": allowed(actor, "delete", _resource(head)),
        "thumb": f"{address}/coloring.png?side=256",
        "files": {
            "coloring": f"{address}/coloring.png",
            "colors": f"{address}/colors.png",
            "svg": f"{address}/coloring.svg",
        },
    }
