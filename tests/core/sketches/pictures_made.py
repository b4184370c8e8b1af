"""Pictures of one drawing as people bring them: photographed, scanned, colored, faint."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np

from tests.core.sketches.drawings import cat


def _rgb(lightness: np.ndarray, line: tuple[float, ...], paper: tuple[float, ...]) -> np.ndarray:
    """float ``(H, W, 3)`` from 0 to 1: ``lightness`` 0 to 1 between two colors."""
    return np.array(line) + lightness[..., None] * (np.array(paper) - np.array(line))


def _coded(stored: np.ndarray) -> np.ndarray:
    return np.rint(255 * stored.clip(0, 1)).astype(np.uint8)


def clean(side: int = 512) -> np.ndarray:
    """The drawing itself."""
    return np.repeat(cat(side)[..., None], 3, axis=-1)


def photograph(side: int = 512) -> np.ndarray:
    """Warm light from one side, a shadow across a corner, grain, a lens that is not sharp."""
    rng = np.random.default_rng(2)
    rgb8 = _rgb(cat(side) / 255, (0.22, 0.2, 0.24), (0.93, 0.88, 0.78))
    y, x = np.mgrid[:side, :side] / side
    light = 0.95 - 0.45 * x * y
    light *= 1 - 0.3 / (1 + np.exp(-(x + y - 1.5) * 18))
    rgb8 = cv2.GaussianBlur(rgb8 * light[..., None], (0, 0), 0.7)
    return _coded(rgb8 + 0.015 * rng.standard_normal(rgb8.shape))


def gray_scan(side: int = 512) -> np.ndarray:
    """Gray paper with grain, and dust."""
    rng = np.random.default_rng(3)
    rgb8 = _rgb(cat(side) / 255, (0.15,) * 3, (0.72,) * 3)
    for x, y in rng.integers(5, side - 5, (40, 2)):
        rgb8[y, x] = 0.2
    return _coded(rgb8 + 0.02 * rng.standard_normal((side, side, 1)))


def pencil(side: int = 512) -> np.ndarray:
    """Faint lines with grain."""
    rng = np.random.default_rng(4)
    return _coded(
        _rgb(cat(side) / 255, (0.66,) * 3, (0.98,) * 3)
        + 0.012 * rng.standard_normal((side, side, 1))
    )


def colored_lines(side: int = 512) -> np.ndarray:
    """Blue lines left, orange ones right, yellow ones below."""
    ink = cat(side) / 255
    rgb8 = _rgb(ink, (0.1, 0.2, 0.8), (1, 1, 1))
    rgb8[:, side // 2 :] = _rgb(ink, (0.95, 0.5, 0.1), (1, 1, 1))[:, side // 2 :]
    rgb8[3 * side // 4 :] = _rgb(ink, (0.98, 0.85, 0.2), (1, 1, 1))[3 * side // 4 :]
    return _coded(rgb8)


def colored_in(side: int = 512) -> np.ndarray:
    """Somebody has colored it already: the body orange, the head beige, the rest white."""
    ink = cat(side)
    stored = np.ones((side, side, 3))
    y, x = np.mgrid[:side, :side] / side * 1024
    stored[np.hypot((x - 512) / 240, (y - 640) / 300) < 1] = (0.9, 0.5, 0.15)
    stored[np.hypot((x - 512) / 190, (y - 300) / 160) < 1] = (0.95, 0.85, 0.7)
    return _coded(stored * (ink / 255)[..., None])


def gray_wash(side: int = 512) -> np.ndarray:
    """A shadow painted on the body in flat gray."""
    ink = cat(side)
    y, x = np.mgrid[:side, :side] / side * 1024
    inside = (np.hypot((x - 512) / 240, (y - 640) / 300) < 1) & (x > 580)
    return _coded(np.repeat((ink / 255 * np.where(inside, 0.78, 1.0))[..., None], 3, axis=-1))


def chalk(side: int = 512) -> np.ndarray:
    """White on black."""
    return 255 - clean(side)


PICTURES: Mapping[str, Callable[..., np.ndarray]] = {
    made.__name__: made
    for made in (
        clean,
        photograph,
        gray_scan,
        pencil,
        colored_lines,
        colored_in,
        gray_wash,
        chalk,
    )
}
