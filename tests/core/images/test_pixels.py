"""From image and mask to the colors inside, against colour-science and plain loops."""

from __future__ import annotations

import colour
import numpy as np
import pytest

from truehue.core.color.spaces import check_pair, masked_srgb24, unpack_srgb24
from truehue.core.errors import MaskError, NoPixels
from truehue.core.images.pixels import (
    _counting_sort,
    changed_colors,
    distinct_colors,
    masked_colors,
    masked_lab,
    select_pixels,
)


def picture(seed: int, height: int = 40, width: int = 31) -> tuple[np.ndarray, np.ndarray]:
    """A seeded random image uint8 ``(H, W, 3)`` and mask bool ``(H, W)``."""
    random = np.random.default_rng(seed)
    # 24 levels a channel, so that colors repeat and counts are more than ones.
    srgb8 = (random.integers(0, 24, (height, width, 3)) * 11).astype(np.uint8)
    return srgb8, random.random((height, width)) < 0.6


def pack_srgb24(srgb8: np.ndarray) -> np.ndarray:
    """uint8 ``(..., 3)`` to uint32 ``(...)`` as 0xRRGGBB."""
    red, green, blue = (srgb8[..., i].astype(np.uint32) for i in range(3))
    return (red << 16) | (green << 8) | blue


def colour_lab(srgb8: np.ndarray) -> np.ndarray:
    """CIELAB of integer sRGB by colour-science, float64."""
    return np.asarray(colour.XYZ_to_Lab(colour.sRGB_to_XYZ(srgb8 / 255.0)))


def test_masked_lab_is_colour_science_in_raster_order() -> None:
    srgb8, mask = picture(0)
    expected = []
    for row in range(mask.shape[0]):
        for column in range(mask.shape[1]):
            if mask[row, column]:
                expected.append(srgb8[row, column])
    lab = masked_lab(srgb8, mask)
    assert lab.dtype == np.float64
    assert lab.shape == (int(mask.sum()), 3)
    np.testing.assert_allclose(lab, colour_lab(np.array(expected)), rtol=0, atol=1e-6)


def test_every_channel_value_is_colour_science() -> None:
    """All 256 codes of each channel alone and of gray: both branches of both curves."""
    codes = np.arange(256, dtype=np.uint8)
    zero = np.zeros_like(codes)
    lines = [
        np.stack(line, axis=-1)
        for line in ((codes, zero, zero), (zero, codes, zero), (zero, zero, codes), (codes,) * 3)
    ]
    srgb8 = np.stack(lines)
    lab = masked_lab(srgb8, np.ones((4, 256), dtype=bool))
    np.testing.assert_allclose(lab, colour_lab(srgb8.reshape(-1, 3)), rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_masked_colors_weigh_as_much_as_all_pixels(seed: int) -> None:
    srgb8, mask = picture(seed)
    colors = masked_colors(srgb8, mask)
    inside = srgb8[mask]
    distinct, counts = np.unique(inside, axis=0, return_counts=True)
    assert np.array_equal(colors.srgb8, distinct)
    assert np.array_equal(colors.counts, counts)
    assert colors.pixel_count == inside.shape[0]
    assert np.all(np.diff(colors.srgb24.astype(np.int64)) > 0)
    weighted = (colors.lab * colors.counts[:, None]).sum(axis=0) / colors.pixel_count
    np.testing.assert_allclose(weighted, masked_lab(srgb8, mask).mean(axis=0), rtol=0, atol=1e-9)


def test_masked_colors_of_one_color_only() -> None:
    srgb8 = np.full((3, 4, 3), 77, dtype=np.uint8)
    colors = masked_colors(srgb8, np.ones((3, 4), dtype=bool))
    assert colors.srgb24.tolist() == [0x4D4D4D]
    assert colors.counts.tolist() == [12]


def test_two_pixels_are_enough() -> None:
    srgb8, _ = picture(1)
    mask = np.zeros(srgb8.shape[:2], dtype=bool)
    mask[0, 0] = mask[-1, -1] = True
    assert masked_lab(srgb8, mask).shape == (2, 3)
    assert masked_srgb24(srgb8, mask).tolist() == pack_srgb24(srgb8[[0, -1], [0, -1]]).tolist()


def test_a_view_with_strides_gives_the_same_colors() -> None:
    srgb8, mask = picture(2)
    flipped, flipped_mask = srgb8[:, ::-1], mask[:, ::-1]
    expected = masked_lab(np.ascontiguousarray(flipped), np.ascontiguousarray(flipped_mask))
    assert np.array_equal(masked_lab(flipped, flipped_mask), expected)


def test_nothing_given_is_changed() -> None:
    srgb8, mask = picture(3)
    before = srgb8.copy(), mask.copy()
    masked_lab(srgb8, mask)
    masked_colors(srgb8, mask)
    select_pixels(srgb8, mask, masked_colors(srgb8, mask).srgb24[:3])
    assert np.array_equal(srgb8, before[0])
    assert np.array_equal(mask, before[1])


READERS = pytest.mark.parametrize("read", [masked_lab, masked_colors, masked_srgb24, check_pair])


@READERS
def test_an_empty_mask_has_no_pixels(read) -> None:
    srgb8, mask = picture(0)
    with pytest.raises(NoPixels, match="empty"):
        read(srgb8, np.zeros_like(mask))


@READERS
def test_one_pixel_is_no_object(read) -> None:
    srgb8, mask = picture(0)
    mask[:] = False
    mask[3, 3] = True
    with pytest.raises(NoPixels, match="one pixel"):
        read(srgb8, mask)


@READERS
@pytest.mark.parametrize("shape", [(31, 40), (40, 30), (40,), (40, 31, 1)])
def test_a_mask_of_another_size_is_refused(read, shape: tuple[int, ...]) -> None:
    srgb8, _ = picture(0)
    with pytest.raises(MaskError, match=r"\(40, 31\)") as caught:
        read(srgb8, np.ones(shape, dtype=bool))
    assert not isinstance(caught.value, NoPixels)


@READERS
@pytest.mark.parametrize("kind", [np.uint8, np.float64, np.int64])
def test_a_mask_that_is_not_bool_is_refused(read, kind: type) -> None:
    """0 and 255 would be read as row numbers or weights somewhere: refuse early."""
    srgb8, mask = picture(0)
    with pytest.raises(MaskError, match=np.dtype(kind).name):
        read(srgb8, mask.astype(kind))


@READERS
@pytest.mark.parametrize(
    "image",
    [
        np.zeros((40, 31, 3)),
        np.zeros((40, 31, 3), dtype=np.uint16),
        np.zeros((40, 31), dtype=np.uint8),
        np.zeros((40, 31, 4), dtype=np.uint8),
    ],
    ids=["float", "16 bits", "gray", "alpha"],
)
def test_an_image_of_another_kind_is_refused(read, image: np.ndarray) -> None:
    with pytest.raises(MaskError, match="load_image"):
        read(image, np.ones((40, 31), dtype=bool))


def test_unpacked_are_the_three_bytes_of_each_number() -> None:
    packed = np.array([[0x010203, 0xFFFEFD], [0x000000, 0x8000FF]], dtype=np.uint32)
    expected = [[[1, 2, 3], [255, 254, 253]], [[0, 0, 0], [128, 0, 255]]]
    assert unpack_srgb24(packed).tolist() == expected
    assert unpack_srgb24(packed).dtype == np.uint8


def test_select_pixels_finds_the_pixels_of_some_colors() -> None:
    srgb8, mask = picture(4)
    colors = masked_colors(srgb8, mask)
    chosen = colors.srgb24[::3]
    expected = mask & np.isin(pack_srgb24(srgb8), chosen)
    result = select_pixels(srgb8, mask, chosen)
    assert np.array_equal(result, expected)
    assert result.sum() == colors.counts[::3].sum()


def test_select_pixels_of_colors_that_are_not_there() -> None:
    srgb8 = np.zeros((2, 2, 3), dtype=np.uint8)
    mask = np.ones((2, 2), dtype=bool)
    # Beyond the last, before the first, and none at all.
    for absent in ([0xFFFFFF], [0x000001, 0x000002], []):
        assert not select_pixels(srgb8, mask, np.array(absent, dtype=np.uint32)).any()
    everything = select_pixels(srgb8, mask, np.array([0, 5], dtype=np.uint32))
    assert everything.all()


@pytest.mark.parametrize("seed", range(24))
def test_colors_of_a_changed_mask_are_those_of_the_mask_alone(seed: int) -> None:
    """Few and many distinct colors; few, some and most pixels change sides."""
    random = np.random.default_rng(seed)
    srgb8 = random.integers(0, (256, 16, 4)[seed % 3], (50, 60, 3)).astype(np.uint8)
    before = random.random((50, 60)) < 0.6
    now = before ^ (random.random((50, 60)) < (0.02, 0.3, 0.9)[seed // 3 % 3])
    if seed % 4 == 0:
        now &= before
    result = changed_colors(distinct_colors(srgb8, before), srgb8, before, now)
    alone = distinct_colors(srgb8, now)
    np.testing.assert_array_equal(result.srgb24, alone.srgb24)
    np.testing.assert_array_equal(result.counts, alone.counts)
    np.testing.assert_array_equal(result.lab, alone.lab)


def test_counting_sorts_as_comparing_does() -> None:
    """Which of the two is taken hangs on the processor; what comes out must not."""
    random = np.random.default_rng(4)
    for size in (0, 1, 2, 30_000):
        packed = random.integers(0, 2**24, size, dtype=np.uint32) | np.uint32(0xFF000000)
        packed[size // 2 :] = packed[: size - size // 2]
        assert np.array_equal(_counting_sort(packed), np.sort(packed))
