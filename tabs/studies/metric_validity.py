"""One plain answer to "which metric shall I trust?", said only as far as the votes carry it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.annotation.report import Summary
from truehue.annotation.validation.metrics import (
    LEAST_PAIRS,
    Compared,
    Difference,
    Validation,
    candidates,
    nearest,
)
from truehue.tabs.page.errors import counted
from truehue.tabs.studies.metrics import StudyMetric
from truehue.tabs.studies.results_numbers import percent, two

MOST_TIMES = 50
"""More votes than so many times those there are are no advice."""
_MOST_NAMED = 5


@dataclass(frozen=True)
class MetricEvidence:
    """What people gave: so many ``votes``, ``ratings`` or ``choices``."""

    name: str
    number: int


def trust_sentences(summary: Summary, metrics: Sequence[StudyMetric], group: str = "") -> list[str]:
    """What the votes say of the metrics, the headline first; within a group where one is named.

    Metrics are told apart by the interval of the difference of their correlations.
    """
    rows = summary.group_validations.get(group, ()) if group else summary.validations
    names = {metric.id: metric.name for metric in metrics}
    pairs = max((row.pairs for row in rows), default=0)
    if pairs < LEAST_PAIRS:
        return [
            f"{counted(pairs, 'pair')} {'has' if pairs == 1 else 'have'} votes so far: metrics are "
            f"compared from {LEAST_PAIRS} on."
        ]
    best = nearest(rows)
    if best is None:
        return [
            "No metric distinguishes these candidates as people do, so none can be recommended."
        ]
    if not best.pearson.low > 0:
        return [
            "These votes do not show that any metric agrees with people: the highest "
            f"correlation is {_correlation(best)}, of {names[best.metric]}."
        ]
    headline = (
        f"{names[best.metric]} agrees best with people: correlation {_correlation(best)} over "
        f"{best.pairs} pairs, and it prefers the same model as most people in "
        f"{percent(best.agreement.value)} of them."
    )
    votes = summary.ranking.votes if summary.ranking else 0
    apart = summary.differences.get(group, ())
    return compared(headline, rows, apart, names, MetricEvidence("votes", votes))


def compared(
    headline: str,
    rows: Sequence[Compared],
    differences: Sequence[Difference],
    names: Mapping[str, str],
    metric_evidence: MetricEvidence,
) -> list[str]:
    """The headline with what is behind the metric that it names and what is not, and what follows
    from that."""
    few = [
        names[row.metric]
        for row in rows
        if np.isfinite(row.ranked_by.value) and row.items < LEAST_PAIRS
    ]
    behind = [names[difference.other] for difference in differences if difference.apart]
    open_ = [difference for difference in differences if not difference.apart]
    return [
        f"{headline}{_apart(behind, [names[difference.other] for difference in open_], metric_evidence)}",
        *([f"{listed(few)} {_are(few)} not compared: too few values."] if few else []),
        *_wanted(metric_evidence, open_, names),
        *_many_metrics(len(candidates(rows))),
    ]


def _apart(behind: Sequence[str], open_: Sequence[str], metric_evidence: MetricEvidence) -> str:
    if open_ and not behind:
        return (
            f" But these {metric_evidence.name} do not distinguish it from any other metric here: "
            f"{listed(open_)}."
        )
    if open_:
        text = f"{listed(behind)} {_are(behind)} behind it"
        return f" {text}; {listed(open_)} cannot be distinguished from it."
    return f" All others agree less: {listed(behind)}." if behind else ""


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _wanted(
    metric_evidence: MetricEvidence, open_: Sequence[Difference], names: Mapping[str, str]
) -> list[str]:
    """How many votes would tell the best from the one that is nearest to being told apart."""
    able = [difference for difference in open_ if difference.votes_needed is not None]
    if not open_ or not metric_evidence.number:
        return []
    near = min(able, key=lambda difference: difference.votes_needed or 0, default=None)
    if near is None or (near.votes_needed or 0) > MOST_TIMES * metric_evidence.number:
        return [
            "The differences are too small for a study of usual size. Choose the metric that "
            "is easier to explain."
        ]
    return [
        f"About {_rounded(near.votes_needed or 0):,} {metric_evidence.name} instead of "
        f"{metric_evidence.number:,}, on proportionally more concepts or prompts, would distinguish it "
        f"from {names[near.other]}, if the difference is as large as estimated now."
    ]


def _many_metrics(count: int) -> list[str]:
    if count < 8:
        return []
    return [
        f"{count} metrics were compared with the same answers, so the best one looks slightly "
        "better than it is. Confirm it in another study before you rely on it."
    ]


def _correlation(validation: Validation) -> str:
    return f"{two(validation.pearson.value)} ({two(validation.pearson.low)} to {two(validation.pearson.high)})"


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
