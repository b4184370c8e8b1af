"""Studies in which made-up designers color sketches, with logs as pages send them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.annotation.studies_made import plan as plan_of
from tests.filled import filled_into
from truehue.annotation.colorings import checksum, paint, read_action
from truehue.annotation.studies.cases import Case, Kind
from truehue.annotation.studies.plan import Material, Practice, StudyPlan, to_json
from truehue.core.sketches.records import Sketch, sketch_id
from truehue.core.sketches.regions import regions
from truehue.core.studies import (
    Enrolment,
    Event,
    EventKind,
    ParticipantRecord,
    Purpose,
    State,
    StoredTrial,
    Trial,
)
from truehue.storage import Storage
from truehue.tabs.shell.compose import make_context
from truehue.tabs.studies.colorings.facts import facts_of

SIDE = 96
CELLS = 4
RED, GREEN, BLUE, YELLOW = "#c82020", "#208a3a", "#2040c8", "#e8d040"
TASTES: Mapping[str, tuple[str, ...]] = {
    "apple": (RED, RED, GREEN, RED, YELLOW),
    "sea": (BLUE,) * 5,
    "leaf": (GREEN,) * 5,
    "lonely cabin": (RED, BLUE, GREEN, YELLOW, "#303030"),
}
"""The color that each designer gives each concept."""


def grid(lines: int = CELLS) -> np.ndarray:
    """Ink uint8 ``(96, 96)``: so many boxes a side, with lines of two pixels."""
    ink = np.full((SIDE, SIDE), 255, np.uint8)
    for index in np.linspace(0, SIDE - 2, lines + 1).astype(int):
        ink[index : index + 2], ink[:, index : index + 2] = 0, 0
    return ink


def sketch_of(ink: np.ndarray) -> Sketch:
    """The sketch of some ink."""
    return Sketch(sketch_id(ink), ink)


@dataclass
class Designers:
    """Who colors: ``tastes`` are the colors by concept and designer, ``cells`` how many boxes of
    the sketch each fills with it; ``liar`` is one whose page sends another checksum."""

    tastes: Mapping[str, Sequence[str]] = field(default_factory=lambda: TASTES)
    cells: int = 4
    liar: int = -1
    seconds: float = 40.0


def coloring_plan(storage: Storage, terms: Sequence[str], **values: Any) -> StudyPlan:
    """A study of these words, which share one sketch; the first is practice."""
    sketch = sketch_of(grid())
    storage.sketches.add(sketch, "a grid", "import", note="brought as Anna.png")
    cases = tuple(
        Case(f"c{index}", text, (), "base", sketch=sketch.id)
        for index, text in enumerate(("practice", *terms))
    )
    provided: dict[str, Any] = {
        "kind": Kind.COLORINGS,
        "material": Material.SKETCHES,
        "cases": cases,
        "votes": 5,
        "trials": len(terms),
        "repeats": 0,
        "attention": 0,
        "tie": False,
        "practice": Practice(("c0",)),
    }
    return plan_of(**{**provided, **values})


def colored_study(
    storage: Storage, designers: Designers | None = None, **values: Any
) -> tuple[str, list[ParticipantRecord]]:
    """A study in which everybody colored practice and every concept; its id and its people."""
    designers = designers or Designers()
    key = ("colored", repr(designers), repr(sorted(values.items())))
    study_id, people = filled_into(
        storage, key, lambda own: _colored_study(own, designers, **values)
    )
    return study_id, list(people)


def _colored_study(
    storage: Storage, designers: Designers, **values: Any
) -> tuple[str, list[ParticipantRecord]]:
    plan = coloring_plan(storage, tuple(designers.tastes), **values)
    study = storage.studies.add(to_json(plan), "owner")
    storage.studies.set_state(study.id, State.OPEN, "owner")
    link = storage.invitations.add(study.id, secrets.token_hex(32), "Anna's class", False, "owner")
    people = []
    for number in range(len(next(iter(designers.tastes.values())))):
        person, trials = enrolled(storage, plan, study.id, link.id)
        people.append(person)
        color(storage, plan, person, trials, designers, number)
    # As the server does it after each answer: every layer is drawn again, and measured.
    context = make_context(storage, "data")
    facts_of(context, study.id)
    context.close()
    return study.id, people


def enrolled(
    storage: Storage, plan: StudyPlan, study_id: str, link_id: str
) -> tuple[ParticipantRecord, tuple[StoredTrial, ...]]:
    """The next participant, with practice and every concept."""
    enrolment = Enrolment(
        study_id, link_id, secrets.token_hex(32), 1, "en", {"prolific_pid": secrets.token_hex(12)}
    )
    stimuli = [*plan.practice_stimuli, *plan.main_stimuli]
    training = len(plan.practice_stimuli)
    trials = tuple(
        Trial(index, stimulus.id, (), Purpose.TRAINING if index < training else Purpose.MAIN)
        for index, stimulus in enumerate(stimuli)
    )
    return storage.participants.enroll(enrolment, lambda number: trials)


def color(
    storage: Storage,
    plan: StudyPlan,
    person: ParticipantRecord,
    trials: Sequence[Trial],
    designers: Designers,
    number: int,
) -> list[Event]:
    """One designer's log of these trials, stored."""
    events = [event(EventKind.CONSENT, None, {"version": plan.consent.version})]
    for trial in trials:
        text = plan.case_by_id[plan.by_id[trial.stimulus_id].case_id].words
        chosen = designers.tastes[text][number] if text in designers.tastes else RED
        events += coloring(storage, plan, trial, chosen, designers, lie=number == designers.liar)
    return list(storage.study_events.append(person.id, events))


def coloring(
    storage: Storage,
    plan: StudyPlan,
    trial: Trial,
    chosen: str,
    designers: Designers | None = None,
    lie: bool = False,
) -> list[Event]:
    """The events of one coloring: a fill too many that is undone, some fills, the answer."""
    designers = designers or Designers()
    step = SIDE // CELLS
    fills = [
        {"do": "fill", "x": 10 + step * (cell % CELLS), "y": 10 + step * (cell // CELLS)}
        for cell in range(designers.cells)
    ]
    log: list[dict[str, Any]] = [
        {**fills[0], "closing": 0, "color": "#000000"},
        {"do": "undo"},
        *({**fill, "closing": 0, "color": chosen} for fill in fills),
    ]
    ink = storage.sketches.ink(plan.case_by_id[plan.by_id[trial.stimulus_id].case_id].sketch)
    layer = paint([read_action(body) for body in log], regions(ink))
    answer = {
        "kind": "coloring",
        "value": None,
        "actions": len(log),
        "checksum": "00000000" if lie else checksum(layer),
        "response_ms": 1_000 * designers.seconds,
        "active_ms": 900 * designers.seconds,
        "display": {"viewport": [1280, 720], "agent": "Anna's laptop"},
    }
    return [
        *(event(EventKind.ACTION, trial.position, body) for body in log),
        event(EventKind.ANSWER, trial.position, answer),
    ]


def event(kind: EventKind, position: int | None, body: Mapping[str, Any]) -> Event:
    """An event as a page sends it."""
    return Event(secrets.token_hex(16), kind, position, dict(body), 1_700_000_000_000)
