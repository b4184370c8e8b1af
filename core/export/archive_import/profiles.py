"""The colors of concepts in an archive: numbers that fit each other, and their picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from truehue.core.color.uw71 import COUNT
from truehue.core.concepts.profile import CELLS, SAMPLE_SIDE

_SAMPLE = SAMPLE_SIDE**2


def wrong_with(profile: Mapping[str, Any], picture_px: int) -> str:
    """What of a profile, as a row of a shard holds it, cannot be; empty where all of it can.

    ``picture_px`` are the pixels of its picture. Raises KeyError and TypeError for what has no
    numbers where they belong.
    """
    sampled, masked = profile["sampled_px"], profile["mask_px"]
    # A pixel of the object can lie half in each of two pixels of the sample, to both sides.
    if not (_whole(masked, 2, picture_px) and _whole(sampled, 1, min(_SAMPLE, 4 * masked))):
        return "its numbers of pixels are none"
    dominant = profile["dominant_srgb"]
    if len(dominant) != 3 or not all(_number(value, 255.0) for value in dominant):
        return "its dominant color is none"
    if not _number(profile["dominant_share"], 1.0):
        return "the share of its dominant color is none"
    cells, counts, sums = profile["cells"], profile["counts"], profile["sums"]
    if not (_ascending(cells, CELLS**3) and _shares(counts, len(cells), sampled)):
        return "its cells of colors do not add up"
    maxima = (255 * count for count in counts for _ in range(3))
    if len(sums) != 3 * len(cells) or not all(map(_whole, sums, [0] * len(sums), maxima)):
        return "its sums of colors do not add up"
    bins, bin_counts = profile["bins"], profile["bin_counts"]
    if not (_ascending(bins, COUNT) and _shares(bin_counts, len(bins), masked)):
        return "its UW-71 bins do not add up"
    return ""


def _ascending(numbers: Sequence[Any], below: int) -> bool:
    inside = all(_whole(number, 0, below - 1) for number in numbers)
    return inside and all(a < b for a, b in pairwise(numbers))


def _shares(counts: Sequence[Any], length: int, total: int) -> bool:
    return (
        len(counts) == length
        and all(_whole(count, 1, total) for count in counts)
        and sum(counts) == total
    )


def _whole(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _number(value: Any, high: float) -> bool:
    return isinstance(value, float) and math.isfinite(value) and 0.0 <= value <= high
