"""A data folder that fills every page: runs, people's colors, questions and studies that people
took part in. The screenshots of the documentation are of it (tests.screenshots)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.annotation.studies_made import plan as plan_of
from tests.concept_runs import concept_run, fruits, palettes_csv
from tests.core.runs.samples import done
from tests.storage.run_samples import sample_prompts
from tests.tabs.studies import colored, simulated
from tests.tabs.studies.studies_here import form, models, opened
from truehue.annotation.colorings import checksum, paint, read_action
from truehue.annotation.studies.cases import Case, Kind
from truehue.annotation.studies.languages import ENGLISH, language_of
from truehue.annotation.studies.plan import Material, Practice, to_json
from truehue.core.concepts.reading import read_distributions
from truehue.core.generation.registry import RENDERER
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import make_plan
from truehue.core.runs.records import GenerationPlan
from truehue.core.sketches.prepare import of_ink
from truehue.core.sketches.regions import regions
from truehue.core.sketches.starter import starter
from truehue.core.studies import EventKind, State
from truehue.core.vlm.generators import GeneratedSettings, generated
from truehue.storage import Storage
from truehue.tabs.shell.compose import make_context

FAILURES = {"none": "Exact", "leaked": "Leaking", "too-vivid": "Too vivid"}
"""How the renderer fails in each run, and how the study names it."""
STRENGTHS = {"Exact": 1.0, "Leaking": -0.6, "Too vivid": 0.2}
TASKS = ("color_extraction", "color_blindness", "color_counting", "color_comparison")
COLORS = {
    "banana": ("#f2d33b", "#e9c62c", "#f4dc58", "#d8c437", "#f0d040", "#e6cf4a"),
    "strawberry": ("#c8202c", "#d52b34", "#b01c28", "#cf3038", "#c62430", "#da3f44"),
    "lemon": ("#f3e04a", "#efdc3c", "#f6e766", "#e8d640", "#f2e252", "#d9d04a"),
    "sunflower": ("#e9b820", "#f0c22e", "#e0a818", "#edc040", "#e6b52a", "#f2cc4c"),
    "whale": ("#4a6a88", "#587890", "#3c5a78", "#5a6f80", "#48688c", "#607c94"),
}
"""The color that each of six people gave each concept."""


@dataclass(frozen=True)
class Shown:
    """The ids of what the folder has: finished runs, the study of pairs, and that of colorings."""

    runs: tuple[str, ...]
    study: str
    colorings: str
    question_set: str


def fill(storage: Storage, folder: Path, prompts: int = 30, size_px: int = 192) -> Shown:
    """Fills a storage; run folders are made below ``folder``."""
    runs = tuple(_run(storage, folder, failure, prompts, size_px) for failure in FAILURES)
    for failure in ("none", "modifier-ignored"):
        made = concept_run(folder, failure, fruits(), guidances=(3.0, 7.0), seeds=2)
        storage.runs.ingest(made)
    people = read_distributions("palettes.csv", palettes_csv())
    storage.distributions.add(people, "A designer", "palettes.csv", "simulated", of_people=True)
    settings = GeneratedSettings(dict.fromkeys(TASKS, 3))
    question_set, _ = storage.question_sets.add(generated(settings), "Color", {})
    return Shown(runs, _pairs(storage, runs), _colorings(storage), question_set)


def _run(storage: Storage, folder: Path, failure: str, prompts: int, size_px: int) -> str:
    drawing = GenerationPlan(images=1, size_px=size_px, options={"failure": failure})
    name = "renderer" if failure == "none" else f"renderer, {failure}"
    plan = make_plan(
        sample_prompts(prompts), RENDERER, drawing=drawing, name=name, set_name="gencolorbench"
    )
    run = RunFolder.create(folder, plan)
    done(run)
    storage.runs.ingest(run)
    return run.run_id


def _pairs(storage: Storage, runs: tuple[str, ...]) -> str:
    context = make_context(storage, "data")
    study_id, plan = opened(
        context,
        form(
            title="Which model follows the color?",
            preset="adherence",
            models=models(runs, tuple(FAILURES.values())),
            votes=8,
        ),
    )
    context.close()
    link = storage.invitations.add(study_id, secrets.token_hex(32), "Course A", False, "owner")
    crowd = simulated.Crowd(people=12, strengths=STRENGTHS)
    rng = np.random.default_rng(5)
    for _ in range(crowd.people):
        person, trials = simulated.enrolled(storage, plan, study_id, link.id)
        events = simulated.session(plan, person, trials, crowd, False, rng)
        storage.study_events.append(person.id, events)
    return study_id


def _colorings(storage: Storage) -> str:
    drawings = starter()
    texts = {text: next(key for key in drawings if key == text) for text in COLORS}
    inks = {text: drawings[key].ink() for text, key in texts.items()}
    cases = tuple(
        Case(f"c{index}", text, (), sketch=storage.sketches.add(of_ink(ink), text, "starter").id)
        for index, (text, ink) in enumerate(inks.items())
    )
    plan = plan_of(
        title="Colors of fruits and more",
        kind=Kind.COLORINGS,
        material=Material.SKETCHES,
        question=language_of(ENGLISH).presets["colorings"].question,
        instructions=language_of(ENGLISH).presets["colorings"].instructions,
        cases=cases,
        votes=6,
        trials=len(cases) - 1,
        repeats=0,
        attention=0,
        tie=False,
        practice=Practice(("c0",)),
    )
    study = storage.studies.add(to_json(plan), "owner")
    storage.studies.set_state(study.id, State.OPEN, "owner")
    link = storage.invitations.add(study.id, secrets.token_hex(32), "Designers", False, "owner")
    for number in range(6):
        person, trials = colored.enrolled(storage, plan, study.id, link.id)
        events = [colored.event(EventKind.CONSENT, None, {"version": plan.consent.version})]
        for trial in trials:
            text = plan.case_by_id[plan.by_id[trial.stimulus_id].case_id].words
            log = _fills(inks[text], COLORS[text][number])
            events += [colored.event(EventKind.ACTION, trial.position, action) for action in log]
            answer = _answer(inks[text], log, 20_000 + 4_000 * number)
            events.append(colored.event(EventKind.ANSWER, trial.position, answer))
        storage.study_events.append(person.id, events)
    return study.id


def _fills(ink: np.ndarray, color: str) -> list[dict[str, Any]]:
    """Fills of all regions of the drawing but its surround."""
    maps = regions(ink)
    labels, surround = maps.labels[0], maps.surround(0)
    found, first = np.unique(labels, return_index=True)
    places = (
        divmod(int(at), labels.shape[1])
        for at, label in zip(first, found, strict=True)
        if label and not surround[label]
    )
    return [{"do": "fill", "x": x, "y": y, "closing": 0, "color": color} for y, x in places]


def _answer(ink: np.ndarray, log: list[dict[str, Any]], time_ms: int) -> Mapping[str, Any]:
    layer = paint([read_action(action) for action in log], regions(ink))
    return {
        "kind": "coloring",
        "value": None,
        "actions": len(log),
        "checksum": checksum(layer),
        "response_ms": time_ms,
        "active_ms": time_ms * 0.9,
        "display": {"viewport": [1280, 720]},
    }
