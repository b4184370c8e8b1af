"""Made photographs with known truth: a shaded, textured object on a textured ground."""

from __future__ import annotations

import cv2
import numpy as np


def object_photograph(
    size: int, seed: int = 0, hard: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """sRGB uint8 ``(size, size, 3)`` and the object's pixels, bool ``(size, size)``.

    ``hard`` paints the lower part of the object almost like the ground around it.
    """
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:size, :size].astype(np.float32) / size

    def noise(grains: int) -> np.ndarray:
        grid = rng.standard_normal((grains, grains)).astype(np.float32)
        return cv2.resize(grid, (size, size), interpolation=cv2.INTER_CUBIC)[..., None]

    angle, distance = np.arctan2(y - 0.52, x - 0.48), np.hypot(x - 0.48, y - 0.52)
    truth = distance < 0.27 * (1 + 0.15 * np.sin(3 * angle + 1) + 0.05 * np.sin(11 * angle))
    ground = np.stack([90 + 30 * x, 110 + 20 * y, 120 - 30 * x], axis=-1)
    ground = ground + 10 * noise(25) + 9 * noise(64) + 6 * noise(128)
    shade = 1 - 0.5 * np.clip((x - 0.48) / 0.6 + 0.5, 0, 1)
    body = np.array([205, 84, 40]) * shade[..., None] + 10 * noise(50) + 8 * noise(128)
    if hard:
        body = np.where((y > 0.6)[..., None], ground + np.array([14, 4, -4]), body)
    mixed = np.where(truth[..., None], body, ground).astype(np.float32)
    lens = cv2.GaussianBlur(mixed, (0, 0), 0.8) + 3 * rng.standard_normal((size, size, 3))
    return np.clip(lens + 0.5, 0, 255).astype(np.uint8), truth


def bounds(truth: np.ndarray, margin: int) -> list[int]:
    """The box around the object with a margin, ``[x0, y0, x1, y1]``."""
    rows, columns = np.flatnonzero(truth.any(axis=1)), np.flatnonzero(truth.any(axis=0))
    return [
        int(columns[0]) - margin,
        int(rows[0]) - margin,
        int(columns[-1]) + 1 + margin,
        int(rows[-1]) + 1 + margin,
    ]


def overlap(first: np.ndarray, second: np.ndarray) -> float:
    """Intersection over union of two masks."""
    return float(np.count_nonzero(first & second) / np.count_nonzero(first | second))
