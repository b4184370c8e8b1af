"""Clean-up of masks: that of the released code, and colored sheets without their white paper.

Source: github.com/moatifbutt/gen-color-bench at commit 802a3ba. It removes shadow and gray pixels,
so it works against white, gray and black targets; therefore it is a visible step.

Colored sheets have no other mask than everything except the white paper. Paper is nearly white and
connected to the border. White inside a closed outline stays in the mask: people color an eye or a
snowman by leaving it white, and no pixel shows whether they intended it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.errors import MaskError, NoPixels
from truehue.core.images.pixels import Mask

KEEP_SHARE = 0.20
COMPONENT_SHARE = 0.05


@dataclass(frozen=True)
class Cleanup:
    """The cleaned mask bool ``(H, W)`` and what happened to it.

    ``removed_px``: pixels of the mask that were left out. ``added_px``: pixels outside of the mask
    that came in; the released code closes gaps and does not cut the result back to the mask.
    ``undone``: less than a fifth was left, so the mask stands as it was drawn.
    """

    pixels: np.ndarray
    removed_px: int
    added_px: int
    undone: bool


def _disk(radius: int) -> np.ndarray:
    """The pixels within ``radius`` of the middle, uint8; OpenCV's ellipses are other shapes."""
    line = np.arange(-radius, radius + 1)
    return (line[:, None] ** 2 + line[None, :] ** 2 <= radius**2).astype(np.uint8)


def released_cleanup(srgb8: np.ndarray, mask: np.ndarray) -> Cleanup:
    """Drops shadows and grays, smooths, drops crumbs; undone when under 20% would be left.

    ``srgb8`` uint8 ``(H, W, 3)``, ``mask`` bool ``(H, W)``. In HSV with S and V from 0 to 1, left
    out are S <= 0.12 with V <= 0.20, V <= 0.1, and S <= 0.10; then an opening with a disk of
    radius 2, a closing with one of 3, and only the 4-connected components of at least 5% of the
    largest stay.
    """
    import cv2

    area = int(np.count_nonzero(mask))
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if area == 0:
        return Cleanup(mask, 0, 0, True)
    # Work on the mask's surroundings only, with room for the closing to grow.
    margin = 4
    top, left = max(int(rows[0]) - margin, 0), max(int(columns[0]) - margin, 0)
    window = (slice(top, int(rows[-1]) + 1 + margin), slice(left, int(columns[-1]) + 1 + margin))
    crop = srgb8[window]

    red, green, blue = cv2.split(np.ascontiguousarray(crop))
    value = cv2.max(cv2.max(red, green), blue)
    spread = cv2.subtract(value, cv2.min(cv2.min(red, green), blue)).astype(np.uint16)
    # S = spread / value and V = value / 255, compared in whole numbers.
    value16 = value.astype(np.uint16)
    dull = spread * 100 <= value16 * 12
    keep = mask[window] & (value > 25) & (spread * 10 > value16) & ~(dull & (value <= 51))

    work = keep.view(np.uint8)
    work = cv2.morphologyEx(work, cv2.MORPH_OPEN, _disk(2))
    work = cv2.morphologyEx(work, cv2.MORPH_CLOSE, _disk(3))
    work = _large_components(work)
    left_px = int(np.count_nonzero(work))
    if left_px < KEEP_SHARE * area:
        return Cleanup(mask, 0, 0, True)
    cleaned = np.zeros_like(mask)
    cleaned[window] = work.astype(bool)
    removed = int(np.count_nonzero(mask & ~cleaned))
    added = int(np.count_nonzero(cleaned & ~mask))
    return Cleanup(cleaned, removed, added, False)


def _large_components(work: np.ndarray) -> np.ndarray:
    """uint8 ``(H, W)`` of 0 and 1 without the 4-connected components below 5% of the largest."""
    import cv2

    total = int(np.count_nonzero(work))
    if total == 0:
        return work
    # Most masks are one piece, and filling it from any pixel is cheaper than labeling.
    row, column = divmod(int(work.reshape(-1).argmax()), work.shape[1])
    if cv2.floodFill(work.copy(), None, (column, row), 2, flags=4)[0] == total:
        return work
    _, labels = cv2.connectedComponents(work, connectivity=4)
    sizes = np.bincount(labels.reshape(-1))
    sizes[0] = 0
    large = (sizes >= sizes.max() * COMPONENT_SHARE).astype(np.uint8)
    large[0] = 0
    return np.asarray(large.take(labels))


MAKER = "paper"
PAPER_LIGHTNESS = 98.0
"""L* above which a pixel can be paper."""

_ROWS = 256


def without_paper(srgb8: np.ndarray, lightness: float = PAPER_LIGHTNESS) -> Mask:
    """The image without the paper that reaches its border.

    ``srgb8`` is uint8 ``(H, W, 3)``. Paper are the pixels with L* above ``lightness`` that are
    4-connected to the border over such pixels, so a line of one pixel holds it back. Outlines are
    no paper and count. ``parameters`` say the limit, and hold a ``note`` where nothing was paper.
    Raises MaskError for other arrays and NoPixels for a sheet that is nothing but paper.
    """
    import cv2

    if srgb8.dtype != np.uint8 or srgb8.ndim != 3 or srgb8.shape[2] != 3 or srgb8.size == 0:
        raise MaskError("Paper is looked for in an sRGB image, uint8 of height × width × 3.")
    white: np.ndarray = np.empty(srgb8.shape[:2], dtype=bool)
    # In slabs: CIELAB of a large sheet at once takes a gigabyte.
    for top in range(0, white.shape[0], _ROWS):
        slab = slice(top, top + _ROWS)
        white[slab] = srgb8_to_lab(srgb8[slab])[..., 0] > lightness
    _, labels = cv2.connectedComponents(white.view(np.uint8), connectivity=4)
    pieces: np.ndarray = np.asarray(labels)
    edge = np.concatenate([pieces[0], pieces[-1], pieces[:, 0], pieces[:, -1]])
    reaching = np.zeros(int(pieces.max()) + 1, dtype=bool)
    reaching[edge] = True
    reaching[0] = False
    pixels = ~reaching[pieces]
    parameters: dict[str, object] = {"lightness_above": float(lightness), "connected_to": "border"}
    if pixels.all():
        parameters["note"] = "No white paper reaches the border: the whole picture counts."
    if int(np.count_nonzero(pixels)) < 2:
        raise NoPixels(
            f"Nothing but white paper (L* above {lightness:g}): there is no coloring to measure."
        )
    return Mask(pixels, MAKER, parameters)
