"""A clean edge at full size for a mask that was found on a smaller image.

The guided filter (He, Sun, Tang 2013, doi:10.1109/TPAMI.2012.213) in its fast form
(He, Sun 2015, arXiv:1505.00996): around every pixel the mask is explained as a linear function of
the colors there, so its edge moves to where the colors change.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

# Of the squared 0-to-1 color range: below this, a difference of colors counts as noise.
_EPSILON = 4e-4
_LONGEST_SIDE = 1024


def _dot(first: Sequence[np.ndarray], second: Sequence[np.ndarray]) -> np.ndarray:
    """The sum over three planes of first × second; many times faster than a last axis of three."""
    total = first[0] * second[0]
    for one, other in zip(first[1:], second[1:], strict=True):
        total += one * other
    return total


def _linear_model(
    guide: np.ndarray, mask: np.ndarray, radius: int
) -> tuple[list[np.ndarray], np.ndarray]:
    """``a``, three float32 planes, and ``b`` with mask ≈ a · guide + b around a pixel.

    ``guide`` float32 ``(H, W, 3)``, ``mask`` float32 ``(H, W)`` like all planes.
    """
    size = (2 * radius + 1, 2 * radius + 1)

    def mean(values: np.ndarray) -> np.ndarray:
        blurred: np.ndarray = cv2.blur(values, size, borderType=cv2.BORDER_REFLECT)
        return blurred

    mu, mean_mask = mean(guide), mean(mask)
    covariance = mean(guide * mask[..., None]) - mu * mean_mask[..., None]
    r, g, b = cv2.split(guide)
    mr, mg, mb = cv2.split(mu)
    rr = mean(r * r) - mr * mr + _EPSILON
    gg = mean(g * g) - mg * mg + _EPSILON
    bb = mean(b * b) - mb * mb + _EPSILON
    rg, rb, gb = mean(r * g) - mr * mg, mean(r * b) - mr * mb, mean(g * b) - mg * mb
    # The inverse of a symmetric 3 × 3 matrix, written out: equation (14) for every pixel at once.
    c_rr, c_rg, c_rb = gg * bb - gb * gb, gb * rb - rg * bb, rg * gb - gg * rb
    c_gg, c_gb, c_bb = rr * bb - rb * rb, rb * rg - rr * gb, rr * gg - rg * rg
    determinant = rr * c_rr + rg * c_rg + rb * c_rb
    kr, kg, kb = cv2.split(covariance)
    slope = [
        (c_rr * kr + c_rg * kg + c_rb * kb) / determinant,
        (c_rg * kr + c_gg * kg + c_gb * kb) / determinant,
        (c_rb * kr + c_gb * kg + c_bb * kb) / determinant,
    ]
    offset = mean_mask - _dot(slope, (mr, mg, mb))
    return [mean(plane) for plane in slope], mean(offset)


def refine_edge(srgb8: np.ndarray, coarse: np.ndarray) -> np.ndarray:
    """``coarse`` brought to the size of ``srgb8`` with its edge on the edges of the image.

    ``srgb8`` uint8 ``(H, W, 3)``, ``coarse`` bool ``(h, w)`` of the same region, ``h <= H``.
    Returns bool ``(H, W)``. Only a band of about two coarse pixels on both sides of the edge is
    decided anew; all else stays as it was.
    """
    height, width = srgb8.shape[:2]
    if coarse.all() or not coarse.any():
        return np.full((height, width), bool(coarse.any()))
    scale = max(height, width) / max(coarse.shape)
    shape = (width, height)
    soft = cv2.resize(coarse.astype(np.float32), shape, interpolation=cv2.INTER_LINEAR)

    shrink = min(1.0, _LONGEST_SIDE / max(height, width))
    small = (max(round(width * shrink), 1), max(round(height * shrink), 1))
    guide = cv2.resize(srgb8, small, interpolation=cv2.INTER_AREA).astype(np.float32) / 255.0
    mask = cv2.resize(coarse.astype(np.float32), small, interpolation=cv2.INTER_LINEAR)
    radius = max(2, round(2.5 * scale * shrink))
    slope, offset = _linear_model(guide, mask, radius)
    if shrink < 1.0:
        slope = [cv2.resize(plane, shape, interpolation=cv2.INTER_LINEAR) for plane in slope]
        offset = cv2.resize(offset, shape, interpolation=cv2.INTER_LINEAR)
    # The noise of single pixels should not fray the edge.
    quiet = cv2.split(cv2.GaussianBlur(srgb8, (0, 0), 0.7))
    guided = _dot(slope, [plane.astype(np.float32) / np.float32(255.0) for plane in quiet])
    guided += offset
    guided = cv2.GaussianBlur(guided, (0, 0), 0.8)

    width_of_band = 2 * round(2.0 * scale) + 1
    kernel = np.ones((width_of_band, width_of_band), np.uint8)
    binary = (soft > 0.5).astype(np.uint8)
    band = cv2.dilate(binary, kernel) != cv2.erode(binary, kernel)
    refined = binary.view(bool)
    np.copyto(refined, guided > 0.5, where=band)
    return refined
