"""Masks for display: outline as an SVG path, cutout of the counted and the excluded pixels."""

from __future__ import annotations

import io
from collections.abc import Sequence

import cv2
import numpy as np

OUTSIDE_ALPHA = 40
"""Of 255: how much is left of what does not count, over whatever lies below."""

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
    outlines, _ = cv2.findContours(doubled, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    return sorted(outlines, key=cv2.contourArea, reverse=True), (left, top)


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


def cutout_png(srgb8: np.ndarray, mask: np.ndarray, max_px: int) -> bytes:
    """PNG of the image, its longer side at most ``max_px``, faded where ``mask`` is False.

    ``srgb8`` uint8 ``(H, W, 3)``, ``mask`` bool ``(H, W)``.
    """
    from PIL import Image

    image = Image.fromarray(srgb8)
    alpha = Image.fromarray(np.where(mask, 255, OUTSIDE_ALPHA).astype(np.uint8))
    # Apart from each other: together, a resize would weigh colors by their alpha.
    for layer in (image, alpha):
        layer.thumbnail((max_px, max_px), Image.Resampling.LANCZOS)
    image.putalpha(alpha)
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return buffer.getvalue()


def unmeasured_overlay_png(
    mask: np.ndarray, measured: np.ndarray, negative: np.ndarray | None = None
) -> bytes | None:
    """PNG that hatches what of ``mask`` was not measured, and dots what was measured outside of it.

    ``negative`` are the parts that negative labels took away, hatched the other way and wider. All
    bool ``(H, W)``; transparent elsewhere, neutral colors only, so that nothing tints what is
    judged. None when exactly the mask was measured and nothing was taken away.
    """
    from PIL import Image

    left_out, added = mask & ~measured, measured & ~mask
    used = np.zeros_like(mask) if negative is None else negative & ~mask
    if not (left_out.any() or added.any() or used.any()):
        return None
    height, width = mask.shape
    period = max(8, round(max(height, width) / 96))
    index = np.zeros((height, width), dtype=np.uint8)
    row, column = np.nonzero(left_out)
    index[row, column] = np.where((row + column) % period < period // 2, 1, 2)
    row, column = np.nonzero(used)
    index[row, column] = np.where((row - column) % (2 * period) < period // 2, 1, 3)
    row, column = np.nonzero(added)
    checks = (row // 2 + column // 2) % 2 == 0
    index[row[checks], column[checks]] = 1
    image = Image.fromarray(index, mode="P")
    image.putpalette([0, 0, 0, 255, 255, 255, 60, 60, 60, 60, 60, 60])
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", transparency=bytes([0, 200, 200, 110]), compress_level=3)
    return buffer.getvalue()
