"""Scores of images by measures; an image that cannot be scored is unscored with its reason."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from truehue.core.analysis.intervals import RESAMPLES, SEED, interval
from truehue.core.errors import TrueHueError
from truehue.core.refinement.settings import NATURAL_SATURATION
from truehue.core.scores.records import IMAGE, UNSCORED, Measure, ScoreRecord
from truehue.core.version import VERSION

log = logging.getLogger("truehue")


def score_image(measure: Measure, image_id: str, srgb8: np.ndarray) -> ScoreRecord:
    """A measure's score of an image, uint8 sRGB ``(H, W, 3)``.

    ``unscored`` where the measure refuses the image, breaks, or gives no number of its range.
    Raises ValueError for a measure that computes nothing, and MemoryError, which is no fault of
    the image.
    """
    if measure.of is None:
        raise ValueError(f"The measure {measure.id} is not computed: its scores come in.")
    try:
        value, numbers = measure.of(srgb8)
    except MemoryError:
        raise
    except TrueHueError as error:
        return unscored(measure, image_id, str(error))
    except Exception as error:
        log.exception("the image %s could not be scored by %s", image_id, measure.id)
        return unscored(measure, image_id, f"Scoring broke off: {type(error).__name__}: {error}")
    value = float(value)
    if not math.isfinite(value) or not _within(measure, value):
        text = f"{measure.name} gave {value:g}, which is not in its range, {measure.bounds_text}."
        return unscored(measure, image_id, text)
    return ScoreRecord(
        IMAGE,
        image_id,
        measure.id,
        measure.version,
        value,
        parameters=measure.parameters,
        numbers=numbers,
        provenance={"truehue": VERSION},
    )


def unscored(measure: Measure, image_id: str, reason: str) -> ScoreRecord:
    """The score of an image that has none, with the reason."""
    return ScoreRecord(
        IMAGE,
        image_id,
        measure.id,
        measure.version,
        None,
        UNSCORED,
        reason,
        parameters=measure.parameters,
        provenance={"truehue": VERSION},
    )


def _within(measure: Measure, value: float) -> bool:
    low, high = measure.low, measure.high
    return (low is None or value >= low) and (high is None or value <= high)


_DRAWN_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class ScoreMean:
    """``mean`` of the ``scored`` of ``items`` items, None without any.

    ``low`` and ``high`` are its 95% percentile bootstrap interval over ``prompts`` prompts, None
    where resampling tells nothing. ``unscored`` counts items by the reason; those that were never
    looked at are ``missing``.
    """

    mean: float | None
    low: float | None
    high: float | None
    scored: int
    items: int
    prompts: int
    unscored: Mapping[str, int] = field(default_factory=dict)

    @property
    def missing(self) -> int:
        """How many items nobody has looked at."""
        return self.items - self.scored - sum(self.unscored.values())


def score_mean(
    sums: Sequence[float],
    counts: Sequence[int],
    items: int,
    unscored: Mapping[str, int],
) -> ScoreMean:
    """The mean over all items of some prompts: ``sums`` of the scores of each prompt and ``counts``
    of them, prompt by prompt.

    The images of one prompt are alike, so prompts are resampled
    (:mod:`truehue.core.analysis.intervals`).
    """
    total, scored = np.asarray(sums, dtype=np.float64), np.asarray(counts, dtype=np.int64)
    number = int(scored.sum())
    if not number:
        return ScoreMean(None, None, None, 0, items, 0, unscored)
    between = interval(_resampled(total, scored)) if len(total) > 1 else None
    low, high = between or (None, None)
    return ScoreMean(float(total.sum()) / number, low, high, number, items, len(total), unscored)


def delta_sat_of_mean(saturation: ScoreMean) -> ScoreMean:
    """ΔSat of the mean of a set: |mean saturation − 0.33|, of the mean of its ``mean_saturation``.

    Its interval is what the distance takes over the interval of the mean: it begins at 0 where that
    encloses 0.33.
    """
    if saturation.mean is None:
        return saturation
    mean = abs(saturation.mean - NATURAL_SATURATION)
    if saturation.low is None or saturation.high is None:
        return replace(saturation, mean=mean)
    low, high = saturation.low - NATURAL_SATURATION, saturation.high - NATURAL_SATURATION
    near = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return replace(saturation, mean=mean, low=near, high=max(abs(low), abs(high)))


def _resampled(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """float64 ``(RESAMPLES,)``: the mean in resamples of the prompts."""
    rng = np.random.default_rng((SEED, len(sums)))
    at_once = max(1, _DRAWN_AT_ONCE // len(sums))
    means = []
    for start in range(0, RESAMPLES, at_once):
        integers = rng.integers(len(sums), size=(min(at_once, RESAMPLES - start), len(sums)))
        means.append(sums[integers].sum(axis=1) / counts[integers].sum(axis=1))
    return np.concatenate(means)
