"""A researcher's actions on participants: rule, decisions, erasure, replay; and comments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from pydantic import Field

from truehue.annotation.assignment.assign import replay
from truehue.annotation.assignment.ledger import SETTLED_S, Enrolled
from truehue.annotation.participants import ExclusionRule, exclusions_of, rule_of
from truehue.annotation.studies.plan import from_json
from truehue.core.errors import BadInput, NotStored
from truehue.core.studies import Event, EventKind, LogKind, ParticipantRecord, State
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.roles import Actor, Resource, authorize
from truehue.tabs.sources.studies import read_source, rule_json
from truehue.tabs.studies.live import StudyCache, StudyRequest, study_of
from truehue.tabs.studies.people_json import DecisionJson, decision_json, label
from truehue.tabs.studies.results import (
    ResultsService,
    StudyReference,
    StudyResultsRequest,
    StudyResultsView,
    study_results,
)
from truehue.tabs.studies.rights import may_personal, require_personal

if TYPE_CHECKING:
    from truehue.storage.store import Storage

Json = dict[str, Any]
Share = Annotated[float, Field(ge=0, le=1)]
MAX_REASON = 1_000


def logs_of(storage: Storage, study_id: str) -> dict[str, tuple[Event, ...]]:
    """The events of each participant by id; of the actions one a minute, without what was done."""
    events = storage.study_events.of_study(study_id, without=EventKind.ACTION)
    signs = storage.study_events.signs(study_id)
    return {
        person: (*own, *(Event("", EventKind.ACTION, at=time) for time in signs.get(person, ())))
        for person, own in events.items()
    }


class CommentJson(TypedDict):
    """What a participant wrote at the end."""

    label: str
    text: str
    at: str | None


class Comments(TypedDict):
    """Comments by participant and time."""

    comments: list[CommentJson]


@requires("study")
def comments(context: Context, actor: Actor, request: StudyRequest) -> Comments:
    """The comments of a study, by participant and time.

    They are personal data: nobody but who made the study, and admins, is told any
    (:func:`truehue.tabs.studies.rights.may_personal`). Anonymous exports, and so what is imported
    of them, have none.
    """
    record = study_of(context, request.study)
    if not may_personal(actor, record):
        return {"comments": []}
    events = context.storage.study_events.of_study(record.id, without=EventKind.ACTION)
    return {
        "comments": [
            {
                "label": label(person.number),
                "text": str(event.body["text"]),
                "at": event.at.isoformat() if event.at else None,
            }
            for person in context.storage.participants.of(record.id)
            for event in events.get(person.id, ())
            if event.kind is EventKind.COMMENT and event.position is None and event.body.get("text")
        ]
    }


class SetRule(StudyReference):
    """The whole rule of exclusion: a bound that is not given is not looked at. ``default`` sets the
    rule that a new study has."""

    least_attention: Share | None = None
    least_consistency: Share | None = None
    most_fast: Share | None = None
    most_one_side: Share | None = None
    least_answered: Share | None = None
    least_plates: Share | None = None
    least_training: Share | None = None
    screen: bool = False
    default: bool = False


class ParticipantReference(StudyReference):
    """Names a participant of a study."""

    participant: Annotated[str, Field(min_length=1, max_length=64)]


class Decide(ParticipantReference):
    """``reason`` is for those who read the results."""

    reason: Annotated[str, Field(max_length=MAX_REASON)] = ""


class Erase(ParticipantReference):
    """``confirm`` repeats the number that the page calls the participant by, from 1."""

    confirm: Annotated[int, Field(ge=1)]


class RuleSet(TypedDict):
    """The rule of exclusion, and the results by it."""

    rule: dict[str, Any]
    rule_is_default: bool
    results: StudyResultsView


class DecidedPerson(TypedDict):
    """A participant and what was decided of them."""

    id: str
    number: int
    label: str
    excluded: bool
    decision: DecisionJson | None


class Decided(TypedDict):
    """The participant that was decided of."""

    person: DecidedPerson


class Erased(TypedDict):
    """The number of the participant, and the sets of distributions that went with them."""

    erased: int
    label: str
    sets: list[str]


class Cleared(TypedDict):
    """Of how many participants personal data were deleted."""

    cleared: int


class ReplayedPerson(TypedDict):
    """A participant whose trials differ, or were not checked, and why."""

    number: int
    label: str
    why: str


class Replays(TypedDict):
    """Whether the log gives the trials of all participants again."""

    checked: int
    same: int
    differing: list[ReplayedPerson]
    skipped: list[ReplayedPerson]
    whole: bool
    words: str


@requires("study")
def set_rule(context: Context, actor: Actor, request: SetRule) -> RuleSet:
    """Sets the rule that excludes participants from results; earlier rules stay in the log."""
    study_id = context.storage.studies.get(request.study).id
    fields = request.model_dump(exclude={"study", "default"})
    rule = ExclusionRule() if request.default else ExclusionRule(**fields)
    with context.service(StudyCache).changing:
        stored = context.storage.studies.rule(study_id)
        if rule != rule_of(stored) or not request.default:
            # What else stands in the stored rule is not of participants, and stays.
            changed = {**(stored or {}), **rule_json(rule)}
            context.storage.studies.set_rule(study_id, changed, actor.id)
    return {
        "rule": rule_json(rule),
        "rule_is_default": rule == ExclusionRule(),
        "results": study_results(context, actor, StudyResultsRequest(study=study_id)),
    }


@requires("study")
def exclude(context: Context, actor: Actor, request: Decide) -> Decided:
    """Excludes a participant from results, with a reason; their answers stay."""
    if not request.reason:
        raise BadInput("Give a reason. It appears in results and exports.", "reason")
    return _decide(context, actor, request, excluded=True)


@requires("study")
def include(context: Context, actor: Actor, request: Decide) -> Decided:
    """Reverts the exclusion of a participant; the rule of exclusion still applies."""
    return _decide(context, actor, request, excluded=False)


def _decide(context: Context, actor: Actor, request: Decide, *, excluded: bool) -> Decided:
    person = participant_of(context, request)
    storage = context.storage
    storage.participants.decide(person.id, excluded, request.reason, actor.id)
    decision = storage.participants.decisions(person.study_id)[person.id]
    return {
        "person": {
            "id": person.id,
            "number": person.number,
            "label": label(person.number),
            "excluded": excluded,
            "decision": decision_json(decision),
        }
    }


@requires("study")
def erase(context: Context, actor: Actor, request: Erase) -> Erased:
    """Permanently deletes all data of one participant at their request, and the sets of
    distributions with their answers, which are named. For the maker of the study, and for admins.
    """
    person = participant_of(context, request)
    study = context.storage.studies.get(person.study_id)
    authorize(actor, "delete", Resource(frozenset({study.author})))
    if request.confirm != person.number + 1:
        raise BadInput(
            f"This is {label(person.number)}, not {request.confirm}: nothing was erased. Give the "
            "number of the person who is to be erased.",
            "confirm",
        )
    sets = context.storage.participants.erase(person.id, actor.id)
    _forget_results(context, person.study_id)
    return {"erased": person.number, "label": label(person.number), "sets": list(sets)}


@requires("study")
def clear_external(context: Context, actor: Actor, request: StudyReference) -> Cleared:
    """Deletes the ids that recruiting sites gave the participants of a closed study, and what they
    answered that is personal data, as the consent text promises after payment. For the maker of the
    study, and for admins."""
    study = context.storage.studies.get(request.study)
    authorize(actor, "delete", Resource(frozenset({study.author})))
    if study.state is not State.CLOSED:
        raise BadInput(
            "Close the study first: returning participants are recognized by their "
            "recruiting-site id.",
            "study",
        )
    cleared = context.storage.participants.clear_external(study.id)
    _forget_results(context, study.id)
    return {"cleared": cleared}


def _forget_results(context: Context, study_id: str) -> None:
    """Drops what is kept of results that may have data which are no longer stored."""
    for service in context.services.values():
        if isinstance(service, ResultsService):
            service.forget(study_id)


def participant_of(context: Context, request: ParticipantReference) -> ParticipantRecord:
    """The participant that a request names. Raises NotStored where the study has none such."""
    person = context.storage.participants.get(request.participant)
    if person.study_id != context.storage.studies.get(request.study).id:
        raise NotStored("There is no such participant in this study.")
    return person


@requires("study")
def participant_export(context: Context, actor: Actor, request: ParticipantReference) -> Json:
    """Everything that is stored of one participant, as it is stored: it is theirs to have. For who
    made the study, and for admins."""
    person = participant_of(context, request)
    storage = context.storage
    study = storage.studies.get(person.study_id)
    require_personal(actor, study)
    decision = storage.participants.decisions(person.study_id).get(person.id)
    return {
        "format": "truehue participant",
        "format_version": 1,
        "study": {"id": study.id, "title": study.title},
        "participant": {
            "id": person.id,
            "number": person.number,
            "label": label(person.number),
            "plan_version": person.plan_version,
            "language": person.language,
            "external": dict(person.external),
            "enrolled_at": person.enrolled_at.isoformat(),
        },
        "consent": _consent(context, person),
        "trials": [
            {**asdict(trial), "assigned_at": trial.assigned_at.isoformat()}
            for trial in storage.participants.trials(person.id)
        ],
        "events": [
            {**asdict(event), "at": event.at.isoformat() if event.at else None}
            for event in storage.study_events.of(person.id)
        ],
        "decision": decision_json(decision),
    }


def _consent(context: Context, person: ParticipantRecord) -> Json:
    """What the participant agreed to."""
    plan = from_json(context.storage.studies.plan(person.study_id, person.plan_version))
    return {"version": plan.consent.version, "text": plan.consent.text}


@requires("study")
def check_replays(context: Context, actor: Actor, request: StudyReference) -> Replays:
    """Whether every participant was shown what the plan, its seed and the log reproduce."""
    source = read_source(context, request.study)
    events = logs_of(context.storage, source.study.id)
    marks = context.storage.coloring_marks.of_study(source.study.id)
    cache, log = context.service(StudyCache), context.storage.studies.log(source.study.id)
    newest = source.study.version
    first = min((participant.plan_version for participant in source.participants), default=newest)
    plans = {version: cache.plan(source.study.id, version) for version in range(first, newest + 1)}
    people = [
        Enrolled(
            participant.number,
            participant.enrolled_at,
            source.trials.get(participant.id, ()),
            events.get(participant.id, ()),
            [mark for mark in marks if mark.participant_id == participant.id],
            plans[participant.plan_version],
        )
        for participant in source.participants
    ]
    changes = [
        (entry.at, plans[entry.body["version"]])
        for entry in log
        if entry.kind is LogKind.PLAN and entry.body["version"] > first
    ]
    numbers = {participant.id: participant.number for participant in source.participants}
    exclusions = exclusions_of(source.plan, log, marks, numbers)
    differing = replay(plans[first], people, changes, exclusions)
    gaps = [
        _gap(people, entry.body["participant_number"], entry.at)
        for entry in log
        if entry.kind is LogKind.ERASURE
    ]
    reasons = {number: _why(times, gaps) for number, times in differing.items()}
    return {
        "checked": len(people),
        "same": len(people) - len(differing),
        "differing": [
            {"number": number, "label": label(number), "why": why or _UNEXPLAINED}
            for number, why in reasons.items()
        ],
        "skipped": [
            {
                "number": number,
                "label": label(number),
                "why": "Everything of this participant was erased.",
            }
            for number in source.erased
        ],
        "whole": not differing,
        "words": _replay_text(len(people), len(differing), "" in reasons.values()),
    }


_UNEXPLAINED = (
    "What is stored differs from what the plan produces. Another version of TrueHue may have "
    "served it, or it was changed since."
)
Gap = tuple[int, datetime, datetime]
"""Who was erased, and the time in which what others were served may have depended on them."""


def _gap(people: Sequence[Enrolled], number: int, until: datetime) -> Gap:
    """From the last enrolment before theirs, for their own is not known any more, until the running
    study knows of the erasure."""
    before = (person.enrolled_at for person in people if person.number < number)
    known_at = until + timedelta(seconds=SETTLED_S)
    return number, max(before, default=datetime.min.replace(tzinfo=UTC)), known_at


def _why(times: Sequence[datetime], gaps: Sequence[Gap]) -> str:
    """Whose erasure explains what was served at these times; empty where none does for all."""
    reasons = [
        next((number for number, after, until in gaps if after < time <= until), None)
        for time in times
    ]
    if None in reasons:
        return ""
    names = " and ".join(label(number) for number in sorted({reason or 0 for reason in reasons}))
    return (
        f"{names} was erased: what was served while they were there depended on what they had been "
        "served, which is not known any more."
    )


def _replay_text(people: int, differing: int, unexplained: bool) -> str:
    if not people:
        return "No participants yet."
    if not differing:
        return f"All trials of {count_noun(people, 'participant')} match the plan."
    rest = " This should not be." if unexplained else ""
    return (
        f"The trials of {people - differing} of {count_noun(people, 'participant')} are as the plan "
        f"gives them again; those of {differing} are not.{rest}"
    )
