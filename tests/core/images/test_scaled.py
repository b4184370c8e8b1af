"""Smaller images keep their light."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.color.spaces import srgb8_to_linear1
from truehue.core.images.load import scaled_down


def test_every_gray_stays_what_it_is() -> None:
    for value in range(256):
        flat = np.full((40, 30, 3), value, dtype=np.uint8)
        assert (scaled_down(flat, 20) == value).all()


def test_a_checkerboard_gets_the_lightness_that_is_seen_from_afar() -> None:
    board = np.zeros((64, 64, 3), dtype=np.uint8)
    board[::2, ::2] = board[1::2, 1::2] = 255
    # Half of the light of white is sRGB 188; the average of the coded values would be 128.
    assert set(np.unique(scaled_down(board, 32))) == {188}


def test_light_is_kept_where_the_sides_do_not_divide() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (123, 77, 3), dtype=np.uint8)
    small = scaled_down(noise, 50)
    assert small.shape == (50, 31, 3)
    means = [srgb8_to_linear1(image).mean() for image in (noise, small)]
    assert means[1] == pytest.approx(means[0], abs=0.004)


def test_what_is_small_enough_is_not_touched() -> None:
    image = np.zeros((20, 30, 3), dtype=np.uint8)
    assert scaled_down(image, 30) is image
    assert scaled_down(np.zeros((5_000, 1, 3), dtype=np.uint8), 256).shape == (256, 1, 3)
