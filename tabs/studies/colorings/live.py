"""Progress of a study's colorings: by concept and person, durations, anomalies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from statistics import median
from typing import TypedDict

from truehue.annotation.judgments.answers import AnswerKind, answers_of
from truehue.core.records import LayerRecord
from truehue.core.studies import Purpose
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor
from truehue.tabs.sources.studies import person_name
from truehue.tabs.studies.colorings.facts import (
    CurrentColorings,
    Facts,
    current_colorings_of,
    known,
)
from truehue.tabs.studies.colorings.marks import open_recolors
from truehue.tabs.studies.colorings.notices import NoticesJson, PracticeNotices
from truehue.tabs.studies.colorings.submitted import MAIN, SECOND, TRAINING, SubmittedColoring
from truehue.tabs.studies.colorings.waiting import WaitingPractice, practice_waiting
from truehue.tabs.studies.results import ComputationState, StudyReference, state_json


class ActiveSeconds(TypedDict):
    """Median and quartiles of the active time ``of`` so many sketches."""

    median: float | None
    low: float | None
    high: float | None
    of: int


class ConceptProgress(TypedDict):
    """How far a concept is; ``worth`` is its place by what the next coloring is worth."""

    case: str
    words: str
    group: str
    colorings: int
    wanted: int
    skips: int
    flagged: bool
    seconds: ActiveSeconds
    width_lab: float | None
    width_few: bool
    width_why: str
    worth: int | None


class ColoringPerson(TypedDict):
    """How far a participant is; ``mismatches`` are layers with another checksum."""

    participant: str
    number: int
    label: str
    colorings: int
    trials: int
    second: int
    practice: int
    practice_waiting: bool
    flagged: int
    mismatches: int
    seconds: ActiveSeconds
    excluded: bool


class OpenRecolor(TypedDict):
    """A second coloring that was requested."""

    participant: str
    number: int
    position: int


class MismatchedLayer(OpenRecolor):
    """A coloring whose layer has another checksum than the page sent."""

    words: str


class ColoringProgress(ComputationState):
    """How far the colorings of a study are."""

    colorings: int
    wanted: int
    second: int
    skips: int
    seconds: ActiveSeconds
    concepts: list[ConceptProgress]
    people: list[ColoringPerson]
    practice_waiting: list[WaitingPractice]
    notices: NoticesJson | None
    recolors_open: list[OpenRecolor]
    mismatches: list[MismatchedLayer]
    drawn: int


@requires("study")
def coloring_progress(context: Context, actor: Actor, request: StudyReference) -> ColoringProgress:
    """Progress by concept and by person, active time of a sketch, flags, checksums that differ.

    Counts are of now; flags and widths may be of a moment ago (``status``).
    """
    current = current_colorings_of(context, request.study)
    facts, computed = known(context, request.study, 0.05)
    layers = context.storage.coloring_layers.of_study(current.study_id)
    main = [coloring for coloring in current.given if coloring.purpose == MAIN]
    differing = [coloring for coloring in current.given if _differs(layers.get(coloring.answer.id))]
    skips = _skips(current)
    waiting = practice_waiting(current)
    return {
        **state_json(computed),
        "colorings": len(main),
        "wanted": current.plan.answers_wanted,
        "second": sum(coloring.purpose == SECOND for coloring in current.given),
        "skips": sum(skips.values()),
        "seconds": _seconds(main),
        "concepts": _concepts(current, main, skips, facts),
        "people": _people(current, layers, facts, {record["participant"] for record in waiting}),
        "practice_waiting": waiting,
        "notices": context.service(PracticeNotices).state(current.study_id),
        "recolors_open": [
            {
                "participant": participant,
                "number": _number(current, participant),
                "position": position,
            }
            for participant, position in sorted(open_recolors(current))
        ],
        "mismatches": [
            {
                "participant": coloring.participant.id,
                "number": coloring.participant.number,
                "position": coloring.trial.position,
                "words": coloring.case.words,
            }
            for coloring in differing
        ],
        "drawn": len(layers),
    }


def _concepts(
    current_colorings: CurrentColorings,
    main: Sequence[SubmittedColoring],
    skips: Counter[str],
    facts: Facts | None,
) -> list[ConceptProgress]:
    plan = current_colorings.plan
    count = Counter(submitted_coloring.case.id for submitted_coloring in main)
    times: dict[str, list[SubmittedColoring]] = {}
    for coloring in main:
        times.setdefault(coloring.case.id, []).append(coloring)
    flagged = facts.flagged if facts else frozenset()
    sure = (
        {concept_uncertainty.case_id: concept_uncertainty for concept_uncertainty in facts.worth}
        if facts
        else {}
    )
    return [
        {
            "case": case.id,
            "words": case.words,
            "group": case.group,
            "colorings": count[case.id],
            "wanted": plan.votes,
            "skips": skips[case.id],
            "flagged": case.id in flagged,
            "seconds": _seconds(times.get(case.id, ())),
            "width_lab": sure[case.id].width_lab if case.id in sure else None,
            "width_few": case.id in sure and sure[case.id].few,
            "width_why": sure[case.id].why if case.id in sure else "",
            "worth": sure[case.id].place if case.id in sure else None,
        }
        for case in (plan.case_by_id[stimulus.case_id] for stimulus in plan.main_stimuli)
    ]


def _people(
    current_colorings: CurrentColorings,
    layers: dict[str, LayerRecord],
    facts: Facts | None,
    waiting: Collection[str],
) -> list[ColoringPerson]:
    by_person: dict[str, list[SubmittedColoring]] = {}
    for submitted_coloring in current_colorings.given:
        by_person.setdefault(submitted_coloring.participant.id, []).append(submitted_coloring)
    out = facts.evidence.people_out if facts else {}
    flagged = facts.flagged if facts else frozenset()
    rows: list[ColoringPerson] = []
    for person in current_colorings.source.participants:
        own = by_person.get(person.id, [])
        main = [coloring for coloring in own if coloring.purpose == MAIN]
        trials = current_colorings.source.trials.get(person.id, ())
        rows.append(
            {
                "participant": person.id,
                "number": person.number,
                "label": f"Participant {person.number + 1}",
                "colorings": len(main),
                "trials": sum(trial.purpose is Purpose.MAIN for trial in trials),
                "second": sum(coloring.purpose == SECOND for coloring in own),
                "practice": sum(coloring.purpose == TRAINING for coloring in own),
                "practice_waiting": person.id in waiting,
                "flagged": sum(coloring.case.id in flagged for coloring in main),
                "mismatches": sum(_differs(layers.get(coloring.answer.id)) for coloring in own),
                "seconds": _seconds(main),
                "excluded": person_name(person.number) in out,
            }
        )
    return rows


def _skips(current_colorings: CurrentColorings) -> Counter[str]:
    """How often each case was left for a reason, in main trials."""
    plan, skips = current_colorings.plan, Counter[str]()
    for person in current_colorings.source.participants:
        trials = {
            trial.position: trial
            for trial in current_colorings.source.trials.get(person.id, ())
            if trial.purpose is Purpose.MAIN and trial.stimulus_id in plan.by_id
        }
        events = current_colorings.source.events.get(person.id, ())
        for position, answer in answers_of(plan, list(trials.values()), events).items():
            if answer.kind is AnswerKind.SKIP:
                skips[plan.by_id[trials[position].stimulus_id].case_id] += 1
    return skips


def _seconds(colorings: Iterable[SubmittedColoring]) -> ActiveSeconds:
    """Median of the active time of a sketch, and its quartiles, in seconds."""
    times = sorted(
        ms / 1_000 for coloring in colorings if (ms := coloring.number("active_ms")) is not None
    )
    if not times:
        return {"median": None, "low": None, "high": None, "of": 0}
    return {
        "median": round(median(times), 1),
        "low": round(times[len(times) // 4], 1),
        "high": round(times[(3 * len(times)) // 4], 1),
        "of": len(times),
    }


def _differs(layer: LayerRecord | None) -> bool:
    return layer is not None and not layer.matches


def _number(current_colorings: CurrentColorings, participant_id: str) -> int:
    return next(
        participant.number
        for participant in current_colorings.source.participants
        if participant.id == participant_id
    )
