"""Plates: who sees color reads them, who sees luminance does not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from truehue.core.color.spaces import (
    LINEAR1_TO_XYZ1,
    linear1_to_srgb1,
    srgb8_to_lab,
    srgb8_to_linear1,
)
from truehue.core.images.plates import Axis
from truehue.core.vlm.generators.blindness import (
    AXES,
    SIZE_PX,
    figure_mask,
    make,
    pair_of,
)
from truehue.core.vlm.generators.draws import Difficulty
from truehue.core.vlm.records import LETTERS, IllustratedQuestion
from truehue.core.vlm.variants import gray


@pytest.fixture(scope="module")
def plates() -> list[IllustratedQuestion]:
    """One of each axis and difficulty."""
    return [item for level in Difficulty for item in make(3, 7, level)]


def best_match(item: IllustratedQuestion, signals: list[np.ndarray]) -> tuple[str, float]:
    """The choice whose shape correlates best with one of some signals of the dots, and how well."""
    dots = srgb8_to_lab(item.srgb8)[..., 0] < 85  # not the paper, nor the soft borders
    scores = {}
    for text in item.question.choices:
        shape = figure_mask(text)[dots].astype(float)
        scores[text] = max(abs(np.corrcoef(shape, signal[dots])[0, 1]) for signal in signals)
    best = max(scores, key=scores.__getitem__)
    return best, scores[best]


def test_chroma_reads_every_plate(plates: list[IllustratedQuestion]) -> None:
    for item in plates:
        question = item.question
        lab = srgb8_to_lab(item.srgb8)
        text, score = best_match(item, [lab[..., 1], lab[..., 2]])
        assert text == question.choices[LETTERS.index(question.answer)]
        assert text == question.construction["text"]
        assert score > 0.7


def test_gray_reads_none(plates: list[IllustratedQuestion]) -> None:
    """By relative luminance, by L* and by the luma of the gray copy: what is left of the figure is
    no more than chance leaves of any other text."""
    read, scores = 0, []
    for item in plates:
        luminance = srgb8_to_linear1(item.srgb8) @ LINEAR1_TO_XYZ1[1]
        lightness = srgb8_to_lab(item.srgb8)[..., 0]
        luma = gray(item.srgb8)[..., 0].astype(float)
        for signal in (luminance, lightness, luma):
            text, score = best_match(item, [signal])
            scores.append(score)
            read += text == item.question.construction["text"]
    assert read <= len(scores) // 2
    assert max(scores) < 0.1


@pytest.mark.parametrize("axis", AXES)
def test_the_two_colors_have_one_luminance_and_one_luma(axis: Axis) -> None:
    pair = pair_of(axis, 60.0)
    assert pair.delta_ab == pytest.approx(60, abs=0.1)
    for part in (0.5, 1.0):
        colors = [part * pair.brightest * color for color in (pair.first, pair.second)]
        assert all(color.min() >= 0 and color.max() <= 1 for color in colors)
        assert colors[0] @ LINEAR1_TO_XYZ1[1] == pytest.approx(colors[1] @ LINEAR1_TO_XYZ1[1])
        luma = [np.array([0.299, 0.587, 0.114]) @ linear1_to_srgb1(color) for color in colors]
        assert luma[0] == pytest.approx(luma[1], abs=0.004)


@pytest.mark.parametrize("text", ["8", "46", "HKX"])
def test_the_figure_lies_in_the_middle_of_the_disk(text: str) -> None:
    x, y, width, height = cv2.boundingRect(figure_mask(text).astype(np.uint8))
    assert abs(2 * x + width - SIZE_PX) <= 1
    assert abs(2 * y + height - SIZE_PX) <= 1
    assert np.hypot(width, height) < SIZE_PX
