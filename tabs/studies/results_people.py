"""What a researcher does with results and participants: the rule, decisions, erasure, replay."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from annotation.assignment.load import Enrolled
from annotation.assignment.replay import replay
from annotation.participants.quality import ExclusionRule
from annotation.studies.files import from_json
from core.errors import BadInput, NotStored
from core.studies import ParticipantRecord
from tabs.page.actor import Actor, asks
from tabs.page.context import Context
from tabs.page.errors import many
from tabs.studies.results import AskResults, OfStudy, ResultsKeeper, study_results
from tabs.studies.results_json import decision_json, label, rule_fields
from tabs.studies.results_source import read_source, rule_json, rule_of

Json = dict[str, Any]
Share = Annotated[float, Field(ge=0, le=1)]
MOST_REASON = 1_000


class SetRule(OfStudy):
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


class OfParticipant(OfStudy):
    """Names a participant of a study."""

    participant: Annotated[str, Field(min_length=1, max_length=64)]


class Decide(OfParticipant):
    """``reason`` is for those who read the results."""

    reason: Annotated[str, Field(max_length=MOST_REASON)] = ""


class Erase(OfParticipant):
    """``confirm`` repeats the number that the page calls the participant by, from 1."""

    confirm: Annotated[int, Field(ge=1)]


@asks("study")
def set_rule(context: Context, actor: Actor, request: SetRule) -> Json:
    """Sets the rule that leaves participants out of results; the rules before stay in the log."""
    study_id = context.storage.studies.get(request.study).id
    fields = request.model_dump(exclude={"study", "default"})
    rule = ExclusionRule() if request.default else ExclusionRule(**fields)
    if rule != rule_of(context.storage.studies.rule(study_id)) or not request.default:
        context.storage.studies.set_rule(study_id, rule_json(rule), actor.id)
    return {
        "rule": rule_json(rule),
        "rule_is_default": rule == ExclusionRule(),
        "rule_fields": rule_fields(rule),
        "results": study_results(context, actor, AskResults(study=study_id)),
    }


@asks("study")
def exclude(context: Context, actor: Actor, request: Decide) -> Json:
    """Leaves a participant out of results, with a reason; their answers stay."""
    if not request.reason:
        raise BadInput("Say why: the reason stands in the results and in exports.", "reason")
    return _decide(context, actor, request, excluded=True)


@asks("study")
def include(context: Context, actor: Actor, request: Decide) -> Json:
    """Takes the decision back; the rule of exclusion stands as before."""
    return _decide(context, actor, request, excluded=False)


def _decide(context: Context, actor: Actor, request: Decide, *, excluded: bool) -> Json:
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


@asks("study")
def erase(context: Context, actor: Actor, request: Erase) -> Json:
    """Deletes everything of one participant for good, because that person asked for it."""
    person = participant_of(context, request)
    if request.confirm != person.number + 1:
        raise BadInput(
            f"This is {label(person.number)}, not {request.confirm}: nothing was erased. Give the "
            "number of the person who is to be erased.",
            "confirm",
        )
    context.storage.participants.erase(person.id, actor.id)
    context.service(ResultsKeeper).forget(person.study_id)
    return {"erased": person.number, "label": label(person.number)}


def participant_of(context: Context, request: OfParticipant) -> ParticipantRecord:
    """The participant that a request names. Raises NotStored where the study has none such."""
    person = context.storage.participants.get(request.participant)
    if person.study_id != context.storage.studies.get(request.study).id:
        raise NotStored("This study has no such participant.")
    return person


@asks("study")
def participant_export(context: Context, actor: Actor, request: OfParticipant) -> Json:
    """Everything that is stored of one participant, as it is stored: it is theirs to have."""
    person = participant_of(context, request)
    storage = context.storage
    study = storage.studies.get(person.study_id)
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


@asks("study")
def replayed(context: Context, actor: Actor, request: OfStudy) -> Json:
    """Whether every participant was served what the plan, its seed and the log give again."""
    source = read_source(context, request.study)
    people = [
        Enrolled(
            one.number,
            one.enrolled_at,
            source.trials.get(one.id, ()),
            source.events.get(one.id, ()),
        )
        for one in source.participants
        if one.id not in source.left_out
    ]
    differing = set(replay(source.plan, people))
    first_erased = min(source.erased, default=None)
    changed = len({one.plan_version for one in source.participants}) > 1
    told: list[Json] = []
    for number in sorted(differing):
        if first_erased is not None and number > first_erased:
            why = (
                f"{label(first_erased)} was erased: what was served after them depended on what "
                "they had been served, which is not known any more."
            )
        elif changed:
            why = "The plan was changed while people took part."
        else:
            why = (
                "What is stored is not what the plan gives again. It may have been served by "
                "another version of TrueHue, or changed since."
            )
        told.append({"number": number, "label": label(number), "why": why})
    unexplained = first_erased is None and not changed
    return {
        "checked": len(people),
        "same": len(people) - len(differing),
        "differing": told,
        "skipped": [
            {
                "number": number,
                "label": label(number),
                "why": "Everything of this participant was erased.",
            }
            for number in source.erased
        ],
        "whole": not differing,
        "words": _replay_words(len(people), len(differing), unexplained),
    }


def _replay_words(people: int, differing: int, unexplained: bool) -> str:
    if not people:
        return "Nobody has taken part yet."
    if not differing:
        return f"All trials of {many(people, 'participant')} are as the plan gives them again."
    rest = " This should not be." if unexplained else ""
    return (
        f"The trials of {people - differing} of {many(people, 'participant')} are as the plan "
        f"gives them again; those of {differing} are not.{rest}"
    )
