"""Create, revise, copy, open and close studies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, TypedDict

from pydantic import Field

from truehue.annotation.studies.plan import StudyPlan, from_json
from truehue.core.errors import BadInput
from truehue.core.studies import State, StudyRecord
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import Whole, single_of
from truehue.tabs.page.roles import Actor
from truehue.tabs.studies.completion import EndingsForm, form_of_completion
from truehue.tabs.studies.drafting import Draft
from truehue.tabs.studies.form import StudyForm
from truehue.tabs.studies.live import StudyCache, StudyRequest, study_of
from truehue.tabs.studies.making import (
    FORM,
    closing_of,
    completion_of,
    draft_cases,
    endings_of,
    form_of,
    long_work,
    plan_of,
    stored,
    whole_plan,
)
from truehue.tabs.studies.rights import may_personal, without_completion
from truehue.tabs.studies.study import MOVES, REVISABLE, StudyView, blocked, view

JOB = "study"
COPY = "Copy it and edit the copy."


class Revision(StudyForm):
    """A form for a study that is there; ``version`` is the one that it was filled in from."""

    study: str
    version: Whole | None = None


class Copying(StudyRequest):
    """A study to copy, under another title."""

    title: str = Field(default="", max_length=200)


class StateRequest(StudyRequest):
    """A study, the state that it is to have, and why."""

    state: Annotated[str, single_of("state", ("open", "paused", "closed"))]
    reason: str = Field(default="", max_length=500, title="The reason")


class ChangedStudy(TypedDict):
    """A study after a change."""

    study: StudyView


class MadeStudy(TypedDict, total=False):
    """A study that was made, or the id of the job that makes it."""

    study: StudyView
    job: str


@requires("study")
def create(context: Context, actor: Actor, request: StudyForm) -> MadeStudy:
    """Makes a study as a draft. Where many distributions have to be extracted first, a job does it."""
    return _made(context, actor, request.filled(), None)


@requires("study")
def revise(context: Context, actor: Actor, request: Revision) -> MadeStudy:
    """Changes a study: everything in a draft; after opening only what participants do not see."""
    record = study_of(context, request.study)
    if request.version is not None and request.version != record.version:
        raise BadInput(
            "The study was changed in the meantime. Reload it.",
            "version",
        )
    fields = {name: getattr(request, name) for name in StudyForm.model_fields}
    form = StudyForm.model_construct(**fields).filled()
    if not may_personal(actor, record):
        # They were not shown what stands there, so that their form says nothing of it.
        plan = from_json(record.plan)
        endings = {name.value: form_of_completion(page) for name, page in plan.endings}
        changes = {
            "completion": form_of_completion(plan.completion),
            "endings": EndingsForm().model_copy(update=endings),
        }
        form = form.model_copy(update=changes)
    if record.state is State.DRAFT:
        return _made(context, actor, form, record)
    _require_same(record, form)
    with context.service(StudyCache).changing:
        plan = replace(
            from_json(record.plan),
            title=form.title,
            closing=closing_of(form),
            completion=completion_of(form.completion),
            endings=endings_of(form),
            returns_after_s=form.returns_after_s,
            abandoned_after_s=form.abandoned_after_s,
            unanswered_after_s=form.unanswered_after_s,
            start_percent=form.start_percent,
        )
        return {"study": _stored_view(context, actor, plan, form, record)}


@requires("study")
def copy(context: Context, actor: Actor, request: Copying) -> ChangedStudy:
    """Makes a draft of the same plan, with the same images. No data of participants is copied; the
    completion code is, for users who may see it."""
    record = study_of(context, request.study)
    title = request.title or f"{record.title[:180]}, copy"
    plan = record.plan if may_personal(actor, record) else without_completion(record.plan)
    content = {**plan, "title": title}
    if isinstance(content.get(FORM), Mapping):
        content[FORM] = {**content[FORM], "title": title}
    return {"study": view(context, actor, context.storage.studies.add(content, actor.id))}


@requires("study")
def set_state(context: Context, actor: Actor, request: StateRequest) -> ChangedStudy:
    """Opens, pauses or closes a study. Raises BadInput in words for what cannot be."""
    state = State(request.state)
    service = context.service(StudyCache)
    with service.changing:
        record = study_of(context, request.study)
        if state is record.state:
            raise BadInput(f"The study is {state.value} already.", "state")
        if state not in MOVES[record.state]:
            raise BadInput(
                f"A study that is {record.state.value} cannot be {state.value}.", "state"
            )
        if record.state is State.CLOSED and not request.reason:
            raise BadInput("Give a reason for reopening the study. The log records it.", "reason")
        if state is State.OPEN:
            reasons = blocked(context, service.plan(record.id, record.version))
            if reasons:
                raise BadInput(" ".join(reasons), "state")
        record = context.storage.studies.set_state(record.id, state, actor.id, request.reason)
    return {"study": view(context, actor, record)}


def _made(context: Context, actor: Actor, form: StudyForm, record: StudyRecord | None) -> MadeStudy:
    """The study of a form, new or in place of a draft's plan; or the job that makes it."""
    made = draft_cases(context, form)
    plan_of(made)  # what is wrong with it is said now
    if not long_work(context, made):
        plan = whole_plan(context, actor, made)
        return {"study": _stored_view(context, actor, plan, form, record)}
    job = context.jobs.start(
        JOB,
        f"Creating the study “{form.title}”",
        actor,
        lambda job: _in_background(context, actor, made, record, job),
    )
    return {"job": job.id}


def _in_background(
    context: Context, actor: Actor, made: Draft, record: StudyRecord | None, job: Job
) -> dict[str, str]:
    def tell(done: int, total: int) -> bool:
        job.tell(f"{done:,} of {total:,} cases", done, total)
        return not job.stop.is_set()

    plan = whole_plan(context, actor, made, tell)
    return {"study": _stored_view(context, actor, plan, made.form, record)["id"]}


def _stored_view(
    context: Context, actor: Actor, plan: StudyPlan, form: StudyForm, record: StudyRecord | None
) -> StudyView:
    studies = context.storage.studies
    if record is None:
        return view(context, actor, studies.add(stored(plan, form), actor.id))
    with context.service(StudyCache).changing:
        now = studies.get(record.id)
        if (now.version, now.state is State.DRAFT) != (
            record.version,
            record.state is State.DRAFT,
        ):
            raise BadInput("The study was changed or opened in the meantime. Reload it.", "version")
        return view(context, actor, studies.revise(record.id, stored(plan, form), actor.id))


def _require_same(record: StudyRecord, form: StudyForm) -> None:
    """Raises BadInput where a form would change what participants see."""
    before = form_of(record.plan)
    if before is None:
        return  # it was imported: only what may change is taken over
    old, new = before.model_dump(mode="json"), form.model_dump(mode="json")
    other = [name for name in old if name not in REVISABLE and old[name] != new.get(name)]
    if other:
        title = StudyForm.model_fields[other[0]].title or f"“{other[0]}”"
        raise BadInput(
            f"{title} can no longer change, because people may have seen the study. {COPY}",
            other[0],
        )
