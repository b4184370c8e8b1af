"""Colorings: the log of actions on the canvas, the painted layer, and the pixels that count.

All values are whole numbers, so that the page and the server agree on every pixel.

ColorConceptBench, appendix B.3: people color only the parts that belong to the concept. So
uncolored paper is no color of the concept, but a white that a person chose is one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import sub
from typing import Any

import numpy as np

from truehue.core.concepts.profile import profile_of
from truehue.core.concepts.records import ColorProfile
from truehue.core.errors import BadInput, MaskError
from truehue.core.sketches.records import INK
from truehue.core.sketches.regions import RegionMaps, check_closing

MAX_ACTIONS = 20_000
"""Of one coloring."""

MAX_POINTS = 2_048
"""Of one stroke, or of one fill of several regions; a longer one is several actions."""

MIN_PX, MAX_PX = -2048, 4096
"""Coordinates: a hand may leave the sketch."""

MAX_DIAMETER = 256

MAX_ROWS = 50_000_000
"""Of all strokes of a coloring, their lines and disks row by row, as :func:`rows_of` counts them;
those undone count too. A page leaves out points nearer than a sixteenth of the diameter, so that a
pixel of a hand's way is 19 rows at most: forty minutes of brush work at a thousand pixels a second,
without a pause. Painting them takes a server some ten seconds."""

_HEX = re.compile(r"#[0-9a-fA-F]{6}")
COLORED, ERASED, CLEARED, UNDONE, REDONE, PICKED = b"c", b"e", b"x", b"u", b"r", b"p"
_CODES = {"pick": PICKED, "clear": CLEARED, "undo": UNDONE, "redo": REDONE}
Spans = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Rows, first and last columns, int64 ``(N,)`` each, in any order."""

_ROWS_AT_ONCE = 1 << 17
MIN_BACKGROUND = 0.1
"""Of the surround: a coloring with less color there only went over its lines."""


@dataclass(frozen=True)
class Fill:
    """Every pixel of the region at ``(x, y)`` under that closing gets the color; None clears."""

    x: int
    y: int
    closing: int
    color: str | None


@dataclass(frozen=True)
class FillRegions:
    """A :class:`Fill` at each of ``points`` (x, y, x, y, …), which is one action: a pointer that was
    dragged over regions, or all regions that looked alike."""

    points: tuple[int, ...]
    closing: int
    color: str | None

    @property
    def fills(self) -> tuple[Fill, ...]:
        """The fills, one a point."""
        pairs = zip(self.points[::2], self.points[1::2], strict=True)
        return tuple(Fill(x, y, self.closing, self.color) for x, y in pairs)


@dataclass(frozen=True)
class Stroke:
    """A round brush along ``points`` (x, y, x, y, …); color None erases.

    ``within`` is a closing: only pixels of the region at the first point are painted, by its map.
    """

    points: tuple[int, ...]
    diameter: int
    color: str | None
    within: int | None = None


@dataclass(frozen=True)
class Pick:
    """A color was taken from a reference image, which nobody but the person has. It paints nothing,
    and undo and redo pass over it."""

    color: str


@dataclass(frozen=True)
class Clear:
    """Takes every color away."""


@dataclass(frozen=True)
class Undo:
    """Takes back the last action in force."""


@dataclass(frozen=True)
class Redo:
    """Does the last undone action again, until something else was done."""


Painting = Fill | FillRegions | Stroke | Clear
Action = Painting | Pick | Undo | Redo
_PLAIN: Mapping[str, Action] = {"clear": Clear(), "undo": Undo(), "redo": Redo()}
_KEYS = {
    "fill": {"do", "x", "y", "closing", "color"},
    "fill_regions": {"do", "points", "closing", "color"},
    "stroke": {"do", "points", "diameter", "color", "within"},
    "pick": {"do", "color"},
}


def read_action(body: Mapping[str, Any]) -> Action:
    """An action as a page sends it. Raises BadInput, in words for whoever writes a page."""
    do = body.get("do") if isinstance(body, Mapping) else None
    if not isinstance(do, str) or do not in {*_KEYS, *_PLAIN}:
        raise BadInput(f"An action does one of {', '.join((*_KEYS, *_PLAIN))}.", "do")
    keys = _KEYS.get(do, {"do"})
    if set(body) != keys:
        raise BadInput(f"A {do} has {', '.join(sorted(keys))} and nothing else.", "do")
    if do == "fill":
        x, y = _whole(body["x"], MIN_PX, MAX_PX, "x"), _whole(body["y"], MIN_PX, MAX_PX, "y")
        return Fill(x, y, check_closing(body["closing"]), _color(body["color"]))
    if do == "fill_regions":
        closing = check_closing(body["closing"])
        return FillRegions(_points(body["points"]), closing, _color(body["color"]))
    if do == "pick":
        color = _color(body["color"])
        if color is None:
            raise BadInput("A pick has a color, #rrggbb in hex digits.", "color")
        return Pick(color)
    if do == "stroke":
        within = body["within"]
        return Stroke(
            _points(body["points"]),
            _whole(body["diameter"], 1, MAX_DIAMETER, "diameter"),
            _color(body["color"]),
            None if within is None else check_closing(within),
        )
    return _PLAIN[do]


def as_json(action: Action) -> dict[str, Any]:
    """The action as a page sends it: :func:`read_action` gives it back."""
    if isinstance(action, Fill):
        return {"do": "fill", **vars(action)}
    if isinstance(action, Pick):
        return {"do": "pick", "color": action.color}
    if isinstance(action, FillRegions):
        return {"do": "fill_regions", **vars(action), "points": list(action.points)}
    if isinstance(action, Stroke):
        return {"do": "stroke", **vars(action), "points": list(action.points)}
    return {"do": next(do for do, plain in _PLAIN.items() if plain == action)}


def effective_actions(actions: Iterable[Action]) -> tuple[Painting, ...]:
    """What stands after every undo and redo, in order; those with nothing to do do nothing."""
    fills: list[Painting] = []
    undone: list[Painting] = []
    for action in actions:
        if isinstance(action, Undo):
            if fills:
                undone.append(fills.pop())
        elif isinstance(action, Redo):
            if undone:
                fills.append(undone.pop())
        elif not isinstance(action, Pick):
            fills.append(action)
            undone.clear()
    return tuple(fills)


def rows_of(points: Sequence[int], diameter: int) -> int:
    """How many rows of pixels the lines and disks of a stroke have, counted each by itself."""
    ups = points[1::2]
    return sum(map(abs, map(sub, ups[1:], ups))) + len(ups) * (diameter + 2)


def has_color(actions: Iterable[Action]) -> bool:
    """Whether an action with a color stands that nothing cleared all of; no pixel is looked at."""
    for action in reversed(effective_actions(actions)):
        if isinstance(action, Clear):
            return False
        if action.color is not None:
            return True
    return False


def _points(points: object) -> tuple[int, ...]:
    if not isinstance(points, list | tuple) or len(points) % 2 or len(points) < 2:
        raise BadInput("Points are x0, y0, x1, y1 and so on.", "points")
    if len(points) > 2 * MAX_POINTS:
        raise BadInput(f"An action has at most {MAX_POINTS} points.", "points")
    # All together: a stroke has hundreds, and one after the other they take most of its reading.
    whole = set(map(type, points)) == {int}
    if not whole or min(points) < MIN_PX or max(points) > MAX_PX:
        raise _no_whole(MIN_PX, MAX_PX, "points")
    return tuple(points)


def _whole(value: object, least: int, limit: int, name: str) -> int:
    if type(value) is not int or not least <= value <= limit:
        raise _no_whole(least, limit, name)
    return value


def _no_whole(least: int, limit: int, name: str) -> BadInput:
    return BadInput(f"{name} is of whole numbers from {least} to {limit}.", name)


def _color(color: object) -> str | None:
    if color is None:
        return None
    if not isinstance(color, str) or not _HEX.fullmatch(color):
        raise BadInput("A color is #rrggbb in hex digits, or null for none.", "color")
    return color.lower()


def code_of(action: Mapping[str, Any]) -> bytes:
    """The byte of an action that :func:`truehue.annotation.colorings.read_action` takes."""
    plain = _CODES.get(action["do"])
    if plain is not None:
        return plain
    return ERASED if action["color"] is None else COLORED


def current_colors(trace: bytes) -> int:
    """How many actions with a color stand that no clear took away; 0 where nothing is colored, as
    :func:`truehue.annotation.colorings.has_color` says of the log itself."""
    state, undone = bytearray(), bytearray()
    for code in trace:
        if code == UNDONE[0]:
            if state:
                undone.append(state.pop())
        elif code == REDONE[0]:
            if undone:
                state.append(undone.pop())
        elif code != PICKED[0]:
            state.append(code)
            undone.clear()
    return state[state.rfind(CLEARED) + 1 :].count(COLORED)


def paint(actions: Iterable[Action], maps: RegionMaps) -> np.ndarray:
    """The layer uint8 ``(H, W, 4)``: RGBA, (0, 0, 0, 0) where nothing was colored, else opaque.

    Raises BadInput where strokes have more than ``MAX_ROWS`` rows, which no page takes.
    """
    canvas = np.zeros(maps.shape, "<u4")
    seen = _seen(effective_actions(actions), maps)
    strokes = (action for action in seen if isinstance(action, Stroke))
    if sum(rows_of(stroke.points, stroke.diameter) for stroke in strokes) > MAX_ROWS:
        raise BadInput("These brush strokes are more than can be painted.", "points")
    for action in seen:
        value = _value(action.color)
        if isinstance(action, Fill):
            label = maps.label(action.closing, action.x, action.y)
            rows = maps.rows(action.closing, label)
            canvas[rows][maps.labels[action.closing][rows] == label] = value
        else:
            _paint_stroke(canvas, action, value, maps)
    return canvas.view(np.uint8).reshape(*maps.shape, 4)


def checksum(layer: np.ndarray) -> str:
    """CRC-32 of a layer, uint8 RGBA ``(H, W, 4)``: of its bytes in raster order, as 8 hex
    digits."""
    return f"{zlib.crc32(np.ascontiguousarray(layer).data):08x}"


def _seen(fills: tuple[Painting, ...], maps: RegionMaps) -> list[Fill | Stroke]:
    """What can be seen of the actions in force, in order: nothing before the last clear, no fill of
    a region that was filled again later, and no fill of what is no region."""
    seen: list[Fill | Stroke] = []
    filled: set[tuple[int, int]] = set()
    for action in reversed(fills):
        if isinstance(action, Clear):
            break
        if isinstance(action, Stroke):
            seen.append(action)
            continue
        for fill in action.fills if isinstance(action, FillRegions) else (action,):
            region = fill.closing, maps.label(fill.closing, fill.x, fill.y)
            if region[1] == 0 or region in filled:
                continue
            filled.add(region)
            seen.append(fill)
    return seen[::-1]


def _value(color: str | None) -> int:
    """A color as the number whose bytes, low ones first, are its RGBA."""
    if color is None:
        return 0
    red, green, blue = bytes.fromhex(color[1:])
    return red | green << 8 | blue << 16 | 0xFF << 24


def _paint_stroke(canvas: np.ndarray, stroke: Stroke, value: int, maps: RegionMaps) -> None:
    height, width = canvas.shape
    x, y = np.array(stroke.points, np.int64).reshape(-1, 2).T
    within, label = stroke.within, 0
    if within is not None:
        label = maps.label(within, int(x[0]), int(y[0]))
        if label == 0:
            return
    flat = canvas.reshape(-1)
    for row, begin, end in _spans(x, y, stroke.diameter, height - 1):
        begin, end = np.maximum(begin, 0), np.minimum(end, width - 1)
        inside = begin <= end
        index = row[inside] * width
        pixels = _joined(index + begin[inside], index + end[inside])
        if within is not None:
            pixels = pixels[maps.labels[within].reshape(-1)[pixels] == label]
        flat[pixels] = value


def _joined(begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Every whole number in any of the intervals, int64 ``(N,)``, once and ascending."""
    if not begins.size:
        return begins
    order = np.argsort(begins)
    begins, ends = begins[order], np.maximum.accumulate(ends[order])
    apart = np.flatnonzero(begins[1:] > ends[:-1]) + 1
    firsts = begins[np.concatenate(([0], apart))]
    counts = ends[np.concatenate((apart - 1, [-1]))] + 1 - firsts
    return np.repeat(firsts - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())


def _spans(x: np.ndarray, y: np.ndarray, diameter: int, last_row: int) -> Iterator[Spans]:
    """What a brush covers of rows 0 to ``last_row``, a number of rows at a time.

    A disk about each point, 4 |c − p|² <= d², and between two points p and q the pixels with
    0 < t = (c − p)·(q − p) < |q − p|² and 4 cross² <= d² |q − p|². On a row both are intervals.
    """
    reach = diameter // 2
    down = np.arange(-reach, reach + 1)
    half = _root((diameter**2 - 4 * down**2) // 4)
    row = y[:, None] + down
    seen = (row >= 0) & (row <= last_row)
    yield row[seen], (x[:, None] - half)[seen], (x[:, None] + half)[seen]
    dx, dy = np.diff(x), np.diff(y)
    first = np.maximum(np.minimum(y[:-1], y[1:]) - reach, 0)
    count = np.minimum(np.maximum(y[:-1], y[1:]) + reach, last_row) + 1 - first
    some = ((dx != 0) | (dy != 0)) & (count > 0)
    x, y, dx, dy, first, count = (item[some] for item in (x[:-1], y[:-1], dx, dy, first, count))
    part = np.cumsum(count) // _ROWS_AT_ONCE
    for number in np.unique(part):
        own = part == number
        which = np.repeat(np.flatnonzero(own), count[own])
        row = np.arange(which.size) - np.repeat(np.cumsum(count[own]) - count[own], count[own])
        yield _strips(row + first[which], x[which], y[which], (dx[which], dy[which]), diameter)


def _strips(
    row: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    step: tuple[np.ndarray, np.ndarray],
    diameter: int,
) -> Spans:
    """The spans on rows ``row`` of the strips from ``(x, y)`` on by ``step``, where there are."""
    dx, dy = step
    squared = dx**2 + dy**2
    widest = _root(diameter**2 * squared // 4)  # 4 cross² <= d² |q − p|², of a whole number cross
    down = row - y
    # With c = p + (u, down): 0 < dx u + dy down < |q − p|², and |dx down − dy u| <= widest.
    least_t, most_t = _between(dx, 1 - dy * down, squared - 1 - dy * down)
    least_c, most_c = _between(dy, dx * down - widest, dx * down + widest)
    begin, end = np.maximum(least_t, least_c), np.minimum(most_t, most_c)
    some = begin <= end
    return row[some], (x + begin)[some], (x + end)[some]


_FAR = 1 << 20


def _between(
    factor: np.ndarray, least: np.ndarray, maximum: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest whole number u with ``least <= factor u <= most``; the first is
    above the second where there is none. With a factor of 0 it is all or none."""
    flipped = factor < 0
    least, maximum = np.where(flipped, -maximum, least), np.where(flipped, -least, maximum)
    size = np.maximum(np.abs(factor), 1)
    low, high = -(-least // size), maximum // size
    everywhere = (least <= 0) & (maximum >= 0)
    low = np.where(factor == 0, np.where(everywhere, -_FAR, _FAR), low)
    high = np.where(factor == 0, np.where(everywhere, _FAR, -_FAR), high)
    return low, high


def _root(squares: np.ndarray) -> np.ndarray:
    """The whole part of the square root; exact below 2**52, and nothing here comes near that."""
    return np.floor(np.sqrt(squares.astype(np.float64))).astype(np.int64)


def concept_mask(layer: np.ndarray, ink: np.ndarray) -> np.ndarray:
    """Colored pixels that no ink covers: bool ``(H, W)``.

    ``layer`` is uint8 ``(H, W, 4)`` as :func:`truehue.annotation.colorings.paint` makes it,
    ``ink`` uint8 ``(H, W)``. Raises MaskError when they are of different sizes.
    """
    if layer.shape != (*ink.shape, 4):
        raise MaskError(
            f"The layer is {layer.shape[1]} × {layer.shape[0]} pixels, but the sketch is "
            f"{ink.shape[1]} × {ink.shape[0]}. Color that sketch."
        )
    return (layer[..., 3] == 255) & (ink >= INK)


def background_share(layer: np.ndarray, maps: RegionMaps, closing: int) -> float:
    """Which share of the surround has a color, 0 to 1: of the regions that touch the border under
    that closing. 0 where there are none. ``layer`` is uint8 RGBA ``(H, W, 4)``."""
    surround = maps.surround(closing)[maps.labels[closing]]
    return float((layer[..., 3][surround] > 0).mean()) if surround.any() else 0.0


def profile(layer: np.ndarray, ink: np.ndarray) -> ColorProfile:
    """What a coloring says of its concept's colors, by the same steps as for a model's image:
    pixels of the sample that lie on a boundary of two colors are their mean.

    Raises as :func:`concept_mask`, and NoPixels when fewer than two pixels are colored.
    """
    return profile_of(np.ascontiguousarray(layer[..., :3]), concept_mask(layer, ink))
