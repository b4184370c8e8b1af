"""The same numbers the plain way: colour-science in float64 over every pixel, no counts.

OpenCV does the opening, the closing and the components here as well: they are not color.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import cv2
import numpy as np

from tests.bench import per_pixel
from truehue.core.verdict.rules import Rule

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # colour says that plotting is not installed
    import colour


def lab_of(srgb8: np.ndarray) -> np.ndarray:
    """CIELAB float64 ``(N, 3)`` of sRGB uint8 ``(N, 3)``."""
    return np.asarray(colour.XYZ_to_Lab(colour.sRGB_to_XYZ(srgb8 / 255.0)))


def delta_e00(lab: np.ndarray, target_lab: np.ndarray) -> np.ndarray:
    """CIEDE2000 ``(...)`` of CIELAB ``(..., 3)`` to one color ``(3,)``."""
    return np.asarray(colour.delta_E(lab, target_lab, method="CIE 2000"))


def numbers(
    srgb8: np.ndarray, mask: np.ndarray, target_lab: np.ndarray, by: Rule
) -> tuple[np.ndarray, dict[str, float]]:
    """Dominant Lab ``(3,)`` and the three metrics against the target alone.

    As ours, it also lists the distinct colors with their counts; numpy does that, colour does not.
    """
    return by_rules(srgb8, mask, target_lab, [by])[0]


def public_way(
    srgb8: np.ndarray, mask: np.ndarray, target_lab: np.ndarray
) -> tuple[np.ndarray, dict[str, float]]:
    """The rule ``released`` as the public code goes about it: arrays for all but the guided step,
    which calls CIEDE2000 by numpy's functions once a pixel."""
    pixels = srgb8[_cleaned(srgb8, mask)]
    lab = lab_of(pixels)
    released = _released(lab, target_lab, one_by_one=True)
    return released, _metrics(released, target_lab)


def by_rules(
    srgb8: np.ndarray, mask: np.ndarray, target_lab: np.ndarray, rules: Sequence[Rule]
) -> list[tuple[np.ndarray, dict[str, float]]]:
    """The same for several rules; as ours, each set of pixels is converted once."""
    converted: dict[bool, np.ndarray] = {}
    out = []
    for by in rules:
        if by.cleanup not in converted:
            pixels = srgb8[_cleaned(srgb8, mask) if by.cleanup else mask]
            converted[by.cleanup] = lab_of(pixels)
            red, green, blue = pixels.astype(np.uint32).T
            np.unique((red << 16) | (green << 8) | blue, return_counts=True)
        lab = converted[by.cleanup]
        if by.dominant == "released":
            released = _released(lab, target_lab if by.guided else None)
        else:
            released = _paper(lab, centered=by.dominant == "paper-centred")
        out.append((released, _metrics(released, target_lab)))
    return out


def _disk(radius: int) -> np.ndarray:
    line = np.arange(-radius, radius + 1)
    return (line[:, None] ** 2 + line**2 <= radius**2).astype(np.uint8)


def _cleaned(srgb8: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The released clean-up with colour's HSV of the pixels inside."""
    hsv = colour.RGB_to_HSV(srgb8[mask] / 255.0)
    # Quotients like 6/60 come out a hair off 0.1 in floats; the rule means the number.
    saturation, value = np.round(hsv[:, 1], 12), np.round(hsv[:, 2], 12)
    shadow = (saturation <= 0.12) & (value <= 0.20)
    work = np.zeros(mask.shape, dtype=np.uint8)
    work[mask] = ~(shadow | (value <= 0.1) | (saturation <= 0.10))
    work = cv2.morphologyEx(work, cv2.MORPH_OPEN, _disk(2))
    work = cv2.morphologyEx(work, cv2.MORPH_CLOSE, _disk(3))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(work, connectivity=4)
    large = stats[:, cv2.CC_STAT_AREA] >= 0.05 * stats[1:, cv2.CC_STAT_AREA].max(initial=0)
    large[0] = False
    cleaned = large[labels]
    return cleaned if cleaned.sum() >= 0.20 * mask.sum() else mask


def _metrics(values: np.ndarray, target_lab: np.ndarray) -> dict[str, float]:
    chroma = np.hypot(values[1], values[2]), np.hypot(target_lab[1], target_lab[2])
    turn = np.degrees(np.arctan2(values[2], values[1]) - np.arctan2(target_lab[2], target_lab[1]))
    return {
        "delta_chroma": float(np.hypot(*(values - target_lab)[1:])),
        "delta_e00": float(delta_e00(values, target_lab)),
        "hue_deg": float(abs((turn + 180.0) % 360.0 - 180.0)) if min(chroma) >= 5.0 else 0.0,
    }


def _paper(lab: np.ndarray, centered: bool) -> np.ndarray:
    ab = lab[:, 1:]
    shift = ab.mean(axis=0) if centered else np.zeros(2)
    offsets = ab - shift
    _, vectors = np.linalg.eigh(offsets.T @ offsets)
    v1 = vectors[:, 1]
    projections = offsets @ v1
    return np.array([lab[:, 0].mean(), *(shift + projections.mean() * v1)])


def _released(
    lab: np.ndarray, target_lab: np.ndarray | None, one_by_one: bool = False
) -> np.ndarray:
    chroma = np.hypot(lab[:, 1], lab[:, 2])
    if np.median(chroma) < 10.0:
        near = chroma < 15.0
        lab = lab[near] if near.sum() > 10 else lab
        few = len(lab) <= 10
        return _nearest_mean(lab, None if few else target_lab, one_by_one)
    offsets = lab[:, 1:] - lab[:, 1:].mean(axis=0)
    _, vectors = np.linalg.eigh(offsets.T @ offsets)
    across = offsets @ vectors[:, 0]
    low, high = np.percentile(across, [25.0, 75.0])
    reach = 1.5 * (high - low)
    near = (across >= low - reach) & (across <= high + reach)
    lab, chroma = lab[near], chroma[near]
    return _nearest_mean(lab[chroma >= np.median(chroma)], target_lab, one_by_one)


def _nearest_mean(lab: np.ndarray, target_lab: np.ndarray | None, one_by_one: bool) -> np.ndarray:
    if target_lab is not None:
        if one_by_one:
            target = (float(target_lab[0]), float(target_lab[1]), float(target_lab[2]))
            distance = np.array(per_pixel.distances(lab, target, per_pixel.BY_NUMPY))
        else:
            distance = delta_e00(lab, target_lab)
        keep = max(5, int(len(lab) * 0.10))
        lab = lab[np.argsort(distance, kind="stable")[:keep]]
    return np.asarray(lab.mean(axis=0))
