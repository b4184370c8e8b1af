"""The released mask clean-up: each rule at its border, morphology against SciPy, all by hand."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest
from scipy import ndimage

from truehue.core.masks.cleanup import released_cleanup

ORANGE = (230, 110, 20)
GRAY = (128, 128, 128)


def disk(radius: int) -> np.ndarray:
    """The pixels whose center is within ``radius`` of the middle's, bool."""
    line = range(-radius, radius + 1)
    return np.array([[x * x + y * y <= radius * radius for x in line] for y in line])


def flat(color: tuple[int, int, int], height: int = 40, width: int = 40) -> np.ndarray:
    """uint8 ``(H, W, 3)`` of one color."""
    return np.full((height, width, 3), color, dtype=np.uint8)


def block(top: int, left: int, height: int, width: int, side: int = 40) -> np.ndarray:
    """bool ``(side, side)`` with one rectangle set."""
    mask = np.zeros((side, side), dtype=bool)
    mask[top : top + height, left : left + width] = True
    return mask


# ----------------------------------------------------------------------------- the HSV rules

# V = max / 255 and S = (max - min) / max. Every pair of lines is one step in whole numbers on
# either side of a border.
KEPT = [
    # V <= 0.1 is dropped: 25 / 255 = 0.098, 26 / 255 = 0.102.
    ((25, 0, 0), False),
    ((26, 0, 0), True),
    ((0, 25, 3), False),
    ((0, 3, 26), True),
    # S <= 0.10 is dropped: (200 - 180) / 200 = 0.100, (200 - 179) / 200 = 0.105.
    ((200, 180, 180), False),
    ((200, 179, 190), True),
    ((180, 190, 200), False),
    ((60, 54, 60), False),  # 6 / 60 = 0.1 exactly
    ((60, 53, 55), True),
    ((255, 230, 255), False),  # 25 / 255 = 0.098
    ((255, 229, 255), True),  # 26 / 255 = 0.102
    # S <= 0.12 with V <= 0.20 is dropped: 51 / 255 = 0.2 exactly, 6 / 51 = 0.118, 7 / 51 = 0.137.
    ((51, 45, 45), False),
    ((51, 44, 48), True),
    ((52, 46, 46), True),  # 6 / 52 = 0.115, but V = 0.204
    ((50, 44, 44), False),  # 6 / 50 = 0.12 exactly
    ((50, 43, 43), True),  # 7 / 50 = 0.14
    # Black has no saturation; white and gray have 0.
    ((0, 0, 0), False),
    ((255, 255, 255), False),
    (GRAY, False),
    (ORANGE, True),
]


@pytest.mark.parametrize(("color", "saved"), KEPT, ids=[str(color) for color, _ in KEPT])
def test_a_color_at_the_border_of_a_rule(color: tuple[int, int, int], saved: bool) -> None:
    """Half of the object has the color; the other half keeps the clean-up from being undone."""
    srgb8 = flat(ORANGE)
    mask = block(10, 10, 20, 20)
    srgb8[10:20] = color
    cleaned = released_cleanup(srgb8, mask)
    assert not cleaned.undone
    # Far enough from edges for neither opening nor closing to reach it.
    assert bool(cleaned.pixels[14, 20]) is saved
    assert cleaned.pixels[25, 20]


def test_removed_pixels_are_counted() -> None:
    srgb8 = flat(ORANGE)
    srgb8[10:20] = GRAY
    mask = block(10, 10, 20, 20)
    cleaned = released_cleanup(srgb8, mask)
    # The lower half, 10 x 20, less what the opening takes off its four corners: a disk of radius
    # 2 leaves out 3 pixels a corner, (0,0), (0,1) and (1,0), of which the closing with a disk of
    # radius 3 gives none back, because it is the rounder of the two.
    expected = ndimage.binary_opening(block(20, 10, 10, 20), disk(2))
    assert expected.sum() == 200 - 4 * 3
    assert np.array_equal(cleaned.pixels, ndimage.binary_closing(expected, disk(3)))
    assert cleaned.removed_px == 400 - 188


# -------------------------------------------------------------------------------- morphology


def blobs(seed: int, side: int = 64, border: int = 10) -> np.ndarray:
    """Seeded ragged blobs with holes, at least ``border`` pixels away from the image's border."""
    random = np.random.default_rng(seed)
    mask = ndimage.gaussian_filter(random.normal(size=(side, side)), 2.0) > 0.0
    mask ^= random.random((side, side)) < 0.02
    inside = np.zeros_like(mask)
    inside[border:-border, border:-border] = mask[border:-border, border:-border]
    return inside


def largest_parts(mask: np.ndarray) -> np.ndarray:
    """The 4-connected components of at least 5% of the largest."""
    labels, count = ndimage.label(mask)  # SciPy's default is 4-connectivity
    if count < 2:
        return mask
    sizes = np.bincount(labels.reshape(-1))[1:]
    keep = [index + 1 for index, size in enumerate(sizes) if 20 * size >= sizes.max()]
    return np.isin(labels, keep)


@pytest.mark.parametrize("seed", range(10))
def test_opening_and_closing_are_those_of_exact_disks(seed: int) -> None:
    mask = blobs(seed)
    cleaned = released_cleanup(flat(ORANGE, 64, 64), mask)
    assert not cleaned.undone
    assert np.array_equal(cleaned.pixels, largest_parts(smoothed(mask)))
    assert cleaned.removed_px == np.count_nonzero(mask & ~cleaned.pixels)


@pytest.mark.parametrize(
    ("radius", "rows"),
    [(2, [1, 3, 5, 3, 1]), (3, [1, 5, 5, 7, 5, 5, 1])],
    ids=["opening", "closing"],
)
def test_a_disk_is_what_lies_within_its_radius(radius: int, rows: list[int]) -> None:
    """The shapes that the tests here go by; OpenCV's and skimage's ellipses differ from them."""
    assert disk(radius).sum(axis=1).tolist() == rows


def test_thin_things_go_and_gaps_close() -> None:
    mask = block(10, 10, 20, 20)
    mask[15, 30:38] = True  # a line of one pixel sticking out: opened away
    mask[15:18, 15] = False  # a scratch: too narrow for the opening's disk beside it, then closed
    mask[25, 18:23] = False
    cleaned = released_cleanup(flat(ORANGE), mask)
    opened = ndimage.binary_opening(mask, disk(2))
    assert np.array_equal(cleaned.pixels, ndimage.binary_closing(opened, disk(3)))
    assert not cleaned.pixels[15, 31:].any()
    assert cleaned.pixels[15:18, 15].all()
    assert cleaned.pixels[25, 18:23].all()


@pytest.mark.parametrize(("top", "left"), [(0, 0), (0, 13), (30, 30), (25, 0)])
def test_an_object_at_the_border_of_the_image_loses_nothing_there(top: int, left: int) -> None:
    """What lies beyond the image is unknown, so it does not eat into the object."""
    mask = block(top, left, 40 - top, 40 - left)
    cleaned = released_cleanup(flat(ORANGE), mask)
    assert not cleaned.undone
    beyond = np.pad(mask, 8, mode="edge")
    opened = ndimage.binary_opening(beyond, disk(2))
    expected = ndimage.binary_closing(opened, disk(3))[8:-8, 8:-8]
    assert np.array_equal(cleaned.pixels, expected)
    everything = released_cleanup(flat(ORANGE), np.ones((40, 40), dtype=bool))
    assert everything.pixels.all()
    assert everything.removed_px == 0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("border", [1, 2, 3, 4])
def test_near_the_border_of_the_image_too(seed: int, border: int) -> None:
    """Beyond the image nothing is known: it neither erodes nor grows, as in OpenCV and skimage."""
    mask = blobs(seed, border=border)

    def eroded(pixels: np.ndarray, radius: int) -> np.ndarray:
        return ndimage.binary_erosion(pixels, disk(radius), border_value=1)

    def dilated(pixels: np.ndarray, radius: int) -> np.ndarray:
        return ndimage.binary_dilation(pixels, disk(radius))

    expected = eroded(dilated(dilated(eroded(mask, 2), 2), 3), 3)
    cleaned = released_cleanup(flat(ORANGE, 64, 64), mask)
    assert np.array_equal(cleaned.pixels, largest_parts(expected))


def test_the_place_in_the_image_does_not_matter() -> None:
    mask = blobs(3, border=16)
    srgb8 = np.random.default_rng(3).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    first = released_cleanup(srgb8, mask)
    moved = released_cleanup(np.roll(srgb8, (5, -4), (0, 1)), np.roll(mask, (5, -4), (0, 1)))
    assert moved.removed_px == first.removed_px
    assert np.array_equal(moved.pixels, np.roll(first.pixels, (5, -4), (0, 1)))


# -------------------------------------------------------------------------------- components


def smoothed(mask: np.ndarray) -> np.ndarray:
    """Opening with a disk of 2, closing with one of 3, by SciPy."""
    return ndimage.binary_closing(ndimage.binary_opening(mask, disk(2)), disk(3))


def test_parts_that_touch_by_a_corner_are_two() -> None:
    """By 8-connectivity the crumb would hang on to the large part and stay."""
    mask = block(6, 6, 22, 22)
    mask[28:33, 30:35] |= disk(2)
    shape = smoothed(mask)
    labels, count = ndimage.label(shape)
    assert np.bincount(labels.reshape(-1))[1:].tolist() == [476, 16]
    assert count == 2
    assert ndimage.label(shape, structure=np.ones((3, 3)))[1] == 1
    cleaned = released_cleanup(flat(ORANGE), mask)
    # 16 is under 5% of 476.
    assert np.array_equal(cleaned.pixels, labels == 1)


@pytest.mark.parametrize(
    ("height", "width", "stays"),
    [
        # A rectangle loses 3 pixels at each corner to the opening. 16 x 17 - 12 = 260, and the
        # crumb is a disk of 13 pixels: 5% of 260 exactly. 13 x 21 - 12 = 261 is one too many.
        (16, 17, True),
        (13, 21, False),
    ],
)
def test_parts_of_five_percent_stay(height: int, width: int, stays: bool) -> None:
    mask = block(4, 4, height, width)
    mask[30:35, 30:35] = disk(2)
    cleaned = released_cleanup(flat(ORANGE), mask)
    assert np.count_nonzero(cleaned.pixels[:28]) == height * width - 12
    assert np.count_nonzero(cleaned.pixels[28:]) == (13 if stays else 0)


def test_two_large_parts_both_stay() -> None:
    mask = block(4, 4, 10, 10) | block(24, 24, 10, 10)
    cleaned = released_cleanup(flat(ORANGE), mask)
    assert np.array_equal(cleaned.pixels, smoothed(mask))


# ---------------------------------------------------------------------------------- undoing


@pytest.mark.parametrize(("gray", "undone"), [(340, False), (341, True)])
def test_undone_below_a_fifth(gray: int, undone: bool) -> None:
    # Of an orange square of 10 x 10 the opening leaves 88 pixels: 20% of 440 exactly, and less
    # than 20% of 441.
    srgb8 = flat(GRAY)
    srgb8[6:16, 6:16] = ORANGE
    mask = block(6, 6, 10, 10)
    rest = np.flatnonzero(block(20, 2, 18, 30).reshape(-1))[:gray]
    mask.reshape(-1)[rest] = True
    cleaned = released_cleanup(srgb8, mask)
    assert cleaned.undone is undone
    assert np.count_nonzero(cleaned.pixels) == (100 + gray if undone else 88)
    assert cleaned.removed_px == (0 if undone else 100 + gray - 88)


@pytest.mark.parametrize("color", [GRAY, (255, 255, 255), (0, 0, 0), (20, 15, 10)])
def test_a_gray_object_keeps_its_mask(color: tuple[int, int, int]) -> None:
    mask = block(10, 10, 20, 20)
    cleaned = released_cleanup(flat(color), mask)
    assert cleaned.undone
    assert cleaned.removed_px == 0
    assert np.array_equal(cleaned.pixels, mask)


def test_a_mask_too_thin_for_the_opening_is_kept() -> None:
    mask = block(20, 5, 1, 30)
    cleaned = released_cleanup(flat(ORANGE), mask)
    assert cleaned.undone
    assert np.array_equal(cleaned.pixels, mask)


def test_an_empty_mask_stays_empty() -> None:
    cleaned = released_cleanup(flat(ORANGE), np.zeros((40, 40), dtype=bool))
    assert cleaned.undone
    assert not cleaned.pixels.any()


def test_the_mask_given_is_not_changed() -> None:
    mask = blobs(1)
    before = mask.copy()
    released_cleanup(np.random.default_rng(1).integers(0, 256, (64, 64, 3), dtype=np.uint8), mask)
    assert np.array_equal(mask, before)


# ------------------------------------------------------------------------------------- naive


def naive_cleanup(srgb8: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, bool]:
    """The rules as they read, one pixel at a time, in floats."""
    saved = np.zeros_like(mask)
    for row, column in zip(*np.nonzero(mask), strict=True):
        red, green, blue = (int(code) for code in srgb8[row, column])
        # S is the same for codes as for fractions, and exact that way.
        _, saturation, top = colorsys.rgb_to_hsv(red, green, blue)
        value = top / 255
        shadow = saturation <= 0.12 and value <= 0.20
        saved[row, column] = not (shadow or value <= 0.1 or saturation <= 0.10)
    cleaned = largest_parts(smoothed(saved))
    if np.count_nonzero(cleaned) < 0.20 * np.count_nonzero(mask):
        return mask, True
    return cleaned, False


@pytest.mark.parametrize("seed", range(8))
def test_equal_to_a_naive_float_version(seed: int) -> None:
    random = np.random.default_rng(seed)
    mask = blobs(seed, side=56, border=8)
    # From gray to orange and from dark to light across the image, with noise, so that every rule
    # has pixels near its border.
    down, across = np.mgrid[0:56, 0:56] / 55.0
    color = np.array([230.0, 230.0, 230.0]) * (1 - across[..., None]) + across[..., None] * ORANGE
    shade = down[..., None] if seed % 2 else down[..., None] * 0.3
    srgb8 = np.clip(np.rint(color * shade + random.normal(0, 3, (56, 56, 3))), 0, 255)
    cleaned = released_cleanup(srgb8.astype(np.uint8), mask)
    expected, undone = naive_cleanup(srgb8.astype(np.uint8), mask)
    assert cleaned.undone is undone
    assert np.array_equal(cleaned.pixels, expected)


def test_the_naive_comparison_sees_both_outcomes() -> None:
    """An orange object under even light is kept, the same under hardly any light is not."""
    mask = blobs(0, side=56, border=8)
    assert not naive_cleanup(flat(ORANGE, 56, 56), mask)[1]
    assert naive_cleanup(flat((20, 10, 2), 56, 56), mask)[1]


def test_closing_can_take_in_pixels_outside_the_mask_and_says_so() -> None:
    """Two halves of a colored square with a gap of 3: the closing bridges it, as released."""
    srgb8 = np.full((40, 60, 3), (200, 40, 30), dtype=np.uint8)
    mask = np.zeros((40, 60), dtype=bool)
    mask[8:32, 8:52] = True
    mask[:, 28:31] = False
    cleaned = released_cleanup(srgb8, mask)
    assert cleaned.added_px == np.count_nonzero(cleaned.pixels & ~mask) > 0
    assert cleaned.removed_px == np.count_nonzero(mask & ~cleaned.pixels)
    assert cleaned.pixels[20, 29]
