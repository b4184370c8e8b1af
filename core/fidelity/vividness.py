"""How vivid an image is as a whole, without weights: mean HSV saturation, and how far from that of
photographs.

"Too Vivid to Be Real?" compares images by ΔSat = |mean saturation − 0.33| and does not state the
color space: HSV S is ours. All pixels count, the background too, as the 0.33 is of whole
photographs: of an object's mask alone it would mean nothing, for which color an object has is what
its prompt asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from truehue.core.errors import BadInput
from truehue.core.refinement.maps import NATURAL_SATURATION

_ROWS = 256
"""Rows at a time, so that a large image needs no arrays of its size in float64."""


def mean_saturation(srgb8: np.ndarray) -> float:
    """Mean HSV saturation of all pixels of uint8 sRGB ``(H, W, 3)``, 0 to 1.

    S = (max − min) / max of the three codes, and 0 where all are 0 (Smith 1978). Raises BadInput
    for what is no image.
    """
    if srgb8.ndim != 3 or srgb8.shape[2] != 3 or srgb8.dtype != np.uint8 or not srgb8.size:
        raise BadInput(f"An image is uint8 (H, W, 3), not {srgb8.dtype} {srgb8.shape}.")
    total = sum(float(np.sum(part)) for part in _saturations(srgb8))
    return total / (srgb8.shape[0] * srgb8.shape[1])


def saturation_histogram(srgb8: np.ndarray, bins: int = 25) -> np.ndarray:
    """The share of pixels, float64 ``(bins,)`` that sums to 1, in equal bins of HSV saturation from
    0 to 1, the last one with both its ends. Arguments and errors as :func:`mean_saturation`."""
    counts = np.zeros(bins, np.int64)
    for part in _saturations(srgb8):
        counts += np.histogram(part, bins, (0.0, 1.0))[0]
    shares: np.ndarray = counts / counts.sum()
    return shares


def _saturations(srgb8: np.ndarray) -> Iterator[np.ndarray]:
    """HSV saturation of some rows at a time, float64 ``(h, W)``; raises BadInput for no image."""
    if srgb8.ndim != 3 or srgb8.shape[2] != 3 or srgb8.dtype != np.uint8 or not srgb8.size:
        raise BadInput(f"An image is uint8 (H, W, 3), not {srgb8.dtype} {srgb8.shape}.")
    for start in range(0, srgb8.shape[0], _ROWS):
        red, green, blue = np.moveaxis(srgb8[start : start + _ROWS], 2, 0)
        limit = np.maximum(np.maximum(red, green), blue)
        chroma = limit - np.minimum(np.minimum(red, green), blue)
        yield chroma / np.maximum(limit, 1).astype(np.float64)


def saturation_score(srgb8: np.ndarray) -> tuple[float, Mapping[str, Any]]:
    """:func:`mean_saturation`, and of how many pixels."""
    return mean_saturation(srgb8), {"pixels": srgb8.shape[0] * srgb8.shape[1]}


def delta_sat_score(srgb8: np.ndarray) -> tuple[float, Mapping[str, Any]]:
    """ΔSat = |mean saturation − 0.33|, and the mean saturation."""
    saturation = mean_saturation(srgb8)
    return abs(saturation - NATURAL_SATURATION), {"mean_saturation": saturation}


@dataclass(frozen=True)
class SetVividness:
    """How vivid a set of images is, by two numbers that are easily confused.

    ``delta_sat_of_mean`` is the distance of the set's mean saturation from 0.33, as the paper's
    Table 3 most likely has it; images that are too vivid make up for others that are too pale.
    ``mean_delta_sat`` is the mean of the images' own distances, which is never smaller.
    """

    images: int
    mean_saturation: float
    delta_sat_of_mean: float
    mean_delta_sat: float


def set_vividness(saturations: Sequence[float]) -> SetVividness:
    """Of the mean saturations of images, at least one."""
    mean = fmean(saturations)
    return SetVividness(
        images=len(saturations),
        mean_saturation=mean,
        delta_sat_of_mean=abs(mean - NATURAL_SATURATION),
        mean_delta_sat=fmean(abs(saturation - NATURAL_SATURATION) for saturation in saturations),
    )
