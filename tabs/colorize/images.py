"""A coloring replayed from its log: its layer, images and checksum."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import numpy as np
from pydantic import Field

from truehue.annotation.colorings import MAX_ACTIONS, checksum, paint, read_action
from truehue.core.cache import LruCache
from truehue.core.concepts.matching import normal
from truehue.core.errors import BadInput
from truehue.core.files import png_of
from truehue.core.sketches.records import Sketch
from truehue.core.sketches.regions import regions
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import PageRequest, single_of
from truehue.tabs.page.roles import Actor
from truehue.tabs.sources.sketches import Found, find

MAX_LOG_BYTES = 8 * 2**20
"""A log of 20,000 fills takes a third of it; of strokes, some three hours of drawing."""
MAX_WORDS = 80
MAX_KEPT = 8
KINDS = {"coloring": "image/png", "colors": "image/png", "svg": "image/svg+xml"}
"""The pictures of a coloring: lines and colors, colors alone, and both as vectors."""
_LAYERS: LruCache[Painted] = LruCache(MAX_KEPT)


class ColoringRequest(PageRequest):
    """A coloring: the ``actions`` on a sketch, in order, and the ``words`` of what it shows."""

    sketch: str = Field(max_length=64, title="The sketch")
    words: str = Field(default="", max_length=MAX_WORDS, title="The concept")
    actions: list[Any] = Field(default=[], max_length=MAX_ACTIONS, title="The log")


class SketchImageRequest(ColoringRequest):
    """One of its pictures."""

    kind: Annotated[str, single_of("picture", KINDS)] = "coloring"


@dataclass(frozen=True)
class Painted:
    """A sketch with the layer uint8 ``(H, W, 4)`` that a log gives, and its checksum."""

    found: Found
    layer: np.ndarray
    checksum: str

    @property
    def sketch(self) -> Sketch:
        return self.found.sketch


def replay_coloring(
    context: Context, sketch_id: str, actions: Sequence[Mapping[str, Any]]
) -> Painted:
    """The log replayed; the last ones are kept. Raises BadInput for an action that is none and
    NotStored for another sketch."""
    result = find(context, sketch_id)
    log = [read_action(action) for action in actions]
    # Of the whole log: a designer who looks at numbers, keeps and saves asks for one layer.
    text = json.dumps(actions, sort_keys=True, separators=(",", ":"))
    key = sketch_id, hashlib.sha256(text.encode()).digest()

    def make() -> Painted:
        layer = paint(log, regions(result.sketch.ink))
        layer.flags.writeable = False
        return Painted(result, layer, checksum(layer))

    return _LAYERS.get(key, make)


def coloring_file(source: Painted, kind: str) -> bytes:
    """A file of a coloring by :data:`KINDS`. Raises BadInput for another kind."""
    from truehue.core.images.load import encode_png
    from truehue.core.sketches.images import composite, layer_png, svg

    if kind not in KINDS:
        raise BadInput(f"A coloring is saved as {', '.join(KINDS)}, not as {kind[:20]!r}.", "kind")
    if kind == "colors":
        return layer_png(source.layer)
    if kind == "svg":
        return _svg(source, svg).encode()
    return encode_png(composite(source.sketch.ink, source.layer))


def _svg(source: Painted, make: Any) -> str:
    """Of a starter drawing with its own paths, which are exact at every size."""
    from truehue.tabs.sources.sketches import drawing_of

    drawing = drawing_of(source.found.drawing) if source.found.drawing else None
    return str(make(source.sketch.ink, source.layer, drawing))


def thumbnail(source: Painted, side: int) -> bytes:
    """PNG of lines and colors, its longer side at most ``side`` pixels."""
    from PIL import Image

    from truehue.core.sketches.images import composite

    small = Image.fromarray(composite(source.sketch.ink, source.layer))
    small.thumbnail((side, side), Image.Resampling.LANCZOS)
    return png_of(np.asarray(small))


def file_name(text: str, kind: str) -> str:
    """``rotten-apple-colors.png``: letters, digits and hyphens alone."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in text)
    stem = "-".join(part for part in plain.split("-") if part) or "drawing"
    end = {"coloring": "coloring.png", "colors": "colors.png", "svg": "coloring.svg"}[kind]
    return f"{stem}-{end}"


class ColoringFile(TypedDict):
    """A file's name, its type and its bytes in base64."""

    name: str
    type: str
    data: str


@requires("look")
def image_view(context: Context, actor: Actor, request: SketchImageRequest) -> ColoringFile:
    """The image of a coloring that is not saved: a file's name, its type and its bytes in base64."""
    source = replay_coloring(context, request.sketch, request.actions)
    data = coloring_file(source, request.kind)
    return {
        "name": file_name(normal(request.words) or source.found.words, request.kind),
        "type": KINDS[request.kind],
        "data": base64.b64encode(data).decode("ascii"),
    }
