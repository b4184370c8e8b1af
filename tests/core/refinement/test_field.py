"""Equation 10, the map of saturation, and what a request may ask."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np
import pytest

from truehue.core.errors import BadInput
from truehue.core.refinement.settings import (
    NATURAL_SATURATION,
    cell_means,
    decay,
    guidance_ratio,
    refinement_of,
    rows_of,
    saturation_map,
)

MAP = np.array([[0.0, 0.5], [0.25, 1.0]], np.float32)


def test_guidance_is_what_equation_10_says() -> None:
    # Step 1 of 4, λ = 0.8: α = 0.75, so 1 - 0.6 a'.
    assert guidance_ratio(MAP, 1, 4, 0.8) == pytest.approx(np.array([[1, 0.7], [0.85, 0.4]]))
    assert guidance_ratio(MAP, 1, 4, 0.8, "spatial") == pytest.approx(
        np.array([[1, 0.6], [0.8, 0.2]])
    )
    assert guidance_ratio(MAP, 1, 4, 0.8, "temporal") == pytest.approx(np.full((2, 2), 0.4))
    assert (guidance_ratio(MAP, 1, 4, 0.8, "none") == 1).all()
    assert [decay(step, 4) for step in range(4)] == [1.0, 0.75, 0.5, 0.25]
    assert guidance_ratio(MAP, 0, 4, 1.0)[1, 1] == 0


@pytest.mark.parametrize(
    ("step", "steps", "strength", "variant", "text"),
    [
        (4, 4, 0.5, "full", "none of 4 steps"),
        (0, 4, 1.5, "full", "lies from 0 to 1"),
        (0, 4, 0.5, "sideways", "no variant"),
    ],
)
def test_what_lies_out_of_range_is_refused(
    step: int, steps: int, strength: float, variant: str, text: str
) -> None:
    with pytest.raises(BadInput, match=text):
        guidance_ratio(MAP, step, steps, strength, variant)


def test_saturation_of_plain_colors_is_that_of_hsv() -> None:
    colors = np.array([[200, 40, 40], [90, 90, 90], [10, 0, 0], [180, 130, 120]], np.uint8)
    stored = np.repeat(np.repeat(colors[None], 8, axis=0), 8, axis=1)
    saturations = [colorsys.rgb_to_hsv(*(color / 255))[1] for color in colors]
    excess = [
        max(0.0, (value - NATURAL_SATURATION) / (1 - NATURAL_SATURATION)) for value in saturations
    ]
    assert saturation_map(stored, 4)[0] == pytest.approx(excess, abs=1e-6)


@pytest.mark.parametrize("shape", [(0, 8, 3), (8, 0, 3), (8, 8), (8, 8, 4)])
def test_what_is_no_image_has_no_map(shape: tuple[int, ...]) -> None:
    with pytest.raises(BadInput, match=r"An image is uint8 \(H, W, 3\), not"):
        saturation_map(np.zeros(shape, np.uint8))


def test_noise_of_dark_pixels_weighs_little() -> None:
    gray = np.full((8, 8, 3), 128, np.uint8)
    gray[::2, ::2] = (2, 0, 0)  # fully saturated, and all but black
    assert saturation_map(gray, 1).max() == 0


def test_cells_are_means_by_area() -> None:
    values = np.arange(30, dtype=float).reshape(5, 6)
    assert cell_means(values, (5, 6)) == pytest.approx(values)
    assert cell_means(values, (1, 1)) == pytest.approx(values.mean())
    assert cell_means(np.array([[0.0, 3, 6]]), (1, 2)) == pytest.approx(np.array([[1, 5]]))


def test_a_request_is_read_and_written_alike() -> None:
    target = {"strength": 0.5, "variant": "full", "map": ["00ff", "8001"], "source": "painted"}
    refinement = refinement_of({"cfr": target})
    assert refinement is not None
    assert refinement.discrepancy == pytest.approx(np.array([[0, 1], [128 / 255, 1 / 255]]))
    assert refinement.to_json() == target
    assert rows_of(MAP) == ["0080", "40ff"]
    assert refinement_of({}) is None
    predicted = refinement_of({"cfr": {"strength": 1}})
    assert predicted is not None
    assert predicted.reads_prediction
    assert refinement_of({"cfr": predicted.to_json()}) == predicted


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (0.5, "is an object"),
        ({}, "strength"),
        ({"strength": True}, "strength"),
        ({"strength": float("nan")}, "strength"),
        ({"strength": 2}, "from 0 to 1"),
        ({"strength": 1, "lambda": 1}, "no 'lambda'"),
        ({"strength": 1, "variant": "odd"}, "no variant"),
        ({"strength": 1, "variant": "temporal", "map": ["00"]}, "reads no map"),
        ({"strength": 1, "map": "painted"}, "rows of cells"),
        ({"strength": 1, "map": []}, "rows of cells"),
        ({"strength": 1, "map": ["00"] * 65}, "rows of cells"),
        ({"strength": 1, "map": ["00", "0011"]}, "equally long"),
        ({"strength": 1, "map": ["0g"]}, "hexadecimal"),
        ({"strength": 1, "map": [7]}, "hexadecimal"),
        ({"strength": 1, "at": 1}, "before the last step"),
        ({"strength": 1, "source": 3}, "is text"),
    ],
)
def test_what_is_no_refinement_is_refused_by_name(target: Any, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        refinement_of({"cfr": target})
