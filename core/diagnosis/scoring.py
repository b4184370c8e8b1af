"""One picture judged by every rule, against its true color and the near ones: rows of numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from truehue.core.diagnosis.colors import ColorQuery
from truehue.core.errors import TrueHueError
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import MaskCache, Measurement, measure, unscored_measurement
from truehue.core.verdict.rules import UNSCORED

TRUE, NEAR = "true", "near"


@dataclass(frozen=True, slots=True)
class JudgmentRow:
    """One judgment; the codebook of ``verdicts.csv.gz`` (truehue.core.diagnosis.verdicts) says what
    each column means. None is an empty field."""

    object: str
    light: str
    seed: int
    system: str
    color: str
    second: str
    asked: str
    relation: str
    rule: str
    status: str
    delta_e00: float | None
    delta_chroma: float | None
    hue_deg: float | None
    margin: float | None
    confidence_percent: float | None

    def as_fields(self) -> list[str]:
        """The row as text, numbers with six significant digits."""
        return [_text(getattr(self, name)) for name in COLUMNS]

    @classmethod
    def from_fields(cls, values: Sequence[str]) -> JudgmentRow:
        """The row of that text. Raises ValueError for another number of fields or no numbers."""
        if len(values) != len(COLUMNS):
            raise ValueError(f"{len(values)} fields instead of {len(COLUMNS)}")
        numbers = [float(value) if value else None for value in values[_FIRST_NUMBER:]]
        # A run has hundreds of thousands of rows, and their words are few.
        object_name, light, seed, *parts = map(sys.intern, values[:_FIRST_NUMBER])
        return cls(object_name, light, int(seed), *parts, *numbers)  # type: ignore[arg-type]


COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(JudgmentRow))
_FIRST_NUMBER = COLUMNS.index("delta_e00")


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def margin(measurement: Measurement) -> float | None:
    """The largest share of its limit that a judged metric takes: a pass is below 1.

    A metric without a limit is reported only, and left out. None for an unscored verdict.
    """
    shares = [
        metric.value / metric.threshold
        for metric in measurement.verdict.metrics
        if metric.threshold is not None
    ]
    return max(shares, default=None) if measurement.verdict.status != UNSCORED else None


def judged(
    srgb8: np.ndarray,
    mask: np.ndarray,
    question: ColorQuery,
    rule_ids: Sequence[str],
    k: int = 0,
    **about: Any,
) -> Iterator[JudgmentRow]:
    """Rows of every rule and every color asked, ``k`` neighbors accepted; ``about`` are the Row's
    object, light, seed, color, system and second.

    What does not depend on the color asked is computed once for all of them
    (truehue.core.verdict.measure.MaskCache). A rule that cannot judge gives rows that are unscored.
    """
    cache, acceptance = MaskCache(), Acceptance(k, system=about["system"])
    for number, target in enumerate(question.targets):
        for rule_id in rule_ids:
            try:
                measurement = measure(
                    srgb8, mask, target, rule_id, acceptance=acceptance, cache=cache
                )
            except TrueHueError as error:
                measurement = unscored_measurement(str(error), target, rule_id)
            yield row(measurement, NEAR if number else TRUE, **about)


def row(measurement: Measurement, relation: str, **about: Any) -> JudgmentRow:
    """The row of one measurement."""
    verdict = measurement.verdict
    values = {metric.name: float(metric.value) for metric in verdict.metrics}
    confidence = verdict.confidence_percent
    return JudgmentRow(
        asked=measurement.target.label,
        relation=relation,
        rule=verdict.rule,
        status=verdict.status,
        delta_e00=values.get("delta_e00"),
        delta_chroma=values.get("delta_chroma"),
        hue_deg=values.get("hue_deg"),
        margin=margin(measurement),
        confidence_percent=None if confidence is None else float(confidence),
        **about,
    )


def unscored_rows(
    question: ColorQuery, rule_ids: Sequence[str], **about: Any
) -> Iterator[JudgmentRow]:
    """The rows of a picture that could not be had, as :func:`judged`."""
    for number, target in enumerate(question.targets):
        for rule_id in rule_ids:
            measurement = unscored_measurement("There is no image to score.", target, rule_id)
            yield row(measurement, NEAR if number else TRUE, **about)
