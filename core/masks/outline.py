"""The outline of a mask as an SVG path, small enough to travel with every change of the mask."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

MAX_CHARACTERS = 150_000
# The first straightens the steps of a slanted edge and moves no point by a whole pixel.
_TOLERANCES_PX = (0.75, 2.0, 6.0)
_ENOUGH = 0.98


def _contours(pixels: np.ndarray) -> tuple[list[np.ndarray], tuple[int, int]]:
    """Contours of the mask at twice its size, largest first, and where its window begins.

    OpenCV's contours run through pixel centers. At twice the size, index ``i`` of a contour lies a
    quarter of a pixel inside of the pixel edge ``(i + 1) // 2``.
    """
    rows, columns = np.flatnonzero(pixels.any(axis=1)), np.flatnonzero(pixels.any(axis=0))
    if rows.size == 0:
        return [], (0, 0)
    top, left = int(rows[0]), int(columns[0])
    window = pixels[top : rows[-1] + 1, left : columns[-1] + 1].astype(np.uint8)
    doubled = cv2.resize(window, None, fx=2, fy=2, interpolation=cv2.INTER_NEAREST)
    found, _ = cv2.findContours(doubled, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    return sorted(found, key=cv2.contourArea, reverse=True), (left, top)


def _polygon(contour: np.ndarray, corner: tuple[int, int], tolerance: float) -> np.ndarray:
    """The contour along pixel edges, simplified, int32 ``(N, 2)`` without repeated points."""
    points = ((contour[:, 0] + 1) // 2 + corner).astype(np.int32)
    fresh = (points != np.roll(points, 1, axis=0)).any(axis=1)
    points = points[fresh]
    simple: np.ndarray = cv2.approxPolyDP(points, tolerance, True)[:, 0]
    # A thin piece would fold to a line and vanish: it stays as it is.
    return simple if len(simple) > 2 else points


def _commands(polygon: np.ndarray) -> str:
    """``M`` to the first point, then ``l`` from point to point, as short as SVG allows."""
    numbers = np.diff(polygon, axis=0).ravel().tolist()
    # A minus sign separates two numbers as well as a space does.
    text = "".join(f"{number}" if number < 0 else f" {number}" for number in numbers)
    return f"M{polygon[0, 0]} {polygon[0, 1]}l{text.lstrip()}z"


def _path(
    contours: Sequence[np.ndarray], corner: tuple[int, int], tolerance: float
) -> tuple[str, int]:
    """The path of the first contours that fit, and how many these are."""
    parts: list[str] = []
    length = 0
    for number, contour in enumerate(contours):
        part = _commands(_polygon(contour, corner, tolerance))
        length += len(part)
        if length > MAX_CHARACTERS:
            return "".join(parts), number
        parts.append(part)
    return "".join(parts), len(contours)


def outline_path(pixels: np.ndarray) -> str:
    """The border of a mask, bool ``(H, W)``, as the ``d`` of an SVG path in image pixels.

    Closed polygons of whole pixels for ``fill-rule="evenodd"``, holes included, simplified by
    less than a pixel; empty for an empty mask. Where that would pass 150,000 characters, it is
    simplified more and the smallest specks and holes are left out: it is for the eye only.
    """
    contours, corner = _contours(pixels)
    sizes = np.cumsum([cv2.contourArea(contour) for contour in contours])
    path = ""
    for tolerance in _TOLERANCES_PX:
        path, count = _path(contours, corner, tolerance)
        if count == len(contours) or (count and sizes[count - 1] >= _ENOUGH * sizes[-1]):
            break
    return path
