"""A few line drawings for pages on which sketches are colored: cheap, and easily told apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np

from truehue.core.sketches.records import Sketch, sketch_id

SIDE = 512
_SHIFT = 4
Ink = np.ndarray


def sketches() -> Mapping[str, Sketch]:
    """The drawings by their words, each 512 pixels a side, with a region in the middle."""
    sample = {}
    for key, draw in _DRAWINGS.items():
        ink = np.full((SIDE, SIDE), 255, np.uint8)
        draw(ink)
        sample[key] = Sketch(sketch_id(ink), ink)
    return sample


def _lines(ink: Ink, *points: tuple[float, float], closed: bool = False) -> None:
    scaled = np.round(np.array(points) * SIDE * 2**_SHIFT).astype(np.int32)
    cv2.polylines(ink, [scaled], closed, 0, 7, cv2.LINE_AA, _SHIFT)


def _oval(
    ink: Ink, x: float, y: float, width: float, height: float, begin: int = 0, end: int = 360
) -> None:
    angles = np.radians(np.linspace(begin, end, 90))
    points = zip(x + width / 2 * np.cos(angles), y + height / 2 * np.sin(angles), strict=True)
    _lines(ink, *((float(a), float(b)) for a, b in points))


def _apple(ink: Ink) -> None:
    _oval(ink, 0.5, 0.56, 0.62, 0.6)
    _lines(ink, (0.5, 0.26), (0.52, 0.18), (0.56, 0.12))
    _oval(ink, 0.66, 0.18, 0.2, 0.1)


def _house(ink: Ink) -> None:
    _lines(ink, (0.2, 0.45), (0.8, 0.45), (0.8, 0.86), (0.2, 0.86), closed=True)
    _lines(ink, (0.13, 0.45), (0.5, 0.14), (0.87, 0.45), closed=True)
    _lines(ink, (0.44, 0.86), (0.44, 0.62), (0.58, 0.62), (0.58, 0.86))
    _lines(ink, (0.26, 0.53), (0.37, 0.53), (0.37, 0.66), (0.26, 0.66), closed=True)


def _fish(ink: Ink) -> None:
    _oval(ink, 0.45, 0.5, 0.6, 0.36)
    _lines(ink, (0.72, 0.44), (0.92, 0.3), (0.88, 0.5), (0.92, 0.7), (0.72, 0.56))
    _oval(ink, 0.27, 0.45, 0.06, 0.06)
    _lines(ink, (0.36, 0.36), (0.4, 0.5), (0.36, 0.64))


def _cup(ink: Ink) -> None:
    _oval(ink, 0.45, 0.36, 0.5, 0.14)
    _lines(ink, (0.2, 0.36), (0.25, 0.8), (0.65, 0.8), (0.7, 0.36))
    _oval(ink, 0.72, 0.54, 0.2, 0.24, -100, 110)


def _tree(ink: Ink) -> None:
    _oval(ink, 0.5, 0.36, 0.66, 0.52)
    _lines(ink, (0.44, 0.61), (0.42, 0.9), (0.58, 0.9), (0.56, 0.61))


def _star(ink: Ink) -> None:
    angles = np.radians(-90 + 36 * np.arange(10))
    sizes = np.where(np.arange(10) % 2, 0.18, 0.42)
    points = zip(0.5 + sizes * np.cos(angles), 0.5 + sizes * np.sin(angles), strict=True)
    _lines(ink, *((float(a), float(b)) for a, b in points), closed=True)


def _leaf(ink: Ink) -> None:
    _oval(ink, 0.5, 0.46, 0.44, 0.7)
    _lines(ink, (0.5, 0.12), (0.5, 0.92))


def _balloon(ink: Ink) -> None:
    _oval(ink, 0.5, 0.4, 0.5, 0.58)
    _lines(ink, (0.5, 0.69), (0.47, 0.8), (0.53, 0.9), (0.5, 0.97))


_DRAWINGS: Mapping[str, Callable[[Ink], None]] = {
    "apple": _apple,
    "a lonely house": _house,
    "fish": _fish,
    "a cup of tea": _cup,
    "tree in autumn": _tree,
    "star": _star,
    "a fresh leaf": _leaf,
    "balloon": _balloon,
}
