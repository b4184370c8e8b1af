"""Studies taken by simulated people, through the assignment and the answers of real ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from truehue.annotation.assignment.assign import assign_further
from truehue.annotation.assignment.ledger import AssignmentState, Enrolled, current_colorings_of
from truehue.annotation.judgments.answers import answers_of
from truehue.annotation.report import Person
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import Method, StudyPlan
from truehue.core.studies import Event, EventKind, Purpose, StoredTrial, Trial

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
STRENGTHS = {"m0": 0.8, "m1": 0.0, "m2": -0.8}


@dataclass(frozen=True)
class Taste:
    """``strengths`` are log strengths by model, ``log_tie`` Davidson's; ``person_sd`` is how far
    the strengths of one person lie from these."""

    strengths: Mapping[str, float] = field(default_factory=lambda: STRENGTHS)
    log_tie: float = -np.inf
    person_sd: float = 0.0

    def of_somebody(self, rng: np.random.Generator) -> Taste:
        """One person's."""
        own = {m: s + self.person_sd * rng.normal() for m, s in self.strengths.items()}
        return replace(self, strengths=own)

    def body(self, study: StudyPlan, trial: Trial, rng: np.random.Generator) -> dict[str, Any]:
        """An answer to the trial; checks are answered as told."""
        kind, value = "place", trial.expected
        if study.kind is Kind.RATINGS:
            kind = "rating"
        if trial.purpose is not Purpose.ATTENTION:
            strengths = [self.strengths[model] for model in trial.order]
            if study.kind is Kind.RATINGS:
                value = int(np.clip(round(5 + 2 * strengths[0] + rng.normal()), 0, 10))
            else:
                weights = np.exp([*strengths, self.log_tie + sum(strengths) / len(strengths)])
                value = int(rng.choice(len(weights), p=weights / weights.sum()))
                if value == len(strengths):
                    kind, value = "tie", None
        return {"kind": kind, "value": value, "response_ms": float(rng.uniform(600, 3000))}


def stored(trial: Trial, time: datetime) -> StoredTrial:
    """The trial as storage gives it back."""
    return StoredTrial(
        **{item.name: getattr(trial, item.name) for item in fields(Trial)}, assigned_at=time
    )


Answering = Callable[[Trial, int], dict[str, Any] | None]
"""The body of an answer of the participant with that number, None of somebody who goes away."""


def taken_at_once(
    study: StudyPlan, people: int, answering: Answering, minutes: float = 1.0
) -> list[Enrolled]:
    """So many people who come ``minutes`` apart and answer every four seconds, side by side."""
    out: list[Enrolled] = []
    turns = [(BEGIN + timedelta(minutes=minutes * number), number) for number in range(people)]
    while turns:
        turns.sort()
        index, number = turns.pop(0)
        if number == len(out):
            out.append(Enrolled(number, index, (), ()))
        person = out[number]
        answers = answers_of(study, person.trials, person.events)
        waiting = [trial for trial in person.trials if trial.position not in answers]
        if waiting:
            body = answering(waiting[0], number)
            if body is None:
                continue
            count = len(person.events)
            event = Event(
                f"{number:016x}{count:016x}",
                EventKind.ANSWER,
                waiting[0].position,
                body,
                number=count,
                at=index,
            )
            person = replace(person, events=(*person.events, event))
            answers = answers_of(study, person.trials, person.events)
        out[number] = person
        later = index + timedelta(milliseconds=3)
        trials = [t.trial() if isinstance(t, StoredTrial) else t for t in person.trials]
        more = assign_further(
            study, number, trials, answers, current_colorings_of(study, out, later)
        )
        values = (*person.trials, *(stored(trial, later) for trial in more))
        out[number] = replace(person, trials=values)
        if len(waiting) > 1 or more:
            turns.append((index + timedelta(seconds=4 + 0.01 * number), number))
    return out


def taken(study: StudyPlan, people: int, seed: int, taste: Taste = Taste()) -> list[Person]:
    """So many people one after another, all of whom finish. Quicker than :func:`taken_at_once`."""
    load: Counter[str] = Counter()
    served: Counter[tuple[str, tuple[str, ...]]] = Counter()
    tallies: dict[tuple[str, str], tuple[int, int, int]] = {}
    rng = np.random.default_rng(seed)
    out = []
    for number in range(people):
        own = taste.of_somebody(rng)
        trials: tuple[Trial, ...] = ()
        events: list[Event] = []
        while True:
            assignment_state = AssignmentState(load, served, tallies)
            answers = answers_of(study, trials, events)
            more = assign_further(study, number, trials, answers, assignment_state)
            if not more:
                break
            for trial in more:
                body = own.body(study, trial, rng)
                name = f"{number:016x}{len(events):016x}"
                events.append(
                    Event(name, EventKind.ANSWER, trial.position, body, number=len(events))
                )
                if trial.purpose is Purpose.MAIN:
                    load[trial.stimulus_id] += 1
                    served[trial.stimulus_id, trial.order] += 1
                    if study.method is Method.ADAPTIVE:
                        _count(tallies, trial, body)
            trials += more
        out.append(Person(f"p{number}", number, trials, events))
    return out


def answered(study: StudyPlan, people: Sequence[Person], seed: int, taste: Taste) -> list[Person]:
    """Other people with the trials of these, all of whom finish, as :func:`taken` would have them
    where what is served does not depend on answers."""
    rng = np.random.default_rng(seed)
    out = []
    for person in people:
        own = taste.of_somebody(rng)
        events = [
            Event(
                f"{person.number:016x}{number:016x}",
                EventKind.ANSWER,
                trial.position,
                own.body(study, trial, rng),
                number=number,
            )
            for number, trial in enumerate(person.trials)
        ]
        out.append(replace(person, events=events))
    return out


def _count(
    tallies: dict[tuple[str, str], tuple[int, int, int]], trial: Trial, body: Mapping[str, Any]
) -> None:
    first, second = sorted(trial.order)
    counts = list(tallies.get((first, second), (0, 0, 0)))
    winner = None if body["value"] is None else trial.order[body["value"]]
    counts[2 if winner is None else int(winner == second)] += 1
    tallies[first, second] = (counts[0], counts[1], counts[2])
