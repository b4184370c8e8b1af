"""Validation of metrics against people on the page: numbers, the paper's Table 3, conclusions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypedDict

import numpy as np

from truehue.annotation.report import Summary
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import Material, StudyPlan
from truehue.annotation.validation import (
    MIN_PAIRS,
    ChoiceValidation,
    Compared,
    Difference,
    Interval,
    RatingValidation,
    Validation,
    candidates,
    nearest,
)
from truehue.core.published import table
from truehue.tabs.page.errors import count_noun
from truehue.tabs.studies.metrics import MISSING, StudyMetric
from truehue.tabs.studies.results_numbers import (
    StudyNumberJson,
    few_people_of_cases,
    number,
    percent,
    two_decimals,
)

MAX_TIMES = 50
"""More votes than so many times those there are are no advice."""
_MAX_NAMED = 5
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
    if pairs < MIN_PAIRS:
        return [
            f"{count_noun(pairs, 'pair')} {'has' if pairs == 1 else 'have'} votes so far: metrics are "
            f"compared from {MIN_PAIRS} on."
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
        if np.isfinite(row.ranked_by.value) and row.items < MIN_PAIRS
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
    if near is None or (near.votes_needed or 0) > MAX_TIMES * metric_evidence.number:
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
    number = validation.pearson
    return (
        f"{two_decimals(number.value)} ({two_decimals(number.low)} to {two_decimals(number.high)})"
    )


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, the first few."""
    shown = list(names[:_MAX_NAMED])
    if len(names) > _MAX_NAMED:
        shown.append(f"{len(names) - _MAX_NAMED} more")
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _rounded(votes: int) -> int:
    """Two digits: the estimate is no better."""
    size = 10 ** max(0, len(str(votes)) - 2)
    return -(-votes // size) * size


def rating_sentences(summary: Summary, metrics: Sequence[StudyMetric]) -> list[str]:
    """What ratings say of the metrics, by the correlation of ranks with the mean ratings."""
    names = {metric.id: metric.name for metric in metrics}
    rows = summary.rating_validations
    images = max((row.images for row in rows), default=0)
    if images < MIN_PAIRS:
        return [_few(images, "image", "ratings")]
    best = nearest(rows)
    if best is None or not best.spearman.low > 0:
        return ["These ratings do not show that any metric agrees with people."]
    number = best.spearman
    headline = (
        f"{names[best.metric]} agrees best with people: rank correlation {two_decimals(number.value)} "
        f"({two_decimals(number.low)} to {two_decimals(number.high)}) with the mean ratings of "
        f"{best.images} images.{_inter_rater(summary)}"
    )
    metric_evidence = MetricEvidence("ratings", summary.answers - summary.skips)
    return compared(headline, rows, summary.differences.get("", ()), names, metric_evidence)


def _inter_rater(summary: Summary) -> str:
    """How far two people agree, which tells what a correlation with their mean is worth."""
    between = summary.inter_rater
    if between is None or not np.isfinite(between.low):
        return ""
    return (
        f" Two people's ratings of the same images correlate by {two_decimals(between.value)} "
        f"({two_decimals(between.low)} to {two_decimals(between.high)}); a metric can exceed that, "
        "because the mean of several people varies less than one person's ratings."
    )


def choice_sentences(summary: Summary, metrics: Sequence[StudyMetric]) -> list[str]:
    """What choices of the best of four say of the metrics, by their agreement with most people."""
    names = {metric.id: metric.name for metric in metrics}
    rows = summary.choice_validations
    sets = max((row.sets for row in rows), default=0)
    if sets < MIN_PAIRS:
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
    return f"{count_noun(count, label)} {verb} {having} so far: metrics are compared from {MIN_PAIRS} on."


class StudyUnscoredReason(TypedDict):
    """How many candidates a metric left out for a reason."""

    words: str
    candidates: int


class MetricAbout(TypedDict):
    """A metric; ``turned`` says that less of it is better."""

    metric: str
    name: str
    unit: str
    source: str
    formula: str
    turned: bool
    unscored_why: list[StudyUnscoredReason]


class MetricNumbers(TypedDict):
    """How far a metric agrees with people."""

    pearson: StudyNumberJson
    spearman: StudyNumberJson
    agreement: StudyNumberJson


class PublishedNumbers(TypedDict):
    """A row of the paper's Table 3."""

    pearson: float | None
    spearman: float | None
    agreement: float | None


class MetricRow(MetricAbout, MetricNumbers):
    """A metric against people's answers; ``pairs`` are what it is compared over."""

    kendall: StudyNumberJson | None
    agreement_decided: StudyNumberJson
    chance: float | None
    pairs: int
    unscored: int
    metric_ties: int
    vote_ties: int
    published: PublishedNumbers | None


class GroupMetric(MetricNumbers):
    """A metric within a group of cases."""

    metric: str
    name: str
    pairs: int


class GroupMetrics(TypedDict):
    """The metrics within a group of cases, and what follows from them."""

    group: str
    cases: int
    pairs: int
    why: str
    sentence: str
    rows: list[GroupMetric]


class PublishedSource(TypedDict):
    """Where published numbers are from."""

    title: str
    source: str
    url: str
    notes: list[str]


class MissingMetric(TypedDict):
    """A metric that is not computed, and why."""

    name: str
    why: str


class MetricValidity(TypedDict):
    """Every metric against people's answers, and what follows."""

    why: str
    kind: str
    of: str
    pairs: int
    cases: int
    rows: list[MetricRow]
    published: PublishedSource | None
    sentences: list[str]
    caution: str
    groups: list[GroupMetrics]
    missing: list[MissingMetric]


def validation_json(
    plan: StudyPlan, summary: Summary, metrics: Sequence[StudyMetric]
) -> MetricValidity:
    """Every metric against the answers of a summary."""
    by_id = {metric.id: metric for metric in metrics}
    compared = plan.material is Material.DISTRIBUTIONS and plan.kind is Kind.PAIRS
    rows: list[MetricRow]
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


def _about(metric: StudyMetric) -> MetricAbout:
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


def _of_pairs(validation: Validation, metric: StudyMetric, compared: bool) -> MetricRow:
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


def _of_ratings(rating_validation: RatingValidation, metric: StudyMetric) -> MetricRow:
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


def _of_choices(choice_validation: ChoiceValidation, metric: StudyMetric) -> MetricRow:
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


def _numbers(validation: Validation) -> MetricNumbers:
    return {
        "pearson": _number(validation.pearson),
        "spearman": _number(validation.spearman),
        "agreement": _number(validation.agreement),
    }


def _number(interval: Interval) -> StudyNumberJson:
    return number(interval.value, interval.low, interval.high, _STILL, _FEW_CASES)


def _groups(
    plan: StudyPlan, summary: Summary, by_id: Mapping[str, StudyMetric]
) -> list[GroupMetrics]:
    cases: dict[str, int] = {}
    for case in plan.cases:
        if case.group:
            cases[case.group] = cases.get(case.group, 0) + 1
    if len(cases) < 2:
        return []
    groups: list[GroupMetrics] = []
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
                "why": "" if validations else f"Fewer than {MIN_PAIRS} pairs have votes here.",
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
def _published_rows() -> Mapping[str, PublishedNumbers]:
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


def _published() -> PublishedSource:
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
