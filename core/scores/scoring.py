"""Scores of pixels by measures; what cannot be scored is unscored with its reason."""

from __future__ import annotations

import logging
import math

import numpy as np

from truehue.core.errors import TrueHueError
from truehue.core.scores.records import IMAGE, UNSCORED, Measure, ScoreRecord
from truehue.core.version import VERSION

log = logging.getLogger("truehue")


def score_image(measure: Measure, image_id: str, srgb8: np.ndarray) -> ScoreRecord:
    """What a measure says of an image, uint8 sRGB ``(H, W, 3)``.

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
