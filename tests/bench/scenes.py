"""Seeded images of the benchmark, 1024 x 1024 with a disc of a quarter of the image."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

import numpy as np
from PIL import Image
from scipy import ndimage

SIDE = 1024
NOISE_SIGMA = 3.0


@dataclass(frozen=True)
class Scene:
    """An image uint8 ``(H, W, 3)``, its mask bool ``(H, W)`` and its bytes as a PNG."""

    name: str
    srgb8: np.ndarray
    mask: np.ndarray
    png: bytes


def disc(side: int = SIDE) -> np.ndarray:
    """bool ``(side, side)``: a disc in the middle that covers a quarter of the image."""
    down, across = _grid(side)
    return down**2 + across**2 <= 1.0 / np.pi


def scenes(side: int = SIDE) -> list[Scene]:
    """The photograph-like image, by which the goals are judged, and two for information."""
    smooth = _shaded(side, textured=False)
    random = np.random.default_rng(7)
    photograph = _shaded(side, textured=True) + random.normal(0.0, NOISE_SIGMA, (side, side, 3))
    noise = random.integers(0, 256, (side, side, 3))
    images = {"photograph-like": photograph, "smooth": smooth, "uniform noise": noise}
    return [_scene(name, values, disc(side)) for name, values in images.items()]


def _scene(name: str, values: np.ndarray, mask: np.ndarray) -> Scene:
    srgb8 = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    out = BytesIO()
    Image.fromarray(srgb8).save(out, "PNG")
    return Scene(name, srgb8, mask, out.getvalue())


def _grid(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates -1 to 1, down ``(side, 1)`` and across ``(1, side)``."""
    line = (np.arange(side) + 0.5) / side * 2.0 - 1.0
    return line[:, None], line[None, :]


def _texture(side: int, seed: int) -> np.ndarray:
    """Smooth random fields of four sizes added up, mean 0 and deviation 1, ``(side, side)``."""
    random = np.random.default_rng(seed)
    total = np.zeros((side, side))
    for octave in range(4):
        cells = 8 * 4**octave // 2
        field = ndimage.zoom(random.normal(size=(cells, cells)), side / cells, order=1)
        total += field[:side, :side] / 2.0**octave
    return (total - total.mean()) / total.std()


def _shaded(side: int, textured: bool) -> np.ndarray:
    """An orange ball before a bluish gray wall, lit from the upper left; floats 0 to 255."""
    down, across = _grid(side)
    height = np.sqrt(np.clip(1.0 / np.pi - down**2 - across**2, 0.0, None)) * np.sqrt(np.pi)
    lit = (-0.5 * across - 0.6 * down) * np.sqrt(np.pi) + 0.7 * height
    shade = 0.35 + 0.65 * np.clip(lit, 0.0, 1.0)
    light = np.clip(lit, 0.0, 1.0)[..., None] ** 40
    ball = shade[..., None] * np.array([0.75, 0.17, 0.04])
    wall = (0.45 + 0.12 * across - 0.15 * down)[..., None] * np.array([0.8, 0.9, 1.0])
    if textured:
        ball = ball * (1.0 + 0.10 * _texture(side, 1))[..., None]
        wall = wall * (1.0 + 0.08 * _texture(side, 2))[..., None]
    linear = np.where(disc(side)[..., None], ball + 0.4 * light, wall).clip(0.0, 1.0)
    curved = 1.055 * linear ** (1 / 2.4) - 0.055
    return np.asarray(np.where(linear <= 0.0031308, linear * 12.92, curved) * 255.0)
