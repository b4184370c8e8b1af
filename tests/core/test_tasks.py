"""Verdicts of the five tasks: several objects, each with its reason, and what they say together."""

from __future__ import annotations

import numpy as np
import pytest

from core.color.systems import parse_target
from core.pipeline import measure
from core.verdict.rules import RULES

RULE_IDS = [by.id for by in RULES]
RED, BLUE = parse_target("#C04040"), parse_target("#4060C0")


def flat(*colors: str) -> tuple[np.ndarray, list[np.ndarray]]:
    """Bands of flat colors, uint8 ``(20, 20 * n, 3)``, and the mask of each."""
    srgb8 = np.concatenate(
        [np.full((20, 20, 3), parse_target(color).srgb8, dtype=np.uint8) for color in colors], 1
    )
    masks = []
    for place in range(len(colors)):
        mask = np.zeros(srgb8.shape[:2], dtype=bool)
        mask[:, 20 * place : 20 * (place + 1)] = True
        masks.append(mask)
    return srgb8, masks


# ---------------------------------------------------------------------- relation and guidance


@pytest.mark.parametrize("rule_id", RULE_IDS)
def test_what_must_differ_passes_exactly_when_it_does_not_match(rule_id: str) -> None:
    srgb8, (mask,) = flat("#C04040")
    for color, matches in ((RED, "pass"), (BLUE, "fail")):
        plain = measure(srgb8, mask, color, rule_id, object_name="plate")
        other = measure(srgb8, mask, color, rule_id, object_name="plate", relation="differs")
        assert plain.verdict.status == matches
        assert {plain.verdict.status, other.verdict.status} == {"pass", "fail"}
        assert other.verdict.metrics == plain.verdict.metrics
        assert "relation" not in plain.as_json()
        assert other.as_json()["relation"] == "differs"
        assert "the color that the plate must not take" in other.verdict.reason


def test_without_guidance_the_released_rule_measures_all_pixels_alike() -> None:
    """A ramp from dark to light red: guided, only the tenth nearest to the asked color counts."""
    ramp = np.linspace((110, 35, 35), (250, 90, 90), 60).round().astype(np.uint8)
    srgb8, mask = np.repeat(ramp[None], 10, axis=0), np.ones((10, 60), dtype=bool)
    guided = measure(srgb8, mask, RED, "released")
    alone = measure(srgb8, mask, RED, "released", guided=False)
    assert (guided.verdict.status, alone.verdict.status) == ("pass", "fail")
    assert "guided" not in guided.verdict.parameters
    assert alone.verdict.lab == measure(srgb8, mask, RED, "released-unguided").verdict.lab
    # The rule keeps its name; what was done otherwise is among the parameters.
    assert (alone.verdict.rule, alone.verdict.parameters["guided"]) == ("released", False)
    for rule_id in ("paper", "released-unguided"):
        asked = measure(srgb8, mask, RED, rule_id, guided=False)
        assert asked.verdict == measure(srgb8, mask, RED, rule_id).verdict
