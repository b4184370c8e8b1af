"""One plain answer to "which metric shall I trust?", said only as far as the votes carry it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from annotation.report import Summary
from annotation.validation.differences import LEAST_PAIRS, Difference
from annotation.validation.metrics import Validation
from tabs.page.errors import many
from tabs.studies.metrics import StudyMetric
from tabs.studies.results_numbers import percent, two

MOST_TIMES = 50
"""More votes than so many times those there are are no advice."""
_MOST_NAMED = 5


def trust_sentences(summary: Summary, metrics: Sequence[StudyMetric], group: str = "") -> list[str]:
    """What the votes say of the metrics, the headline first; within a group where one is named.

    Metrics are told apart by the interval of the difference of their correlations.
    """
    rows = summary.group_validations.get(group, ()) if group else summary.validations
    names = {metric.id: metric.name for metric in metrics}
    able = [one for one in rows if np.isfinite(one.pearson.value)]
    pairs = max((one.pairs for one in rows), default=0)
    if pairs < LEAST_PAIRS:
        return [
            f"{many(pairs, 'pair')} {'has' if pairs == 1 else 'have'} votes so far: metrics are "
            f"compared from {LEAST_PAIRS} on."
        ]
    if not able:
        return ["No metric tells these candidates apart where people do: none can be recommended."]
    best = max(able, key=lambda one: one.pearson.value)
    apart = summary.differences.get(group, ())
    if not best.pearson.low > 0:
        return [
            "These votes do not show that any metric says what people say: the highest correlation "
            f"is {_correlation(best)}, of {names[best.metric]}."
        ]
    return [
        _headline(best, apart, names),
        *_wanted(summary, apart, names),
        *_many_metrics(len(able)),
    ]


def _headline(best: Validation, differences: Sequence[Difference], names: Mapping[str, str]) -> str:
    name = names[best.metric]
    worse = [names[one.other] for one in differences if one.apart]
    open_ = [names[one.other] for one in differences if not one.apart]
    told = f"{name} is nearest to people: correlation {_correlation(best)} over {best.pairs} pairs"
    told += f", and it prefers what most of them prefer in {percent(best.agreement.value)} of them."
    if open_ and not worse:
        return f"{told} But these votes do not tell it from any other metric here: {listed(open_)}."
    if open_:
        behind = f"{listed(worse)} {_are(worse)} behind it"
        return f"{told} {behind}; {listed(open_)} cannot be told from it."
    if worse:
        return f"{told} All others are behind it: {listed(worse)}."
    return told


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _wanted(
    summary: Summary, differences: Sequence[Difference], names: Mapping[str, str]
) -> list[str]:
    """How many votes would tell the best from the one that is nearest to being told apart."""
    votes = summary.ranking.votes if summary.ranking else 0
    open_ = [one for one in differences if not one.apart]
    able = [one for one in open_ if one.votes_needed is not None]
    if not open_ or not votes:
        return []
    near = min(able, key=lambda one: one.votes_needed or 0, default=None)
    if near is None or (near.votes_needed or 0) > MOST_TIMES * votes:
        return [
            "The differences to those are so small that no study of a usual size would tell them "
            "apart: choose by what is easier to explain."
        ]
    return [
        f"About {_rounded(near.votes_needed or 0):,} votes instead of {votes:,}, on accordingly "
        f"more concepts or prompts, would tell it from {names[near.other]}, if the difference is "
        "as large as it seems now."
    ]


def _many_metrics(count: int) -> list[str]:
    if count < 8:
        return []
    return [
        f"{count} metrics were compared with the same votes: the best of many looks a little "
        "better than it is. Try the winner on another study before you rely on it."
    ]


def _correlation(one: Validation) -> str:
    return f"{two(one.pearson.value)} ({two(one.pearson.low)} to {two(one.pearson.high)})"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, the first few."""
    shown = list(names[:_MOST_NAMED])
    if len(names) > _MOST_NAMED:
        shown.append(f"{len(names) - _MOST_NAMED} more")
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _rounded(votes: int) -> int:
    """Two digits: the estimate is no better."""
    size = 10 ** max(0, len(str(votes)) - 2)
    return -(-votes // size) * size
