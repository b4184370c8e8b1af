"""Metrics against people as the page shows them, the paper's Table 3 beside, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from annotation.report import Summary
from annotation.studies.cases import Kind
from annotation.studies.plan import Material, StudyPlan
from annotation.validation.differences import LEAST_PAIRS
from annotation.validation.metrics import Interval, Validation
from core.published import table
from tabs.studies.metrics import MISSING, StudyMetric
from tabs.studies.results_numbers import number
from tabs.studies.trust import trust_sentences

TABLE_3 = "colorconceptbench-table3"
_STILL = (
    "A correlation needs more than two pairs in which the metric tells the models apart and people "
    "do too."
)
_FEW_CASES = "Intervals resample cases, and there are too few."


def validation_json(
    plan: StudyPlan, summary: Summary, metrics: Sequence[StudyMetric]
) -> dict[str, Any]:
    """Every metric against the votes of a summary."""
    by_id = {metric.id: metric for metric in metrics}
    compared = plan.material is Material.DISTRIBUTIONS
    rows = [_row(one, by_id[one.metric], compared) for one in summary.validations]
    why = _why_nothing(plan, summary, metrics)
    return {
        "why": why,
        "pairs": max((one.pairs + one.unscored for one in summary.validations), default=0),
        "cases": len(plan.cases),
        "rows": rows,
        "published": _published() if compared and rows else None,
        "sentences": trust_sentences(summary, metrics) if rows else [],
        "groups": _groups(plan, summary, metrics) if rows else [],
        "missing": [{"name": name, "why": words} for name, words in MISSING],
    }


def _why_nothing(plan: StudyPlan, summary: Summary, metrics: Sequence[StudyMetric]) -> str:
    if plan.kind is not Kind.PAIRS:
        return "Metrics are compared with people's choices between two: this study asks otherwise."
    if not metrics:
        return (
            "No metric has a number of these candidates: they have no distributions, and no run "
            "that is shown has judged their images."
        )
    return "" if summary.validations else "There are no votes yet."


def _row(one: Validation, metric: StudyMetric, compared: bool) -> dict[str, Any]:
    return {
        "metric": metric.id,
        "name": metric.name,
        "unit": metric.unit,
        "source": metric.source,
        "formula": metric.formula,
        "turned": metric.turned,
        **_numbers(one),
        "agreement_decided": _number(one.agreement_decided),
        "pairs": one.pairs,
        "unscored": one.unscored,
        "unscored_why": [
            {"words": words, "candidates": count} for words, count in metric.unscored.items()
        ],
        "metric_ties": one.metric_ties,
        "vote_ties": one.vote_ties,
        "published": _published_rows().get(metric.published) if compared else None,
    }


def _numbers(one: Validation) -> dict[str, Any]:
    return {
        "pearson": _number(one.pearson),
        "spearman": _number(one.spearman),
        "agreement": _number(one.agreement),
    }


def _number(interval: Interval) -> dict[str, Any]:
    return number(interval.value, interval.low, interval.high, _STILL, _FEW_CASES)


def _groups(
    plan: StudyPlan, summary: Summary, metrics: Sequence[StudyMetric]
) -> list[dict[str, Any]]:
    by_id = {metric.id: metric for metric in metrics}
    cases: dict[str, int] = {}
    for case in plan.cases:
        if case.group:
            cases[case.group] = cases.get(case.group, 0) + 1
    if len(cases) < 2:
        return []
    told = []
    for name, count in sorted(cases.items()):
        validations = summary.group_validations.get(name, ())
        told.append(
            {
                "group": name,
                "cases": count,
                "pairs": max((one.pairs + one.unscored for one in validations), default=0),
                "why": "" if validations else f"Fewer than {LEAST_PAIRS} pairs have votes here.",
                "sentence": " ".join(trust_sentences(summary, metrics, name)[:1]),
                "rows": [
                    {
                        "metric": one.metric,
                        "name": by_id[one.metric].name,
                        **_numbers(one),
                        "pairs": one.pairs,
                    }
                    for one in validations
                ],
            }
        )
    return told


@cache
def _published_rows() -> Mapping[str, dict[str, float | None]]:
    """The rows of Table 3 by the name of their metric; agreement as a share."""
    return {
        row.keys["metric"]: {
            "pearson": row.values["Pearson"],
            "spearman": row.values["Spearman"],
            "agreement": None
            if (agreement := row.values["Agreement"]) is None
            else agreement / 100,
        }
        for row in table(TABLE_3).rows
    }


def _published() -> dict[str, Any]:
    published = table(TABLE_3)
    return {
        "title": f"{published.number}, as published",
        "source": published.source,
        "url": published.paper.url,
        "notes": [
            published.how,
            "Published numbers are the authors' own: other models and people. They stand beside "
            "and are never ranked with yours.",
            *published.notes,
        ],
    }
