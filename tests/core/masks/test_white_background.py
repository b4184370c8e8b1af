"""The mask that leaves the white paper of a drawing out, and the small picture of a mask."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from truehue.core.errors import MaskError, NoPixels
from truehue.core.masks.cleanup import without_paper
from truehue.core.masks.display import OUTSIDE_ALPHA, cutout_png
from truehue.core.masks.registry import describe


def sheet() -> np.ndarray:
    """White paper with an outlined square, colored orange but for a white window inside."""
    out = np.full((40, 60, 3), 255, dtype=np.uint8)
    out[10:30, 20:50] = 0
    out[11:29, 21:49] = (230, 120, 20)
    out[15:20, 25:30] = 255
    return out


def test_paper_is_what_is_white_as_far_as_the_border() -> None:
    mask = without_paper(sheet())
    wanted = np.zeros((40, 60), dtype=bool)
    wanted[10:30, 20:50] = True  # with its outline, and with the white window inside
    assert np.array_equal(mask.pixels, wanted)
    assert mask.maker == "paper"
    assert mask.parameters == {"lightness_above": 98.0, "connected_to": "border"}
    assert describe(mask.maker, mask.parameters) == "Without the white paper"


def test_a_diagonal_line_holds_paper_back_and_a_gap_does_not() -> None:
    sample = np.full((21, 21, 3), 255, dtype=np.uint8)
    for step in range(6):  # a diamond of single pixels that touch by their corners
        for row, column in (
            (4 + step, 10 - step),
            (4 + step, 10 + step),
            (16 - step, 10 - step),
            (16 - step, 10 + step),
        ):
            sample[row, column] = 0
    inside = (10, 10)
    sample[10, 4] = sample[10, 16] = 0
    assert without_paper(sample).pixels[inside]
    sample[10, 4] = 255
    assert not without_paper(sample).pixels[inside]


def test_the_limit_is_lightness() -> None:
    # L* of gray 249 is 97.9, of gray 250 it is 98.3 (116 f(Y) - 16 of the sRGB transfer function).
    gray = np.full((8, 8, 3), 249, dtype=np.uint8)
    assert without_paper(gray).pixels.all()
    assert "whole picture" in str(without_paper(gray).parameters["note"])
    with pytest.raises(NoPixels, match="Nothing but white paper"):
        without_paper(np.full((8, 8, 3), 250, dtype=np.uint8))
    assert without_paper(gray, lightness=99.0).pixels.all()


def test_other_arrays_are_refused() -> None:
    with pytest.raises(MaskError):
        without_paper(np.zeros((4, 4), dtype=np.uint8))


def test_a_cutout_fades_what_does_not_count_and_keeps_colors() -> None:
    sample = sheet()
    mask = without_paper(sample).pixels
    with Image.open(io.BytesIO(cutout_png(sample, mask, 60))) as stored:
        rgba = np.asarray(stored)
    assert np.array_equal(rgba[..., :3], sample)
    assert set(np.unique(rgba[mask][:, 3])) == {255}
    assert set(np.unique(rgba[~mask][:, 3])) == {OUTSIDE_ALPHA}
    with Image.open(io.BytesIO(cutout_png(sample, mask, 30))) as small:
        assert small.size == (30, 20)
