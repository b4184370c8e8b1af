"""Metrics against people as the page shows them, the paper's Table 3 beside, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from truehue.annotation.report import Summary
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import Material, StudyPlan
from truehue.annotation.validation.metrics import LEAST_PAIRS, Interval, Validation
from truehue.annotation.validation.scales import ChoiceValidation, RatingValidation
from truehue.core.published import table
from truehue.tabs.studies.metric_validity import trust_sentences
from truehue.tabs.studies.metric_validity_scales import choice_sentences, rating_sentences
from truehue.tabs.studies.metrics import MISSING, StudyMetric
from truehue.tabs.studies.results_numbers import few_people_of_cases, number

Json = dict[str, Any]
TABLE_3 = "colorconceptbench-table3"
_STILL = "A correlation needs more than two stimuli for which both the metric and people differ."
_FEW_CASES = "Intervals resample cases, and there are too few."
_NO_SETS = "No set of four has the metric of all of its candidates, and answers."
OF_WHAT = {
    Kind.PAIRS: "pairs",
    Kind.RATINGS: "images",
    Kind.BEST_OF: "sets of four",
    Kind.COLORINGS: "concepts",
    Kind.QUESTIONS: "questions",
}
"""What a metric is compared with people over, by the kind of study."""


def validation_json(plan: StudyPlan, summary: Summary, metrics: Sequence[StudyMetric]) -> Json:
    """Every metric against the answers of a summary."""
    by_id = {metric.id: metric for metric in metrics}
    compared = plan.material is Material.DISTRIBUTIONS and plan.kind is Kind.PAIRS
    rows: list[Json]
    if plan.kind is Kind.PAIRS:
        rows = [
            _of_pairs(validation, by_id[validation.metric], compared)
            for validation in summary.validations
        ]
        sentences = trust_sentences(summary, metrics) if rows else []
    elif plan.kind is Kind.RATINGS:
        rows = [
            _of_ratings(rating_validation, by_id[rating_validation.metric])
            for rating_validation in summary.rating_validations
        ]
        sentences = rating_sentences(summary, metrics) if rows else []
    else:
        rows = [
            _of_choices(choice_validation, by_id[choice_validation.metric])
            for choice_validation in summary.choice_validations
        ]
        sentences = choice_sentences(summary, metrics) if rows else []
    return {
        "why": "" if rows else _why_nothing(plan, metrics),
        "kind": plan.kind,
        "of": OF_WHAT[plan.kind],
        "pairs": max((row["pairs"] + row["unscored"] for row in rows), default=0),
        "cases": len(plan.cases),
        "rows": rows,
        "published": _published() if compared and rows else None,
        "sentences": sentences,
        "caution": few_people_of_cases(summary.people) if rows else "",
        "groups": _groups(plan, summary, by_id) if rows and plan.kind is Kind.PAIRS else [],
        "missing": [{"name": name, "why": text} for name, text in MISSING],
    }


def _why_nothing(plan: StudyPlan, metrics: Sequence[StudyMetric]) -> str:
    if plan.kind is Kind.COLORINGS:
        return (
            "There is no model in this study. Make distributions from the colorings, and "
            "compare models with them."
        )
    if plan.kind is Kind.QUESTIONS:
        return (
            "No model is part of this study. The tab VLMs shows the models' answers to the same "
            "questions."
        )
    if not metrics:
        return (
            "No metric has values for these candidates: they have no distributions, and no "
            "visible run has scored their images."
        )
    return "There are no votes yet."


def _about(metric: StudyMetric) -> Json:
    return {
        "metric": metric.id,
        "name": metric.name,
        "unit": metric.unit,
        "source": metric.source,
        "formula": metric.formula,
        "turned": metric.turned,
        "unscored_why": [
            {"words": text, "candidates": count} for text, count in metric.unscored.items()
        ],
    }


def _of_pairs(validation: Validation, metric: StudyMetric, compared: bool) -> Json:
    return {
        **_about(metric),
        **_numbers(validation),
        "kendall": None,
        "agreement_decided": _number(validation.agreement_decided),
        "chance": None,
        "pairs": validation.pairs,
        "unscored": validation.unscored,
        "metric_ties": validation.metric_ties,
        "vote_ties": validation.vote_ties,
        "published": _published_rows().get(metric.published) if compared else None,
    }


def _of_ratings(rating_validation: RatingValidation, metric: StudyMetric) -> Json:
    agreement = "Agreement applies to choices; ratings have correlations."
    return {
        **_about(metric),
        "pearson": _number(rating_validation.pearson),
        "spearman": _number(rating_validation.spearman),
        "kendall": _number(rating_validation.kendall),
        "agreement": number(None, why=agreement),
        "agreement_decided": number(None, why=agreement),
        "chance": None,
        "pairs": rating_validation.images,
        "unscored": rating_validation.unscored,
        "metric_ties": 0,
        "vote_ties": 0,
        "published": None,
    }


def _of_choices(choice_validation: ChoiceValidation, metric: StudyMetric) -> Json:
    correlation = "Correlations apply to pairs and ratings; best of four has agreement."
    agreement = choice_validation.agreement
    return {
        **_about(metric),
        "pearson": number(None, why=correlation),
        "spearman": number(None, why=correlation),
        "kendall": None,
        "agreement": number(agreement.value, agreement.low, agreement.high, _NO_SETS, _FEW_CASES),
        "agreement_decided": number(None, why="Best of four has no other agreement measure."),
        "chance": choice_validation.chance if choice_validation.sets else None,
        "pairs": choice_validation.sets,
        "unscored": choice_validation.unscored,
        "metric_ties": 0,
        "vote_ties": 0,
        "published": None,
    }


def _numbers(validation: Validation) -> Json:
    return {
        "pearson": _number(validation.pearson),
        "spearman": _number(validation.spearman),
        "agreement": _number(validation.agreement),
    }


def _number(interval: Interval) -> Json:
    return number(interval.value, interval.low, interval.high, _STILL, _FEW_CASES)


def _groups(plan: StudyPlan, summary: Summary, by_id: Mapping[str, StudyMetric]) -> list[Json]:
    cases: dict[str, int] = {}
    for case in plan.cases:
        if case.group:
            cases[case.group] = cases.get(case.group, 0) + 1
    if len(cases) < 2:
        return []
    groups = []
    for name, count in sorted(cases.items()):
        validations = summary.group_validations.get(name, ())
        sentences = trust_sentences(summary, list(by_id.values()), name) if validations else []
        groups.append(
            {
                "group": name,
                "cases": count,
                "pairs": max(
                    (validation.pairs + validation.unscored for validation in validations),
                    default=0,
                ),
                "why": "" if validations else f"Fewer than {LEAST_PAIRS} pairs have votes here.",
                "sentence": " ".join(sentences[:1]),
                "rows": [
                    {
                        "metric": validation.metric,
                        "name": by_id[validation.metric].name,
                        **_numbers(validation),
                        "pairs": validation.pairs,
                    }
                    for validation in validations
                ],
            }
        )
    return groups


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


def _published() -> Json:
    published = table(TABLE_3)
    return {
        "title": f"{published.number}, as published",
        "source": published.source,
        "url": published.paper.url,
        "notes": [
            published.how,
            "Published numbers come from other models and people. They are shown for "
            "comparison and not ranked with yours.",
            *published.notes,
        ],
    }
