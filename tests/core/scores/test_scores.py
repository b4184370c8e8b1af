"""Scores by measures: what is unscored and why, and means with intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from truehue.core.errors import BadInput, NoPixels
from truehue.core.scores.measures import MEASURES, measure_of
from truehue.core.scores.records import HIGH, IMAGE, ITEM_KINDS, LOW, NEITHER, Computed, Measure
from truehue.core.scores.scoring import ScoreMean, delta_sat_of_mean, score_image, score_mean

WHITE = np.full((2, 3, 3), 255, dtype=np.uint8)


def brightness(srgb8: np.ndarray) -> Computed:
    """Mean code, 0 to 255; black pictures cannot be scored, a gray one breaks."""
    if not srgb8.any():
        raise NoPixels("The picture is black.")
    if (srgb8 == 128).all():
        raise ZeroDivisionError("gray")
    return float(srgb8.mean()), {"pixels": srgb8.shape[0] * srgb8.shape[1]}


BRIGHT = Measure("bright", "1", "Brightness", HIGH, 0.0, 200.0, 1, "mean", "a test", of=brightness)


def test_a_score_has_its_value_and_what_it_was_made_of() -> None:
    record = score_image(BRIGHT, "id", WHITE // 2)
    assert (record.value, record.status, record.numbers) == (127.0, "scored", {"pixels": 6})
    assert (record.measure, record.version, record.scorer) == ("bright", "1", "")
    assert record.provenance["truehue"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (0, "The picture is black."),
        (128, "Scoring broke off: ZeroDivisionError: gray"),
        (255, "Brightness gave 255, which is not in its range, 0 to 200."),
    ],
)
def test_what_cannot_be_scored_says_why(code: int, reason: str) -> None:
    record = score_image(BRIGHT, "id", np.full((2, 3, 3), code, dtype=np.uint8))
    assert (record.value, record.status, record.reason) == (None, "unscored", reason)


def test_the_interval_is_that_of_scipy_over_prompts() -> None:
    """Of 80 prompts with one to four scores: 1,000 resamples differ from scipy's 10,000 by chance
    alone."""
    rng = np.random.default_rng(3)
    counts = rng.integers(1, 5, 80)
    sums = counts * rng.normal(0.4, 0.1, 80)
    result = score_mean(list(sums), list(counts), 400, {"why": 7})
    assert result.mean == pytest.approx(sums.sum() / counts.sum())
    reference = stats.bootstrap(
        (sums, counts),
        lambda a, b, axis=-1: a.sum(axis=axis) / b.sum(axis=axis),
        paired=True,
        method="percentile",
        n_resamples=10_000,
        random_state=1,
    ).confidence_interval
    assert result.low is not None
    assert result.high is not None
    spread = reference.high - reference.low
    assert abs(result.low - reference.low) < 0.08 * spread
    assert abs(result.high - reference.high) < 0.08 * spread
    assert (result.scored, result.prompts) == (counts.sum(), 80)
    assert result.missing == 400 - counts.sum() - 7


def test_one_prompt_or_equal_scores_have_no_interval() -> None:
    assert score_mean([1.0], [2], 2, {}).low is None
    assert score_mean([0.5, 0.5], [1, 1], 2, {}).high is None
    assert score_mean([], [], 3, {}).mean is None


def test_every_measure_of_the_list_is_whole() -> None:
    assert len({measure.id for measure in MEASURES}) == len(MEASURES)
    for measure in MEASURES:
        assert measure.id.replace("_", "").isalnum(), measure.id
        assert all((measure.version, measure.name, measure.formula, measure.source)), measure.id
        assert measure.better in (HIGH, LOW, NEITHER)
        assert set(measure.item_kinds) <= set(ITEM_KINDS)
        if measure.of is not None and IMAGE in measure.item_kinds:
            assert score_image(measure, "id", WHITE).status == "scored"


def test_a_measure_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadInput, match="There is no measure 'beauty'"):
        measure_of("beauty")


@pytest.mark.parametrize(
    ("mean", "low", "high", "expected"),
    [
        (0.35, 0.30, 0.40, (0.02, 0.0, 0.07)),
        (0.48, 0.43, 0.53, (0.15, 0.10, 0.20)),
        (0.20, 0.15, 0.25, (0.13, 0.08, 0.18)),
        (0.48, None, None, (0.15, None, None)),
        (None, None, None, (None, None, None)),
    ],
)
def test_delta_sat_of_the_mean_is_of_the_set(
    mean: float | None, low: float | None, high: float | None, expected: tuple
) -> None:
    result = delta_sat_of_mean(ScoreMean(mean, low, high, 4, 5, 2))
    for value, wanted in zip((result.mean, result.low, result.high), expected, strict=True):
        assert value == (None if wanted is None else pytest.approx(wanted))
    assert (result.scored, result.items) == (4, 5)
