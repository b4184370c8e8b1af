"""Images of the benchmark, 1024 x 1024 with a disc of a quarter of the image: photographs that come
with packages of the tests, and seeded images."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

SIDE = 1024
PHOTOGRAPHS = (
    ("portrait", "matplotlib", "mpl-data/sample_data/grace_hopper.jpg"),
    ("cheetah", "gradio", "test_data/cheetah2.jpg"),
)
"""Name, package that a photograph comes with, and its file there."""


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


def photographs(side: int = SIDE) -> list[Scene]:
    """Two photographs, each as :func:`photograph` shows it.

    A portrait of Grace Hopper (512 × 600 pixels, matplotlib) has 136,779 colors inside the disc at
    1024 pixels; a cheetah in grass (762 × 787, Gradio) has 88,856.
    """
    paths = {}
    for name, package, file in PHOTOGRAPHS:
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        paths[name] = Path(spec.origin).parent / file
    return [photograph(name, path, side) for name, path in paths.items()]


def photograph(name: str, path: Path, side: int = SIDE) -> Scene:
    """The square in the middle of an image file, resampled to ``side`` by Pillow's bicubic."""
    with Image.open(path) as image:
        width, height = image.size
        left, top = (width - min(image.size)) // 2, (height - min(image.size)) // 2
        box = (left, top, left + min(image.size), top + min(image.size))
        square = image.convert("RGB").resize((side, side), Image.Resampling.BICUBIC, box)
    return _scene(name, np.asarray(square), disc(side))


def scenes(side: int = SIDE) -> list[Scene]:
    """The photographs, by which the goals are judged, and two for information."""
    noise = np.random.default_rng(7).integers(0, 256, (side, side, 3))
    images = {"smooth": _shaded(side), "uniform noise": noise}
    seeded = [_scene(name, values, disc(side)) for name, values in images.items()]
    return [*photographs(side), *seeded]


def _scene(name: str, values: np.ndarray, mask: np.ndarray) -> Scene:
    srgb8 = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    out = BytesIO()
    Image.fromarray(srgb8).save(out, "PNG")
    return Scene(name, srgb8, mask, out.getvalue())


def _grid(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates -1 to 1, down ``(side, 1)`` and across ``(1, side)``."""
    line = (np.arange(side) + 0.5) / side * 2.0 - 1.0
    return line[:, None], line[None, :]


def _shaded(side: int) -> np.ndarray:
    """An orange ball before a bluish gray wall, lit from the upper left; floats 0 to 255."""
    down, across = _grid(side)
    height = np.sqrt(np.clip(1.0 / np.pi - down**2 - across**2, 0.0, None)) * np.sqrt(np.pi)
    lit = (-0.5 * across - 0.6 * down) * np.sqrt(np.pi) + 0.7 * height
    shade = 0.35 + 0.65 * np.clip(lit, 0.0, 1.0)
    light = np.clip(lit, 0.0, 1.0)[..., None] ** 40
    ball = shade[..., None] * np.array([0.75, 0.17, 0.04])
    wall = (0.45 + 0.12 * across - 0.15 * down)[..., None] * np.array([0.8, 0.9, 1.0])
    linear = np.where(disc(side)[..., None], ball + 0.4 * light, wall).clip(0.0, 1.0)
    curved = 1.055 * linear ** (1 / 2.4) - 0.055
    return np.asarray(np.where(linear <= 0.0031308, linear * 12.92, curved) * 255.0)
