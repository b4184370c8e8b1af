"""Which metric to trust where images are rated, or the best of four is chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotation.report import Summary
from annotation.validation.differences import LEAST_PAIRS
from annotation.validation.metrics import Interval
from tabs.page.errors import many
from tabs.studies.metrics import StudyMetric
from tabs.studies.results_numbers import percent, two
from tabs.studies.trust import listed

Row = tuple[str, Interval]
"""The name of a metric and what it is judged by."""


def rating_sentences(summary: Summary, metrics: Sequence[StudyMetric]) -> list[str]:
    """What ratings say of the metrics, by the correlation of ranks with the mean ratings."""
    names = {metric.id: metric.name for metric in metrics}
    images = max((one.images for one in summary.rating_validations), default=0)
    if images < LEAST_PAIRS:
        return [_few(images, "image", "ratings")]
    rows = [(names[one.metric], one.spearman) for one in summary.rating_validations]
    able = _able(rows)
    if not able or not able[0][1].low > 0:
        return ["These ratings do not show that any metric says what people say."]
    name, best = able[0]
    headline = (
        f"{name} is nearest to people: correlation of ranks {two(best.value)} ({two(best.low)} to "
        f"{two(best.high)}) with the mean ratings of {images} images."
    )
    return [headline, *_others(able)]


def choice_sentences(summary: Summary, metrics: Sequence[StudyMetric]) -> list[str]:
    """What choices of the best of four say of the metrics, by their agreement with most people."""
    names = {metric.id: metric.name for metric in metrics}
    sets = max((one.sets for one in summary.choice_validations), default=0)
    if sets < LEAST_PAIRS:
        return [_few(sets, "set", "answers and a metric of all four")]
    chance = {names[one.metric]: one.chance for one in summary.choice_validations}
    able = _able([(names[one.metric], one.agreement) for one in summary.choice_validations])
    if not able or not able[0][1].low > chance[able[0][0]]:
        return ["These choices do not show that any metric finds the best of four."]
    name, best = able[0]
    headline = (
        f"{name} is nearest to people: it finds the one that most of them chose in "
        f"{percent(best.value)} ({percent(best.low)} to {percent(best.high)}) of {sets} sets; "
        f"by chance it would be {percent(chance[name])}."
    )
    return [headline, *_others(able)]


def _able(rows: Sequence[Row]) -> list[Row]:
    """Those that have a number, the nearest to people first."""
    able = [row for row in rows if np.isfinite(row[1].value) and np.isfinite(row[1].low)]
    return sorted(able, key=lambda row: -row[1].value)


def _few(count: int, what: str, having: str) -> str:
    verb = "has" if count == 1 else "have"
    return (
        f"{many(count, what)} {verb} {having} so far: metrics are compared from {LEAST_PAIRS} on."
    )


def _others(able: Sequence[Row]) -> list[str]:
    """Intervals that overlap do not tell metrics apart."""
    (_, best), *rest = able
    close = [name for name, one in rest if one.high >= best.low]
    behind = [name for name, one in rest if one.high < best.low]
    told = []
    if behind:
        told.append(f"{listed(behind)} {'is' if len(behind) == 1 else 'are'} behind it.")
    if close:
        told.append(
            f"{listed(close)} cannot be told from it: the intervals overlap. More images or people "
            "make them narrower: four times as many, half as wide."
        )
    return told
