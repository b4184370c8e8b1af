"""Which pixels count: not the paper, not what ink covers; white that was chosen does."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.sketches.drawings import box, paper
from tests.node import run_module
from truehue.annotation.colorings import (
    Fill,
    Stroke,
    background_share,
    concept_mask,
    paint,
    profile,
)
from truehue.core.concepts.profile import sample_of
from truehue.core.errors import MaskError, NoPixels
from truehue.core.sketches.regions import encode, regions


def test_paper_is_no_color_and_chosen_white_is() -> None:
    ink = paper(64)
    box(ink, 10, 10, 30, 30)
    box(ink, 34, 10, 54, 30)
    ink[31, 10:31] = 128
    layer = paint([Fill(20, 20, 0, "#ffffff"), Fill(44, 20, 0, "#ff0000")], regions(ink))
    mask = concept_mask(layer, ink)
    assert mask.sum() == 2 * 15 * 15
    assert not mask[10:13].any()
    assert layer[12, 20, 3] == 255, "colors reach under the lines"
    of_both = profile(layer, ink)
    assert of_both.mask_px == 450
    assert sorted(of_both.bin_counts) == [225, 225]


@pytest.mark.process
def test_the_surround_is_what_touches_the_border() -> None:
    """Page and server know the same regions; a box inside is none of them."""
    ink = paper(64)
    box(ink, 10, 10, 30, 30)
    box(ink, 34, 10, 54, 30)
    maps = regions(ink)
    around = maps.label(0, 1, 1)
    assert maps.surround(0).nonzero()[0].tolist() == [around]
    code = """
      const { decode } = await load('canvas/regions');
      const bytes = Uint8Array.from(value);
      return [0, 1, 2, 3].map((closing) => [...decode(bytes.buffer).surround(closing)]);
    """
    message = run_module(code, list(encode(maps.labels)))
    assert message == [maps.surround(closing).astype(int).tolist() for closing in range(4)]
    inside = paint([Fill(20, 20, 0, "#ff0000")], maps)
    assert background_share(inside, maps, 0) == 0
    assert background_share(paint([Fill(1, 1, 0, "#ff0000")], maps), maps, 0) == 1
    half = paint([Stroke((0, 0, 63, 0), 64, "#ff0000")], maps)
    assert 0.4 < background_share(half, maps, 0) < 0.7


def test_only_boundaries_of_two_colors_mix() -> None:
    ink = paper(512)
    ink[:256, 250:260] = 0
    colors = np.array([[255, 0, 0], [0, 0, 255]], np.uint8)
    layer = np.full((512, 512, 4), 255, np.uint8)
    layer[:, :255, :3], layer[:, 255:, :3] = colors
    sample = sample_of(np.ascontiguousarray(layer[..., :3]), concept_mask(layer, ink))
    chosen = (sample[:, None] == colors).all(axis=-1).any(axis=-1)
    # Under the line, which ends at half the height, no pixel is of both.
    assert np.count_nonzero(~chosen) == 50
    assert sample.shape[0] > 9_800


def test_half_covered_pixels_count_from_128_on() -> None:
    layer = np.full((8, 8, 4), 255, np.uint8)
    ink = np.full((8, 8), 127, np.uint8)
    ink[0] = 128
    assert concept_mask(layer, ink).sum() == 8


def test_nothing_colored_and_another_size() -> None:
    ink = paper(16)
    with pytest.raises(NoPixels):
        profile(np.zeros((16, 16, 4), np.uint8), ink)
    with pytest.raises(MaskError, match="8 × 16"):
        concept_mask(np.zeros((16, 8, 4), np.uint8), ink)
