"""Files of sketches and colorings, made on request, a few at a time, and cached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from truehue.core.errors import BadInput, NotStored
from truehue.core.files import png_of
from truehue.core.sketches.records import Sketch
from truehue.core.sketches.regions import CLOSINGS_PX, coded_regions
from truehue.core.sketches.regions import regions as region_maps
from truehue.tabs.colorize.images import coloring_file, replay_coloring, thumbnail
from truehue.tabs.colorize.sketches import PrepareSketchRequest, prepare_sketch
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.single_flight import SingleFlightCache
from truehue.tabs.sources.sketches import drawing_of, find

_TURN = 0.6180339887498949
"""Of half a turn between the hatches of a region and of the next one: none of some that lie beside
each other look alike."""
_TONES = np.array([240.0, 200.0, 222.0, 182.0], np.float32)
_STROKE = 52.0
_SPACINGS = np.array([9.0, 13.0, 7.0], np.float32)
_WIDTH = 0.3


def hatch_regions(labels: np.ndarray, ink: np.ndarray, max_px: int) -> np.ndarray:
    """Gray uint8 ``(h, w)`` of regions ``(H, W)``, 0 for none, and their ``ink`` uint8 ``(H, W)``.

    What no click fills stays white. Nothing in it has a hue: it is no suggestion.
    """
    import cv2

    height, width = ink.shape
    scale = min(1.0, max_px / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(labels.astype(np.int32), size, interpolation=cv2.INTER_NEAREST)
    lines = cv2.resize(ink, size, interpolation=cv2.INTER_AREA).astype(np.float32) / 255.0
    numbers = np.arange(int(small.max()) + 1, dtype=np.float32)
    angle = (numbers * _TURN % 1.0) * np.float32(np.pi)
    positions = numbers.astype(np.int64)
    tone, spacing = _TONES[positions % len(_TONES)], _SPACINGS[positions % len(_SPACINGS)]
    rows = np.arange(size[1], dtype=np.float32)[:, None]
    columns = np.arange(size[0], dtype=np.float32)[None, :]
    across = columns * np.cos(angle)[small] + rows * np.sin(angle)[small]
    period = spacing[small]
    stroke = np.mod(across, period) < _WIDTH * period
    gray = np.where(small == 0, 255.0, tone[small] - _STROKE * stroke)
    return np.asarray(np.rint(gray * lines), np.uint8)


AT_ONCE = 2
MAX_KEPT = 256
HATCH_SIDES = (420, 900)
SIDES = (256, 512)
"""The longer sides of small pictures, in pixels."""
NAMES = {"coloring.png": "coloring", "colors.png": "colors", "coloring.svg": "svg"}
"""The files of a kept coloring, by the kinds of truehue.tabs.colorize.images."""


class Files:
    """Makes and keeps them; each method gives the bytes of a file. Belongs to one event loop."""

    def __init__(self, context: Context) -> None:
        self._context = context
        # What is kept is kept for the data folder that it is of.
        self._made = SingleFlightCache(
            lambda _, make, *which: make(context, *which), AT_ONCE, MAX_KEPT
        )
        self.limiter = self._made.limiter

    async def _once(self, make: Any, *which: Any) -> bytes:
        storage = self._context.storage
        made: bytes = await self._made.get(storage.data_dir, make, *which)
        return made

    async def starter(self, drawing: str) -> bytes:
        """SVG of a starter drawing. Raises NotStored."""
        return await self._once(_starter, drawing)

    async def ink(self, sketch: str, side: int) -> bytes:
        """PNG of a sketch's lines: exact, as a layer to lie above colors, or small on white."""
        return await self._once(_ink, sketch, _side(side))

    async def regions(self, sketch: str) -> bytes:
        """A sketch's region maps, as :mod:`truehue.core.sketches.regions` writes them."""
        return await self._once(_regions, sketch)

    async def hatches(self, sketch: str, closing: int, side: int) -> bytes:
        """PNG of a sketch's regions under a closing, -1 for the one that suits it."""
        return await self._once(_hatches, sketch, closing, _side(side, HATCH_SIDES))

    async def prepared(self, requested: Mapping[str, Any], view: str, side: int) -> bytes:
        """PNG of what would become of an image: its ``ink``, or its ``regions``, shown with a
        longer side of about ``side`` pixels."""
        # Read here: what is kept is kept by what was asked, not by how it was written.
        request = read_as(PrepareSketchRequest, requested)
        return await self._once(_prepared, request, view == "regions", _side(side, HATCH_SIDES))

    async def saved(self, coloring: str, kind: str, side: int) -> bytes:
        """A picture of a kept coloring, small where a ``side`` is given. Raises NotStored."""
        self._context.storage.colorings.head(coloring)  # what was deleted is not told from memory
        return await self._once(_saved, coloring, kind, _side(side))

    def saved_kind(self, name: str) -> str:
        """What a file of a kept coloring is. Raises NotStored for another name."""
        if name not in NAMES:
            raise NotStored(f"A saved coloring has {', '.join(NAMES)}.")
        return NAMES[name]

    def words_of(self, coloring: str) -> str:
        """What a kept coloring shows."""
        return self._context.storage.colorings.head(coloring).words


def _side(side: int, sides: Sequence[int] = SIDES) -> int:
    """The smallest of some sides that is at least ``side``; of 0 it is 0."""
    return next((known for known in sides if known >= side), sides[-1]) if side > 0 else 0


def _starter(context: Context, drawing: str) -> bytes:
    return drawing_of(drawing).svg().encode()


def _ink(context: Context, sketch_id: str, side: int) -> bytes:
    from truehue.core.sketches.images import ink_png

    ink = find(context, sketch_id).sketch.ink
    return _small(ink, side) if side else ink_png(ink)


def _regions(context: Context, sketch_id: str) -> bytes:
    return coded_regions(find(context, sketch_id).sketch.ink)


def _hatches(context: Context, sketch_id: str, closing: int, side: int) -> bytes:
    sketch = find(context, sketch_id).sketch
    return hatches_png(sketch, sketch.closing if closing < 0 else closing, side)


def _prepared(
    context: Context, request: PrepareSketchRequest, of_regions: bool, side: int
) -> bytes:
    sketch = prepare_sketch(context, request)
    return hatches_png(sketch, sketch.closing, side) if of_regions else _small(sketch.ink, side)


def _saved(context: Context, coloring_id: str, kind: str, side: int) -> bytes:
    record = context.storage.colorings.get(coloring_id)
    source = replay_coloring(context, record.sketch_id, record.actions)
    return thumbnail(source, side) if side else coloring_file(source, kind)


def hatches_png(sketch: Sketch, closing: int, side: int) -> bytes:
    """PNG of a sketch's regions, its longer side at most ``side`` pixels. Raises BadInput for a
    closing that there is not."""
    if not 0 <= closing < len(CLOSINGS_PX):
        raise BadInput(f"A closing is 0 to {len(CLOSINGS_PX) - 1}.", "closing")
    return png_of(hatch_regions(region_maps(sketch.ink).labels[closing], sketch.ink, side))


def _small(ink: np.ndarray, side: int) -> bytes:
    from PIL import Image

    small = Image.fromarray(ink)
    small.thumbnail((side, side), Image.Resampling.LANCZOS)
    return png_of(np.asarray(small))
