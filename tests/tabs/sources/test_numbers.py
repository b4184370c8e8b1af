"""Names of the numbers of a pair, as pages and CSV write them."""

from __future__ import annotations

import numpy as np

from truehue.core.color.distances import compare
from truehue.core.color.uw71 import COUNT
from truehue.tabs.sources.numbers import METRICS, numbers_json

NEUTRAL, RED = 26, 31


def only(bin_: int) -> np.ndarray:
    weights = np.zeros(COUNT)
    weights[bin_] = 1.0
    return weights


def test_the_angle_of_hues_has_the_column_of_the_command() -> None:
    result = compare(only(RED), only(NEUTRAL))
    (hue,) = [item for item in METRICS if item.field == "delta_hue_deg"]
    assert hue.id == "hue_deg"
    said = numbers_json(result)["hue_deg"]
    assert said["value"] is None
    assert "neutral" in said["why"]
