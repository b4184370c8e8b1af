"""Paper made white: how dark each pixel is against the paper around it.

Thin dark things are lines; what is wide and not nearly black is paper, however gray or colored it
is: shadows of a photograph, the ground of a scan, gray wash and colored areas go away together.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

_SIDE = 256
"""Paper is estimated at this longer side: it changes slowly, and lines are gone sooner."""

_WIDEST_LINE = 0.066
"""Of the longer side: what is wider and lies inside no line is paper, or solid black."""

_SOLID = 0.35
"""Of the brightest paper: a wide area darker than this in every channel is solid ink."""

_STEP = 0.06
"""A paper that is so much darker than its surround, on a short way, was painted so."""


@dataclass(frozen=True)
class Flattened:
    """``lightness`` float32 ``(H, W)``, 0 black to 1 paper. ``wash_share`` is the share of pixels
    that were gray by wash and not by light, ``colored_share`` that of wide colored ones; ``colors``
    of 8 x 8 x 8 cells of RGB are in use, see :func:`colors_of`."""

    lightness: np.ndarray
    wash_share: float = 0.0
    colored_share: float = 0.0
    colors: int = 0


def flattened(srgb8: np.ndarray) -> Flattened:
    """Each pixel of uint8 ``(H, W, 3)`` against the paper around it.

    The darkest channel counts: a yellow line is a line. Where an area has no light in a channel,
    as red paint has no blue, that channel says nothing.
    """
    height, width = srgb8.shape[:2]
    scale = min(1.0, _SIDE / max(height, width))
    small_size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(srgb8, small_size, interpolation=cv2.INTER_AREA)
    across = max(3, round(_WIDEST_LINE * max(small_size))) | 1
    disk = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (across, across))
    closed = cv2.morphologyEx(small, cv2.MORPH_CLOSE, disk).astype(np.float32)
    brightest = max(float(np.percentile(closed.max(axis=2), 95)), 1.0)
    smooth = cv2.GaussianBlur(closed, (0, 0), 1.5)
    paper = cv2.resize(smooth, (width, height), interpolation=cv2.INTER_LINEAR)
    lit = paper >= _SOLID * brightest
    against = np.where(lit, srgb8 / np.maximum(paper, 1.0), np.float32(1.0)).min(axis=2)
    solid = ~lit.any(axis=2)
    against[solid] = srgb8[solid].max(axis=1) / brightest
    return Flattened(
        np.minimum(against, 1.0).astype(np.float32),
        _wash_share(closed, brightest),
        _colored_share(closed, brightest),
        colors_of(srgb8),
    )


def colors_of(srgb8: np.ndarray) -> int:
    """How many of 8 x 8 x 8 RGB cells hold a five-hundredth of the pixels or more: a drawing has
    few, on paper in a room under 20; a photograph of things has 25 and more."""
    cells = (srgb8 >> 5).astype(np.int64) @ np.array([64, 8, 1])
    return int((np.bincount(cells.reshape(-1)) >= cells.size / 500).sum())


def _wash_share(closed: np.ndarray, brightest: float) -> float:
    """The share of gray areas that end abruptly, as light on paper does not."""
    gray = closed.min(axis=2) / brightest
    slow = cv2.GaussianBlur(gray, (0, 0), max(gray.shape) / 12)
    darker = (gray < slow - _STEP) & (gray > _SOLID) & (_spread(closed) < 0.12)
    return float(darker.mean())


def _colored_share(closed: np.ndarray, brightest: float) -> float:
    """The share of wide areas of more color than paper and lamps have."""
    middle = np.median(closed.reshape(-1, 3), axis=0)
    balanced = closed * (float(middle.max()) / np.maximum(middle, 1.0))
    return float(((_spread(balanced) > 0.18) & (closed.max(axis=2) > _SOLID * brightest)).mean())


def _spread(colors: np.ndarray) -> np.ndarray:
    """How far the channels lie apart, 0 to 1, of float32 ``(H, W, 3)`` from 0 to 255."""
    return (colors.max(axis=2) - colors.min(axis=2)) / np.maximum(colors.max(axis=2), 1.0)
