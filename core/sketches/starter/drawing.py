"""A finished line drawing: as ink at any size, and as vector paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from xml.sax.saxutils import escape

import cv2
import numpy as np

from truehue.core.sketches.starter.curves import Path
from truehue.core.sketches.starter.sheet import SIDE, Mark, Sheet

SUPERSAMPLING = 4
_FRACTION_BITS = 4
_PAPER, _INK = 255, 0


@dataclass(frozen=True, eq=False)
class Drawing:
    """One line drawing of the starter set.

    ``words`` is the concept ("apple"), ``concept_id`` its id in
    :mod:`truehue.core.prompts.concepts`, ``category`` the paper's. ``draw`` draws it on an empty
    sheet, once it is asked for.
    """

    words: str
    concept_id: str
    category: str
    draw: Callable[[Sheet], None]

    @cached_property
    def paths(self) -> tuple[Mark, ...]:
        """What it is made of, in painter's order, on a square of 1024 units."""
        sheet = Sheet()
        self.draw(sheet)
        return sheet.fitted()

    def ink(self, side: int = SIDE) -> np.ndarray:
        """The lines, uint8 (side, side): 255 paper, 0 ink, antialiased."""
        return ink_of(self.paths, side)

    def svg(self) -> str:
        """The same as an SVG document of paths: white shapes, black lines, clip paths."""
        return svg_of(self.paths, self.words)


def ink_of(paths: Iterable[Mark], side: int = SIDE) -> np.ndarray:
    """Marks on a square of 1024 units as ink, uint8 (side, side): 255 paper, 0 ink, antialiased."""
    scale = SUPERSAMPLING * side / SIDE
    canvas = np.full((SUPERSAMPLING * side,) * 2, _PAPER, np.uint8)
    for clips, marks in groupby(paths, key=lambda mark: mark.clips):
        if clips:
            _paint_clipped(canvas, clips, list(marks), scale)
        else:
            _paint(canvas, marks, scale)
    return cv2.resize(canvas, (side, side), interpolation=cv2.INTER_AREA)


def svg_of(paths: Iterable[Mark], title: str) -> str:
    """Marks on a square of 1024 units as an SVG document of paths, without pixels."""
    lines, definitions = [], []
    for number, (clips, marks) in enumerate(groupby(paths, key=lambda mark: mark.clips)):
        elements = [_element(mark) for mark in marks]
        for depth, union in enumerate(clips):
            name = f"clip-{number}-{depth}"
            inner = "".join(f'<path d="{_commands(path)}" clip-rule="evenodd"/>' for path in union)
            definitions.append(f'<clipPath id="{name}">{inner}</clipPath>')
            elements = [f'<g clip-path="url(#{name})">', *elements, "</g>"]
        lines += elements
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {SIDE}">',
            f"<title>{escape(title)}</title>",
            *(["<defs>", *definitions, "</defs>"] if definitions else []),
            '<g fill-rule="evenodd" stroke-linecap="round" stroke-linejoin="round">',
            *lines,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _fixed(path: Path, scale: float) -> np.ndarray:
    """The flattened path in OpenCV's fixed-point pixels, int32 (n, 1, 2), pixel centers at 0."""
    pixels = path.flat(scale / SUPERSAMPLING) * scale - 0.5
    return np.round(pixels * (1 << _FRACTION_BITS)).astype(np.int32)[:, None]


def _paint(
    canvas: np.ndarray, marks: Iterable[Mark], scale: float, origin: tuple[int, int] = (0, 0)
) -> None:
    """Paint on ``canvas``, whose first pixel is the one at ``origin`` (x, y)."""
    start = np.array(origin, np.int32) << _FRACTION_BITS
    for mark in marks:
        points = _fixed(mark.path, scale) - start
        if mark.fill:
            value = _PAPER if mark.fill == "paper" else _INK
            cv2.fillPoly(canvas, [points], value, shift=_FRACTION_BITS)
        if mark.width:
            width = max(1, round(mark.width * scale))
            cv2.polylines(canvas, [points], mark.path.closed, _INK, width, shift=_FRACTION_BITS)


def _paint_clipped(
    canvas: np.ndarray, clips: tuple[tuple[Path, ...], ...], marks: list[Mark], scale: float
) -> None:
    """Paint on a copy of the part that the clips reach, and take over what lies within all."""
    inner = np.concatenate([path.flat() for path in clips[-1]]) * scale
    x, y = (int(v) for v in np.clip(np.floor(inner.min(axis=0)) - 1, 0, None))
    right, bottom = (int(v) for v in np.clip(np.ceil(inner.max(axis=0)) + 2, 0, len(canvas)))
    part = canvas[y:bottom, x:right]
    if not part.size:
        return
    start = np.array([x, y], np.int32) << _FRACTION_BITS
    mask = np.full_like(part, 255)
    for union in clips:
        reach = np.zeros_like(part)
        for path in union:
            cv2.fillPoly(reach, [_fixed(path, scale) - start], 255, shift=_FRACTION_BITS)
        mask &= reach
    copy = part.copy()
    _paint(copy, marks, scale, (x, y))
    cv2.copyTo(copy, mask, part)


def _element(mark: Mark) -> str:
    fill = {"": "none", "paper": "#fff", "ink": "#000"}[mark.fill]
    line = f' stroke="#000" stroke-width="{mark.width:g}"' if mark.width else ""
    return f'<path d="{_commands(mark.path)}" fill="{fill}"{line}/>'


def _commands(path: Path) -> str:
    x, y = path.cubics[0, 0]
    parts = [f"M{x:.1f} {y:.1f}"]
    for cubic in path.cubics:
        parts.append("C" + " ".join(f"{value:.1f}" for value in cubic[1:].ravel()))
    return "".join(parts) + ("Z" if path.closed else "")
