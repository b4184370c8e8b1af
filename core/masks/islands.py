"""Crumbs and pinholes that a segmentation leaves behind."""

from __future__ import annotations

import cv2
import numpy as np

SMALL_SHARE = 0.005


def _pieces(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number of the 4-connected piece of every pixel, 0 outside, and the area of every piece."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(pixels.view(np.uint8), connectivity=4)
    return labels, stats[:, cv2.CC_STAT_AREA]


def _small(labels: np.ndarray, areas: np.ndarray, touched: np.ndarray, limit: float) -> np.ndarray:
    """Which pieces have fewer than ``limit`` pixels, none of them ``touched``; bool, by number."""
    small: np.ndarray = areas < limit
    small[0] = False
    if small.any():
        small[np.unique(labels[touched])] = False
    return small


def drop_small(pixels: np.ndarray, keep: np.ndarray, cut: np.ndarray) -> np.ndarray:
    """``pixels`` without crumbs and pinholes, bool ``(H, W)`` like all arguments.

    Small is below 0.5% of the largest piece. What a keep stroke touches is no crumb, what a cut
    stroke touches is no pinhole: a person meant them.
    """
    if not pixels.any():
        return pixels
    labels, areas = _pieces(pixels)
    limit = SMALL_SHARE * float(areas[1:].max())
    crumbs = _small(labels, areas, keep, limit)
    kept = pixels & ~crumbs[labels] if crumbs.any() else pixels
    labels, areas = _pieces(~kept)
    holes = _small(labels, areas, cut, limit)
    return kept | holes[labels] if holes.any() else kept
