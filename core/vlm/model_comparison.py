"""Comparison of models by size, family, reasoning and color, over evaluations of one question set.

The counterpart of ColorBench's Tables 2 to 4 and Figures 4 and 5. Only evaluations of one protocol
and of the same questions stand beside each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import atanh, isfinite, sqrt, tanh
from statistics import fmean, median

import numpy as np

from truehue.core.analysis.intervals import (
    Z_95,
    Interval,
    interval,
    ratios,
    resampled_sums,
    wilson,
)
from truehue.core.errors import BadInput
from truehue.core.vlm.differences import Difference, Rights, compare_rights, rights_of
from truehue.core.vlm.evaluation.log import EvaluationLog
from truehue.core.vlm.evaluation.plan import Version
from truehue.core.vlm.model_sizes import GROUPS, ModelSize, size_of
from truehue.core.vlm.prompting import Style
from truehue.core.vlm.records import Outcome, Question
from truehue.core.vlm.scoring import Scores, Tally, outcomes_of, score
from truehue.core.vlm.tasks import ROBUSTNESS

MIN_MODELS = 4
"""For a correlation: with fewer no p-value can be small."""
MICRO, ROBUST = "micro", "robust"
SIZES: Mapping[str, Callable[[ModelSize], float | None]] = {
    "L + V": lambda size: size.total_b,
    "L": lambda size: size.language_b,
    "V": lambda size: size.vision_b,
}
"""What a score is correlated with, by the paper's names."""


@dataclass(frozen=True)
class ComparedModel:
    """One model. ``plain`` is the evaluation in color without reasoning, ``reasoned`` the one with,
    ``gray`` and ``black`` those of other images; None where it was not asked so."""

    name: str
    size: ModelSize | None
    plain: EvaluationLog | None
    reasoned: EvaluationLog | None
    gray: EvaluationLog | None
    black: EvaluationLog | None

    @property
    def family(self) -> str:
        """Empty where it is not known."""
        return self.size.family if self.size else ""


@dataclass(frozen=True)
class Correlation:
    """Spearman's of a score with a size, over ``n`` models; two-sided p by Student's t."""

    size_of: str
    task: str
    n: int
    rho: float | None
    p: float | None

    @property
    def interval(self) -> Interval | None:
        """Its 95% interval over models; None without a correlation, and for 1 and -1."""
        return None if self.rho is None else spearman_interval(self.rho, self.n)


@dataclass(frozen=True)
class Effect:
    """What a change does to one task: a value for each model, their mean and median. Of ``intervals``
    of 95%, each over questions, that of a model is by its name."""

    task: str
    by_model: Mapping[str, float]
    intervals: Mapping[str, Interval | None]
    mean_interval: Interval | None = None

    @property
    def mean(self) -> float:
        """Over the models, each of the same weight."""
        return fmean(self.by_model.values())

    @property
    def median(self) -> float:
        """Over the models."""
        return median(self.by_model.values())


@dataclass(frozen=True)
class Difficulty:
    """How many of ``models`` answered a question, and how many of them incorrectly."""

    question: Question
    models: int
    wrong: int

    @property
    def most_wrong(self) -> bool:
        """Whether more than half of the models are wrong."""
        return 2 * self.wrong > self.models


@dataclass(frozen=True)
class ModelComparison:
    """Models of one protocol. ``left_out`` says in sentences what is not comparable
    or not complete."""

    protocol: str
    models: Sequence[ComparedModel]
    tasks: Sequence[str]
    left_out: Sequence[str]

    def scores(self) -> dict[str, Scores]:
        """In color without reasoning, by model."""
        return {
            model.name: score(model.plain.questions, model.plain.answers)
            for model in self.models
            if model.plain is not None
        }


def _plain_ids(log: EvaluationLog) -> frozenset[str]:
    return frozenset(
        question.question_id for question in log.questions if question.task != ROBUSTNESS
    )


def compare_models(
    logs: Sequence[EvaluationLog], own_sizes: Iterable[ModelSize] = ()
) -> ModelComparison:
    """The models of some evaluations. The first one decides the protocol, the one with most questions
    which they are; of several evaluations of one kind the one with the most answers counts.
    Baselines are left out, and so is who answered another part of the set: its numbers are not of
    the same questions. Robustness is no part of that.

    Raises BadInput where no model is left.
    """
    own_sizes = tuple(own_sizes)
    of_models = [log for log in logs if log.model.kind != "baseline"]
    if not of_models:
        raise BadInput("There is no evaluation of a model to compare.")
    first, left_out = of_models[0], []
    ids = max((_plain_ids(log) for log in of_models if log.protocol == first.protocol), key=len)
    kinds: dict[str, dict[str, EvaluationLog]] = defaultdict(dict)
    for log in of_models:
        if log.protocol != first.protocol:
            left_out.append(
                f"{log.folder.name} follows the protocol {log.protocol}, and is left out."
            )
            continue
        own = _plain_ids(log)
        if own != ids:
            part = f"{len(own & ids):,} of the {len(ids):,}" if own & ids else "other"
            left_out.append(f"{log.folder.name} has {part} questions, and is left out.")
            continue
        of_model, kind = kinds[_name(log)], _kind(log)
        if kind and (kind not in of_model or len(log.answers) > len(of_model[kind].answers)):
            of_model[kind] = log
        elif not kind:
            left_out.append(
                f"{log.folder.name} reasons about images that are not in color, and is left out."
            )
    models = [
        ComparedModel(
            name,
            size_of(_names(next(iter(known_logs.values()))), own_sizes),
            *(known_logs.get(kind) for kind in ("plain", "reasoned", "gray", "black")),
        )
        for name, known_logs in kinds.items()
        if known_logs
    ]
    models.sort(key=_order)
    left_out += [
        f"{model.name} answered {len(plain.answers):,} of {len(plain.questions):,} questions so far."
        for model in models
        if (plain := model.plain) is not None and len(plain.answers) < len(plain.questions)
    ]
    tasks = dict.fromkeys(question.task for question in first.questions if not question.seed_id)
    return ModelComparison(first.protocol, models, list(tasks), left_out)


def percent_of(scores: Scores, task: str) -> float | None:
    """The accuracy in percent of a task, a category, :data:`MICRO` or :data:`ROBUST`."""
    tally = tally_named(scores, task)
    return tally.percent if tally is not None else None


def tally_named(scores: Scores, task: str) -> Tally | None:
    """The tally of a task, a category, :data:`MICRO` or :data:`ROBUST`; None without one."""
    if task == MICRO:
        return scores.overall
    if task == ROBUST:
        return scores.robust.as_made if scores.robust else None
    return scores.tasks.get(task) or scores.categories.get(task)


def correlations(
    percents: Mapping[str, Mapping[str, float | None]], sizes: Mapping[str, ModelSize | None]
) -> list[Correlation]:
    """Table 2: of each task's accuracy, by model, with three sizes. Models without a size or a
    score count in neither."""
    tasks = list(dict.fromkeys(task for of_model in percents.values() for task in of_model))
    rows = []
    for name, size in SIZES.items():
        for task in tasks:
            pairs = [
                (value, percent)
                for model, of_model in percents.items()
                if (known := sizes.get(model)) is not None
                and (value := size(known)) is not None
                and (percent := of_model.get(task)) is not None
            ]
            rows.append(Correlation(name, task, len(pairs), *spearman(pairs)))
    return rows


def spearman(pairs: Sequence[tuple[float, float]]) -> tuple[float | None, float | None]:
    """Spearman's rho and its p; None below :data:`MIN_MODELS`, and where one side is constant."""
    from scipy import stats

    if len(pairs) < MIN_MODELS:
        return None, None
    xs, ys = zip(*pairs, strict=True)
    if len(set(xs)) == 1 or len(set(ys)) == 1:
        return None, None
    rho, p = stats.spearmanr(xs, ys)
    return (float(rho), float(p)) if isfinite(rho) else (None, None)


def spearman_interval(rho: float, n: int) -> Interval | None:
    """The 95% interval of Spearman's rho of ``n`` pairs, by Fisher's z with the error of Bonett and
    Wright (2000, Psychometrika 65: 23-28); None for 1 and -1."""
    if abs(rho) >= 1:
        return None
    half = Z_95 * sqrt((1 + rho**2 / 2) / (n - 3))
    return tanh(atanh(rho) - half), tanh(atanh(rho) + half)


def best_of_sizes(
    percents: Mapping[str, float | None], sizes: Mapping[str, ModelSize | None]
) -> dict[str, tuple[str, float]]:
    """Table 3: the best model of each of ColorBench's groups, with its accuracy. Models without a
    size are their own group, an empty name."""
    best: dict[str, tuple[str, float]] = {}
    for model, percent in percents.items():
        size = sizes.get(model)
        group = size.group if size else ""
        if percent is not None and (group not in best or percent > best[group][1]):
            best[group] = (model, percent)
    return {group: best[group] for group in (*GROUPS, "") if group in best}


def reasoning_effects(comparison: ModelComparison) -> list[Effect]:
    """Table 4: with reasoning less without, in percentage points over what both were asked."""
    return _effects(
        comparison,
        lambda model: (model.plain, model.reasoned),
        lambda difference: (difference.points, difference.interval),
        is_mean=True,
    )


def gray_effects(comparison: ModelComparison) -> list[Effect]:
    """Figure 5: (color − gray) / color, positive where gray is worse."""
    return _effects(
        comparison,
        lambda model: (model.plain, model.gray),
        lambda change: (change.change_ratio, change.change_ratio_interval),
    )


def mean_interval(
    rights: Sequence[Mapping[str, bool]], before: Sequence[Mapping[str, bool]] = ()
) -> Interval | None:
    """The 95% interval of the mean accuracy of models in percent, each of the same weight, by
    bootstrap over the questions, which models share; less that of ``before``, where it is given.
    Wilson's with a question as the trial where all resamples agree; None of a difference then, and
    without a question."""
    # Models that were asked the same questions have one denominator, so their answers are summed.
    groups: dict[frozenset[str], Counter[str]] = defaultdict(Counter)
    sizes: Counter[frozenset[str]] = Counter()
    for number, of in enumerate(rights):
        if keys := frozenset(of.keys() & before[number].keys() if before else of):
            sizes[keys] += 1
            for key in keys:
                groups[keys][key] += of[key] - (before[number][key] if before else 0)
    if not groups:
        return None
    tallies = Counter(
        tuple(n for keys, by in groups.items() for n in (by[key], sizes[keys] * (key in keys)))
        for key in frozenset().union(*groups)
    )
    sums, models = resampled_sums(tallies, "questions"), sizes.total()
    shares = [size / models * ratios(sums[:, 2 * n :]) for n, size in enumerate(sizes.values())]
    samples = np.sum(shares, axis=0)
    sampled = interval(samples)
    if sampled is not None or before:
        return sampled
    return wilson(float(samples[0]) / 100, min(map(len, groups)))


def difficulties(comparison: ModelComparison) -> list[Difficulty]:
    """Of each question how many models are wrong, in color without reasoning; the hardest first.
    An unreadable, truncated or missing answer is wrong. Variants are left out."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    questions: dict[str, Question] = {}
    for model in comparison.models:
        if model.plain is None:
            continue
        outcomes = outcomes_of(model.plain.questions, model.plain.answers)
        for question in model.plain.questions:
            if question.seed_id or question.question_id not in outcomes:
                continue
            questions.setdefault(question.question_id, question)
            count = counts[question.question_id]
            count[0] += 1
            count[1] += outcomes[question.question_id][0] is not Outcome.RIGHT
    rows = [Difficulty(questions[key], *count) for key, count in counts.items()]
    return sorted(rows, key=lambda row: (-row.wrong / row.models, row.question.question_id))


def _effects(
    comparison: ModelComparison,
    pair_of: Callable[[ComparedModel], tuple[EvaluationLog | None, EvaluationLog | None]],
    value_of: Callable[[Difference], tuple[float | None, Interval | None]],
    is_mean: bool = False,
) -> list[Effect]:
    values: dict[str, dict[str, tuple[float, Interval | None]]] = defaultdict(dict)
    rights: list[tuple[Rights, Rights]] = []
    for model in comparison.models:
        first, second = pair_of(model)
        if first is None or second is None:
            continue
        known = {question.question_id for question in first.questions}
        questions = [*first.questions]
        questions += [q for q in second.questions if q.question_id not in known]
        before, after = (rights_of(questions, log.answers) for log in (first, second))
        rights.append((before, after))
        between = compare_rights(before, after)
        named = {**between.tasks, MICRO: between.overall, ROBUST: between.robust}
        for task, difference in named.items():
            value, ends = value_of(difference)
            if value is not None:
                values[task][model.name] = value, ends
    return [
        Effect(
            task,
            {name: value for name, (value, _) in by_model.items()},
            {name: ends for name, (_, ends) in by_model.items()},
            mean_interval(
                [of_task(after, task) for _, after in rights],
                [of_task(before, task) for before, _ in rights],
            )
            if is_mean
            else None,
        )
        for task, by_model in values.items()
    ]


def of_task(rights: Rights, task: str) -> Mapping[str, bool]:
    """What is right of a task, :data:`MICRO` or :data:`ROBUST`; nothing of a task without questions."""
    return {**rights.tasks, MICRO: rights.overall, ROBUST: rights.robust}.get(task, {})


def _kind(log: EvaluationLog) -> str:
    """``plain``, ``reasoned``, ``gray``, ``black``; empty for reasoning about other images."""
    reasoned = log.settings.style == Style.REASONED
    if log.settings.version is Version.COLORED:
        return "reasoned" if reasoned else "plain"
    return "" if reasoned else str(log.settings.version)


def _names(log: EvaluationLog) -> list[str]:
    served = [log.model.served().model] if log.model.kind == "served" else []
    return [*served, log.model.id, log.model.location]


def _name(log: EvaluationLog) -> str:
    """What a model is called: of a server its own name, else its id."""
    return log.model.served().model if log.model.kind == "served" else log.model.id


def _order(model: ComparedModel) -> tuple[bool, str, float, str]:
    """By family, the small ones first; models of unknown size at the end."""
    size = model.size
    return size is None, model.family, (size.total_b or 0.0) if size else 0.0, model.name
