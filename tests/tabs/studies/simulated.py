"""Studies in which made-up people took part: their trials and answers are stored as real ones."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.annotation.studies_made import plan as plan_of
from tests.filled import filled_into
from truehue.annotation.assignment.assign import assign_further
from truehue.annotation.assignment.ledger import Enrolled, current_colorings_of
from truehue.annotation.screening import patches_for, plates_for
from truehue.annotation.studies.cases import Candidate, Case, Kind
from truehue.annotation.studies.plan import Material, StudyPlan, to_json
from truehue.core.studies import (
    Enrolment,
    Event,
    EventKind,
    ParticipantRecord,
    Purpose,
    State,
    StoredTrial,
)
from truehue.storage import Storage
from truehue.tabs.participants.session import ParticipantSession

STRENGTHS = {"m0": 0.8, "m1": 0.0, "m2": -0.8}
GROUPS = ("abstract", "object")


@dataclass
class Crowd:
    """How the people of a study answer: ``strengths`` in logits by model, the share of ``ties``,
    and the numbers of those who do not look and always choose the first place (``lazy``)."""

    people: int = 12
    strengths: Mapping[str, float] = field(default_factory=lambda: STRENGTHS)
    ties: float = 0.1
    lazy: tuple[int, ...] = ()
    seed: int = 5


def distributions_plan(concepts: int = 24, **values: Any) -> StudyPlan:
    """A study of pairs of distributions: of three models, m0 is nearest to people's."""
    rng = np.random.default_rng(3)
    made = []
    for index in range(concepts):
        people = rng.dirichlet(np.full(71, 0.3))
        candidates = []
        for model, part in (("m0", 0.3), ("m1", 0.5), ("m2", 0.7)):
            other = rng.dirichlet(np.full(71, 0.3))
            mixed = (1 - part) * people + part * other
            weights = tuple(float(v) for v in mixed / mixed.sum())
            candidates.append(Candidate(model, (f"{index:032x}{int(model[1:]):032x}",), weights))
        reference = tuple(float(v) for v in people / people.sum())
        made.append(
            Case(f"c{index}", f"concept {index}", tuple(candidates), GROUPS[index % 2], reference)
        )
    provided: dict[str, Any] = {
        "material": Material.DISTRIBUTIONS,
        "cases": tuple(made),
        "votes": 4,
        "trials": 24,
        "repeats": 2,
        "attention": 2,
    }
    return plan_of(**{**provided, **values})


def simulated(storage: Storage, plan: StudyPlan, reference_set: Crowd | None = None) -> str:
    """The id of a study that a crowd took part in, one after another, to the end."""
    reference_set = reference_set or Crowd()
    key = ("simulated", json.dumps(to_json(plan)), repr(reference_set))
    return filled_into(storage, key, lambda own: _simulated(own, plan, reference_set))


def _simulated(storage: Storage, plan: StudyPlan, reference_set: Crowd) -> str:
    study = storage.studies.add(to_json(plan), "owner")
    storage.studies.set_state(study.id, State.OPEN, "owner")
    link = storage.invitations.add(study.id, secrets.token_hex(32), "Anna's class", False, "owner")
    rng = np.random.default_rng(reference_set.seed)
    for _ in range(reference_set.people):
        person, trials = enrolled(storage, plan, study.id, link.id)
        lazy = person.number in reference_set.lazy
        storage.study_events.append(
            person.id, session(plan, person, trials, reference_set, lazy, rng)
        )
    return study.id


def enrolled(
    storage: Storage, plan: StudyPlan, study_id: str, link_id: str
) -> tuple[ParticipantRecord, tuple[StoredTrial, ...]]:
    """The next participant, with trials as the plan and all before give them."""
    index = storage.now()
    before = [
        Enrolled(
            item.number,
            item.enrolled_at,
            storage.participants.trials(item.id),
            storage.study_events.of(item.id),
        )
        for item in storage.participants.of(study_id)
    ]
    state = current_colorings_of(plan, before, index)
    enrolment = Enrolment(
        study_id, link_id, secrets.token_hex(32), 1, "en", {"prolific_pid": secrets.token_hex(12)}
    )
    return storage.participants.enroll(
        enrolment, lambda number: assign_further(plan, number, (), {}, state), index
    )


def session(
    plan: StudyPlan,
    person: ParticipantRecord,
    trials: tuple[StoredTrial, ...],
    reference_set: Crowd,
    lazy: bool,
    rng: np.random.Generator,
) -> list[Event]:
    """Everything that one person's page sends, from consent to the end, as the server stores it;
    one answer is undone, and the lazy read no plate."""
    plates = ["" if lazy else plate.digit for plate in plates_for(plan.seed, person.number)]
    patches = {patch.name: patch.place for patch in patches_for(plan.seed, person.number)}
    events = [_event(EventKind.SCREENING, {"plates": plates, **patches})]
    for trial in trials:
        body = answer(plan, trial, reference_set, lazy, rng)
        events.append(_event(EventKind.ANSWER, body, trial.position))
        if trial.position == 3:
            events.append(_event(EventKind.UNDO, {}, trial.position))
            again = {**body, "reason": "I am Anna Example and I slipped."}
            events.append(_event(EventKind.ANSWER, again, trial.position))
    events.append(_event(EventKind.COMMENT, {"text": '=HYPERLINK("x") said Anna Example'}))
    events.append(_event(EventKind.FINISH, {}))
    participant_session = ParticipantSession(person, plan, list(trials))
    stored = [_event(EventKind.CONSENT, {"version": plan.consent.version})]
    participant_session.take(stored[0])
    for event in events:
        stored.append(participant_session.checked(event))
        participant_session.take(stored[-1])
    return stored


def answer(
    plan: StudyPlan, trial: StoredTrial, reference_set: Crowd, lazy: bool, rng: np.random.Generator
) -> dict[str, Any]:
    """The body of an answer as the page sends it."""
    body: dict[str, Any] = {
        "response_ms": float(rng.uniform(700, 4000)),
        "display": {"viewport": [1280, 720], "arrangement": "below", "agent": "Anna's laptop"},
    }
    if plan.kind is Kind.RATINGS:
        if trial.purpose is Purpose.ATTENTION:
            return {**body, "kind": "rating", "value": 0 if lazy else trial.expected}
        mean = 5 + 2 * reference_set.strengths[trial.order[0]]
        rated = int(np.clip(round(mean + rng.normal()), 0, 10))
        return {**body, "kind": "rating", "value": 0 if lazy else rated}
    if trial.purpose is Purpose.ATTENTION:
        return {**body, "kind": "place", "value": 0 if lazy else trial.expected}
    if not lazy and plan.tie and plan.kind is Kind.PAIRS and rng.random() < reference_set.ties:
        return {**body, "kind": "tie", "value": None}
    weights = np.exp([reference_set.strengths[model] for model in trial.order])
    chosen = 0 if lazy else int(rng.choice(len(weights), p=weights / weights.sum()))
    return {**body, "kind": "place", "value": chosen}


def _event(kind: EventKind, body: Mapping[str, Any], position: int | None = None) -> Event:
    return Event(secrets.token_hex(16), kind, position, dict(body), 1_700_000_000_000)
