"""How far the colorings of a study are: by concept and person, how long one takes, what is odd."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from statistics import median
from typing import Any

from truehue.annotation.assignment.practice import PracticeStage, practice_state
from truehue.annotation.assignment.training import rounds
from truehue.annotation.judgments.answers import AnswerKind, answers_of
from truehue.core.records import LayerRecord
from truehue.core.studies import ColoringMark, EventKind, Purpose
from truehue.tabs.page.actor import asks
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor
from truehue.tabs.studies.colorings.current import CurrentColorings, standing_of
from truehue.tabs.studies.colorings.facts import Facts, known, state_json
from truehue.tabs.studies.colorings.marks import open_recolors
from truehue.tabs.studies.colorings.submitted import MAIN, SECOND, TRAINING, SubmittedColoring
from truehue.tabs.studies.results import StudyReference
from truehue.tabs.studies.results_source import person_name

Json = dict[str, Any]


@asks("study")
def coloring_progress(context: Context, actor: Actor, request: StudyReference) -> Json:
    """Progress by concept and by person, active time of a sketch, flags, checksums that differ.

    Counts are of now; flags and widths may be of a moment ago (``status``).
    """
    standing = standing_of(context, request.study)
    facts, computed = known(context, request.study, 0.05)
    layers = context.storage.coloring_layers.of_study(standing.study_id)
    main = [one for one in standing.given if one.purpose == MAIN]
    differing = [one for one in standing.given if _differs(layers.get(one.answer.id))]
    skips = _skips(standing)
    waiting = _practice_waiting(standing)
    return {
        **state_json(computed),
        "colorings": len(main),
        "wanted": standing.plan.answers_wanted,
        "second": sum(one.purpose == SECOND for one in standing.given),
        "skips": sum(skips.values()),
        "seconds": _seconds(main),
        "concepts": _concepts(standing, main, skips, facts),
        "people": _people(standing, layers, facts, {one["participant"] for one in waiting}),
        "practice_waiting": waiting,
        "recolors_open": [
            {
                "participant": participant,
                "number": _number(standing, participant),
                "position": position,
            }
            for participant, position in sorted(open_recolors(standing))
        ],
        "mismatches": [
            {
                "participant": one.participant.id,
                "number": one.participant.number,
                "position": one.trial.position,
                "words": one.case.words,
            }
            for one in differing
        ],
        "drawn": len(layers),
    }


def _concepts(
    standing: CurrentColorings,
    main: Sequence[SubmittedColoring],
    skips: Counter[str],
    facts: Facts | None,
) -> list[Json]:
    plan = standing.plan
    count = Counter(one.case.id for one in main)
    times: dict[str, list[SubmittedColoring]] = {}
    for one in main:
        times.setdefault(one.case.id, []).append(one)
    flagged = facts.flagged if facts else frozenset()
    sure = {one.case_id: one for one in facts.worth} if facts else {}
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
    standing: CurrentColorings,
    layers: dict[str, LayerRecord],
    facts: Facts | None,
    waiting: Collection[str],
) -> list[Json]:
    by_person: dict[str, list[SubmittedColoring]] = {}
    for one in standing.given:
        by_person.setdefault(one.participant.id, []).append(one)
    out = facts.evidence.people_out if facts else {}
    flagged = facts.flagged if facts else frozenset()
    rows = []
    for person in standing.source.participants:
        own = by_person.get(person.id, [])
        main = [one for one in own if one.purpose == MAIN]
        trials = standing.source.trials.get(person.id, ())
        rows.append(
            {
                "participant": person.id,
                "number": person.number,
                "label": f"Participant {person.number + 1}",
                "colorings": len(main),
                "trials": sum(trial.purpose is Purpose.MAIN for trial in trials),
                "second": sum(one.purpose == SECOND for one in own),
                "practice": sum(one.purpose == TRAINING for one in own),
                "practice_waiting": person.id in waiting,
                "flagged": sum(one.case.id in flagged for one in main),
                "mismatches": sum(_differs(layers.get(one.answer.id)) for one in own),
                "seconds": _seconds(main),
                "excluded": person_name(person.number) in out,
            }
        )
    return rows


def _practice_waiting(standing: CurrentColorings) -> list[Json]:
    """Whose practice is through and was not looked at, whoever was to look: the newest round by
    each who did not withdraw, with the sketches in it that were left for a reason."""
    plan = standing.plan
    if not plan.practice.case_ids:
        return []
    marks: dict[str, list[ColoringMark]] = {}
    for mark in standing.marks:
        marks.setdefault(mark.participant_id, []).append(mark)
    rows = []
    for person in standing.source.participants:
        trials = standing.source.trials.get(person.id, ())
        events = standing.source.events.get(person.id, ())
        if any(trial.purpose is Purpose.MAIN for trial in trials):
            continue
        if any(event.kind is EventKind.WITHDRAWAL for event in events):
            continue
        answers = answers_of(plan, [one for one in trials if one.stimulus_id in plan.by_id], events)
        state = practice_state(plan, trials, answers, marks.get(person.id, ()))
        if state.stage is not PracticeStage.WAITING:
            continue
        given = rounds(plan, trials)
        rows.append(
            {
                "participant": person.id,
                "number": person.number,
                "label": f"Participant {person.number + 1}",
                "round": len(given),
                "positions": [trial.position for trial in given[-1]],
                "skipped": [
                    {
                        "position": trial.position,
                        "words": plan.case_by_id[plan.by_id[trial.stimulus_id].case_id].words,
                        "reason": answers[trial.position].reason,
                        "sketch": plan.case_by_id[plan.by_id[trial.stimulus_id].case_id].sketch,
                    }
                    for trial in given[-1]
                    if answers[trial.position].kind is AnswerKind.SKIP
                ],
            }
        )
    return rows


def _skips(standing: CurrentColorings) -> Counter[str]:
    """How often each case was left for a reason, in main trials."""
    plan, skips = standing.plan, Counter[str]()
    for person in standing.source.participants:
        trials = {
            trial.position: trial
            for trial in standing.source.trials.get(person.id, ())
            if trial.purpose is Purpose.MAIN and trial.stimulus_id in plan.by_id
        }
        events = standing.source.events.get(person.id, ())
        for position, answer in answers_of(plan, list(trials.values()), events).items():
            if answer.kind is AnswerKind.SKIP:
                skips[plan.by_id[trials[position].stimulus_id].case_id] += 1
    return skips


def _seconds(given: Iterable[SubmittedColoring]) -> Json:
    """Median of the active time of a sketch, and its quartiles, in seconds."""
    times = sorted(ms / 1_000 for one in given if (ms := one.number("active_ms")) is not None)
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


def _number(standing: CurrentColorings, participant_id: str) -> int:
    return next(one.number for one in standing.source.participants if one.id == participant_id)
