"""Masks with their makers, and the distinct colors inside a mask, exactly and vectorized.

An object of a quarter of a 1024 x 1024 image has 262,144 pixels but often far fewer distinct
colors. All later steps (means, axes, percentiles, distances) work on the distinct colors with their
counts, which gives the same numbers as working on all pixels.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np
from PIL import Image

from truehue.core.color.spaces import (
    check_pair,
    masked_srgb24,
    packed_inside,
    srgb8_to_lab,
    unpack_srgb24,
)

_COUNTED_FROM = 20_000


@dataclass(frozen=True)
class MaskedColors:
    """The distinct colors inside a mask.

    ``srgb24`` uint32 ``(U,)``, packed 0xRRGGBB, ascending; ``counts`` int64 ``(U,)``; ``lab``
    float64 ``(U, 3)`` CIELAB D65/2 degree. ``pixel_count`` is the sum of the counts.
    """

    srgb24: np.ndarray
    counts: np.ndarray
    lab: np.ndarray

    @property
    def pixel_count(self) -> int:
        """Number of pixels inside the mask."""
        return int(self.counts.sum())

    @property
    def srgb8(self) -> np.ndarray:
        """uint8 ``(U, 3)``: the same colors, channel by channel."""
        return unpack_srgb24(self.srgb24)


def masked_lab(srgb8: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """float64 ``(N, 3)`` CIELAB D65/2 degree of the pixels inside, in raster order.

    ``srgb8`` uint8 ``(H, W, 3)``, ``mask`` bool ``(H, W)``. Raises MaskError when they do not fit
    and NoPixels when fewer than two pixels are inside; never a substitute color.
    """
    return srgb8_to_lab(unpack_srgb24(masked_srgb24(srgb8, mask)))


def masked_colors(srgb8: np.ndarray, mask: np.ndarray) -> MaskedColors:
    """The distinct colors inside the mask with their counts.

    ``srgb8`` uint8 ``(H, W, 3)``, ``mask`` bool ``(H, W)``; errors as :func:`masked_lab`.
    """
    check_pair(srgb8, mask)
    return distinct_colors(srgb8, mask)


def distinct_colors(srgb8: np.ndarray, mask: np.ndarray) -> MaskedColors:
    """As masked_colors, for an image and a mask that were checked already."""
    packed = _sorted(packed_inside(srgb8, mask))
    first = np.flatnonzero(packed[1:] != packed[:-1])
    first += 1
    first = np.concatenate(([0], first))
    distinct = packed.take(first)
    counts = np.diff(first, append=packed.size)
    # The bytes of 0xFFRRGGBB lie as blue, green, red, 255.
    lab = srgb8_to_lab(distinct.view(np.uint8).reshape(-1, 4)[:, 2::-1])
    distinct &= np.uint32(0xFFFFFF)
    return MaskedColors(distinct, counts, lab)


def _sorted(packed: np.ndarray) -> np.ndarray:
    """The packed colors of ``packed_inside`` in ascending order; their array may be reused."""
    if packed.size >= _COUNTED_FROM and _counting_is_faster():
        return _counting_sort(packed)
    packed.sort()
    return packed


def _counting_sort(packed: np.ndarray) -> np.ndarray:
    """As ``_sorted``, by counting 16 bits and then 8."""
    # numpy sorts 8 and 16 bits by radix where the order of equals is to stay.
    packed = packed.take(np.argsort(packed.astype(np.uint16), kind="stable"))
    red = (packed >> np.uint32(16)).astype(np.uint8)
    return packed.take(np.argsort(red, kind="stable"))


@cache
def _counting_is_faster() -> bool:
    """Tried once, in about a millisecond: numpy's sort takes a fifth of the time of counting or
    three times as long, by how well its vector instructions go on this processor."""
    # Knuth's multiplicative hash: numpy.random would take several times the trial to import.
    sample = np.arange(2**13, dtype=np.uint32) * np.uint32(2_654_435_761)

    def seconds(way: Callable[[np.ndarray], np.ndarray]) -> float:
        start = perf_counter()
        way(sample)
        return perf_counter() - start

    return min(seconds(_counting_sort) for _ in range(4)) < min(seconds(np.sort) for _ in range(4))


def changed_colors(
    masked_colors: MaskedColors, srgb8: np.ndarray, before: np.ndarray, after: np.ndarray
) -> MaskedColors:
    """What :func:`distinct_colors` gives for the mask ``after``, from its answer for ``before``.

    ``srgb8`` uint8 ``(H, W, 3)``, the masks bool ``(H, W)``; nothing is checked.

    Only the pixels that came in or went out are sorted, which pays while they are fewer than
    those of ``after``; else all are.
    """
    removed, into = before & ~after, after & ~before
    if not after.any() or np.count_nonzero(removed) + np.count_nonzero(into) > np.count_nonzero(
        after
    ):
        return distinct_colors(srgb8, after)
    colors, counts, lab = masked_colors.srgb24, masked_colors.counts, masked_colors.lab
    if into.any():
        more = distinct_colors(srgb8, into)
        indices = np.searchsorted(colors, more.srgb24)
        hits = colors.take(indices, mode="clip") == more.srgb24
        counts = counts.copy()
        counts[indices[hits]] += more.counts[hits]
        new = ~hits
        if new.any():
            colors = np.insert(colors, indices[new], more.srgb24[new])
            counts = np.insert(counts, indices[new], more.counts[new])
            lab = np.insert(lab.T, indices[new], more.lab[new].T, axis=1).T
    if removed.any():
        packed = packed_inside(srgb8, removed) & np.uint32(0xFFFFFF)
        packed.sort()
        first = np.concatenate(([0], np.flatnonzero(packed[1:] != packed[:-1]) + 1))
        counts = counts.copy()
        counts[np.searchsorted(colors, packed.take(first))] -= np.diff(first, append=packed.size)
        left = np.flatnonzero(counts)
        if left.size < counts.size:
            colors, counts, lab = colors.take(left), counts.take(left), lab.T.take(left, axis=1).T
    return MaskedColors(colors, counts, lab)


def select_pixels(srgb8: np.ndarray, mask: np.ndarray, srgb24: np.ndarray) -> np.ndarray:
    """bool ``(H, W)``: the pixels inside the mask whose color is among ``srgb24`` (ascending)."""
    packed = masked_srgb24(srgb8, mask)
    if srgb24.size == 0:
        chosen = np.zeros(packed.shape, dtype=bool)
    else:
        indices = np.searchsorted(srgb24, packed).clip(max=srgb24.size - 1)
        chosen = srgb24[indices] == packed
    selection = np.zeros(mask.shape, dtype=bool)
    selection[mask] = chosen
    return selection


@dataclass(frozen=True)
class Mask:
    """Which pixels of an image belong to the object.

    ``pixels`` is bool ``(H, W)``, True inside. ``maker`` names the masker (``grabcut``, ``brush``,
    ``whole``, ``renderer``, ``file``) and ``parameters`` hold, as plain JSON, all that it needs to
    make the same mask again from the same image.
    """

    pixels: np.ndarray
    maker: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def of_target(self, position: int, name: str) -> Mask:
        """This mask with the target that it belongs to: several objects may have equal names."""
        return replace(self, parameters={**self.parameters, "target": position, "object": name})

    @property
    def area_px(self) -> int:
        """Number of pixels inside."""
        return int(np.count_nonzero(self.pixels))

    @property
    def area_percent(self) -> float:
        """Share of the image inside, 0 to 100."""
        return 100.0 * self.area_px / self.pixels.size if self.pixels.size else 0.0

    @property
    def content_sha256(self) -> str:
        """SHA-256 of size and pixels: equal masks have equal names, whoever made them."""
        height, width = self.pixels.shape
        packed = np.packbits(self.pixels.astype(bool)).tobytes()
        return hashlib.sha256(f"mask {height}x{width}\n".encode() + packed).hexdigest()

    def png(self) -> bytes:
        """The pixels as a PNG of one bit a pixel, white inside."""
        buffer = io.BytesIO()
        Image.fromarray(self.pixels).save(buffer, format="PNG")
        return buffer.getvalue()
