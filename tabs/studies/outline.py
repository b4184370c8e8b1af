"""A preview of the study that a form would make, before anything is stored."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, TypedDict

import numpy as np

from truehue.annotation.assignment.assign import length_of
from truehue.annotation.studies.cases import Case, Kind
from truehue.annotation.studies.languages import ENGLISH, language_of
from truehue.annotation.studies.plan import Material, StudyPlan
from truehue.core.color.distances import emd
from truehue.core.color.uw71 import uw71
from truehue.core.errors import TrueHueError
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun, message_of
from truehue.tabs.page.roles import Actor
from truehue.tabs.studies.drafting import (
    CandidateCase,
    Draft,
    OutlinedSketches,
    missing,
    possible_cases,
    sketches_json,
)
from truehue.tabs.studies.form import StudyForm
from truehue.tabs.studies.making import (
    MAX_MEASURED,
    consent_of,
    draft_cases,
    long_work,
    missing_weights,
    plan_of,
    with_weights,
)
from truehue.tabs.studies.questions.sets import OutlinedQuestions, questions_json
from truehue.tabs.studies.sources import Weights, source_warnings

SECONDS = {
    Kind.PAIRS: 8,
    Kind.RATINGS: 6,
    Kind.BEST_OF: 12,
    Kind.COLORINGS: 120,
    Kind.QUESTIONS: 12,
}
"""Of one answer, assumed before anybody has answered: a preview of one's own tells better."""
OTHER_SECONDS = 90
"""Consent, instructions and screening."""
QUESTION_SECONDS = 8
"""Of a question about the participant."""
LONG_MINUTES = 30
OFFERS, MAX_OFFERED = 12, 40
"""Training trials that are offered, and cases that are looked at for them."""
MAX_NAMED = 5
PLACEHOLDERS = re.compile(r"\[[^\]]{0,500}\]?")
"""Places to fill in, each to the end of its bracket."""


class CasesForm(StudyForm):
    """A form, and which part of the list of its cases is wanted: those with these ``words``."""

    words: str = ""
    offset: int = 0
    limit: int = 200


class GroupCount(TypedDict):
    """How many cases a group has."""

    group: str
    cases: int


class CaseJson(TypedDict):
    """A case of the sources; ``lacks`` says what it still needs."""

    id: str
    words: str
    group: str
    models: list[str]
    people: bool
    complete: bool
    lacks: list[str]


class CasesView(TypedDict):
    """A part of the cases that the sources have."""

    total: int
    cases: list[CaseJson]
    groups: list[GroupCount]


class StudySizes(TypedDict):
    """What a study asks of people."""

    votes_a_stimulus: int
    votes_wanted: int
    main_a_person: int
    trials_a_person: int
    people_needed: int
    minutes_a_person: float
    minutes_words: str


class CaseCounts(TypedDict):
    """How many cases the sources have, and a study takes."""

    available: int
    complete: int
    left_out: int
    chosen: int


class LongWork(TypedDict):
    """Distributions that have to be extracted first."""

    missing: int
    words: str


class SampleCandidate(TypedDict):
    """What a model made of a case."""

    model: str
    images: list[str]
    weights: list[float] | None


class SampleTrial(TypedDict):
    """A case as one trial would show it; ``reference`` are people's colors."""

    case: str
    words: str
    group: str
    reference: list[float] | None
    places: list[SampleCandidate]


class TrainingOffer(TypedDict):
    """A pair whose ``right`` answer is plain by the distance to people's colors."""

    case: str
    words: str
    models: list[str]
    right: str
    difference: float
    unit: str
    words_why: str


class ConsentJson(TypedDict):
    """The text that participants agree to."""

    version: str
    text: str


class Outline(StudySizes):
    """What a form would make; ``colors`` are the hexes that weights stand for."""

    ok: bool
    title: str
    question: str
    instructions: str
    kind: str
    material: str
    cases: CaseCounts
    groups: list[GroupCount]
    models: list[str]
    stimuli: int
    training_stimuli: int
    pictures: int
    warnings: list[str]
    provenance: list[str]
    blocks: list[str]
    heavy: LongWork | None
    sketches: OutlinedSketches | None
    questions: OutlinedQuestions | None
    sample: SampleTrial | None
    consent: ConsentJson
    colors: list[str]
    training_offers: list[TrainingOffer]


@requires("study")
def cases(context: Context, actor: Actor, request: CasesForm) -> CasesView:
    """The cases of a form's sources, as a list to choose from."""
    every = possible_cases(context, request)
    wanted = [word for word in request.words.lower().split() if word]
    fitting = [
        case
        for case in every
        if (not request.groups or case.group in request.groups)
        and all(word in case.words.lower() for word in wanted)
    ]
    start, limit = max(request.offset, 0), min(max(request.limit, 1), 500)
    form = request.defaulted()
    return {
        "total": len(fitting),
        "cases": [_listed(form, case) for case in fitting[start : start + limit]],
        "groups": group_counts(case.group for case in every),
    }


@requires("study")
def outline(context: Context, actor: Actor, request: StudyForm) -> Outline:
    """A preview of the study that a form would make; nothing is stored. Raises BadInput, with the
    field, for what cannot be made."""
    form = request.filled()
    made = draft_cases(context, form)
    plan = plan_of(made)
    unmeasured, long = missing_weights(context, made), long_work(context, made)
    sample, offers, problem = _measured(context, made, unmeasured)
    return {
        "ok": True,
        "title": plan.title,
        "question": plan.question,
        "instructions": plan.instructions,
        "kind": plan.kind.value,
        "material": form.material.value,
        "cases": {
            "available": made.available,
            "complete": made.complete,
            "left_out": made.available - made.complete,
            "chosen": len(made.cases),
        },
        "groups": group_counts(case.group for case in made.cases),
        "models": models_of(made.cases),
        "stimuli": len(plan.main_stimuli),
        "training_stimuli": len(plan.training.keys),
        "pictures": len(images_of((*made.cases, *made.training))),
        **sizes(plan),
        "warnings": [
            *source_warnings(context, form),
            *warnings(plan, made),
            *([problem] if problem else []),
        ],
        "provenance": list(plan.provenance),
        "blocks": blocks(plan),
        "heavy": {
            "missing": unmeasured,
            "words": f"{long} This continues in the background.",
        }
        if long
        else None,
        "sketches": sketches_json(made) if form.material is Material.SKETCHES else None,
        "questions": questions_json(context, made) if form.material is Material.QUESTIONS else None,
        "sample": sample,
        "consent": {"version": consent_of(form.consent).version, "text": form.consent},
        "colors": [bin_.hex for bin_ in uw71()],
        "training_offers": offers,
    }


def sizes(plan: StudyPlan) -> StudySizes:
    """What a plan asks of people: trials, people, minutes."""
    main = min(plan.trials, len(plan.main_stimuli))
    trials = length_of(plan, ())
    return {
        "votes_a_stimulus": plan.votes,
        "votes_wanted": plan.answers_wanted,
        "main_a_person": main,
        "trials_a_person": trials,
        # Votes of one stimulus are of different people.
        "people_needed": max(math.ceil(plan.answers_wanted / main), plan.votes) if main else 0,
        "minutes_a_person": minutes(plan.kind, trials, len(plan.survey.items)),
        "minutes_words": f"At {SECONDS[plan.kind]} seconds per answer and {OTHER_SECONDS} seconds "
        "before the first.",
    }


def minutes(kind: Kind, trials: int, questions: int = 0) -> float:
    """About how long so many trials, and questions about themselves, take one person."""
    other = OTHER_SECONDS + QUESTION_SECONDS * questions
    return round((other + SECONDS[kind] * trials) / 60, 1)


def blocks(plan: StudyPlan) -> list[str]:
    """Why a plan cannot be opened as it is, in words; empty where it can."""
    reasons = []
    if not plan.main_stimuli:
        reasons.append("No cases are left besides those for training. Choose more cases.")
    elif plan.material is Material.IMAGES and same_images(plan) == len(plan.main_stimuli):
        reasons.append(
            "Every stimulus would show the same image twice. Give one of the models another source."
        )
    fields = [" ".join(field.split()) for field in PLACEHOLDERS.findall(plan.consent.text)]
    if fields:
        reasons.append(
            f"The consent text has fields to complete: {' and '.join(dict.fromkeys(fields))}. "
            "Complete them."
        )
    return reasons


def warnings(plan: StudyPlan, made: Draft) -> list[str]:
    """What a researcher should know before making it."""
    sentences = []
    size = sizes(plan)
    form, preset = made.form, made.form.of_preset
    people, limit = size["people_needed"], plan.closing.participants
    if limit is not None and limit < people:
        wanted = (
            f"{count_noun(plan.votes, 'coloring')} of each concept"
            if plan.kind is Kind.COLORINGS
            else f"{count_noun(plan.votes, 'answer')} to each question"
            if plan.kind is Kind.QUESTIONS
            else f"{count_noun(plan.votes, 'vote')} of each stimulus"
        )
        sentences.append(
            f"The study closes with {count_noun(limit, 'participant')}, but {people:,} are needed for "
            f"{wanted}."
        )
    if size["minutes_a_person"] > LONG_MINUTES:
        sentences.append(
            f"{size['minutes_a_person']:.0f} minutes is long for one session. Participants "
            "can pause and continue with the same link. Fewer trials per person need more "
            "people."
        )
    if preset is not None and preset.models and len(form.models) != preset.models:
        sentences.append(
            f"{preset.name}, as published, compares {preset.models} models; these are "
            f"{len(form.models)}."
        )
    if preset is not None and preset.cases and len(made.cases) != preset.cases:
        sentences.append(
            f"{preset.name}, as published, takes {preset.cases} cases; these are "
            f"{len(made.cases):,}."
        )
    if plan.language != ENGLISH and made.cases:
        language = language_of(plan.language).english_name
        sentences.append(
            f"The page is in {language}, but prompts, concepts and questions are shown as they are: "
            f"check that participants understand “{made.cases[0].words}”."
        )
    same = same_images(plan)
    if same:
        sentences.append(
            f"{same:,} of {len(plan.main_stimuli):,} stimuli would show the same image twice, "
            "because models have identical images. “Leave out equal images” does not ask about them."
        )
    if plan.training.keys and not plan.training.needed:
        sentences.append(
            "No correct training answers are required, so training is shown once and never "
            "repeated."
        )
    if plan.kind is Kind.COLORINGS:
        warned = sum(bool(choice.warnings) for choice in made.sketches.values())
        if warned:
            sentences.append(
                f"{count_noun(warned, 'concept')} {'has' if warned == 1 else 'have'} a sketch with a "
                "warning: look at it in the list, and try it in Colorize."
            )
        named = named_in_examples(plan, made)
        if named:
            sentences.append(
                f"An example names a concept of the study ({', '.join(named[:MAX_NAMED])}), "
                "which suggests an answer. Use another object."
            )
    elif not plan.attention and plan.trials >= 50:
        sentences.append(
            "There are no attention checks, so results cannot show who did not pay attention."
        )
    return sentences


def named_in_examples(plan: StudyPlan, made: Draft) -> list[str]:
    """The things that a study of colorings asks about and that one of its examples names."""
    texts = " ".join(example.text for example in plan.examples)
    resources = dict.fromkeys(choice.shows for choice in made.sketches.values())
    return [
        text
        for text in resources
        if re.search(rf"\b{re.escape(text)}(s|es)?\b", texts, re.IGNORECASE)
    ]


def group_counts(groups: Iterable[str]) -> list[GroupCount]:
    """How many cases each group has, the most first."""
    return [{"group": name, "cases": count} for name, count in Counter(groups).most_common()]


def models_of(some_cases: Sequence[Case]) -> list[str]:
    """The models of the cases, each once, in their order."""
    return list(dict.fromkeys(model for case in some_cases for model in case.models))


def images_of(some_cases: Sequence[Case]) -> set[str]:
    """The ids of all pictures that a study shows."""
    return {image for case in some_cases for image in case.image_ids}


def sample_json(case: Case, models: Sequence[str]) -> SampleTrial:
    """A case as one trial would show it."""
    return {
        "case": case.id,
        "words": case.words,
        "group": case.group,
        "reference": list(case.reference) or None,
        "places": [
            {
                "model": candidate.model,
                "images": list(candidate.image_ids),
                "weights": list(candidate.weights) or None,
            }
            for candidate in map(case.candidate, models)
        ],
    }


def _measured(
    context: Context, made: Draft, unmeasured: int
) -> tuple[SampleTrial | None, list[TrainingOffer], str]:
    """A sample, offers for training, and what went wrong in measuring them."""
    plan = plan_of(made)
    if not plan.main_stimuli or made.form.material in (Material.SKETCHES, Material.QUESTIONS):
        return None, [], ""
    stimulus = plan.main_stimuli[0]
    case = plan.case_by_id[stimulus.case_id]
    if made.form.material is not Material.DISTRIBUTIONS:
        return sample_json(case, stimulus.models), [], ""
    weights = Weights(context, made.form.extraction)
    try:
        sample = sample_json(with_weights(weights, made, case), stimulus.models)
        offers = _offers(weights, made, unmeasured)
    except TrueHueError as error:
        return sample_json(case, stimulus.models), [], message_of(error)
    return sample, offers, ""


def _offers(weights: Weights, made: Draft, unmeasured: int) -> list[TrainingOffer]:
    """Pairs whose distances to people's colors differ most among the first cases, fewer where
    distributions are not stored: a right answer by EMD, for the researcher to look at."""
    if made.form.kind is not Kind.PAIRS:
        return []
    offers: list[TrainingOffer] = []
    each = MAX_MEASURED // len(made.form.models)
    for case in made.cases[: min(MAX_OFFERED, each) if unmeasured else MAX_OFFERED]:
        whole = with_weights(weights, made, case)
        distances = {
            candidate.model: float(emd(_array(candidate.weights), _array(whole.reference)))
            for candidate in whole.candidates
        }
        near = min(distances, key=distances.__getitem__)
        far = max(distances, key=distances.__getitem__)
        if near != far:
            offers.append(
                {
                    "case": made.origins[case.id].id,
                    "words": case.words,
                    "models": sorted((near, far)),
                    "right": near,
                    "difference": round(distances[far] - distances[near], 1),
                    "unit": "ΔE*ab",
                    "words_why": f"EMD to people's colors: {near} {distances[near]:.1f}, {far} "
                    f"{distances[far]:.1f}. Check that the difference is easy to see. The "
                    "pair is then excluded from the study itself.",
                }
            )
    return sorted(offers, key=lambda offer: -offer["difference"])[:OFFERS]


def _array(weights: Sequence[float]) -> Any:
    return np.asarray(weights, dtype=np.float64) / sum(weights)


def same_images(plan: StudyPlan) -> int:
    """How many main stimuli show one image at two places."""
    return sum(map(plan.shows_equal, plan.main_stimuli))


def _listed(form: StudyForm, case: CandidateCase) -> CaseJson:
    lacks = missing(form, case)
    return {
        "id": case.id,
        "words": case.words,
        "group": case.group,
        "models": [model.name for model in form.models if model.name in case.entries],
        "people": bool(case.people),
        "complete": not lacks,
        "lacks": lacks,
    }
