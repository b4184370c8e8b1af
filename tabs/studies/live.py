"""Running studies: plans in memory, and progress: answers, people, their spread."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from statistics import median
from threading import RLock
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from truehue.annotation.assignment.endings import ending_of, is_late
from truehue.annotation.assignment.ledger import Ledger
from truehue.annotation.judgments.answers import Answer, AnswerKind, answers_of
from truehue.annotation.participants import exclusions_of
from truehue.annotation.studies.plan import Ending, StudyPlan, from_json
from truehue.annotation.studies.survey import SurveyPart
from truehue.core.cache import LruCache
from truehue.core.studies import Event, EventKind, ParticipantRecord, Purpose, StudyRecord, Trial
from truehue.tabs.feature import AppParts
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.participants.service import Participation
from truehue.tabs.sources.studies import agent_json, strokes_of

if TYPE_CHECKING:
    from truehue.storage.store import Storage

_KEPT_PLANS = 24
_KEPT_COUNTS = 64
LONG_S, REST = 0.25, 8.0
"""A count that took longer is good for so many times as long."""
_T = TypeVar("_T")
HOURS = 48
AWAY = "away"
ANSWERED = "answered"
"""Every trial has an answer, and Finish was not pressed: it counts as finished."""
FINISHED = ("finished", ANSWERED)
ACTIVE = ("consent", "survey", "screening", "trials")
ENDED = tuple(
    ending.value
    for ending in (
        Ending.WITHDRAWN,
        Ending.SCREENED_OUT,
        Ending.FAILED_CHECKS,
        Ending.TIMED_OUT,
    )
)


class StudyCache:
    """Plans and counts of studies, read once. A service of the app; any thread may ask.

    ``changing`` is held by whoever reads a study and changes it by what was read.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._plans: LruCache[StudyPlan] = LruCache(_KEPT_PLANS)
        self._counts: LruCache[tuple[object, float, Any]] = LruCache(_KEPT_COUNTS)
        self.changing = RLock()

    @classmethod
    def of(cls, parts: AppParts) -> StudyCache:
        """The one of an app."""
        return cls(parts.storage)

    def plan(self, study_id: str, version: int) -> StudyPlan:
        """A version of a study's plan, which never changes. Raises NotStored."""
        return self._plans.get(
            (study_id, version), lambda: from_json(self._storage.studies.plan(study_id, version))
        )

    def counted(self, study_id: str, state: object, count: Callable[[], _T]) -> _T:
        """What was counted of a study in that ``state`` of it; counted again in another. What takes
        long is not counted again at once, so that watching costs those little who answer."""

        def timed() -> tuple[object, float, Any]:
            began = time.monotonic()
            result = count()
            ended = time.monotonic()
            rest = REST * (ended - began) if ended - began > LONG_S else 0.0
            return state, ended + rest, result

        def is_current(entry: tuple[object, float, Any]) -> bool:
            return entry[0] == state or time.monotonic() < entry[1]

        value: _T = self._counts.get(study_id, timed, is_current)[2]
        return value


class StudyRequest(PageRequest):
    """Names a study by its id, or the first 8 or more characters of it."""

    study: str


@dataclass(frozen=True)
class Person:
    """One participant as the log has them. ``answered`` and ``trials`` count main trials; ``times``
    are when their main answers came, ``response_ms`` how long each took; ``begun``: they have
    answered something; results are without who is ``excluded``; ``agent``: their input looks like a
    script's, None where it is not recorded."""

    record: ParticipantRecord
    stage: str
    answered: Mapping[str, int]
    trials: int
    skips: int
    ties: int
    last_at: datetime
    times: tuple[datetime, ...]
    response_ms: tuple[float, ...]
    begun: bool = False
    excluded: bool = False
    agent: bool | None = None


@dataclass(frozen=True)
class Progress:
    """All participants of a study; ``answers`` by stimulus, skips too, as the assignment counts,
    ``excluded`` those of them that results are without."""

    people: tuple[Person, ...]
    answers: Mapping[str, int]
    excluded: Mapping[str, int]

    @property
    def total(self) -> int:
        """Main answers that stand."""
        return sum(self.answers.values())

    @property
    def last_answer_at(self) -> datetime | None:
        """When the newest of them came; None before the first."""
        return max((time for person in self.people for time in person.times), default=None)


class HourCount(TypedDict):
    """Main answers that came in the hour from ``at`` on."""

    at: str
    answers: int


class LoadCount(TypedDict):
    """How many stimuli have so many answers."""

    answers: int
    stimuli: int


class StudyProgress(TypedDict):
    """How far a study is, in numbers; ``missing`` answers are those still wanted."""

    state: str
    answers: int
    excluded_answers: int
    excluded_people: int
    to_replace: int
    replaces_excluded: bool
    wanted: int
    missing: int
    share: float
    complete_stimuli: int
    stimuli: int
    votes: int
    participants: int
    finished: int
    unpressed: int
    withdrawn: int
    screened_out: int
    failed_checks: int
    timed_out: int
    abandoned: int
    active: int
    skips: int
    ties: int
    median_ms: int | None
    last_at: str | None
    hours: list[HourCount]
    load: list[LoadCount]


class PersonProgress(TypedDict):
    """How far a participant is; ``link`` is the name of the link that they came by. ``begun``: they
    have answered something. Their trials without an answer go to others too from ``held_until`` on,
    unless they are active until then, or sooner where not all are expected to start; None where
    they hold none."""

    id: str
    number: int
    label: str
    stage: str
    answered: int
    trials: int
    enrolled_at: str
    last_at: str
    link: str
    version: int
    excluded: bool
    begun: bool
    held_until: str | None
    agent: bool | None


class RefusedVisitsJson(TypedDict):
    """Visits of a study that was full or closed."""

    visits: int
    first_at: str
    last_at: str


class LiveView(StudyProgress):
    """How far a study is, with its people."""

    people: list[PersonProgress]
    now: str
    turned_away: RefusedVisitsJson | None


@requires("study")
def live(context: Context, actor: Actor, request: StudyRequest) -> LiveView:
    """The progress of a study and its participants; polled every few seconds."""
    record = study_of(context, request.study)
    progress = progress_of(context, record)
    now = datetime.now(UTC)
    links = {link.id: link.label for link in context.storage.invitations.of(record.id)}
    plan = current(context, record)
    people: list[PersonProgress] = [
        {
            "id": person.record.id,
            "number": person.record.number,
            "label": f"Participant {person.record.number + 1}",
            "stage": stage_now(person, plan, now),
            "answered": sum(person.answered.values()),
            "trials": person.trials,
            "enrolled_at": person.record.enrolled_at.isoformat(),
            "last_at": person.last_at.isoformat(),
            "link": links.get(person.record.invitation_id, ""),
            "version": person.record.plan_version,
            "excluded": person.excluded,
            "begun": person.begun,
            "held_until": until.isoformat() if (until := held_until(person, plan, now)) else None,
            "agent": person.agent,
        }
        for person in progress.people
    ]
    away = context.service(Participation).refused_visits(record.id)
    return {
        **summary(context, record, now),
        "people": people,
        "now": now.isoformat(),
        "turned_away": None
        if away is None
        else {
            "visits": away.visits,
            "first_at": away.first_at.isoformat(),
            "last_at": away.last_at.isoformat(),
        },
    }


def summary(context: Context, record: StudyRecord, now: datetime) -> StudyProgress:
    """How far a study is, in numbers."""
    plan, progress = current(context, record), progress_of(context, record)
    stimuli = plan.main_stimuli
    gets = [progress.answers.get(stimulus.id, 0) for stimulus in stimuli]
    load = [
        count - progress.excluded.get(stimulus.id, 0)
        for count, stimulus in zip(gets, stimuli, strict=True)
    ]
    stages = Counter(stage_now(person, plan, now) for person in progress.people)
    spread = Counter(load)
    times = [ms for person in progress.people for ms in person.response_ms]
    wanted = plan.answers_wanted
    useful = sum(min(count, plan.votes) for count in load)
    return {
        "state": record.state.value,
        "answers": progress.total,
        "excluded_answers": sum(progress.excluded.values()),
        "excluded_people": sum(person.excluded for person in progress.people),
        "to_replace": sum(min(count, plan.votes) for count in gets) - useful,
        "replaces_excluded": plan.closing.replace_excluded,
        "wanted": wanted,
        "missing": wanted - useful,
        "share": round(useful / wanted, 4) if wanted else 0.0,
        "complete_stimuli": sum(count >= plan.votes for count in load),
        "stimuli": len(stimuli),
        "votes": plan.votes,
        "participants": len(progress.people),
        "finished": sum(stages[name] for name in FINISHED),
        "unpressed": stages[ANSWERED],
        "withdrawn": stages["withdrawn"],
        "screened_out": stages["screened_out"],
        "failed_checks": stages["failed_checks"],
        "timed_out": stages["timed_out"],
        "abandoned": stages[AWAY],
        "active": sum(stages[name] for name in ACTIVE),
        "skips": sum(person.skips for person in progress.people),
        "ties": sum(person.ties for person in progress.people),
        "median_ms": round(median(times)) if times else None,
        "last_at": last.isoformat() if (last := progress.last_answer_at) else None,
        "hours": _hours(progress, now),
        "load": [{"answers": count, "stimuli": spread[count]} for count in sorted(spread)],
    }


def stage_now(person: Person, plan: StudyPlan, now: datetime) -> str:
    """The stage, or that their time is over, or that nothing was heard of them for long."""
    if person.stage in (*FINISHED, *ENDED):
        return person.stage
    if is_late(plan, person.record.enrolled_at, now):
        return Ending.TIMED_OUT.value
    gone = now - person.last_at > timedelta(seconds=plan.absence_s(person.begun))
    return AWAY if gone else person.stage


def held_until(person: Person, plan: StudyPlan, now: datetime) -> datetime | None:
    """When the trials of a participant that have no answer go to others too, if nothing is heard of
    them until then; None for whom nothing is expected of any more."""
    if stage_now(person, plan, now) not in ACTIVE or not person.trials:
        return None  # a practice holds no trial that is wanted
    until = person.last_at + timedelta(seconds=plan.absence_s(person.begun))
    if plan.time_limit_s is None:
        return until
    return min(until, person.record.enrolled_at + timedelta(seconds=plan.time_limit_s))


def study_of(context: Context, study_id: str) -> StudyRecord:
    """A study by its id, or the beginning of it. Raises NotStored, also for several."""
    studies = context.storage.studies
    if len(study_id) < 32 and len(study_id) >= 8:
        fitting = [record for record in studies.all() if record.id.startswith(study_id)]
        if len(fitting) == 1:
            return fitting[0]
    return studies.get(study_id)


def current(context: Context, record: StudyRecord) -> Any:
    """The newest plan of a study."""
    return context.service(StudyCache).plan(record.id, record.version)


def progress_of(context: Context, record: StudyRecord) -> Progress:
    """The participants of a study; read again only when something came in or was erased."""
    storage = context.storage
    state = (
        record.version,
        storage.study_events.count(record.id, without=EventKind.ACTION),
        storage.participants.count(record.id),
        len(storage.participants.erasures(record.id)),
        storage.participants.changes,
        storage.studies.changes,
        storage.coloring_marks.changes,
    )
    return context.service(StudyCache).counted(record.id, state, lambda: _read(context, record))


def _read(context: Context, record: StudyRecord) -> Progress:
    storage, cache = context.storage, context.service(StudyCache)
    trials = storage.participants.trials_of_study(record.id)
    events = storage.study_events.of_study(record.id, without=EventKind.ACTION)
    participants = storage.participants.of(record.id)
    newest = cache.plan(record.id, record.version)
    numbers = {
        participant_record.id: participant_record.number for participant_record in participants
    }
    marks = storage.coloring_marks.of_study(record.id)
    log = storage.studies.log(record.id)
    ledger = Ledger(newest, exclusions_of(newest, log, marks, numbers))
    now = storage.now().astimezone(UTC)
    strokes = strokes_of(context, newest, record.id)
    people = []
    answers: Counter[str] = Counter()
    for participant in participants:
        plan = cache.plan(record.id, participant.plan_version)
        served, own = trials.get(participant.id, ()), events.get(participant.id, ())
        ledger.enroll(participant.number, participant.enrolled_at)
        ledger.assign(participant.number, served)
        for event in own:
            ledger.take(participant.number, event)
        person = _person(plan, participant, served, own, strokes.get(participant.id, ()))
        person = replace(person, excluded=ledger.excludes(participant.number, now))
        answers.update(person.answered)
        people.append(person)
    return Progress(tuple(people), answers, ledger.excluded(now))


def _person(
    plan: Any,
    record: ParticipantRecord,
    trials: Sequence[Trial],
    events: Sequence[Event],
    strokes: Sequence[Sequence[int]],
) -> Person:
    main = {trial.position: trial for trial in trials if trial.purpose is Purpose.MAIN}
    answers = answers_of(plan, trials, events)
    state = {position: answer for position, answer in answers.items() if position in main}
    kinds = Counter(answer.kind for answer in state.values())
    by_id = {event.id: event for event in events}
    times = [by_id[answer.event_id].at for answer in state.values()]
    signs = [event.at for event in events if event.at is not None]
    agent = agent_json(plan, record, events, strokes)
    return Person(
        record,
        _stage(plan, record.number, trials, answers, events),
        Counter(main[position].stimulus_id for position in state),
        len(main),
        kinds[AnswerKind.SKIP],
        kinds[AnswerKind.TIE],
        max([record.enrolled_at, *signs]),
        tuple(time for time in times if time is not None),
        tuple(
            answer.response_ms for answer in state.values() if answer.kind is not AnswerKind.SKIP
        ),
        any(event.kind is EventKind.ANSWER for event in events),
        agent=None if agent is None else agent["flagged"],
    )


def _stage(
    plan: StudyPlan,
    number: int,
    trials: Sequence[Trial],
    answers: Mapping[int, Answer],
    events: Sequence[Event],
) -> str:
    kinds = {event.kind for event in events}
    if ending := ending_of(plan, number, trials, answers, events):
        if ending is not Ending.COMPLETED:
            return ending.value
        return "finished" if EventKind.FINISH in kinds else ANSWERED
    if EventKind.CONSENT not in kinds:
        return "consent"
    surveyed = {event.body.get("part") for event in events if event.kind is EventKind.SURVEY}
    if plan.survey.before and SurveyPart.BEFORE not in surveyed and not answers:
        return "survey"
    requested = plan.screening.plates or plan.screening.patches
    return "screening" if requested and EventKind.SCREENING not in kinds else "trials"


def _hours(progress: Progress, now: datetime) -> list[HourCount]:
    """Main answers by hour, from the first of the last ``HOURS`` that has any."""
    this = now.replace(minute=0, second=0, microsecond=0)
    start = this - timedelta(hours=HOURS - 1)
    counts = Counter(
        time.replace(minute=0, second=0, microsecond=0)
        for person in progress.people
        for time in person.times
        if time >= start
    )
    if not counts:
        return []
    first = min(counts)
    steps = int((this - first).total_seconds() // 3_600) + 1
    return [
        {"at": time.isoformat(), "answers": counts[time]}
        for time in (first + timedelta(hours=step) for step in range(steps))
    ]
