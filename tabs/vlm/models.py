"""Comparison of the models that were evaluated on a set: sizes, families, reasoning, gray images."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypedDict, cast

from truehue.core.errors import TrueHueError
from truehue.core.vlm.evaluation.log import EvaluationLog
from truehue.core.vlm.model_comparison import ModelComparison, compare_models
from truehue.core.vlm.model_tables import comparison_csv, comparison_json
from truehue.tabs.page.actor import requires
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.vlm.list import set_id_of
from truehue.tabs.vlm.messages import task_title
from truehue.tabs.vlm.results import Parser
from truehue.tabs.vlm.service import EvaluationService
from truehue.tabs.vlm.sets import opened

if TYPE_CHECKING:
    from truehue.tabs.page.context import Context

MAX_MODELS = 200
"""Evaluations that are read for one comparison, the newest first."""
MAX_HARD = 50


class ModelsRequest(PageRequest):
    """A set, and the protocol whose evaluations are compared: empty is that of most of them."""

    set: str
    protocol: str = ""
    parser: Parser = ""


class ModelScore(TypedDict):
    """An accuracy in percent with its 95% interval and counts."""

    right: int
    asked: int
    percent: float
    low: float | None
    high: float | None


class ComparedModelJson(TypedDict):
    """A model: ``evaluations`` are ids by kind, ``scores`` by column, sizes in billions."""

    model: str
    family: str
    language_b: float | None
    vision_b: float | None
    language: str
    vision: str
    group: str
    evaluations: dict[str, str]
    scores: dict[str, ModelScore]


class CorrelationJson(TypedDict):
    """Spearman's correlation of a score with a size over ``n`` models."""

    size_of: str
    task: str
    n: int
    rho: float | None
    p: float | None


class BestModel(TypedDict):
    """The best model of a size."""

    model: str
    percent: float


class EffectJson(TypedDict):
    """What a change does to a task: by model, their mean and median."""

    task: str
    mean: float
    median: float
    models: dict[str, float]


class HardQuestion(TypedDict):
    """A question that most models answer incorrectly."""

    question_id: str
    task: str
    text: str
    wrong: int
    models: int


class ModelsView(TypedDict):
    """All models of a set within one protocol; ``titles`` names the columns."""

    protocol: str
    protocols: list[str]
    columns: list[str]
    titles: dict[str, str]
    models: list[ComparedModelJson]
    correlations: list[CorrelationJson]
    best: dict[str, dict[str, BestModel]]
    reasoning: list[EffectJson]
    gray: list[EffectJson]
    hard: list[HardQuestion]
    hard_count: int
    questions: int
    right_by_all: int
    left_out: list[str]


_TITLES = {"micro": "Overall", "robust": "Robust"}


@requires("look")
def models_view(context: Context, actor: Actor, request: ModelsRequest) -> ModelsView:
    """The comparison of a set's models. Raises NotStored."""
    logs = _logs(context, request)
    protocols = Counter(log.protocol for log in logs)
    comparison = _comparison(logs, request.protocol)
    details = comparison_json(comparison) if comparison else {}
    hard = details.get("hard", [])
    columns = details.get("columns", [])
    named = {*columns, *(row["task"] for row in [*details.get("reasoning", []), *hard])}
    named |= {row["task"] for row in details.get("gray", [])}
    empty: dict[str, object] = {
        "correlations": [],
        "best": {},
        "reasoning": [],
        "gray": [],
        "models": [],
    }
    view = {
        **empty,
        **{key: value for key, value in details.items() if key != "hard"},
        "protocol": comparison.protocol if comparison else request.protocol,
        "protocols": [name for name, _ in protocols.most_common()],
        "columns": columns,
        "titles": {name: _TITLES.get(name) or task_title(name) for name in sorted(named)},
        "hard": hard[:MAX_HARD],
        "hard_count": len(hard),
        "questions": details.get("questions", 0),
        "right_by_all": details.get("right_by_all", 0),
        "left_out": details.get("left_out", []),
    }
    return cast("ModelsView", view)


@requires("look")
def models_file(context: Context, actor: Actor, request: ModelsRequest) -> tuple[str, str]:
    """A line for every model and task."""
    comparison = _comparison(_logs(context, request), request.protocol)
    details = comparison_json(comparison) if comparison else {"models": [], "protocol": ""}
    return "truehue-models.csv", comparison_csv(details)


def _logs(context: Context, request: ModelsRequest) -> list[EvaluationLog]:
    """Of all evaluations of the set but the hidden ones and the baselines, the newest first."""
    opened(context, request.set)
    service = context.service(EvaluationService)
    logs: list[EvaluationLog] = []
    for folder in service.folders():
        if len(logs) >= MAX_MODELS:
            break
        try:
            if set_id_of(folder) != request.set or service.is_hidden(folder.run_id):
                continue
            if folder.model().kind != "baseline":
                logs += service.logs([folder.run_id], request.parser).values()
        except TrueHueError:
            continue  # the list of evaluations says what is wrong with it
    return logs


def _comparison(logs: list[EvaluationLog], protocol: str) -> ModelComparison | None:
    """Within the protocol that is named, else that of most; None without evaluations."""
    if not logs:
        return None
    chosen = protocol or Counter(log.protocol for log in logs).most_common(1)[0][0]
    ordered = sorted(logs, key=lambda log: log.protocol != chosen)
    return compare_models(ordered) if ordered[0].protocol == chosen else None
