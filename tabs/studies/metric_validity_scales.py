"""Which metric to trust where images are rated, or the best of four is chosen."""

from __future__ import annotations

from collections.abc import Sequence

from truehue.annotation.report import Summary
from truehue.annotation.validation.metrics import LEAST_PAIRS, nearest
from truehue.tabs.page.errors import counted
from truehue.tabs.studies.metric_validity import MetricEvidence, compared
from truehue.tabs.studies.metrics import StudyMetric
from truehue.tabs.studies.results_numbers import percent, two


def rating_sentences(summary: Summary, metrics: Sequence[StudyMetric]) -> list[str]:
    """What ratings say of the metrics, by the correlation of ranks with the mean ratings."""
    names = {metric.id: metric.name for metric in metrics}
    rows = summary.rating_validations
    images = max((row.images for row in rows), default=0)
    if images < LEAST_PAIRS:
        return [_few(images, "image", "ratings")]
    best = nearest(rows)
    if best is None or not best.spearman.low > 0:
        return ["These ratings do not show that any metric agrees with people."]
    number = best.spearman
    headline = (
        f"{names[best.metric]} agrees best with people: rank correlation {two(number.value)} "
        f"({two(number.low)} to {two(number.high)}) with the mean ratings of {best.images} images."
    )
    metric_evidence = MetricEvidence("ratings", summary.answers - summary.skips)
    return compared(headline, rows, summary.differences.get("", ()), names, metric_evidence)


def choice_sentences(summary: Summary, metrics: Sequence[StudyMetric]) -> list[str]:
    """What choices of the best of four say of the metrics, by their agreement with most people."""
    names = {metric.id: metric.name for metric in metrics}
    rows = summary.choice_validations
    sets = max((row.sets for row in rows), default=0)
    if sets < LEAST_PAIRS:
        return [_few(sets, "set", "answers and a metric of all four")]
    best = nearest(rows)
    if best is None or not best.agreement.low > best.chance:
        return ["These choices do not show that any metric finds the best of four images."]
    number = best.agreement
    headline = (
        f"{names[best.metric]} agrees best with people: it finds their most frequent choice "
        f"in {percent(number.value)} ({percent(number.low)} to {percent(number.high)}) of "
        f"{best.sets} sets; by chance it would be {percent(best.chance)}."
    )
    metric_evidence = MetricEvidence("choices", summary.answers - summary.skips)
    return compared(headline, rows, summary.differences.get("", ()), names, metric_evidence)


def _few(count: int, label: str, having: str) -> str:
    verb = "has" if count == 1 else "have"
    return f"{counted(count, label)} {verb} {having} so far: metrics are compared from {LEAST_PAIRS} on."
