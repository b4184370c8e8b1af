"""Labels, formats and sources of the numbers of a pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NotRequired, TypedDict

from truehue.core.color.distances import Comparison
from truehue.core.concepts.metrics import METRICS as EVERY_METRIC
from truehue.core.concepts.metrics import PairNumber, ScoreMetric

_CLOSER: Mapping[str, str] = {"high": "higher is closer", "low": "lower is closer"}


@dataclass(frozen=True)
class Metric:
    """One number of a pair: ``id`` is its column in a CSV, ``field`` that of Comparison; the rest
    as :class:`truehue.core.concepts.metrics.PairNumber` has it. ``better`` is empty for a yes or
    no."""

    id: str
    field: str
    name: str
    unit: str
    decimals: int
    better: str
    formula: str
    source: str
    plain: str
    undefined: str


def _of_pair(metric: ScoreMetric, pair: PairNumber) -> Metric:
    better = _CLOSER[metric.better] if pair.decimals else ""
    return Metric(**asdict(pair), field=metric.field, better=better)


METRICS = tuple(_of_pair(metric, metric.pair) for metric in EVERY_METRIC.values() if metric.pair)


PLAINLY = " · ".join(f"{metric.name}: {metric.plain}" for metric in METRICS if metric.plain)
"""The paper's three numbers in a line of words."""


class PairMetric(TypedDict):
    """The heading of a number of a pair."""

    id: str
    name: str
    unit: str
    better: str
    formula: str
    source: str
    plain: str


class NumberJson(TypedDict):
    """A number of a pair; ``why`` says why there is none."""

    value: float | None
    text: str
    why: NotRequired[str]


class IntervalJson(TypedDict):
    """A 95% interval."""

    low: float
    high: float
    text: str


def metrics_json() -> list[PairMetric]:
    """The headings, in their order, with formula and source."""
    return [
        {
            "id": metric.id,
            "name": metric.name,
            "unit": metric.unit,
            "better": metric.better,
            "formula": metric.formula,
            "source": metric.source,
            "plain": metric.plain,
        }
        for metric in METRICS
    ]


def numbers_json(comparison: Comparison) -> dict[str, NumberJson]:
    """By metric: its value, and the text to show; ``why`` where there is no number."""
    return {metric.id: _cell(metric, comparison) for metric in METRICS}


def _cell(metric: Metric, comparison: Comparison) -> NumberJson:
    value: Any = getattr(comparison, metric.field)
    if value is None:
        return {"value": None, "text": "–", "why": metric.undefined}
    if isinstance(value, bool):
        return {"value": value, "text": "same" if value else "other"}
    return {"value": value, "text": format_metric(metric, value)}


def format_metric(metric: Metric, value: float) -> str:
    """A number as the page shows it, with its unit where that is short."""
    # No "-0.0", which rounding may leave.
    text = f"{round(value, metric.decimals) + 0.0:.{metric.decimals}f}".replace("-", "−")
    return f"{text}°" if metric.unit == "°" else text


def interval_json(metric: Metric, interval: tuple[float, float] | None) -> IntervalJson | None:
    """An interval as numbers and as text, ``18.2 to 31.0``."""
    if interval is None:
        return None
    low, high = (float(value) for value in interval)
    if metric.id == "dominant_equal":
        text = f"same in {100.0 * low:.0f}%"
    else:
        text = f"{format_metric(metric, low)} to {format_metric(metric, high)}"
    return {"low": low, "high": high, "text": text}
