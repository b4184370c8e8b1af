"""A person's selection on an image (box, strokes, points) as plain JSON, checked before use.

Coordinates are image pixels with the origin at the top left corner of the image: pixel ``(i, j)``
covers ``i <= x < i + 1`` and ``j <= y < j + 1``, and its center is at ``(i + 0.5, j + 0.5)``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truehue.core.errors import MaskError

MAX_MARKS = 2_000
MAX_POINTS = 200_000
MIN_RADIUS = 0.5
MAX_RADIUS = 512.0
# Far outside every image, yet small enough that sums and squares stay exact.
MAX_COORDINATE = 1e6

STROKES = ("keep", "cut", "brush", "erase")
SALIENT = "salient"
"""The mark, and the maker, of what stands out (truehue.core.masks.salient)."""
SALIENT_VERSION = "1"
"""The version of that masker. It stands here, because the masker imports OpenCV."""
STARTS = ("whole", "stored", SALIENT)
"""The types that start over: what came before them does not count."""
KINDS = (*STARTS, "box", *STROKES, "point", "override")
NOTHING_STANDS_OUT = "Nothing stands out: draw a box around the object."
STEPS = ("box", "negative", "presence")
"""The steps of an automatic mask that a person can override."""
MAX_INDEX = 9_999


@dataclass(frozen=True)
class Override:
    """A person's word on one step of an automatic mask.

    ``step`` is one of ``STEPS``, ``index`` the place (from 0) of the box, the negative label or the
    question in that mask's parameters. ``use`` says whether the box makes part of the mask, or
    whether the negative label takes its part away; ``answer`` is ``yes``, ``no`` or empty for the
    model's own, and belongs to presence.
    """

    step: str
    index: int
    use: bool = True
    answer: str = ""


@dataclass(frozen=True)
class Mark:
    """One checked mark.

    ``type`` is one of ``KINDS``. ``box`` is ``(x0, y0, x1, y1)`` inside the image with
    ``x0 < x1`` and ``y0 < y1``; ``radius`` and ``points`` belong to strokes, ``mask_id`` to a
    stored mask. A point has one of ``points``; ``inside`` says whether what it shows is to be in
    the mask, and ``by`` is the id of the segmenter that cut it out, empty for the usual one. Of a
    box ``by`` is ``salient`` where the salient-object network looks inside, empty for GrabCut.
    ``override`` belongs to the type of that name.
    """

    type: str
    box: tuple[float, float, float, float] | None = None
    radius: float = 0.0
    points: tuple[tuple[float, float], ...] = ()
    mask_id: str = ""
    inside: bool = True
    by: str = ""
    override: Override | None = None

    def as_json(self) -> dict[str, Any]:
        """The mark as :func:`parse_marks` reads it."""
        data: dict[str, Any] = {"type": self.type}
        if self.box is not None:
            data["box"] = list(self.box)
            if self.by:
                data["by"] = self.by
        if self.type in STROKES:
            data["radius"] = self.radius
            data["points"] = [list(point) for point in self.points]
        if self.type == "point":
            data["x"], data["y"] = self.points[0]
            data["inside"] = self.inside
            if self.by:
                data["by"] = self.by
        if self.type == "stored":
            data["mask_id"] = self.mask_id
        if self.override is not None:
            data["step"], data["index"] = self.override.step, self.override.index
            if self.override.step == "presence":
                data["answer"] = self.override.answer
            else:
                data["use"] = self.override.use
        return data


def _number(value: Any, label: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise MaskError(f"{label} must be a number, this is {type(value).__name__}.")
    # A whole number of hundreds of digits does not even fit into a float.
    if abs(value) > MAX_COORDINATE or not math.isfinite(value):
        raise MaskError(f"{label} must be a finite number of at most {MAX_COORDINATE:g} pixels.")
    return float(value)


def _list(value: Any, label: str) -> Sequence[Any]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise MaskError(f"{label} must be a list, this is {type(value).__name__}.")
    return value


def _box(value: Any, width: int, height: int, label: str) -> tuple[float, float, float, float]:
    corners = _list(value, f"{label}: the box")
    if len(corners) != 4:
        raise MaskError(f"{label}: a box is [x0, y0, x1, y1], this has {len(corners)} numbers.")
    x0, y0, x1, y1 = (_number(corner, f"{label}: a corner of the box") for corner in corners)
    left, right = (min(max(x, 0.0), float(width)) for x in sorted((x0, x1)))
    top, bottom = (min(max(y, 0.0), float(height)) for y in sorted((y0, y1)))
    if right <= left or bottom <= top:
        raise MaskError(f"{label}: the box holds no part of the image; draw it over the object.")
    return left, top, right, bottom


def _stroke(data: Mapping[str, Any], kind: str, label: str) -> Mark:
    radius = _number(data.get("radius"), f"{label}: the radius")
    if not MIN_RADIUS <= radius <= MAX_RADIUS:
        raise MaskError(
            f"{label}: the radius must be {MIN_RADIUS:g} to {MAX_RADIUS:g} pixels, "
            f"this is {radius:g}."
        )
    points = []
    for point in _list(data.get("points"), f"{label}: the points"):
        pair = _list(point, f"{label}: a point")
        if len(pair) != 2:
            raise MaskError(f"{label}: a point is [x, y], this has {len(pair)} numbers.")
        points.append((_number(pair[0], f"{label}: x"), _number(pair[1], f"{label}: y")))
    if not points:
        raise MaskError(f"{label}: a stroke needs at least one point.")
    return Mark(kind, radius=radius, points=tuple(points))


def _flag(value: Any, label: str) -> bool:
    if not isinstance(value, bool):
        raise MaskError(f"{label} must be true or false, this is {type(value).__name__}.")
    return value


def _point(data: Mapping[str, Any], width: int, height: int, label: str) -> Mark:
    x, y = _number(data.get("x"), f"{label}: x"), _number(data.get("y"), f"{label}: y")
    if not (0 <= x <= width and 0 <= y <= height):
        raise MaskError(f"{label}: the point lies outside of the image; click on the image.")
    inside, by = _flag(data.get("inside"), f"{label}: inside"), data.get("by", "")
    if not isinstance(by, str) or len(by) > 200:
        raise MaskError(f"{label}: by must be the id of a segmenter.")
    return Mark("point", points=((x, y),), inside=inside, by=by)


def _override(data: Mapping[str, Any], label: str) -> Mark:
    step, index = data.get("step"), data.get("index")
    if step not in STEPS:
        raise MaskError(f"{label}: an override is of one of {', '.join(STEPS)}.")
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index <= MAX_INDEX:
        raise MaskError(f"{label}: the index must be a whole number from 0 to {MAX_INDEX:,}.")
    if step != "presence":
        return Mark("override", override=Override(step, index, _flag(data.get("use"), label)))
    answer = data.get("answer")
    if answer not in ("yes", "no", ""):
        raise MaskError(f"{label}: an answer is yes, no, or empty for the model's own.")
    return Mark("override", override=Override(step, index, answer=answer))


def _mark(data: Any, width: int, height: int, label: str) -> Mark:
    if not isinstance(data, Mapping):
        raise MaskError(f"{label} must be an object, this is {type(data).__name__}.")
    kind = data.get("type")
    if kind in ("whole", SALIENT):
        return Mark(kind)
    if kind == "box":
        by = data.get("by", "")
        if by not in ("", SALIENT):
            raise MaskError(f"{label}: by of a box is {SALIENT}, or empty for GrabCut.")
        return Mark("box", box=_box(data.get("box"), width, height, label), by=by)
    if kind == "stored":
        mask_id = data.get("mask_id")
        if not isinstance(mask_id, str) or not mask_id or len(mask_id) > 200:
            raise MaskError(f"{label}: mask_id must name a stored mask.")
        return Mark("stored", mask_id=mask_id)
    if kind == "point":
        return _point(data, width, height, label)
    if kind == "override":
        return _override(data, label)
    if isinstance(kind, str) and kind in STROKES:
        return _stroke(data, kind, label)
    raise MaskError(f"{label}: unknown type {str(kind)[:40]!r}; known are {', '.join(KINDS)}.")


def parse_marks(data: Any, width: int, height: int) -> tuple[Mark, ...]:
    """Checks a list of marks for an image of ``width`` × ``height`` pixels, keeping their order.

    Corners of a box may come in any order; a box is clipped to the image. Points of a stroke may
    lie outside. Marks that were read already stay as they are. Raises MaskError that names the mark
    (counted from 1) and what is wrong with it.
    """
    if isinstance(data, tuple) and all(isinstance(mark, Mark) for mark in data):
        return data
    items = _list(data, "Marks")
    if len(items) > MAX_MARKS:
        raise MaskError(f"At most {MAX_MARKS:,} marks are allowed, these are {len(items):,}.")
    # Count before reading: a huge list should cost nothing.
    points = sum(
        len(item["points"])
        for item in items
        if isinstance(item, Mapping) and isinstance(item.get("points"), Sequence)
    )
    if points > MAX_POINTS:
        raise MaskError(f"At most {MAX_POINTS:,} stroke points are allowed, these are {points:,}.")
    return tuple(
        _mark(item, width, height, f"Mark {number}") for number, item in enumerate(items, start=1)
    )
