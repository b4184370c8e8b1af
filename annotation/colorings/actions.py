"""The log of actions on the canvas as data: read, checked, counted, and kept as one byte each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import sub
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.sketches.regions import check_closing

MOST_ACTIONS = 20_000
"""Of one coloring."""

MOST_POINTS = 2_048
"""Of one stroke; a longer one is several actions."""

LEAST_PX, MOST_PX = -2048, 4096
"""Coordinates: a hand may leave the sketch."""

MOST_DIAMETER = 256

MOST_ROWS = 50_000_000
"""Of all strokes of a coloring, their lines and disks row by row, as :func:`rows_of` counts them;
those undone count too. A page leaves out points nearer than a sixteenth of the diameter, so that a
pixel of a hand's way is 19 rows at most: forty minutes of brush work at a thousand pixels a second,
without a pause. Painting them takes a server some ten seconds."""

_HEX = re.compile(r"#[0-9a-fA-F]{6}")
COLORED, ERASED, CLEARED, UNDONE, REDONE = b"c", b"e", b"x", b"u", b"r"
_CODES = {"clear": CLEARED, "undo": UNDONE, "redo": REDONE}


@dataclass(frozen=True)
class Fill:
    """Every pixel of the region at ``(x, y)`` under that closing gets the color; None clears."""

    x: int
    y: int
    closing: int
    color: str | None


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
class Clear:
    """Takes every color away."""


@dataclass(frozen=True)
class Undo:
    """Takes back the last action in force."""


@dataclass(frozen=True)
class Redo:
    """Does the last undone action again, until something else was done."""


Action = Fill | Stroke | Clear | Undo | Redo
_PLAIN: Mapping[str, Action] = {"clear": Clear(), "undo": Undo(), "redo": Redo()}
_KEYS = {
    "fill": {"do", "x", "y", "closing", "color"},
    "stroke": {"do", "points", "diameter", "color", "within"},
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
        x, y = _whole(body["x"], LEAST_PX, MOST_PX, "x"), _whole(body["y"], LEAST_PX, MOST_PX, "y")
        return Fill(x, y, check_closing(body["closing"]), _color(body["color"]))
    if do == "stroke":
        within = body["within"]
        return Stroke(
            _points(body["points"]),
            _whole(body["diameter"], 1, MOST_DIAMETER, "diameter"),
            _color(body["color"]),
            None if within is None else check_closing(within),
        )
    return _PLAIN[do]


def as_json(action: Action) -> dict[str, Any]:
    """The action as a page sends it: :func:`read_action` gives it back."""
    if isinstance(action, Fill):
        return {"do": "fill", **vars(action)}
    if isinstance(action, Stroke):
        return {"do": "stroke", **vars(action), "points": list(action.points)}
    return {"do": next(do for do, plain in _PLAIN.items() if plain == action)}


def in_force(actions: Iterable[Action]) -> tuple[Fill | Stroke | Clear, ...]:
    """What stands after every undo and redo, in order; those with nothing to do do nothing."""
    fills: list[Fill | Stroke | Clear] = []
    undone: list[Fill | Stroke | Clear] = []
    for action in actions:
        if isinstance(action, Undo):
            if fills:
                undone.append(fills.pop())
        elif isinstance(action, Redo):
            if undone:
                fills.append(undone.pop())
        else:
            fills.append(action)
            undone.clear()
    return tuple(fills)


def rows_of(points: Sequence[int], diameter: int) -> int:
    """How many rows of pixels the lines and disks of a stroke have, counted each by itself."""
    ups = points[1::2]
    return sum(map(abs, map(sub, ups[1:], ups))) + len(ups) * (diameter + 2)


def has_color(actions: Iterable[Action]) -> bool:
    """Whether an action with a color stands that nothing cleared all of; no pixel is looked at."""
    for action in reversed(in_force(actions)):
        if isinstance(action, Clear):
            return False
        if action.color is not None:
            return True
    return False


def _points(points: object) -> tuple[int, ...]:
    if not isinstance(points, list | tuple) or len(points) % 2 or len(points) < 2:
        raise BadInput("The points of a stroke are x0, y0, x1, y1 and so on.", "points")
    if len(points) > 2 * MOST_POINTS:
        raise BadInput(f"A stroke has at most {MOST_POINTS} points.", "points")
    # All together: a stroke has hundreds, and one after the other they take most of its reading.
    whole = set(map(type, points)) == {int}
    if not whole or min(points) < LEAST_PX or max(points) > MOST_PX:
        raise _no_whole(LEAST_PX, MOST_PX, "points")
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
    """The byte of an action that :func:`truehue.annotation.colorings.actions.read_action` takes."""
    plain = _CODES.get(action["do"])
    if plain is not None:
        return plain
    return ERASED if action["color"] is None else COLORED


def current_colors(trace: bytes) -> int:
    """How many actions with a color stand that no clear took away; 0 where nothing is colored, as
    :func:`truehue.annotation.colorings.actions.has_color` says of the log itself."""
    state, undone = bytearray(), bytearray()
    for code in trace:
        if code == UNDONE[0]:
            if state:
                undone.append(state.pop())
        elif code == REDONE[0]:
            if undone:
                state.append(undone.pop())
        else:
            state.append(code)
            undone.clear()
    return state[state.rfind(CLEARED) + 1 :].count(COLORED)
