"""Maps of where an image is too vivid, without weights."""

from __future__ import annotations

import numpy as np

from truehue.core.errors import BadInput
from truehue.core.refinement.settings import MAX_CELLS

NATURAL_SATURATION = 0.33
"""Mean saturation of real photographs by the paper's ΔSat (its color space is not stated; HSV S
here, as everywhere in TrueHue)."""


def saturation_map(srgb8: np.ndarray, cells: int = MAX_CELLS) -> np.ndarray:
    """How far the saturation of each cell lies above that of photographs.

    ``srgb8`` uint8 ``(H, W, 3)``. The longer side has ``cells`` cells, at most the image's pixels.
    The saturation of a cell is the mean of max - min over the mean of max: HSV S with each pixel
    weighted by its value, so that the noise of dark pixels does not count. Returns float32
    ``(h, w)`` in [0, 1]: 0 up to NATURAL_SATURATION, 1 where a cell is fully saturated, linear
    between. It is not stretched to [0, 1]: a dull image has a map of zeros. Raises BadInput for
    what is no image, or one without pixels.
    """
    if srgb8.ndim != 3 or srgb8.shape[2] != 3 or srgb8.dtype != np.uint8 or not srgb8.size:
        raise BadInput(f"An image is uint8 (H, W, 3), not {srgb8.dtype} {srgb8.shape}.")
    height, width = srgb8.shape[:2]
    scale = min(1.0, cells / max(height, width))
    shape = max(1, round(height * scale)), max(1, round(width * scale))
    limit = srgb8.max(axis=2).astype(np.float64)
    least = srgb8.min(axis=2).astype(np.float64)
    value, chroma = cell_means(limit, shape), cell_means(limit - least, shape)
    saturation = np.divide(chroma, value, out=np.zeros_like(value), where=value > 0)
    excess = (saturation - NATURAL_SATURATION) / (1 - NATURAL_SATURATION)
    out: np.ndarray = np.clip(excess, 0, 1).astype(np.float32)
    return out


def cell_means(values: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Area means of ``values`` ``(H, W)`` on a grid of ``shape`` cells, which pixels at the edges
    of cells share by area; ``shape`` is at most the array's own."""
    rows = _shares(values.shape[0], shape[0])
    columns = _shares(values.shape[1], shape[1])
    out: np.ndarray = rows @ values @ columns.T
    return out


def _shares(pixels: int, cells: int) -> np.ndarray:
    """float64 ``(cells, pixels)``: the share of each cell that each pixel covers."""
    edges = np.linspace(0, pixels, cells + 1)
    indices = np.arange(pixels)
    covered = np.minimum(edges[1:, None], indices + 1) - np.maximum(edges[:-1, None], indices)
    return np.clip(covered, 0, 1) * (cells / pixels)
