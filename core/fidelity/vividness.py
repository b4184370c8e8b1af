"""Vividness of a whole image, without weights, and its distance from real photographs.

"Too Vivid to Be Real?" compares images by ΔSat = |mean saturation − 0.33| and does not state the
color space: HSV S is our choice. All pixels count, including the background, as 0.33 is the mean of
whole photographs. It would mean nothing for an object's mask alone, since the prompt determines an
object's color.

The paper compares mean saturation alone; we added chroma, contrast, and whole distributions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from truehue.core.color.spaces import chroma, srgb8_to_lab
from truehue.core.errors import BadInput
from truehue.core.files import replace_file
from truehue.core.refinement.settings import NATURAL_SATURATION

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
        value = np.maximum(np.maximum(red, green), blue)
        chroma = value - np.minimum(np.minimum(red, green), blue)
        yield chroma / np.maximum(value, 1).astype(np.float64)


def saturation_score(srgb8: np.ndarray) -> tuple[float, Mapping[str, Any]]:
    """:func:`mean_saturation` of uint8 sRGB ``(H, W, 3)``, 0 to 1, and ``pixels``: of how many."""
    return mean_saturation(srgb8), {"pixels": srgb8.shape[0] * srgb8.shape[1]}


def delta_sat_score(srgb8: np.ndarray) -> tuple[float, Mapping[str, Any]]:
    """ΔSat = |mean saturation − 0.33|, 0 to 0.67, and the mean saturation; arguments and errors as
    :func:`mean_saturation`."""
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


FORMAT = 1
NUMBERS: Mapping[str, str] = {
    "saturation": "Mean HSV saturation of all pixels, 0 to 1",
    "chroma": "Mean CIELAB chroma C*ab of all pixels (D65)",
    "contrast": "Standard deviation of CIELAB L* over all pixels",
}
"""The measures of a whole image."""
FEW = 100
"""Below so many photographs a reference says little of photographs at large."""
_QUANTILES = 101
_PIXELS = 2**18


def vividness_of(srgb8: np.ndarray) -> dict[str, float]:
    """The three :data:`NUMBERS` of an image, uint8 sRGB ``(H, W, 3)``. Raises BadInput for what is
    no image."""
    saturation = mean_saturation(srgb8)
    pixels = srgb8.reshape(-1, 3)
    count = len(pixels)
    colorful = light = square = 0.0
    for start in range(0, count, _PIXELS):
        lab = srgb8_to_lab(pixels[start : start + _PIXELS])
        colorful += float(chroma(lab).sum())
        light += float(lab[:, 0].sum())
        square += float((lab[:, 0] ** 2).sum())
    mean = light / count
    contrast = math.sqrt(max(square / count - mean**2, 0.0))
    return {"saturation": saturation, "chroma": colorful / count, "contrast": contrast}


@dataclass(frozen=True)
class Distribution:
    """Of one number over photographs: ``mean``, and ``quantiles`` at 0, 1, ..., 100 percent."""

    mean: float
    quantiles: tuple[float, ...]

    def percentile(self, value: float) -> float:
        """What percent of the photographs lie below ``value``, 0 to 100, in a line between
        quantiles."""
        below = np.searchsorted(self.quantiles, value, side="left")
        up_to = np.searchsorted(self.quantiles, value, side="right")
        if below == 0 and value < self.quantiles[0]:
            return 0.0
        if below == len(self.quantiles):
            return 100.0
        if up_to > below:  # it is a quantile, or several: their middle
            return float(below + up_to - 1) / 2
        low, high = self.quantiles[below - 1], self.quantiles[below]
        return float(below - 1 + (value - low) / (high - low))

    def distance(self, values: Sequence[float]) -> float:
        """Wasserstein-1 distance to a set of values, in the number's own unit: the area between
        the two quantile functions, taken at the middles of 1,000 equal parts."""
        parts = (np.arange(1000) + 0.5) / 1000
        own = np.interp(parts, np.linspace(0, 1, len(self.quantiles)), self.quantiles)
        return float(np.abs(own - np.quantile(np.asarray(values), parts)).mean())


@dataclass(frozen=True)
class Reference:
    """Numbers of ``photographs`` real photographs; ``source`` says in words which."""

    source: str
    photographs: int
    distributions: Mapping[str, Distribution]


def reference_of(numbers: Iterable[Mapping[str, float]], source: str) -> Reference:
    """From the numbers of each photograph. Raises BadInput for fewer than two, a number that is not
    finite, or a source that says nothing."""
    rows = list(numbers)
    if len(rows) < 2:
        raise BadInput("A reference is made of two photographs at least.")
    if not source.strip():
        raise BadInput("Say which photographs they are, and under which license.")
    distributions = {}
    for name in NUMBERS:
        values = np.array([row[name] for row in rows], dtype=np.float64)
        if not np.isfinite(values).all():
            raise BadInput(f"The {name} of a photograph is no finite number.")
        quantiles = np.quantile(values, np.linspace(0, 1, _QUANTILES))
        distributions[name] = Distribution(float(values.mean()), tuple(map(float, quantiles)))
    return Reference(source.strip(), len(rows), distributions)


def write_reference(path: Path, reference: Reference) -> None:
    """As JSON: numbers only, no image can be made of them."""
    fields = {
        "format": FORMAT,
        "source": reference.source,
        "photographs": reference.photographs,
        "numbers": {
            name: {
                "meaning": NUMBERS[name],
                "mean": round(distribution.mean, 6),
                "quantiles": [round(value, 6) for value in distribution.quantiles],
            }
            for name, distribution in reference.distributions.items()
        },
    }
    replace_file(path, (json.dumps(fields, ensure_ascii=False, indent=1) + "\n").encode())


def read_reference(path: Path) -> Reference:
    """Raises BadInput for a file that is no such reference."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        if fields["format"] != FORMAT:
            raise BadInput(f"{path} has the format {fields['format']!r:.20}; this reads {FORMAT}.")
        distributions = {}
        for name in NUMBERS:
            number = fields["numbers"][name]
            mean, quantiles = (
                float(number["mean"]),
                tuple(float(value) for value in number["quantiles"]),
            )
            if not all(map(math.isfinite, (mean, *quantiles))):
                raise BadInput(f"{path}: a number of {name} is not finite.")
            if len(quantiles) != _QUANTILES or list(quantiles) != sorted(quantiles):
                raise BadInput(f"{path}: the quantiles of {name} are not 101 rising numbers.")
            distributions[name] = Distribution(mean, quantiles)
        return Reference(str(fields["source"]), int(fields["photographs"]), distributions)
    except BadInput:
        raise
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise BadInput(f"{path} is no reference of photographs: {error!r:.200}") from None
