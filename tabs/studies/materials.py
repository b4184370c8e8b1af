"""Materials for studies: runs, image sets and sets of distributions; and the presets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NotRequired, TypedDict

from truehue.annotation.studies.languages import languages
from truehue.annotation.studies.plan import (
    MAX_CASE_GAP,
    MAX_TRIALS,
    MAX_VOTES,
    MIN_START_PERCENT,
)
from truehue.annotation.studies.presets import PRESETS
from truehue.core.analysis.records import RunRecord
from truehue.core.concepts.records import METHODS as EXTRACTIONS
from truehue.core.concepts.records import ConceptImagesRecord, DistributionSetRecord
from truehue.core.generation.registry import name_of as model_name
from truehue.core.prompts.concepts import STYLES
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.sources.distributions import PICTURES, RUN, SET
from truehue.tabs.studies.completion import OTHER_ENDINGS, RECRUITING_SITES, RecruitingSite
from truehue.tabs.studies.form import (
    ASSIGNMENT_METHODS,
    FREE,
    FREE_NAME,
    KINDS,
    MAX_IMAGES,
    MAX_MODELS,
    REVIEWS,
    StudyForm,
    consent_in,
    examples_in,
    texts_of,
)
from truehue.tabs.studies.outline import minutes
from truehue.tabs.studies.questions.sets import StudyQuestionSet, sets_json
from truehue.tabs.studies.survey import SurveyChoicesJson, survey_choices

NOTHING = (
    "No images of a run or an imported folder yet. Start a run in Explore, or import a folder of "
    "images there."
)
NO_PEOPLE = (
    "There are no human colors to compare with yet. Import a file of distributions, or "
    "people's colorings, in Compare, People and files."
)


class PresetTexts(TypedDict):
    """The texts of a preset in a language."""

    title: str
    question: str
    instructions: str
    consent: str
    examples: NotRequired[list[dict[str, Any]]]


class PresetJson(TypedDict):
    """A kind of study that a form begins with; ``form`` has its values, ``texts`` are by language."""

    id: str
    name: str
    source: str
    kind: str
    material: str
    needs_people: bool
    models: int | None
    a_task: int | None
    minutes: float
    form: dict[str, Any]
    texts: dict[str, PresetTexts]


class PresetsView(TypedDict):
    """The presets, the choices of a form by id, and the limits of its numbers."""

    presets: list[PresetJson]
    languages: dict[str, str]
    extractions: dict[str, str]
    kinds: dict[str, str]
    methods: Mapping[str, str]
    reviews: Mapping[str, str]
    wording: dict[str, Mapping[str, str]]
    endings: dict[str, list[str]]
    sites: list[dict[str, Any]]
    survey: SurveyChoicesJson
    limits: dict[str, list[int]]


class RunMaterial(TypedDict):
    """A run with images."""

    source: str
    id: str
    name: str
    model: str
    model_name: str
    set_name: str
    pictures: int
    failed: int
    total: int
    prompts: int
    concepts: int
    styles: dict[str, str]
    guidances: list[float]
    created_at: str


class ImagesMaterial(TypedDict):
    """A set of images of one concept."""

    source: str
    name: str
    words: str
    of_people: bool
    images: int
    contributors: int


class SetMaterial(TypedDict):
    """A set of distributions."""

    source: str
    name: str
    of_people: bool
    kind: str
    concepts: int
    contributors: int


class SuggestedModel(TypedDict):
    """What goes together as a model."""

    name: str
    sources: list[str]
    label: str
    pictures: int
    cases: int


class SuggestedModels(TypedDict):
    """The models of a study of images or distributions, and people to compare them with."""

    images: list[SuggestedModel]
    distributions: list[SuggestedModel]
    people: list[SuggestedModel]


class MaterialsView(TypedDict):
    """All that studies can be made of."""

    runs: list[RunMaterial]
    pictures: list[ImagesMaterial]
    sets: list[SetMaterial]
    question_sets: list[StudyQuestionSet]
    suggested: SuggestedModels
    notes: list[str]


@requires("study")
def presets(context: Context, actor: Actor, request: EmptyRequest) -> PresetsView:
    """The presets of the form of studies, their texts by language, and all limits."""
    return {
        "presets": [_preset(name) for name in (*PRESETS, FREE)],
        "languages": {tag: language.name for tag, language in languages().items()},
        "extractions": dict(EXTRACTIONS),
        "kinds": {kind.value: text for kind, text in KINDS.items()},
        "methods": ASSIGNMENT_METHODS,
        "reviews": REVIEWS,
        "wording": {tag: language.wording() for tag, language in languages().items()},
        "endings": {name: list(texts) for name, texts in OTHER_ENDINGS.items()},
        "sites": [_site(site) for site in RECRUITING_SITES],
        "survey": survey_choices(),
        "limits": {
            "votes": [1, MAX_VOTES],
            "trials": [1, MAX_TRIALS],
            "repeats": [0, MAX_TRIALS],
            "attention": [0, MAX_TRIALS],
            "case_gap": [1, MAX_CASE_GAP],
            "pictures": [0, MAX_IMAGES],
            "variants": [1, 100],
            "models": [1, MAX_MODELS],
            "abandoned_after_s": [60, 30 * 86_400],
            "unanswered_after_s": [60, 30 * 86_400],
            "start_percent": [MIN_START_PERCENT, 100],
            "seed": [0, 2**31 - 1],
        },
    }


@requires("study")
def materials(context: Context, actor: Actor, request: EmptyRequest) -> MaterialsView:
    """The sources that studies can be made of, and which of them belong to one model."""
    storage = context.storage
    runs = [run for run in storage.runs.all() if run.items > run.failed]
    prompts = {run.run_id: _prompts(context, run.run_id) for run in runs}
    concepts = {
        run.run_id: len(storage.profiles.concepts(run.run_id).concept_ids)
        for run in storage.profiles.runs()
    }
    groups, sets = storage.picture_sets.all(), storage.distributions.all()
    messages = []
    if not runs and not groups:
        messages.append(NOTHING)
    if not any(group.of_people for group in groups) and not any(
        distribution_set_record.of_people for distribution_set_record in sets
    ):
        messages.append(NO_PEOPLE)
    return {
        "runs": [_run(context, run, prompts[run.run_id]) for run in runs],
        "pictures": [_images_json(group) for group in groups],
        "sets": [_set(record) for record in sets],
        "question_sets": sets_json(context),
        "suggested": {
            "images": [*_models(runs, prompts), *_named_sets(groups, of_people=False)],
            "distributions": [
                *_models([run for run in runs if run.run_id in concepts], concepts),
                *(
                    _suggestion(record.name, [_source(SET, record.set_id)], 0, record.concepts)
                    for record in sets
                    if not record.of_people
                ),
                *_named_sets(groups, of_people=False),
            ],
            "people": [
                *(
                    _suggestion(record.name, [_source(SET, record.set_id)], 0, record.concepts)
                    for record in sets
                    if record.of_people
                ),
                *_named_sets(groups, of_people=True),
            ],
        },
        "notes": messages,
    }


def _preset(name: str) -> PresetJson:
    preset = PRESETS.get(name)
    form = StudyForm(preset=name).defaulted()
    practice = form.practice.number if form.practice else 0
    trials = sum(number or 0 for number in (form.trials, form.repeats, form.attention, practice))
    return {
        "id": name,
        "name": preset.name if preset else FREE_NAME,
        "source": preset.source if preset else "",
        "kind": form.target_kind.value,
        "material": form.material.value,
        "needs_people": form.material.value == "distributions",
        "models": preset.models if preset else None,
        "a_task": preset.a_task if preset else None,
        "minutes": minutes(form.target_kind, trials),
        "form": form.model_dump(mode="json"),
        "texts": {language: _texts(name, language, form) for language in languages()},
    }


def _site(site: RecruitingSite) -> dict[str, Any]:
    texts = {tag: language.sites.get(site.id, "") for tag, language in languages().items()}
    return {**asdict(site), "texts": texts}


def _texts(name: str, language: str, form: StudyForm) -> PresetTexts:
    """The words of a preset in a language."""
    wording = texts_of(name, language)
    texts: PresetTexts = {
        "title": wording.title or FREE_NAME,
        "question": wording.question,
        "instructions": wording.instructions,
        "consent": consent_in(language, form.target_kind),
    }
    if form.examples is None:
        return texts
    return {**texts, "examples": [example.model_dump() for example in examples_in(language)]}


def _prompts(context: Context, run_id: str) -> int:
    """How many prompts of a run have pictures."""
    return sum(
        bool(prompt_images.pictures) for prompt_images in context.storage.run_pictures.of(run_id)
    )


def _run(context: Context, run: RunRecord, prompts: int) -> RunMaterial:
    concepts = context.storage.profiles.concepts(run.run_id)
    return {
        "source": _source(RUN, run.run_id),
        "id": run.run_id,
        "name": run.name,
        "model": run.model,
        "model_name": model_name(run.model),
        "set_name": run.set_name,
        "pictures": run.items - run.failed,
        "failed": run.failed,
        "total": run.total,
        "prompts": prompts,
        "concepts": len(concepts.concept_ids),
        "styles": {style: STYLES.get(style, style) for style in concepts.styles},
        "guidances": [scale for scale in concepts.guidances if scale is not None],
        "created_at": run.created_at.isoformat(),
    }


def _images_json(group: ConceptImagesRecord) -> ImagesMaterial:
    return {
        "source": _source(PICTURES, group.set_id),
        "name": group.name,
        "words": group.words,
        "of_people": group.of_people,
        "images": group.images,
        "contributors": group.contributors,
    }


def _set(record: DistributionSetRecord) -> SetMaterial:
    return {
        "source": _source(SET, record.set_id),
        "name": record.name,
        "of_people": record.of_people,
        "kind": record.kind,
        "concepts": record.concepts,
        "contributors": record.contributors,
    }


def _models(runs: Sequence[RunRecord], cases: Mapping[str, int]) -> list[SuggestedModel]:
    """Each run as a model, called by the model's name, or by the run's where two would be equal;
    ``cases`` says by run how many it has."""
    names = [model_name(run.model) for run in runs]
    return [
        _suggestion(
            name if names.count(name) == 1 else run.name,
            [_source(RUN, run.run_id)],
            run.items - run.failed,
            cases[run.run_id],
            f"{name} · {run.name}",
        )
        for name, run in zip(names, runs, strict=True)
    ]


def _named_sets(groups: Sequence[ConceptImagesRecord], of_people: bool) -> list[SuggestedModel]:
    """Sets of pictures of one name are one model: each is of one concept."""
    by_name: dict[str, list[ConceptImagesRecord]] = {}
    for group in groups:
        if group.of_people == of_people:
            by_name.setdefault(group.name, []).append(group)
    return [
        _suggestion(
            name,
            [_source(PICTURES, concept_images_record.set_id) for concept_images_record in ones],
            sum(concept_images_record.images for concept_images_record in ones),
            len({concept_images_record.words for concept_images_record in ones}),
        )
        for name, ones in by_name.items()
    ]


def _suggestion(
    name: str, sources: list[str], images: int, cases: int, label: str = ""
) -> SuggestedModel:
    return {
        "name": name[:80],
        "sources": sources,
        "label": label or name,
        "pictures": images,
        "cases": cases,
    }


def _source(kind: str, thing_id: str) -> str:
    return f"{kind}:{thing_id}"
