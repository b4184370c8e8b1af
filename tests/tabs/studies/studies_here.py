"""Studies of a context: runs and distributions to make them of, forms, and people who answer."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.storage.run_samples import fill_copied
from truehue.annotation.assignment.assign import assign
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.concepts.records import HISTOGRAMS, DistributionFile, DistributionRow
from truehue.core.prompts.concepts import concepts
from truehue.core.studies import Enrolment, Event, EventKind, ParticipantRecord, Purpose, Trial
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER
from truehue.tabs.studies.changing import StateRequest, create, set_state
from truehue.tabs.studies.form import StudyForm
from truehue.tabs.studies.live import StudyCache

CONSENT = "I take part. Questions: a@b.example."


def form(**fields: Any) -> StudyForm:
    """A form as the door reads it, with a text to agree to that has nothing to fill in."""
    return read_as(StudyForm, {"consent": CONSENT, **fields})


def drawn(context: Context, root: Path, prompts: int = 12, images: int = 4) -> list[str]:
    """Runs of two models over the same prompts, of which each lacks a few pictures."""
    return fill_copied(context.storage, root, ("model-a", "model-b"), prompts, images)


def models(runs: Sequence[str], names: Sequence[str] = "ABCDEFGH") -> list[dict[str, Any]]:
    """Each run as a model of a form."""
    return [
        {"name": name, "sources": [f"run:{run}"]} for name, run in zip(names, runs, strict=False)
    ]


def distributions(
    context: Context, names: Sequence[str], count: int, people: str = "people"
) -> dict[str, str]:
    """Sets of distributions of the same ``count`` concepts: people's, and a set of each name."""
    chosen = concepts()[:count]
    sources = {}
    for seed, name in enumerate((people, *names)):
        rng = np.random.default_rng(seed)
        rows = tuple(
            DistributionRow(concept.words, "", rng.dirichlet(np.full(71, 0.2)), 5)
            for concept in chosen
        )
        file = DistributionFile(HISTOGRAMS, rows)
        set_id = context.storage.distributions.add(
            file, name, f"{name}.csv", "made for a test", name == people
        )
        sources[name] = f"set:{set_id}"
    return sources


def opened(context: Context, made: StudyForm) -> tuple[str, StudyPlan]:
    """A study that was made and opened, and its plan."""
    study = create(context, OWNER, made)["study"]
    set_state(context, OWNER, StateRequest(study=study["id"], state="open"))
    return study["id"], context.service(StudyCache).plan(study["id"], 1)


def enrolled(context: Context, study_id: str, plan: StudyPlan) -> tuple[str, tuple[Trial, ...]]:
    """A participant who came in by a shared link and agreed, and their trials."""
    storage = context.storage
    links = storage.invitations.of(study_id)
    link = (
        links[0]
        if links
        else storage.invitations.add(study_id, secrets.token_hex(32), "", False, "owner")
    )
    load: dict[str, int] = {}
    for trials in storage.participants.trials_of_study(study_id).values():
        for trial in trials:
            if trial.purpose is Purpose.MAIN:
                load[trial.stimulus_id] = load.get(trial.stimulus_id, 0) + 1
    who, trials = storage.participants.enroll(
        Enrolment(study_id, link.id, secrets.token_hex(32), 1, "en"),
        lambda number: assign(plan, number, load, {}),
    )
    said(context, who, EventKind.CONSENT)
    return who.id, trials


def answered(
    context: Context,
    who: str,
    trials: Sequence[Trial],
    choose: Callable[[Trial], Any] = lambda _: 0,
) -> None:
    """Answers to these trials: a place, a rating, or ``skip`` and ``tie``."""
    events = []
    for trial in trials:
        value = choose(trial)
        body = (
            {"kind": value, "value": None}
            if isinstance(value, str)
            else {"kind": "place", "value": value}
        )
        events.append(
            Event(
                secrets.token_hex(16),
                EventKind.ANSWER,
                trial.position,
                {**body, "response_ms": 1_000 + 10 * trial.position},
            )
        )
    context.storage.study_events.append(who, events)


def said(context: Context, who: str | ParticipantRecord, kind: EventKind) -> None:
    """An event of a participant without more to it."""
    who_id = who if isinstance(who, str) else who.id
    context.storage.study_events.append(who_id, [Event(secrets.token_hex(16), kind)])
