"""Merging of palettes against plain loops and colour-science's CIEDE2000."""

from __future__ import annotations

import numpy as np
import pytest
from colour.difference import delta_E_CIE2000
from hypothesis import given, settings
from hypothesis import strategies as st

from truehue.core.color.difference import delta_e00
from truehue.core.concepts.palette import Palette, merge
from truehue.core.errors import BadInput


def _palette(seed: int, size: int, spread: float) -> Palette:
    rng = np.random.default_rng(seed)
    lab = np.array([55.0, 20.0, -10.0]) + rng.normal(size=(size, 3)) * spread
    weights = rng.uniform(0.1, 1.0, size)
    return Palette(lab, weights / weights.sum())


def by_hand(
    lab: list[list[float]], weights: list[float], limit: float
) -> tuple[list[list[float]], list[float], list[list[int]]]:
    """The same merging, one pair after the other, without any of our code."""
    colors, weights = [list(color) for color in lab], list(weights)
    parts = [[i] for i in range(len(colors))]
    while len(colors) > 1:
        closest = min(
            (float(delta_E_CIE2000(colors[i], colors[k])), i, k)
            for i in range(len(colors))
            for k in range(i + 1, len(colors))
        )
        apart, i, k = closest
        if apart > limit:
            break
        total = weights[i] + weights[k]
        colors[i] = [
            (weights[i] * color + weights[k] * other) / total
            for color, other in zip(colors[i], colors[k], strict=True)
        ]
        weights[i] = total
        parts[i] = sorted(parts[i] + parts[k])
        del colors[k], weights[k], parts[k]
    order = sorted(range(len(colors)), key=lambda i: (-weights[i], i))
    return [colors[i] for i in order], [weights[i] for i in order], [parts[i] for i in order]


@pytest.mark.parametrize("seed", range(12))
def test_merging_is_that_of_plain_loops(seed: int) -> None:
    palette = _palette(seed, 3 + seed, 4.0 + seed)
    merged, parts = palette.merged(7.0)
    lab, weights, expected = by_hand(palette.lab.tolist(), palette.weights.tolist(), 7.0)
    assert [list(part) for part in parts] == expected
    np.testing.assert_allclose(merged.lab, lab, atol=1e-9)
    np.testing.assert_allclose(merged.weights, weights, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 20), st.floats(0.5, 30.0))
def test_no_two_colors_that_are_left_look_alike(seed: int, size: int, spread: float) -> None:
    palette = _palette(seed, size, spread)
    merged, parts = palette.merged(7.0)
    first, second = np.triu_indices(merged.weights.size, 1)
    assert (delta_e00(merged.lab[first], merged.lab[second]) > 7.0).all()
    assert sorted(i for part in parts for i in part) == list(range(size))
    assert merged.weights.sum() == pytest.approx(1.0, abs=1e-12)
    for color, weight, part in zip(merged.lab, merged.weights, parts, strict=True):
        of_part = palette.weights[list(part)]
        assert weight == pytest.approx(of_part.sum(), abs=1e-12)
        np.testing.assert_allclose(
            color, (of_part[:, None] * palette.lab[list(part)]).sum(axis=0) / of_part.sum()
        )


def test_many_palettes_at_once_are_each_merged_for_themselves() -> None:
    palettes = [_palette(seed, 1 + seed % 9, 3.0 + seed) for seed in range(30)]
    lab, weights = np.zeros((30, 9, 3)), np.zeros((30, 9))
    for row, palette in enumerate(palettes):
        size = palette.weights.size
        lab[row, :size], weights[row, :size] = palette.lab, palette.weights
    together = merge(lab, weights, 7.0)
    for row in range(30):
        alone = merge(lab[row : row + 1], weights[row : row + 1], 7.0)
        for item, of_many in zip(alone, together, strict=True):
            np.testing.assert_array_equal(item[0], of_many[row])


def test_given_colors_stay_as_they_were() -> None:
    palette = _palette(1, 12, 3.0)
    before = palette.lab.copy(), palette.weights.copy()
    palette.merged(7.0)
    np.testing.assert_array_equal(palette.lab, before[0])
    np.testing.assert_array_equal(palette.weights, before[1])


def test_limit_belongs_to_what_is_merged() -> None:
    lab = np.array([[50.0, 0.0, 0.0], [58.0, 0.0, 0.0]])
    apart = float(delta_e00(lab[0], lab[1]))
    palette = Palette(lab, np.array([0.25, 0.75]))
    merged, parts = palette.merged(apart)
    assert parts == ((0, 1),)
    np.testing.assert_allclose(merged.lab, [[56.0, 0.0, 0.0]])
    assert palette.merged(np.nextafter(apart, 0.0))[1] == ((1,), (0,))


def test_hexes_are_the_colors() -> None:
    assert Palette(np.array([[100.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), np.array([0.5, 0.5])).hexes == (
        "#FFFFFF",
        "#000000",
    )


@pytest.mark.parametrize(
    ("lab", "weights", "message"),
    [
        (np.zeros((2, 2)), np.ones(2) / 2, "three numbers"),
        (np.zeros((2, 3)), np.ones(3) / 3, "K weights"),
        (np.zeros((2, 3)), np.array([1.0, 0.0]), "above 0"),
        (np.full((1, 3), np.nan), np.ones(1), "are numbers"),
        (np.zeros((2, 3)), np.ones(2), "sum to 1"),
    ],
)
def test_what_is_no_palette_is_refused(lab: np.ndarray, weights: np.ndarray, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Palette(lab, weights)
