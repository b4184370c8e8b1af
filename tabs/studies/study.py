"""One study on its page, the list of all studies, and the deletion of a draft."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any, TypedDict

from truehue.annotation.studies.plan import Completion, StudyPlan
from truehue.annotation.studies.survey import SurveyPart
from truehue.core.errors import BadInput, NotStored
from truehue.core.studies import LogEntry, LogKind, State, StudyRecord
from truehue.storage.makers import OWNER
from truehue.tabs.page.actor import record_makers, requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor, Resource, allowed, authorize
from truehue.tabs.participants.stores import CLOSED_ITSELF
from truehue.tabs.studies.links import LinkJson
from truehue.tabs.studies.links import listed as links_of
from truehue.tabs.studies.live import (
    FINISHED,
    StudyCache,
    StudyProgress,
    StudyRequest,
    current,
    progress_of,
    stage_now,
    study_of,
    summary,
)
from truehue.tabs.studies.making import FORM
from truehue.tabs.studies.outline import (
    ConsentJson,
    GroupCount,
    StudySizes,
    blocks,
    group_counts,
    images_of,
    models_of,
    sizes,
)
from truehue.tabs.studies.publication.publishing import (
    PublicationJson,
    may_publish,
    publication_json,
)
from truehue.tabs.studies.questions.sets import tasks_json
from truehue.tabs.studies.rights import may_personal, without_completion
from truehue.tabs.verdicts.deleting import TRASH, TrashJson, trash_json

KEPT = (
    "A study that was opened cannot be deleted, because its answers are part of the record. "
    "Close it instead. You can erase single participants in People."
)
log = logging.getLogger("truehue")

REVISABLE = (
    "title",
    "closing",
    "completion",
    "endings",
    "returns_after_s",
    "abandoned_after_s",
    "unanswered_after_s",
    "start_percent",
)
"""What may change once people came in: nothing of it changes what they answer."""
_STATES = {
    State.DRAFT: "Created",
    State.OPEN: "Opened",
    State.PAUSED: "Paused",
    State.CLOSED: "Closed",
}
MOVES: Mapping[State, tuple[State, ...]] = {
    State.DRAFT: (State.OPEN,),
    State.OPEN: (State.PAUSED, State.CLOSED),
    State.PAUSED: (State.OPEN, State.CLOSED),
    State.CLOSED: (State.OPEN,),
}
"""Where a study can go from each state."""


class DeletedStudy(TypedDict):
    """The draft that was deleted, and can be put back."""

    deleted: TrashJson


class StudyHead(TypedDict):
    """What names a study."""

    id: str
    title: str
    state: str
    state_at: str
    created_at: str
    author_name: str
    version: int
    kind: str
    material: str
    preset: str


class StudyRow(StudyHead):
    """A study in the list; ``links`` counts those that let somebody in."""

    cases: int
    models: list[str]
    stimuli: int
    votes_wanted: int
    answers: int
    participants: int
    finished: int
    last_at: str | None
    links: int


class StudyList(TypedDict):
    """All studies, the newest first."""

    studies: list[StudyRow]


class PlanTraining(TypedDict):
    """Training: trials with a known answer, how many have to be right, and how often one may try."""

    keys: int
    needed: int
    attempts: int
    required: bool


class PlanPractice(TypedDict):
    """What is colored for practice, and whether somebody looks at it."""

    words: list[str]
    review: str


class PlanJson(StudySizes):
    """A plan without its cases' images and distributions; records in it as they are stored."""

    question: str
    instructions: str
    consent: ConsentJson
    intro: str
    outro: str
    cases: int
    models: list[str]
    groups: list[GroupCount]
    stimuli: int
    training_stimuli: int
    pictures: int
    votes: int
    trials: int
    repeats: int
    attention: int
    survey: dict[str, list[str]]
    case_gap: int
    tie: bool
    skip: bool
    method: str
    screening: dict[str, Any]
    training: PlanTraining
    practice: PlanPractice
    examples: list[dict[str, Any]]
    ask_background: bool | None
    reference_image: bool
    keep_color: bool
    sketches: int
    question_set: dict[str, Any] | None
    completion: dict[str, str]
    endings: dict[str, dict[str, str]]
    returns_after_s: int | None
    missed_checks_limit: int | None
    time_limit_s: int | None
    record_input: bool
    closing: dict[str, Any]
    abandoned_after_s: int
    unanswered_after_s: int
    start_percent: int
    language: str
    wording: dict[str, str]
    seed: int


class LogEntryJson(TypedDict):
    """An entry of a study's log, in words."""

    kind: str
    at: str
    by: str
    words: str


class StudyView(StudyHead):
    """A study as its page shows it; ``form`` is what made it, as it was filled in."""

    form: dict[str, Any] | None
    personal: bool
    may_revise: str
    revisable: list[str]
    can: dict[str, bool]
    kept: str
    blocks: list[str]
    plan: PlanJson
    provenance: list[str]
    links: list[LinkJson]
    publication: PublicationJson | None
    progress: StudyProgress
    history: list[LogEntryJson]


def may_delete(actor: Actor, record: StudyRecord) -> bool:
    """Whether the actor may delete the study now: who made a draft, admins and the owner."""
    return record.state is State.DRAFT and allowed(actor, "delete", _resource(record))


@requires("study")
def delete_draft(context: Context, actor: Actor, request: StudyRequest) -> DeletedStudy:
    """Deletes a draft with its links; it can be restored for seven days (``/api/trash``).

    Raises BadInput for a study that was opened once, NotAllowed to who did not make it.
    """
    with context.service(StudyCache).changing:
        record = study_of(context, request.study)
        authorize(actor, "delete", _resource(record))
        gone = context.storage.trash.move("study", [record.id])
        record_makers(context, actor, TRASH, gone.trash_id)
    context.storage.invitations.changes += 1  # links that are kept in memory lead nowhere now
    context.forget()
    return {"deleted": trash_json(gone)}


def _resource(record: StudyRecord) -> Resource:
    return Resource(frozenset({record.author}))


@requires("study")
def study_list(context: Context, actor: Actor, request: EmptyRequest) -> StudyList:
    """All studies, the newest first."""
    now = datetime.now(UTC)
    rows = []
    for record in context.storage.studies.all():
        try:
            rows.append(_row(context, record, now))
        except BadInput as error:  # one that cannot be read keeps nobody from the others
            log.warning("study %s cannot be shown: %s", record.id, error)
    return {"studies": rows}


@requires("study")
def study(context: Context, actor: Actor, request: StudyRequest) -> StudyView:
    """Everything of one study for its page."""
    return view(context, actor, study_of(context, request.study))


def view(context: Context, actor: Actor, record: StudyRecord) -> StudyView:
    """A study as its page shows it; what participants get at the end is empty for those who may
    not have personal data."""
    plan, form = current(context, record), record.plan.get(FORM)
    personal = may_personal(actor, record)
    if not personal:
        plan = replace(plan, completion=Completion(), endings=())
        form = without_completion(record.plan).get(FORM)
    draft = record.state is State.DRAFT
    stopping = blocked(context, plan)
    return {
        **_head(context, record, plan),
        "form": form,
        "personal": personal,
        "may_revise": "everything" if draft else "some",
        "revisable": list(REVISABLE),
        "can": {
            "open": State.OPEN in MOVES[record.state] and not stopping,
            "pause": State.PAUSED in MOVES[record.state],
            "close": State.CLOSED in MOVES[record.state],
            "reopen": record.state is State.CLOSED and not stopping,
            "delete": may_delete(actor, record),
            "publish": may_publish(actor, record),
        },
        "kept": "" if draft else KEPT,
        "blocks": stopping,
        "plan": plan_json(plan),
        "provenance": list(plan.provenance),
        "links": links_of(context, record),
        "publication": publication_json(context, record),
        "progress": summary(context, record, datetime.now(UTC)),
        "history": [_entry(context, entry) for entry in context.storage.studies.log(record.id)],
    }


def blocked(context: Context, plan: StudyPlan) -> list[str]:
    """Why a study cannot open now, in words; also where its pictures are gone."""
    reasons = blocks(plan)
    wanted = images_of(plan.cases)
    gone = len(wanted) - len(context.storage.images.by_ids(wanted))
    if gone:
        reasons.append(
            f"{gone:,} of its {len(wanted):,} images are no longer stored. Restore them, or "
            "revise the study."
        )
    sketches = {case.sketch for case in plan.cases if case.sketch}
    lost = len(sketches) - len(context.storage.sketches.by_ids(sketches))
    if lost:
        reasons.append(
            f"{lost:,} of its {len(sketches):,} sketches are not stored here. Import them "
            "again in Colorize, or revise the study."
        )
    return reasons


def plan_json(plan: StudyPlan) -> PlanJson:
    """A plan without its cases' pictures and distributions."""
    keys = {stimulus_id for stimulus_id, _ in plan.training.keys}
    requested = {stimulus.case_id for stimulus in plan.main_stimuli}
    main = [case for case in plan.cases if case.id in requested]
    return {
        "question": plan.question,
        "instructions": plan.instructions,
        "consent": {"version": plan.consent.version, "text": plan.consent.text},
        "intro": plan.intro,
        "outro": plan.outro,
        "cases": len(main),
        "models": models_of(main),
        "groups": group_counts(case.group for case in main),
        "stimuli": len(plan.main_stimuli),
        "training_stimuli": len(keys),
        "pictures": len(images_of(plan.cases)),
        "votes": plan.votes,
        "trials": plan.trials,
        "repeats": plan.repeats,
        "attention": plan.attention,
        "survey": {
            part.value: [item.text for item in plan.survey.part(part)] for part in SurveyPart
        },
        "case_gap": plan.case_gap,
        **sizes(plan),
        "tie": plan.tie,
        "skip": plan.skip,
        "method": plan.method.value,
        "screening": asdict(plan.screening),
        "training": {
            "keys": len(keys),
            "needed": plan.training.needed,
            "attempts": plan.training.attempts,
            "required": plan.training.required,
        },
        "practice": {
            "words": [plan.case_by_id[case_id].words for case_id in plan.practice.case_ids],
            "review": plan.practice.review.value,
        },
        "examples": [asdict(example) for example in plan.examples],
        "ask_background": plan.ask_background,
        "reference_image": plan.reference_image,
        "keep_color": plan.keep_color,
        "sketches": len({case.sketch for case in main if case.sketch}),
        "question_set": None
        if plan.question_set is None
        else {**asdict(plan.question_set), "tasks": tasks_json(main)},
        "completion": asdict(plan.completion),
        "endings": {name.value: asdict(page) for name, page in plan.endings},
        "returns_after_s": plan.returns_after_s,
        "missed_checks_limit": plan.missed_checks_limit,
        "time_limit_s": plan.time_limit_s,
        "record_input": plan.record_input,
        "closing": asdict(plan.closing),
        "abandoned_after_s": plan.abandoned_after_s,
        "unanswered_after_s": plan.absence_s(answered=False),
        "start_percent": plan.start_percent,
        "language": plan.language,
        "wording": dict(plan.wording),
        "seed": plan.seed,
    }


def name_of(context: Context, actor_id: str) -> str:
    """What the one is called who made or changed something."""
    if actor_id in ("", OWNER):
        return "the owner of this machine"
    if actor_id == CLOSED_ITSELF:
        return "the closing rule"
    try:
        return str(context.storage.accounts.get(actor_id).name)
    except NotStored:
        return "someone without an account"


def _row(context: Context, record: StudyRecord, now: datetime) -> StudyRow:
    plan, progress = current(context, record), progress_of(context, record)
    stages = [stage_now(person, plan, now) for person in progress.people]
    links = context.storage.invitations.of(record.id)
    return {
        **_head(context, record, plan),
        "cases": len({stimulus.case_id for stimulus in plan.main_stimuli}),
        "models": models_of(plan.cases),
        "stimuli": len(plan.main_stimuli),
        "votes_wanted": plan.answers_wanted,
        "answers": progress.total,
        "participants": len(progress.people),
        "finished": sum(stage in FINISHED for stage in stages),
        "last_at": last.isoformat() if (last := progress.last_answer_at) else None,
        "links": sum(link.revoked_at is None for link in links),
    }


def _head(context: Context, record: StudyRecord, plan: StudyPlan) -> StudyHead:
    form = record.plan.get(FORM)
    return {
        "id": record.id,
        "title": record.title,
        "state": record.state.value,
        "state_at": record.state_at.isoformat(),
        "created_at": record.created_at.isoformat(),
        "author_name": name_of(context, record.author),
        "version": record.version,
        "kind": plan.kind.value,
        "material": plan.material.value,
        "preset": form.get("preset", "") if isinstance(form, Mapping) else "",
    }


def _entry(context: Context, entry: LogEntry) -> LogEntryJson:
    return {
        "kind": entry.kind.value,
        "at": entry.at.isoformat(),
        "by": name_of(context, entry.author),
        "words": _text(entry),
    }


def _text(entry: LogEntry) -> str:
    body = entry.body
    match entry.kind:
        case LogKind.PLAN:
            return f"Version {body['version']} of the plan: {body['title']}"
        case LogKind.STATE:
            reason = f": {body['reason']}" if body.get("reason") else ""
            return f"{_STATES[State(body['state'])]}{reason}"
        case LogKind.RULE:
            return "The exclusion rule was changed"
        case LogKind.LINK | LogKind.LINK_REVOKED:
            kind = "personal link" if body.get("personal") else "shared link"
            label = f" “{body['label']}”" if body.get("label") else ""
            done = "created" if entry.kind is LogKind.LINK else "revoked"
            return f"A {kind}{label} was {done}"
        case LogKind.DECISION:
            done = "excluded" if body["excluded"] else "reinstated"
            return f"Participant {body['participant_number'] + 1} was {done}: {body['reason']}"
        case LogKind.ERASURE:
            return f"Participant {body['participant_number'] + 1} was erased at their own request"
        case LogKind.PUBLICATION:
            return f"The results were published {'with' if body['images'] else 'without'} images"
        case LogKind.PUBLICATION_REVOKED:
            return "The published results were withdrawn"
