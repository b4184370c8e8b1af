"""The list of evaluations on the page, and the actions on each."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from pydantic import Field

from truehue.core.batch.health import state_of
from truehue.core.batch.records import BatchState
from truehue.core.vlm.evaluation.plan import EvaluationFolder
from truehue.core.vlm.models.served import Budget
from truehue.core.vlm.question_set import QuestionSet
from truehue.storage.vlm.sets import ID_LENGTH
from truehue.tabs.batches.jobs import BatchJobs
from truehue.tabs.batches.list import BatchJson, batch_json, unreadable_json
from truehue.tabs.batches.messages import progress_parts
from truehue.tabs.feature import AppParts
from truehue.tabs.page.actor import requires
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.requests import PageRequest, Whole
from truehue.tabs.page.roles import Actor, authorize
from truehue.tabs.page.shared_answers import Done
from truehue.tabs.vlm import ASKING
from truehue.tabs.vlm.messages import model_name, settings_text, task_title
from truehue.tabs.vlm.service import EvaluationOptions, EvaluationService

if TYPE_CHECKING:
    from truehue.tabs.page.context import Context


class ListEvaluations(PageRequest):
    """The list, or that of one set; ``hidden`` ones only where they are asked for."""

    set: str = ""
    hidden: bool = False


class ChangeEvaluation(PageRequest):
    """What is to become of an asking; going on may raise what may be spent."""

    id: str
    what: Literal["pause", "cancel", "resume", "retry", "hide", "show"] = Field(title="Action")
    most_requests: Annotated[Whole | None, Field(ge=1, title="Max. requests")] = None
    most_tokens: Annotated[Whole | None, Field(ge=1, title="Max. total tokens")] = None


class BudgetJson(TypedDict):
    """What may be spent in all; None without a limit."""

    most_requests: int | None
    most_tokens: int | None


class EvaluationJson(BatchJson):
    """An evaluation; ``image`` is the version of the images, ``kind`` that of the model."""

    name: str
    set: str
    set_name: str
    model: str
    model_name: str
    kind: str
    settings: str
    style: str
    image: str
    words: str
    budget: BudgetJson | None


class EvaluationsView(TypedDict):
    """Evaluations, newest first, and how many ``hidden`` ones are left out."""

    askings: list[EvaluationJson]
    hidden: int


@requires("look")
def evaluations_view(context: Context, actor: Actor, request: ListEvaluations) -> EvaluationsView:
    """Evaluations, newest first."""
    service = context.service(EvaluationService)
    sets = {
        stored.set_id: stored.questions
        for stored in context.storage.question_sets.all()
        if stored.questions is not None
    }
    rows, left_out = [], 0
    for folder in service.folders():
        try:
            row = evaluation_json(context, actor, folder, sets)
        except Exception as error:  # of one: the others are shown all the same
            row = _unreadable_json(service, actor, folder, error)
        if request.set and row["set"] not in ("", request.set):
            continue
        if row["hidden"] and not request.hidden:
            left_out += 1
            continue
        rows.append(row)
    return {"askings": rows, "hidden": left_out}


@requires("cancel")
def change_evaluation(context: Context, actor: Actor, request: ChangeEvaluation) -> Done:
    """Pauses, cancels, resumes, repeats, hides or shows an evaluation. Raises NotStored."""
    service = context.service(EvaluationService)
    service.folder(request.id)
    authorize(actor, "cancel", service.resource(request.id))
    if request.what in ("hide", "show"):
        service.hide(request.id, request.what == "hide")
    elif request.what in ("resume", "retry"):
        raised = request.most_requests is not None or request.most_tokens is not None
        budget = Budget(request.most_requests, request.most_tokens) if raised else None
        service.resume(request.id, request.what == "retry", budget)
    else:
        service.pause(request.id, cancel=request.what == "cancel")
    return {}


def set_id_of(folder: EvaluationFolder) -> str:
    """The id that its set has in the data folder."""
    return folder.source().checksum[:ID_LENGTH]


def evaluation_json(
    context: Context, actor: Actor, folder: EvaluationFolder, sets: dict[str, QuestionSet]
) -> EvaluationJson:
    """One asking. Raises BadInput for a folder that cannot be read."""
    service, model, settings = context.service(EvaluationService), folder.model(), folder.settings()
    question_set = sets.get(set_id_of(folder))
    state = state_of(folder)
    row = batch_json(service, actor, folder, state)
    # A question that a baseline cannot answer stays without an answer.
    row["may"]["retry"] &= model.kind != "baseline"
    part = part_text(folder, question_set)
    return {
        **row,
        "name": model_name(model),
        "set": set_id_of(folder),
        "set_name": question_set.name if question_set else "a set that is not available",
        "model": model.id,
        "model_name": model_name(model),
        "kind": model.kind,
        "settings": " · ".join(filter(None, (settings_text(settings, model), part))),
        "style": settings.style,
        "image": str(settings.version),
        "words": progress_text(state, folder.wait_message()),
        "budget": None if model.kind != "served" else _budget_json(service.settings(folder.run_id)),
    }


def _budget_json(options: EvaluationOptions) -> BudgetJson:
    return {"most_requests": options.most_requests, "most_tokens": options.most_tokens}


def progress_text(state: BatchState, waits: str = "") -> str:
    """``12 of 140 questions · 2.1 a second · about 1 min left · 3 without an answer``.

    ``waits`` says that a busy server is waited for.
    """
    parts = progress_parts(state, "question", waits)
    if state.failed:
        parts.append(f"{state.failed:,} without an answer")
    return " · ".join(parts)


def part_text(folder: EvaluationFolder, question_set: QuestionSet | None) -> str:
    """Of which part of its set it is; empty where it is of all."""
    if question_set is None or folder.total == question_set.questions_count:
        return ""
    counts = Counter(question.question.task for question in folder.questions)
    full = all(counts[task] == question_set.counts.get(task) for task in counts)
    if full:
        return ", ".join(task_title(task) for task in counts)
    return f"{folder.total:,} of {count_noun(question_set.questions_count, 'question')}"


def _unreadable_json(
    service: EvaluationService, actor: Actor, folder: EvaluationFolder, error: Exception
) -> EvaluationJson:
    return {
        **unreadable_json(service, actor, folder, error),
        "set": "",
        "set_name": "",
        "model": "",
        "model_name": "",
        "kind": "",
        "settings": "",
        "style": "",
        "image": "",
        "name": folder.run_id[:12],
        "budget": None,
    }


def evaluation_jobs(parts: AppParts) -> BatchJobs[EvaluationFolder, EvaluationOptions]:
    """Evaluations as long work."""
    return BatchJobs(
        ASKING,
        parts.service(EvaluationService),
        lambda folder: f"{model_name(folder.model())}: evaluation",
        progress_text,
        lambda folder: {"asking": folder.run_id, "set": set_id_of(folder)},
    )
