"""Crumbs and pinholes that a segmentation leaves behind."""

from __future__ import annotations

import cv2
import numpy as np

SMALL_SHARE = 0.005


def _small_pieces(pixels: np.ndarray, touched: np.ndarray, limit: float) -> np.ndarray:
    """4-connected pieces of ``pixels`` below ``limit`` pixels that ``touched`` does not meet."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        pixels.astype(np.uint8), connectivity=4
    )
    small = stats[:count, cv2.CC_STAT_AREA] < limit
    small[0] = False
    small[np.unique(labels[touched])] = False
    found: np.ndarray = small[labels]
    return found


def drop_small(pixels: np.ndarray, keep: np.ndarray, cut: np.ndarray) -> np.ndarray:
    """``pixels`` without crumbs and pinholes, bool ``(H, W)`` like all arguments.

    Small is below 0.5% of the largest piece. What a keep stroke touches is no crumb, what a cut
    stroke touches is no pinhole: a person meant them.
    """
    if not pixels.any():
        return pixels
    _, _, stats, _ = cv2.connectedComponentsWithStats(pixels.astype(np.uint8), connectivity=4)
    limit = SMALL_SHARE * float(stats[1:, cv2.CC_STAT_AREA].max())
    kept = pixels & ~_small_pieces(pixels, keep, limit)
    return kept | _small_pieces(~kept, cut, limit)
