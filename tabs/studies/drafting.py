"""The cases of a study from a form: available materials, sampled cases, missing ones."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np

from truehue.annotation.studies.cases import (
    SET_SIZE,
    SIZES,
    Candidate,
    Case,
    Kind,
    QuestionSetName,
    Stimulus,
)
from truehue.annotation.studies.plan import Material
from truehue.core.concepts.matching import concept_of, normal, similar
from truehue.core.errors import BadInput
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.studies.form import KeyForm, StudyForm
from truehue.tabs.studies.sketch_choices import (
    Choice,
    Choices,
    SketchChoice,
    case_id_of,
    choice_json,
    group_of,
)
from truehue.tabs.studies.sources import Entries, Entry, concepts_of, prompts_of

NO_PEOPLES_COLORS = "people's colors are not known"
NO_COMMON_CASES = "the selected models have no common cases"
TRAINING = "training:"
"""Begins the id of a case that is there for training alone."""
MAX_LETTERS = 120
_NAMED = 8
"""Words that a sentence names before it says how many more there are."""

# Of several categories and plain to color; the first that are not asked about are practiced on.
_PRACTICE = ("birthday cake", "bell pepper", "butterfly", "pizza", "rainbow", "tulip", "carrot")


@dataclass(frozen=True)
class CandidateCase:
    """A case that sources have: by model's name what they have of it, and the source of people's
    colors, empty where none has any. ``weights`` are sources of distributions by model."""

    id: str
    words: str
    group: str
    entries: Mapping[str, Entry]
    weights: Mapping[str, str] = field(default_factory=dict)
    people: str = ""


@dataclass(frozen=True)
class Draft:
    """What a form would make. ``cases`` and ``training`` have no distributions yet; ``origins`` are
    the possible cases by the ids of cases. ``available`` is what at least one source has,
    ``complete`` what all have, ``provenance`` sentences on what was taken and left out. Of
    colorings, ``sketches`` are by the ids of cases, and ``without`` are words that have none;
    ``question_set`` is what questions are of."""

    form: StudyForm
    cases: tuple[Case, ...]
    training: tuple[Case, ...]
    keys: tuple[tuple[str, str], ...]
    origins: Mapping[str, CandidateCase]
    available: int
    complete: int
    provenance: tuple[str, ...]
    sketches: Mapping[str, Choice] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    question_set: QuestionSetName | None = None


def possible_cases(context: Context, form: StudyForm) -> list[CandidateCase]:
    """All cases that at least one model has, in the order of the first model's sources."""
    if not form.models:
        raise BadInput("Choose at least one model whose images are shown.", "models")
    if form.material is Material.DISTRIBUTIONS and not form.people:
        raise BadInput(
            "Choose the human colors to compare with: a set of people's distributions or "
            "colorings.",
            "people",
        )
    read = concepts_of if form.material is Material.DISTRIBUTIONS else prompts_of
    people: dict[str, str] = {}
    if form.material is Material.DISTRIBUTIONS:
        for text in reversed(form.people):
            people.update(dict.fromkeys(concepts_of(context, text), text))
    by_key: dict[str, dict[str, Entry]] = {}
    weights: dict[str, dict[str, str]] = {}
    for model in form.models:
        for text, entries in _sources(context, model.sources, read):
            for key, entry in entries.items():
                # The first source that has pictures of it, and the first that has it at all.
                before = by_key.setdefault(key, {}).get(model.name)
                if before is None or (entry.image_ids and not before.image_ids):
                    by_key[key][model.name] = entry
                weights.setdefault(key, {}).setdefault(model.name, text)
    used: set[str] = set()
    cases = []
    for key, entries in by_key.items():
        # One name for a case, whichever model stands first.
        first = min(entries.values(), key=lambda entry: entry.id)
        case_id = first.id
        if case_id in used:
            case_id = f"{first.id}~{hashlib.sha256(key.encode()).hexdigest()[:6]}"
        used.add(case_id)
        cases.append(
            CandidateCase(
                case_id, first.words, first.group, entries, weights[key], people.get(key, "")
            )
        )
    return cases


def missing(form: StudyForm, case: CandidateCase) -> list[str]:
    """What a case lacks to be in the study, as the end of a sentence on so many cases."""
    reasons = []
    if form.material is Material.DISTRIBUTIONS:
        if not case.people:
            reasons.append(NO_PEOPLES_COLORS)
        reasons += [
            f"{model.name} has no distribution"
            for model in form.models
            if model.name not in case.weights
        ]
        return reasons
    least, text = _least(form)
    for model in form.models:
        entry = case.entries.get(model.name)
        if entry is None or len(entry.image_ids) < least:
            reasons.append(f"{model.name} has {text}")
    return reasons


def draft(context: Context, form: StudyForm) -> Draft:
    """The cases of a filled form, with their pictures drawn. Raises BadInput where nothing is left,
    or more is asked for than there is."""
    every = possible_cases(context, form)
    narrowed, provenance = _narrowed(form, every)
    reasons: Counter[str] = Counter()
    complete = []
    for case in narrowed:
        lacks = missing(form, case)
        reasons.update(lacks)
        if not lacks:
            complete.append(case)
    provenance += [
        f"{count_noun(count, 'case')} excluded: {reason}."
        for reason, count in reasons.most_common()
    ]
    by_id = {case.id: case for case in complete}
    training, keys = _training(form, by_id)
    rest = [case for case in complete if case.id not in {key.case for key in form.training.keys}]
    chosen = _sample_cases(form, rest, reasons)
    provenance += _message(form, chosen, rest)
    cases, origins = [], {}
    for case in chosen:
        for variant in _variants(form, case):
            cases.append(variant)
            origins[variant.id] = case
    origins |= {case.id: by_id[case.id.removeprefix(TRAINING)] for case in training}
    return Draft(
        form,
        tuple(cases),
        training,
        keys,
        origins,
        len(every),
        len(complete),
        tuple(provenance),
    )


def _sources(
    context: Context, texts: Sequence[str], read: Callable[[Context, str], Entries]
) -> list[tuple[str, Entries]]:
    try:
        return [(text, read(context, text)) for text in texts]
    except BadInput as error:
        raise BadInput(str(error), error.field or "models") from None


def _least(form: StudyForm) -> tuple[int, str]:
    """Pictures of a prompt that each model must have, and what is said of one with fewer."""
    if single_model(form):
        return SET_SIZE * form.variants, f"fewer than {SET_SIZE * form.variants} images"
    least = (form.variants - 1) * _shown(form) + 1
    return least, "no image" if least == 1 else f"fewer than {count_noun(least, 'image')}"


def single_model(form: StudyForm) -> bool:
    """Whether the best of four pictures of one model is asked for."""
    return form.kind is Kind.BEST_OF and len(form.models) == 1


def _shown(form: StudyForm) -> int:
    return form.pictures or 0


def _narrowed(
    form: StudyForm, cases: Sequence[CandidateCase]
) -> tuple[list[CandidateCase], list[str]]:
    """What the researcher did not leave out by name or group."""
    unknown = set(form.cases) - {case.id for case in cases}
    if unknown:
        some = ", ".join(sorted(unknown)[:3])
        raise BadInput(
            f"{count_noun(len(unknown), 'chosen case')} not among what the models have: {some[:200]}. "
            "Choose again.",
            "cases",
        )
    wanted, groups = set(form.cases), set(form.groups)
    chosen = [
        case
        for case in cases
        if (not wanted or case.id in wanted) and (not groups or case.group in groups)
    ]
    if len(chosen) == len(cases):
        return chosen, []
    return chosen, [f"{count_noun(len(cases) - len(chosen), 'case')} not selected."]


def _sample_cases(
    form: StudyForm, cases: Sequence[CandidateCase], reasons: Counter[str]
) -> list[CandidateCase]:
    """``reasons`` count the cases that were excluded."""
    if not cases:
        lacks = [f"{text} ({count_noun(count, 'case')})" for text, count in reasons.most_common(3)]
        of_people = bool(lacks) and lacks[0].startswith(NO_PEOPLES_COLORS)
        what = "people’s colors" if of_people else "models"
        raise BadInput(
            f"No cases are left: {', '.join(lacks) or NO_COMMON_CASES}. Choose other {what}, or "
            "generate the missing images.",
            "people" if of_people else "models",
        )
    number = form.number or len(cases)
    if number > len(cases):
        raise BadInput(
            f"{number:,} cases are requested, but {len(cases):,} are complete. Use a smaller "
            "number, or 0 for all.",
            "number",
        )
    if number == len(cases):
        return list(cases)
    rng = np.random.default_rng([form.seed, number])
    positions = sorted(rng.choice(len(cases), size=number, replace=False))
    return [cases[int(index)] for index in positions]


def _variants(form: StudyForm, case: CandidateCase, prefix: str = "") -> list[Case]:
    """A case as it is asked about, once for each of its pictures that is."""
    size = 1 if single_model(form) else _shown(form)
    several = form.variants > 1 and form.material is Material.IMAGES
    variants = []
    for variant in range(form.variants if several and not prefix else 1):
        candidates: list[Candidate] = []
        for model in form.models:
            images = _shuffled(form.seed, case, model.name)
            if single_model(form):
                block = images[SET_SIZE * variant : SET_SIZE * (variant + 1)]
                candidates += [
                    Candidate(f"{model.name} · {index + 1}", (image,))
                    for index, image in enumerate(block)
                ]
            else:
                candidates.append(
                    Candidate(model.name, images[size * variant : size * (variant + 1)])
                )
        case_id = f"{prefix}{case.id}" + (f"#{variant + 1}" if several and not prefix else "")
        variants.append(Case(case_id, case.words, tuple(candidates), case.group))
    return variants


def _shuffled(seed: int, case: CandidateCase, model: str) -> tuple[str, ...]:
    """The pictures of a model in a drawn order, which nothing else that is chosen changes."""
    entry = case.entries.get(model)
    if entry is None:
        return ()
    digest = hashlib.sha256(f"{case.id}\x1f{model}".encode()).digest()
    rng = np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
    return tuple(entry.image_ids[int(index)] for index in rng.permutation(len(entry.image_ids)))


def _training(
    form: StudyForm, by_id: Mapping[str, CandidateCase]
) -> tuple[tuple[Case, ...], tuple[tuple[str, str], ...]]:
    """Cases for training alone, each with the candidates of one stimulus, and their keys."""
    cases: dict[str, Case] = {}
    keys = []
    for key in form.training.keys:
        if key.case not in by_id:
            raise BadInput(
                f"The training trial of {key.case[:80]!r} is not among the complete cases.",
                "training",
            )
        if TRAINING + key.case in cases:
            raise BadInput(f"{key.case[:80]!r} is trained twice. Take another case.", "training")
        (whole,) = _variants(form, by_id[key.case], TRAINING)
        cases[whole.id] = _of_key(form, whole, key)
        models = tuple(sorted(cases[whole.id].models))
        keys.append((Stimulus(whole.id, models).id, key.right))
    if not 0 <= form.training.needed <= len(keys):
        raise BadInput(
            f"{form.training.needed} correct answers cannot be required from "
            f"{count_noun(len(keys), 'training trial')}.",
            "training",
        )
    return tuple(cases.values()), tuple(keys)


def _of_key(form: StudyForm, whole: Case, key: KeyForm) -> Case:
    size = SIZES[form.target_kind]
    models = key.models or (whole.models if len(whole.models) == size else ())
    if len(models) != size or not {*models, key.right} <= set(whole.models):
        raise BadInput(
            f"A training trial shows {size} of {', '.join(whole.models)[:200]}, and one of them is "
            "right.",
            "training",
        )
    if key.right not in models:
        raise BadInput(
            "The correct answer of a training trial must be one of its options.", "training"
        )
    if form.model_sets and tuple(sorted(models)) not in {
        tuple(sorted(pair)) for pair in form.model_sets
    }:
        raise BadInput("A training trial shows models that the study does not pair.", "training")
    candidates = tuple(candidate for candidate in whole.candidates if candidate.model in models)
    return Case(whole.id, whole.words, candidates, whole.group)


def _message(
    form: StudyForm, chosen: Sequence[CandidateCase], rest: Sequence[CandidateCase]
) -> list[str]:
    """Sentences on how cases and pictures were drawn."""
    sentences = []
    if len(chosen) < len(rest):
        sentences.append(
            f"{len(chosen):,} of {len(rest):,} complete cases sampled at random (seed {form.seed})."
        )
    else:
        sentences.append(f"All {len(chosen):,} complete cases are included.")
    if form.training.keys:
        sentences.append(f"{count_noun(len(form.training.keys), 'case')} used for training only.")
    several = [
        case
        for case in chosen
        if any(len(entry.image_ids) > _shown(form) for entry in case.entries.values())
    ]
    if several and _shown(form):
        sentences.append(
            "If a model has more images than are shown, they are sampled at random "
            f"(seed {form.seed})."
        )
    if form.material is Material.DISTRIBUTIONS:
        without = Counter(
            model.name
            for case in chosen
            for model in form.models
            if form.pictures and not case.entries[model.name].image_ids
        )
        sentences += [
            f"{name}: no reference image for {count_noun(count, 'concept')}."
            for name, count in without.items()
        ]
    if single_model(form):
        sentences.append(f"Four images of {form.models[0].name} are compared with each other.")
    return sentences


def draft_of_sketches(context: Context, form: StudyForm) -> Draft:
    """The cases of a filled form. Raises BadInput where no concept with a sketch is left."""
    assert form.practice is not None
    choices = Choices(context)
    wanted = _concepts(form.concepts, "concepts")
    practiced = _practiced(form, choices, wanted)
    requested = [text for text in wanted if text not in practiced]
    chosen = {text: choices.chosen(text, _key(form, text)) for text in requested}
    without = tuple(text for text, choice in chosen.items() if choice is None)
    complete = [text for text in requested if text not in without]
    sample = _sample_sketches(form, complete, bool(without))
    training = tuple(_case(choices, text, _key(form, text)) for text in practiced)
    cases = tuple(_case(choices, text, _key(form, text)) for text in sample)
    return Draft(
        form,
        tuple(case for case, _ in cases),
        tuple(case for case, _ in training),
        (),
        {},
        len(wanted),
        len(complete),
        tuple(_sketch_message(form, sample, complete, without, practiced, wanted)),
        {case.id: choice for case, choice in (*cases, *training)},
        without,
    )


class OutlinedSketch(SketchChoice):
    """The sketch of a case."""

    case: str
    words: str
    group: str


class OutlinedSketches(TypedDict):
    """What is colored, what is practiced on, and the words without a sketch."""

    asked: list[OutlinedSketch]
    practice: list[OutlinedSketch]
    without: list[str]


def sketches_json(draft: Draft) -> OutlinedSketches:
    """What is colored, practiced on, and left out for want of a sketch."""

    def listed(some: Iterable[Case]) -> list[OutlinedSketch]:
        return [
            {
                "case": case.id,
                "words": case.words,
                "group": case.group,
                **choice_json(draft.sketches[case.id]),
            }
            for case in some
        ]

    return {
        "asked": listed(draft.cases),
        "practice": listed(draft.training),
        "without": list(draft.without),
    }


def _concepts(terms: Iterable[str], field: str) -> list[str]:
    """The words as they are asked, each concept once."""
    by_normal: dict[str, str] = {}
    for text in terms:
        if len(text) > MAX_LETTERS:
            raise BadInput(
                f"{text[:40]!r}… has over {MAX_LETTERS} letters. Use a shorter name.",
                field,
            )
        concept = concept_of(text)
        by_normal.setdefault(normal(text), concept.words if concept else text)
    return list(by_normal.values())


def _practiced(form: StudyForm, choices: Choices, wanted: Sequence[str]) -> list[str]:
    """What is practiced on: what the form names, or so many drawings that nobody is asked about."""
    assert form.practice is not None
    named = _concepts(form.practice.concepts, "practice")
    missing = [text for text in named if choices.chosen(text, _key(form, text)) is None]
    if missing:
        raise BadInput(
            f"There is no sketch of {_listed(missing)} to practice on.{_meant(missing[0])}",
            "practice",
        )
    if named:
        return named
    used = {normal(text) for text in wanted}
    bases = {normal(concept.concept) for text in wanted if (concept := concept_of(text))}
    free = [
        text
        for text in (*_PRACTICE, *choices)
        if text not in used | bases and choices.chosen(text) is not None
    ]
    practiced = list(dict.fromkeys(free))[: form.practice.number]
    if len(practiced) < form.practice.number:
        raise BadInput(
            f"The study leaves {count_noun(len(practiced), 'drawing')} to practice on. Choose "
            "practice concepts, or reduce the practice.",
            "practice",
        )
    return practiced


def _sample_sketches(form: StudyForm, complete: Sequence[str], some_without: bool) -> list[str]:
    if not complete:
        raise BadInput(
            "None of these concepts has a sketch. Draw or import line drawings in Colorize, "
            "or choose other concepts."
            if some_without
            else "Choose the concepts to color.",
            "concepts",
        )
    number = form.number or len(complete)
    if number > len(complete):
        raise BadInput(
            f"{number:,} concepts are requested, but {len(complete):,} have a sketch. Use a "
            "smaller number, or 0 for all.",
            "number",
        )
    if number == len(complete):
        return list(complete)
    rng = np.random.default_rng([form.seed, number])
    return [complete[int(index)] for index in sorted(rng.permutation(len(complete))[:number])]


def _case(choices: Choices, text: str, key: str) -> tuple[Case, Choice]:
    choice = choices.chosen(text, key)
    assert choice is not None
    case = Case(case_id_of(text), text, (), group_of(text), sketch=choice.plan_id)
    return case, choice


def _key(form: StudyForm, text: str) -> str:
    return form.sketches.get(text, form.sketches.get(normal(text), ""))


def _sketch_message(
    form: StudyForm,
    sample: Sequence[str],
    complete: Sequence[str],
    without: Sequence[str],
    practiced: Sequence[str],
    wanted: Sequence[str],
) -> list[str]:
    """Sentences on what was taken and left out."""
    messages = []
    if len(sample) < len(complete):
        messages.append(
            f"{len(sample):,} of {len(complete):,} concepts with a sketch sampled at random "
            f"(seed {form.seed})."
        )
    else:
        messages.append(f"{count_noun(len(sample), 'concept')} with a sketch: all are included.")
    if without:
        messages.append(
            f"{count_noun(len(without), 'concept')} excluded: no sketch of {_listed(without)}."
        )
    if practiced:
        messages.append(
            f"Practice: {', '.join(practiced)}; these are not colored in the study itself."
        )
    moved = [text for text in practiced if text in wanted]
    if moved:
        messages.append(f"{_listed(moved)} used for practice only.")
    return messages


def _listed(terms: Sequence[str]) -> str:
    more = f" and {len(terms) - _NAMED} more" if len(terms) > _NAMED else ""
    return ", ".join(terms[:_NAMED]) + more


def _meant(text: str) -> str:
    near = [name for name in similar(text) if name != normal(text)]
    return f" Did you mean {near[0]}?" if near else ""
