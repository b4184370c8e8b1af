"""A photograph that the tests make: a shaded, grained jar before a cluttered shelf, with noise."""

from __future__ import annotations

import io

import cv2
import numpy as np
from PIL import Image

from tests import icc
from truehue.core.color.spaces import linear1_to_srgb1, srgb1_to_linear1, srgb8_to_linear1

WIDTH, HEIGHT = 520, 400
# Where the jar stands: center and half axes of its body, in pixels.
JAR = (270.0, 215.0, 92.0, 118.0)


def still_life(
    albedo: tuple[int, int, int] = (200, 70, 40), seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """sRGB uint8 ``(400, 520, 3)`` and the jar's pixels, bool ``(400, 520)``."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:HEIGHT, :WIDTH].astype(np.float32)
    linear = _shelf(rng, x, y)
    truth, shade, gloss = _jar(x, y)
    grain = 1 + 0.05 * _noise(rng, 70) + 0.04 * _noise(rng, 20)
    color = srgb8_to_linear1(np.array(albedo, np.uint8)).astype(np.float32)
    body = color * (shade * grain)[..., None] + gloss[..., None]
    # The jar's shadow on the shelf, then the lens, then the sensor.
    fallen = np.clip(1 - np.hypot((x - 330) / 130, (y - 335) / 26), 0, 1)
    linear *= 1 - 0.6 * fallen[..., None]
    soft = cv2.GaussianBlur(truth.astype(np.float32), (0, 0), 0.8)[..., None]
    linear = linear * (1 - soft) + body * soft
    linear += rng.normal(0, 1, linear.shape) * (0.004 + 0.02 * np.sqrt(np.clip(linear, 0, 1)) * 0.3)
    return _to_8(linear1_to_srgb1(np.clip(linear, 0, 1))), truth


def _noise(rng: np.random.Generator, grains: int) -> np.ndarray:
    grid = rng.standard_normal((grains, grains)).astype(np.float32)
    return cv2.resize(grid, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)


def _shelf(rng: np.random.Generator, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Linear light of a wall, a board, and things in muted colors on it."""
    wall = np.stack([0.24 + 0.0002 * x, 0.25 + 0.0001 * x, 0.24 - 0.0001 * x], axis=-1)
    rings = 0.02 * np.sin(y / 3 + 4 * _noise(rng, 9))
    board = np.stack([0.20 + rings, 0.16 + rings, 0.12 + 0.7 * rings], axis=-1)
    stored = np.where((y > 325)[..., None], board, wall).astype(np.float32)
    for _ in range(26):
        muted = (rng.uniform(0.05, 0.35) * rng.uniform(0.75, 1.15, 3)).tolist()
        center = (int(rng.integers(0, WIDTH)), int(rng.integers(40, 330)))
        size = (int(rng.integers(14, 60)), int(rng.integers(14, 90)))
        if rng.random() < 0.5:
            corners = cv2.boxPoints((center, size, float(rng.uniform(-20, 20))))
            cv2.fillPoly(stored, [corners.astype(np.int32)], muted)
        else:
            cv2.ellipse(stored, center, (size[0] // 2, size[1] // 2), 0, 0, 360, muted, -1)
    return stored * (1 + 0.06 * _noise(rng, 50))[..., None]


def _jar(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mask, diffuse light and highlight of a round jar with a neck and a rim."""
    cx, cy, rx, ry = JAR
    u, v = (x - cx) / rx, (y - cy) / ry
    body = u**2 + np.abs(v) ** 2.6 < 1
    neck = (np.abs(u) < 0.52) & (v > -1.22) & (v < -0.8)
    rim = (np.abs(u) < 0.62) & (v > -1.3) & (v < -1.16)
    half = np.where(rim, 0.62, np.where(v < -0.86, 0.52, np.sqrt(np.clip(1 - v**2, 0.05, 1))))
    across = np.clip(u / half, -1, 1)
    facing = np.sqrt(1 - across**2)
    shade = 0.35 + 0.75 * np.clip(0.8 * facing - 0.45 * across - 0.2 * v, 0, None)
    gloss = 0.35 * np.exp(-(((u + 0.4) / 0.07) ** 2 + ((v + 0.35) / 0.2) ** 2))
    return body | neck | rim, shade.astype(np.float32), gloss.astype(np.float32)


def _to_8(srgb1: np.ndarray) -> np.ndarray:
    return np.rint(srgb1 * 255).astype(np.uint8)


def box_around(truth: np.ndarray, margin: int = 10) -> tuple[tuple[int, int], tuple[int, int]]:
    """Two corners around the True pixels, for dragging a box."""
    rows, columns = np.flatnonzero(truth.any(axis=1)), np.flatnonzero(truth.any(axis=0))
    return (
        (int(columns[0]) - margin, int(rows[0]) - margin),
        (int(columns[-1]) + margin, int(rows[-1]) + margin),
    )


def png(pixels: np.ndarray) -> bytes:
    """The pixels as a plain PNG."""
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, format="PNG")
    return out.getvalue()


def phone_jpeg(srgb8: np.ndarray) -> tuple[bytes, np.ndarray]:
    """What a phone would have saved: a JPEG in Display P3, lying on its side with a mark (EXIF
    orientation 6) that says so. Also the raw Display P3 numbers, upright, uint8 ``(H, W, 3)``."""
    to_p3 = np.linalg.inv(icc.matrix_d50(icc.P3_PRIMARIES)) @ icc.matrix_d50(icc.SRGB_PRIMARIES)
    linear = srgb1_to_linear1(srgb8 / 255) @ to_p3.T
    raw = _to_8(linear1_to_srgb1(np.clip(linear, 0, 1)))
    exif = Image.Exif()
    exif[0x0112] = 6  # to be shown, turn a quarter clockwise
    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(np.rot90(raw))).save(
        out, format="JPEG", quality=97, subsampling=0, exif=exif, icc_profile=icc.display_p3()
    )
    return out.getvalue(), raw
