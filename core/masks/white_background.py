"""Everything but the white paper around a drawing: for colored sheets, which have no other mask.

Paper is what is nearly white and hangs together with the border. White inside a closed outline is
kept: an eye or a snowman is colored by being left white, and no pixel says whether it was meant.
"""

from __future__ import annotations

import numpy as np

from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.errors import MaskError, NoPixels
from truehue.core.images.mask import Mask

MAKER = "paper"
PAPER_LIGHTNESS = 98.0
"""L* above which a pixel can be paper."""

_ROWS = 256


def without_paper(srgb8: np.ndarray, lightness: float = PAPER_LIGHTNESS) -> Mask:
    """The picture without the paper that reaches its border.

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
