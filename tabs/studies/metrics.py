"""All metrics of the models' images for the cases of a study, oriented so that more is better.

People's votes are compared with them. A metric is negated if a lower value is better.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean

from truehue.annotation.studies.cases import Candidate, Case
from truehue.annotation.studies.plan import Material, StudyPlan
from truehue.core.analysis.records import ImageVerdict
from truehue.core.color.distances import checked, compare
from truehue.core.concepts.metrics import METRICS, ScoreMetric
from truehue.core.scores.measures import measures_of
from truehue.core.scores.records import IMAGE, LOW, NEITHER
from truehue.core.verdict.rules import DIFFERS, FAIL, PASS, RULES
from truehue.tabs.page.context import Context

PASSED, DELTA_E, HUE, MISFIT, RIGHT = "passed", "delta_e00", "hue", "misfit", "right"
"""What a rule says of an image, as the first part of a metric's id; the rule is the second."""

MISSING = (
    (
        "CFM",
        "The learned score of “Too Vivid to Be Real?” is not available in this version of "
        "TrueHue, so it cannot be compared with people.",
    ),
)
"""Metrics that are wanted here and are not, each with the reason."""


@dataclass(frozen=True)
class StudyMetric:
    """One number of what a model made of a case.

    ``values`` are by case and model, turned so that more is better; ``turned`` says that less of
    the number itself is better. ``source`` and ``formula`` say where it comes from, ``unscored``
    counts candidates without it by the reason. ``published`` is its row in the paper's Table 3.
    """

    id: str
    name: str
    unit: str
    turned: bool
    source: str
    formula: str
    values: Mapping[tuple[str, str], float]
    unscored: Mapping[str, int] = field(default_factory=dict)
    published: str = ""


@dataclass(frozen=True)
class _RuleNumber:
    """What of a rule's say is a number: of one image's objects, more is better, or None."""

    kind: str
    name: str
    unit: str
    turned: bool
    formula: str
    of: Callable[[ImageVerdict], float | None]


def _passed(verdict: ImageVerdict) -> float | None:
    return {PASS: 1.0, FAIL: 0.0}.get(verdict.status)


def _right(verdict: ImageVerdict) -> float | None:
    if verdict.confidence_percent is None or verdict.status not in (PASS, FAIL):
        return None
    share = verdict.confidence_percent / 100
    return share if verdict.status == PASS else 1 - share


def _distance(name: str) -> Callable[[ImageVerdict], float | None]:
    def of(verdict: ImageVerdict) -> float | None:
        # Of an object that must not have the color, far away is right: another question.
        value = None if verdict.relation == DIFFERS else getattr(verdict, name)
        return None if value is None else -float(value)

    return of


_RULE_NUMBERS = (
    _RuleNumber(
        PASSED,
        "passed",
        "share of objects",
        False,
        "Share of an image's target objects that the rule scores as the target color, 0 to 1",
        _passed,
    ),
    _RuleNumber(
        DELTA_E,
        "ΔE00",
        "ΔE00",
        True,
        "Mean CIEDE2000 difference between the objects and their target colors, as the rule "
        "measures it",
        _distance("delta_e00"),
    ),
    _RuleNumber(
        HUE,
        "ΔHue",
        "°",
        True,
        "Mean hue angle between the objects and their target colors, as the rule measures it, "
        "0 to 180°",
        _distance("hue_deg"),
    ),
    _RuleNumber(
        MISFIT,
        "mismatch score",
        "ΔE00",
        True,
        "Mean difference after correcting for the light of the image",
        _distance("misfit"),
    ),
    _RuleNumber(
        RIGHT,
        "confidence that the color is right",
        "share",
        False,
        "The rule's confidence in its verdict: c if it passes, 1 − c if it fails; mean over "
        "the target objects",
        _right,
    ),
)

_NO_DISTRIBUTION = "The candidate or its case has no distribution."
_NOT_DEFINED = "The number is not defined for the two distributions."
_NO_VERDICT = "No visible run has scored the image with this rule."
_NO_SCORE = "No image of the candidate has a score yet: score its run in Explore."
_NO_NUMBER = "The rule could not score the image, or does not give this number."


def metrics_of(context: Context, plan: StudyPlan) -> tuple[StudyMetric, ...]:
    """All numbers that at least one candidate of the study has, distributions first."""
    return (*_of_distributions(plan), *_of_images(context, plan), *_of_scores(context, plan))


def _of_distributions(plan: StudyPlan) -> list[StudyMetric]:
    compared = {
        (case.id, candidate.model): compare(checked(candidate.weights), checked(case.reference))
        for case, candidate in _candidates(plan)
        if candidate.weights and case.reference
    }
    if not compared:
        return []
    without = sum(1 for _ in _candidates(plan)) - len(compared)
    metrics = []
    for metric in METRICS.values():
        values: dict[tuple[str, str], float] = {}
        reasons: Counter[str] = Counter({_NO_DISTRIBUTION: without})
        for key, comparison in compared.items():
            value = metric.of(comparison)
            if value is None:
                reasons[metric.pair.undefined if metric.pair else _NOT_DEFINED] += 1
            else:
                values[key] = -value if metric.better == "low" else value
        metrics.append(_distribution_metric(metric, values, reasons))
    return metrics


def _distribution_metric(
    metric: ScoreMetric, values: Mapping[tuple[str, str], float], reasons: Counter[str]
) -> StudyMetric:
    pair = metric.pair
    return StudyMetric(
        metric.id,
        metric.name,
        metric.unit,
        metric.better == "low",
        pair.source if pair else "ColorConceptBench, section 4.3, equation 5",
        pair.formula if pair else metric.meaning,
        values,
        {text: count for text, count in reasons.items() if count},
        metric.name,
    )


def _of_images(context: Context, plan: StudyPlan) -> list[StudyMetric]:
    shown = {
        (case.id, candidate.model): _shown(plan, candidate) for case, candidate in _candidates(plan)
    }
    image_ids = {image_id for ids in shown.values() for image_id in ids}
    by_image: dict[tuple[str, str], list[ImageVerdict]] = defaultdict(list)
    for verdict in context.storage.results.of_images(image_ids):
        by_image[verdict.rule, verdict.image_id].append(verdict)
    for verdict in _judged_alone(context, image_ids, {image_id for _, image_id in by_image}):
        by_image[verdict.rule, verdict.image_id].append(verdict)
    judged = {rule_id for rule_id, _ in by_image}
    metrics = []
    for rule in RULES:
        for number in _RULE_NUMBERS if rule.id in judged else ():
            made = _of_rule(number, rule.id, rule.name, shown, by_image)
            if made.values:
                metrics.append(made)
    return metrics


def _of_rule(
    number: _RuleNumber,
    rule_id: str,
    rule_name: str,
    shown: Mapping[tuple[str, str], tuple[str, ...]],
    by_image: Mapping[tuple[str, str], list[ImageVerdict]],
) -> StudyMetric:
    values: dict[tuple[str, str], float] = {}
    reasons: Counter[str] = Counter()
    for key, image_ids in shown.items():
        verdicts = [by_image.get((rule_id, image_id), []) for image_id in image_ids]
        of_images = [
            fmean(numbers)
            for of_image in verdicts
            if (
                numbers := [
                    n for image_verdict in of_image if (n := number.of(image_verdict)) is not None
                ]
            )
        ]
        if of_images:
            values[key] = fmean(of_images)
        else:
            reasons[_NO_NUMBER if any(verdicts) else _NO_VERDICT] += 1
    return StudyMetric(
        f"{number.kind}:{rule_id}",
        f"{number.name} · {rule_name}",
        number.unit,
        number.turned,
        f"the rule {rule_name} (docs/science/rules.md)",
        number.formula,
        values,
        dict(reasons),
    )


def _of_scores(context: Context, plan: StudyPlan) -> list[StudyMetric]:
    """The measures of the list of which one direction is better, as they are stored."""
    shown = {
        (case.id, candidate.model): _shown(plan, candidate) for case, candidate in _candidates(plan)
    }
    image_ids = {image_id for ids in shown.values() for image_id in ids}
    metrics = []
    for measure in measures_of(IMAGE):
        if measure.better == NEITHER:
            continue
        scores = context.storage.scores.values(measure, IMAGE, image_ids)
        sign = -1.0 if measure.better == LOW else 1.0
        values = {
            key: sign * fmean(of_images)
            for key, ids in shown.items()
            if (of_images := [scores[image_id] for image_id in ids if image_id in scores])
        }
        if values:
            lacking = len(shown) - len(values)
            metrics.append(
                StudyMetric(
                    f"score:{measure.id}",
                    measure.name,
                    measure.unit,
                    measure.better == LOW,
                    measure.source,
                    f"{measure.formula}; version {measure.version}",
                    values,
                    {_NO_SCORE: lacking} if lacking else {},
                )
            )
    return metrics


def _judged_alone(
    context: Context, image_ids: Iterable[str], in_runs: set[str]
) -> list[ImageVerdict]:
    """What rules say of images that were judged by themselves and stand in no run: of each image as
    a whole, with what its prompt asked for, and without numbers."""
    alone = sorted(set(image_ids) - in_runs)
    return [
        ImageVerdict(image_id, badge.rule, badge.status, "", None, None, None, None)
        for image_id, badges in context.storage.evidence.badges(alone).items()
        for badge in badges
    ]


def _candidates(plan: StudyPlan) -> Iterable[tuple[Case, Candidate]]:
    return ((case, candidate) for case in plan.cases for candidate in case.candidates)


def _shown(plan: StudyPlan, candidate: Candidate) -> tuple[str, ...]:
    """The images that stand for a candidate: where images are judged, the one that is shown."""
    return (
        candidate.image_ids
        if plan.material is Material.DISTRIBUTIONS
        else (candidate.image_ids[:1])
    )
