"""Variants of a question: other hues, by region. Without hue: :func:`gray`.

Robustness variants are ColorBench's: three regions (the entire image, the target, the largest
segment other than the target) times three hue rotations in HSV. The arithmetic is HSV of float64
values 0 to 1, as in :mod:`colorsys`, and back to the nearest 8-bit code: not the 8-bit HSV of
OpenCV or Pillow, whose hues have steps of 2 or 1.4 degrees. Saturation, value and grays stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from truehue.core.errors import MaskError
from truehue.core.images.load import image_id
from truehue.core.vlm.records import RELEASED_IMAGE, IllustratedQuestion

ENTIRE, TARGET, LARGEST = "entire", "target", "largest"
REGIONS = (ENTIRE, TARGET, LARGEST)
TURNS_DEG = (90, 180, 270)


def hue_turned(
    srgb8: NDArray[np.uint8], turn_deg: float, mask: NDArray[np.bool_] | None = None
) -> NDArray[np.uint8]:
    """The image, uint8 sRGB ``(H, W, 3)``, with its hues turned in HSV by ``turn_deg`` degrees,
    where the mask, bool ``(H, W)``, is True or everywhere. Raises MaskError for a mask of another
    size."""
    if mask is None:
        mask = np.ones(srgb8.shape[:2], dtype=bool)
    _check(srgb8, mask)
    out = srgb8.copy()
    out[mask] = _turned(srgb8[mask], turn_deg)
    return out


def _turned(colors: NDArray[np.uint8], turn_deg: float) -> NDArray[np.uint8]:
    """Of ``(N, 3)`` colors; one computation a distinct color."""
    packed = colors.astype(np.uint32) @ np.array([65536, 256, 1], dtype=np.uint32)
    codes, back = np.unique(packed, return_inverse=True)
    rgb = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=-1) / 255.0
    r, g, b = rgb[:, 0], rgb[:, 1], rgb[:, 2]
    high, low = rgb.max(axis=1), rgb.min(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rc, gc, bc = ((high - channel) / (high - low) for channel in (r, g, b))
        hue = np.where(r == high, bc - gc, np.where(g == high, 2.0 + rc - bc, 4.0 + gc - rc))
        saturation = (high - low) / high
    gray = high == low
    hue = np.where(gray, 0.0, hue / 6.0 % 1.0)
    saturation = np.where(gray, 0.0, saturation)
    sixths = (hue + turn_deg / 360.0) % 1.0 * 6.0
    sector = np.floor(sixths).astype(int)
    part = sixths - sector
    p = high * (1.0 - saturation)
    q = high * (1.0 - saturation * part)
    t = high * (1.0 - saturation * (1.0 - part))
    parts = np.stack([high, t, p, q], axis=-1)
    # Which of value, t, p, q is red, green and blue in each sixth of the circle.
    order = np.array([[0, 1, 2], [3, 0, 2], [2, 0, 1], [2, 3, 0], [1, 2, 0], [0, 2, 3]])
    turned = np.take_along_axis(parts, order[sector % 6], axis=-1)
    return np.rint(255.0 * turned).astype(np.uint8)[back.reshape(-1)]


def largest_other(
    masks: Sequence[NDArray[np.bool_]], target: NDArray[np.bool_]
) -> NDArray[np.bool_] | None:
    """The largest of some segments, bool ``(H, W)``, without the pixels of the target: the mask of
    ``largest`` for :func:`robustness_variants`. None where nothing is left."""
    rests = [mask & ~target for mask in masks]
    best = max(rests, key=np.count_nonzero, default=None)
    return best if best is not None and best.any() else None


def robustness_variants(
    seed: IllustratedQuestion,
    masks: Mapping[str, NDArray[np.bool_]],
    regions: Sequence[str] = REGIONS,
    turns_deg: Sequence[int] = TURNS_DEG,
) -> Iterator[IllustratedQuestion]:
    """Up to nine variants of a seed: entire, target and largest, turned by 90, 180 and 270 degrees.

    ``masks`` are those of ``target`` and ``largest``; variants of a region without a mask are left
    out, and those in which no pixel changes, because all are gray. Their ``variant`` is such as
    ``target-90``; the construction says which share of the image changed. Text, choices and answer
    are the seed's: it has to be a question whose answer is no matter of color.

    Raises MaskError for a mask of another size, or for a region of another name.
    """
    unknown = sorted((set(masks) - {TARGET, LARGEST}) | (set(regions) - set(REGIONS)))
    if unknown:
        raise MaskError(f"There is no region {unknown[0]!r}; the masks are target and largest.")
    whole = np.ones(seed.srgb8.shape[:2], dtype=bool)
    for region in regions:
        mask = whole if region == ENTIRE else masks.get(region)
        if mask is None:
            continue
        for turn_deg in turns_deg:
            srgb8 = hue_turned(seed.srgb8, turn_deg, mask)
            changed = float((srgb8 != seed.srgb8).any(axis=-1).mean())
            if changed > 0:
                made = {"region": region, "hue_turn_deg": turn_deg, "changed_share": changed}
                yield _variant(seed, srgb8, f"{region}-{turn_deg}", made)


def gray(srgb8: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """uint8 ``(H, W, 3)`` in and out: luma of ITU-R BT.601 of the encoded values, by Pillow's whole
    numbers, (19595 R + 38470 G + 7471 B + 32768) // 65536, in all three channels."""
    weights = np.array([19_595, 38_470, 7_471], dtype=np.uint32)
    luma = (srgb8.astype(np.uint32) @ weights + np.uint32(32_768)) >> np.uint32(16)
    return np.repeat(luma.astype(np.uint8)[..., None], 3, axis=-1)


def _variant(
    seed: IllustratedQuestion, srgb8: NDArray[np.uint8], variant: str, made: Mapping[str, object]
) -> IllustratedQuestion:
    of_seed = {k: v for k, v in seed.question.construction.items() if k != RELEASED_IMAGE}
    question = replace(
        seed.question,
        question_id=f"{seed.question.question_id}-{variant}",
        image_id=image_id(srgb8),
        seed_id=seed.question.question_id,
        variant=variant,
        construction={**of_seed, **made},
    )
    return IllustratedQuestion(question, srgb8)


def _check(srgb8: NDArray[np.uint8], mask: NDArray[np.bool_]) -> None:
    if mask.shape != srgb8.shape[:2] or mask.dtype != np.bool_:
        raise MaskError(
            f"A mask for this image is bool {srgb8.shape[:2]}, not {mask.dtype} {mask.shape}."
        )
