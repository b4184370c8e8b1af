"""The starter set: line art made by the project, the files of ``assets/sketches``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from xml.etree import ElementTree

import cv2
import numpy as np

from truehue.core.errors import TrueHueError
from truehue.core.prompts.concepts import concepts

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "sketches"
SIDE = 1024
"""The side of a drawing, in its own units."""
SUPERSAMPLING = 4
_FRACTION_BITS = 4
_FLAT_STEP = 6.0
"""How far apart, in pixels of the ink, the points of a flattened curve are at most."""
_PAPER, _INK = 255, 0

_SVG = "{http://www.w3.org/2000/svg}"
_FILLS = {
    "none": None,
    **dict.fromkeys(("#fff", "#ffffff", "white"), _PAPER),
    **dict.fromkeys(("#000", "#000000", "black"), _INK),
}
_UNPAINTED = ("title", "desc", "metadata", "defs")
_INHERITED = ("fill", "stroke", "stroke-width")
_COMMAND = re.compile(r"([A-DF-Za-df-z])([^A-DF-Za-df-z]*)")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_THIRDS = np.array([[1 / 3], [2 / 3], [1]])


@dataclass(frozen=True, eq=False)
class Curve:
    """A chain of cubic Béziers.

    ``cubics`` is float64 (n, 4, 2): start, two control points, end; each starts where the one
    before ends. A ``closed`` curve ends where it starts.
    """

    cubics: np.ndarray
    closed: bool = False

    def flat(self, scale: float = 1.0) -> np.ndarray:
        """Points along the curve, float64 (m, 2), closer where ``scale`` is larger."""
        legs = np.diff(self.cubics, axis=1)
        size = np.hypot(legs[..., 0], legs[..., 1]).sum(axis=1) * scale
        straight = np.ptp(legs, axis=1).max(axis=1) < 1e-6
        # Few different counts, so that many pieces are worked out at once.
        steps = np.where(
            straight, 1, 1 << np.clip(np.ceil(np.log2(size / _FLAT_STEP + 1)), 2, 6).astype(int)
        )
        ends = np.concatenate([[0], np.cumsum(steps)])
        points = np.empty((ends[-1] + 1, 2))
        points[0] = self.cubics[0, 0]
        for count in np.unique(steps):
            chosen = np.flatnonzero(steps == count)
            positions = ends[chosen][:, None] + np.arange(1, count + 1)
            points[positions] = _bernstein(int(count)) @ self.cubics[chosen]
        return points


@dataclass(frozen=True, eq=False)
class Mark:
    """One curve, painted over those before it.

    ``fill`` is the gray inside, None for none; ``width`` is the line's, 0 for none. Nothing is
    painted outside of ``clips``: each is a union of closed curves, and all of them hold.
    """

    curve: Curve
    fill: int | None = None
    width: float = 0.0
    clips: tuple[tuple[Curve, ...], ...] = ()


@dataclass(frozen=True)
class Drawing:
    """One line drawing of the starter set.

    ``words`` is the concept ("apple"), ``concept_id`` its id in
    :mod:`truehue.core.prompts.concepts`, ``category`` the paper's. ``path`` is its file, read by
    each call. Methods raise TrueHueError for a file that cannot be used.
    """

    words: str
    concept_id: str
    category: str
    path: Path

    def ink(self, side: int = SIDE) -> np.ndarray:
        """The lines, uint8 (side, side): 255 paper, 0 ink, antialiased."""
        return ink_of(marks_of(self.svg(), self.path.name), side)

    def svg(self) -> str:
        """The file: an SVG document of white shapes and black lines, without pixels."""
        try:
            return self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise _unusable(self.path.name, "it cannot be opened as text") from error


@cache
def starter() -> Mapping[str, Drawing]:
    """The drawings by the words of their concept ("apple"), in the paper's order of concepts.

    Lists the files and opens none.
    """
    paths = {path.stem.replace("_", " "): path for path in FOLDER.glob("*.svg")}
    return MappingProxyType(
        {
            concept.words: Drawing(
                concept.words, concept.id, concept.category, paths[concept.words]
            )
            for concept in concepts()
            if concept.modifier_kind == "base" and concept.words in paths
        }
    )


def marks_of(document: str, name: str) -> tuple[Mark, ...]:
    """What an SVG document paints, in painter's order, on a square of 1024 units.

    Raises TrueHueError, which names the file ``name``, for a document that is not as
    ``assets/sketches/README.md`` describes it.
    """
    try:
        root = ElementTree.fromstring(document)
        if root.tag != f"{_SVG}svg" or root.get("viewBox") != f"0 0 {SIDE} {SIDE}":
            raise ValueError(f'it is no SVG with viewBox="0 0 {SIDE} {SIDE}"')
        if any("transform" in element.attrib for element in root.iter()):
            raise ValueError("it has a transform, which must be applied to the points")
        unions = {
            f"url(#{clip.get('id')})": tuple(_curve(path.get("d", "")) for path in clip)
            for clip in root.iter(f"{_SVG}clipPath")
        }
        marks = tuple(_marks(root, {}, (), unions))
        if not marks:
            raise ValueError("it has no path")
    except (ElementTree.ParseError, ValueError) as error:
        raise _unusable(name, str(error)) from error
    return marks


def _unusable(name: str, reason: str) -> TrueHueError:
    return TrueHueError(
        f"The drawing assets/sketches/{name} cannot be used: {reason}. The README beside it says "
        f"what a drawing consists of. Restore it with: git checkout -- assets/sketches/{name}"
    )


def _marks(
    element: ElementTree.Element,
    style: Mapping[str, str],
    clips: tuple[tuple[Curve, ...], ...],
    unions: Mapping[str, tuple[Curve, ...]],
) -> Iterator[Mark]:
    """The marks of an element and those in it, which inherit ``style`` as in SVG."""
    kind = element.tag.removeprefix(_SVG)
    if kind.startswith("{") or kind in _UNPAINTED:
        return
    if kind not in ("svg", "g", "path"):
        raise ValueError(f"it has a <{kind}>, but only <path> and <g> are read")
    own = dict(element.attrib)
    for declaration in own.pop("style", "").split(";"):
        key, _, value = declaration.partition(":")
        own[key.strip()] = value.strip()
    style = {**style, **{key: own[key] for key in _INHERITED if key in own}}
    if "clip-path" in own:
        if not unions.get(own["clip-path"]):
            raise ValueError(f"it has no <clipPath> with a path for clip-path={own['clip-path']!r}")
        clips = (*clips, unions[own["clip-path"]])
    if kind == "path":
        yield _mark(_curve(own.get("d", "")), style, clips)
    for child in element:
        yield from _marks(child, style, clips, unions)


def _mark(curve: Curve, style: Mapping[str, str], clips: tuple[tuple[Curve, ...], ...]) -> Mark:
    fill, line = style.get("fill"), style.get("stroke", "none")
    if fill not in _FILLS:
        raise ValueError(f'a path has fill={fill!r}, not "none", "#fff" or "#000"')
    if _FILLS.get(line, _PAPER) == _PAPER:
        raise ValueError(f'a path has stroke={line!r}, not "none" or "#000"')
    if line == "none":
        return Mark(curve, _FILLS[fill], 0.0, clips)
    width = style.get("stroke-width", "").removesuffix("px")
    if not _NUMBER.fullmatch(width):
        raise ValueError(f"a path has stroke-width={width!r}, not a number")
    return Mark(curve, _FILLS[fill], float(width), clips)


def _curve(data: str) -> Curve:
    """The curve of path data. Raises ValueError for other commands and for a second part."""
    start = indices = np.zeros(2)
    pieces: list[np.ndarray] = []
    closed = False
    try:
        for position, (name, text) in enumerate(_COMMAND.findall(data)):
            command, relative = name.upper(), name.islower()
            values = np.array(_NUMBER.findall(text), dtype=float)
            if closed or command not in "MLHVCZ" or (command == "M") != (position == 0):
                raise ValueError(name)
            if command == "M":
                start = indices = values[:2]
                values = values[2:]
            elif command == "Z":
                closed, relative = True, False
                values = start if np.abs(indices - start).max() > 1e-6 else values
            elif command in "HV":
                along = np.zeros((len(values), 2)) + (0 if relative else indices)
                along[:, "HV".index(command)] = values
                values = along
            legs = values.reshape(-1, 3 if command == "C" else 1, 2)
            if relative:
                ends = np.cumsum(legs[:-1, -1], axis=0)
                legs = legs + indices + np.concatenate([np.zeros((1, 2)), ends])[:, None]
            if len(legs):
                starts = np.concatenate([indices[None], legs[:-1, -1]])[:, None]
                if command != "C":
                    legs = starts + (legs - starts) * _THIRDS
                pieces.append(np.concatenate([starts, legs], axis=1))
                indices = legs[-1, -1]
        return Curve(np.concatenate(pieces), closed)
    except ValueError as error:
        raise ValueError(
            f"the path data {data[:20]!r}… is not one M, then L, H, V or C, and a last Z"
        ) from error


@cache
def _bernstein(count: int) -> np.ndarray:
    """Weights (count, 4) of a cubic's four points at ``count`` steps after its start."""
    t = np.arange(1, count + 1) / count
    u = 1 - t
    return np.stack([u**3, 3 * u * u * t, 3 * u * t * t, t**3], axis=1)


def ink_of(marks: Iterable[Mark], side: int = SIDE) -> np.ndarray:
    """Marks on a square of 1024 units as ink, uint8 (side, side): 255 paper, 0 ink, antialiased."""
    scale = SUPERSAMPLING * side / SIDE
    canvas = np.full((SUPERSAMPLING * side,) * 2, _PAPER, np.uint8)
    for clips, together in groupby(marks, key=lambda mark: mark.clips):
        if clips:
            _paint_clipped(canvas, clips, list(together), scale)
        else:
            _paint(canvas, together, scale)
    return cv2.resize(canvas, (side, side), interpolation=cv2.INTER_AREA)


def _fixed(curve: Curve, scale: float) -> np.ndarray:
    """The flattened curve in OpenCV's fixed-point pixels, int32 (n, 1, 2), pixel centers at 0."""
    pixels = curve.flat(scale / SUPERSAMPLING) * scale - 0.5
    return np.round(pixels * (1 << _FRACTION_BITS)).astype(np.int32)[:, None]


def _paint(
    canvas: np.ndarray, marks: Iterable[Mark], scale: float, origin: tuple[int, int] = (0, 0)
) -> None:
    """Paint on ``canvas``, whose first pixel is the one at ``origin`` (x, y)."""
    start = np.array(origin, np.int32) << _FRACTION_BITS
    for mark in marks:
        points = _fixed(mark.curve, scale) - start
        if mark.fill is not None:
            cv2.fillPoly(canvas, [points], mark.fill, shift=_FRACTION_BITS)
        if mark.width:
            width = max(1, round(mark.width * scale))
            cv2.polylines(canvas, [points], mark.curve.closed, _INK, width, shift=_FRACTION_BITS)


def _paint_clipped(
    canvas: np.ndarray, clips: tuple[tuple[Curve, ...], ...], marks: list[Mark], scale: float
) -> None:
    """Paint on a copy of the part that the clips reach, and take over what lies within all."""
    inner = np.concatenate([curve.flat() for curve in clips[-1]]) * scale
    x, y = (int(v) for v in np.clip(np.floor(inner.min(axis=0)) - 1, 0, None))
    right, bottom = (int(v) for v in np.clip(np.ceil(inner.max(axis=0)) + 2, 0, len(canvas)))
    part = canvas[y:bottom, x:right]
    if not part.size:
        return
    start = np.array([x, y], np.int32) << _FRACTION_BITS
    mask = np.full_like(part, 255)
    for union in clips:
        reach = np.zeros_like(part)
        for curve in union:
            cv2.fillPoly(reach, [_fixed(curve, scale) - start], 255, shift=_FRACTION_BITS)
        mask &= reach
    copy = part.copy()
    _paint(copy, marks, scale, (x, y))
    cv2.copyTo(copy, mask, part)
