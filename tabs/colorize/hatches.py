"""The regions of a sketch as a picture: each in a hatch and a gray of its own, below the lines."""

from __future__ import annotations

import numpy as np

_TURN = 0.6180339887498949
"""Of half a turn between the hatches of a region and of the next one: none of some that lie beside
each other look alike."""
_TONES = np.array([240.0, 200.0, 222.0, 182.0], np.float32)
_STROKE = 52.0
_SPACINGS = np.array([9.0, 13.0, 7.0], np.float32)
_WIDTH = 0.3


def hatched(labels: np.ndarray, ink: np.ndarray, most_px: int) -> np.ndarray:
    """Gray uint8 ``(h, w)`` of regions ``(H, W)``, 0 for none, and their ``ink`` uint8 ``(H, W)``.

    What no click fills stays white. Nothing in it has a hue: it is no suggestion.
    """
    import cv2

    height, width = ink.shape
    scale = min(1.0, most_px / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(labels.astype(np.int32), size, interpolation=cv2.INTER_NEAREST)
    lines = cv2.resize(ink, size, interpolation=cv2.INTER_AREA).astype(np.float32) / 255.0
    numbers = np.arange(int(small.max()) + 1, dtype=np.float32)
    angle = (numbers * _TURN % 1.0) * np.float32(np.pi)
    positions = numbers.astype(np.int64)
    tone, spacing = _TONES[positions % len(_TONES)], _SPACINGS[positions % len(_SPACINGS)]
    rows = np.arange(size[1], dtype=np.float32)[:, None]
    columns = np.arange(size[0], dtype=np.float32)[None, :]
    across = columns * np.cos(angle)[small] + rows * np.sin(angle)[small]
    period = spacing[small]
    stroke = np.mod(across, period) < _WIDTH * period
    gray = np.where(small == 0, 255.0, tone[small] - _STROKE * stroke)
    return np.asarray(np.rint(gray * lines), np.uint8)
