"""What the numbers of a pair are called, how they are written, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.color.distances import Comparison

PAPER = "ColorConceptBench, section 4.3"


@dataclass(frozen=True)
class Metric:
    """One number of a pair: ``id`` is its column in a CSV, ``field`` that of Comparison; ``plain``
    says in one line what it tells, for who has not read the paper."""

    id: str
    field: str
    name: str
    unit: str
    decimals: int
    better: str
    formula: str
    source: str
    plain: str = ""


METRICS = (
    Metric(
        "pcc",
        "pcc",
        "PCC",
        "",
        3,
        "higher is closer",
        "Pearson's correlation of the shares over the 71 bins, −1 to 1",
        f"{PAPER}, equation 1",
        "do the same bins rise together? 1 is the same profile",
    ),
    Metric(
        "emd",
        "emd_lab",
        "EMD",
        "Lab",
        1,
        "lower is closer",
        "Earth mover's distance: the least of Σ mass × distance that turns one distribution "
        "into the other; the distance of two bins is Euclidean in CIELAB. Solved exactly",
        f"{PAPER}, equation 2; Rubner et al. 2000",
        "how far colors would have to move to turn one into the other, in CIELAB units",
    ),
    Metric(
        "ed",
        "entropy_difference",
        "ED",
        "nats",
        3,
        "lower is closer",
        "Difference of the entropies, |H(A) − H(B)| with H = −Σ p ln p: whether both are "
        "equally varied, not whether they have the same colors",
        f"{PAPER}, equation 3",
        "is one more varied than the other? 0 is equally varied",
    ),
    Metric(
        "dominant_equal",
        "dominant_equal",
        "Dominant bin",
        "",
        0,
        "",
        "Whether the fullest bins are the same one. DCA is the share of concepts of which this "
        "is true. Of bins equally full the first counts",
        f"{PAPER}, equation 4",
    ),
    Metric(
        "hue_deg",
        "delta_hue_deg",
        "ΔHue",
        "°",
        1,
        "lower is closer",
        "Angle between the hues of the two fullest bins, 0 to 180°. A neutral bin has no hue: "
        "then there is no number",
        f"{PAPER}, equation 5",
    ),
    Metric(
        "tv",
        "total_variation",
        "TV",
        "",
        3,
        "lower is closer",
        "Total variation: ½ Σ |p − q|, the mass that would have to move, 0 to 1; how far it "
        "would have to move does not count",
        "TrueHue, beside the paper's",
    ),
    Metric(
        "js",
        "jensen_shannon",
        "JS",
        "nats",
        3,
        "lower is closer",
        "Jensen–Shannon divergence (not its root), 0 to ln 2 = 0.693",
        "Lin 1991, IEEE Trans. Inf. Theory 37, 145; beside the paper's",
    ),
)


PLAINLY = " · ".join(f"{metric.name}: {metric.plain}" for metric in METRICS if metric.plain)
"""The paper's three numbers in a line of words."""


def metrics_json() -> list[dict[str, Any]]:
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


def numbers_json(comparison: Comparison) -> dict[str, dict[str, Any]]:
    """By metric: its value, and the text to show; ``why`` where there is no number."""
    return {metric.id: _cell(metric, comparison) for metric in METRICS}


def _cell(metric: Metric, comparison: Comparison) -> dict[str, Any]:
    value = getattr(comparison, metric.field)
    if value is None:
        return {"value": None, "text": "–", "why": _WHY[metric.id]}
    if isinstance(value, bool):
        return {"value": value, "text": "same" if value else "other"}
    return {"value": value, "text": written(metric, value)}


_WHY: Mapping[str, str] = {
    "pcc": "One of the two has the same share in every bin: there is no correlation with that.",
    "hue_deg": "The fullest bin of one of the two is neutral, which has no hue.",
}


def written(metric: Metric, value: float) -> str:
    """A number as the page shows it, with its unit where that is short."""
    # No "-0.0", which rounding may leave.
    text = f"{round(value, metric.decimals) + 0.0:.{metric.decimals}f}".replace("-", "−")
    return f"{text}°" if metric.unit == "°" else text


def interval_json(metric: Metric, interval: tuple[float, float] | None) -> dict[str, Any] | None:
    """An interval as numbers and as text, ``18.2 to 31.0``."""
    if interval is None:
        return None
    low, high = (float(value) for value in interval)
    if metric.id == "dominant_equal":
        text = f"same in {100.0 * low:.0f}%"
    else:
        text = f"{written(metric, low)} to {written(metric, high)}"
    return {"low": low, "high": high, "text": text}
