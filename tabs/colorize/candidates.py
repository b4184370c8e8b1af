"""Candidates for sketches: generated from the paper's sentence by a model, through the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from pydantic import BeforeValidator, Field

from truehue.core.concepts.matching import concept_of
from truehue.core.errors import BadInput
from truehue.core.generation.opening import missing
from truehue.core.generation.registry import DRAWABLE, MODELS, RENDERER, model
from truehue.core.generation.request import MAX_SEED, GenerationRequest
from truehue.core.prompts.concepts import concepts
from truehue.core.prompts.prompt import Prompt
from truehue.core.records import GenerationRecord
from truehue.tabs.colorize.sketches import MAX_WORDS, base_of
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest, PageRequest, Whole, list_of_single
from truehue.tabs.page.roles import Actor, may_open
from truehue.tabs.page.shared_answers import StartedJob
from truehue.tabs.verdicts.generation import enqueue_generation, model_name

SENTENCE = (
    "A simple cartoon black outline drawing of {}, without coloring, without shadow, white "
    "background."
)
"""ColorConceptBench, appendix B.2."""

SOURCE = "sketches"
"""Of the prompts, by which candidates are found again."""

CANDIDATES, MIN_GUIDANCE, MAX_GUIDANCE = 5, 5.0, 7.0
MAX_CANDIDATES = 20
MAX_CONCEPTS = 250
NO_LINES = (
    "The reference renderer renders shaded solids, not outlines. Choose a model with weights "
    "or a server, or import line drawings."
)


class CandidatesRequest(PageRequest):
    """Candidates of the concepts ``words`` by a model: each has a seed of its own, and their
    guidance goes evenly from ``low`` to ``high``."""

    words: Annotated[list[str], BeforeValidator(list_of_single)] = Field(
        min_length=1, max_length=MAX_CONCEPTS, title="The concepts"
    )
    model: str = Field(title="The model")
    count: Whole = Field(
        default=CANDIDATES, ge=1, le=MAX_CANDIDATES, title="Candidates per concept"
    )
    low: float = Field(default=MIN_GUIDANCE, ge=0, le=30, title="The lowest guidance")
    high: float = Field(default=MAX_GUIDANCE, ge=0, le=30, title="The highest guidance")
    seed: Whole = Field(default=0, ge=0, le=MAX_SEED - MAX_CANDIDATES, title="The first seed")


class OfConcept(PageRequest):
    """A concept by its words."""

    words: str = Field(default="", max_length=MAX_WORDS)


def prompt_of(text: str) -> Prompt:
    """The paper's sentence for a concept, without an article as there. Raises BadInput for no
    words."""
    base, _ = base_of(text)
    concept = concept_of(base)
    name = concept.id if concept else f"words-{base}"
    return Prompt(id=name, text=SENTENCE.format(base), task="free", source=SOURCE)


def guidances(low: float, high: float, count: int) -> tuple[float, ...]:
    """``count`` scales evenly from ``low`` to ``high``; of one alone their middle."""
    if low > high:
        raise BadInput("The lowest guidance is above the highest. Swap them.", "low")
    if count == 1:
        return (round((low + high) / 2, 2),)
    return tuple(round(low + (high - low) * index / (count - 1), 2) for index in range(count))


@requires("compute")
def start_candidates(context: Context, actor: Actor, request: CandidatesRequest) -> StartedJob:
    """Puts candidates into the engine's queue; they are found by :func:`candidates_view` as they
    come. Raises BadInput in words."""
    may_open(actor, request.model)
    entry = model(request.model)
    if request.model == RENDERER:
        raise BadInput(NO_LINES, "model")
    lacking = missing(entry, None, context.sources, context.endpoints)
    if lacking:
        raise BadInput(
            f"{model_name(request.model)} cannot generate images yet. {lacking[0]}", "model"
        )
    prompts = {prompt.id: prompt for prompt in map(prompt_of, request.words)}
    scales: Sequence[float | None] = guidances(request.low, request.high, request.count)
    if not takes_guidance(context, request.model):
        scales = (None,) * request.count
    requests = [
        GenerationRequest(
            model=request.model,
            text=prompt.text,
            seed=request.seed + index,
            guidance=scale,
            prompt_id=prompt.id,
        )
        for prompt in prompts.values()
        for index, scale in enumerate(scales)
    ]
    parts = [base_of(text)[0] for text in request.words]
    named = f"“{parts[0]}”" if len(prompts) == 1 else f"{len(prompts)} concepts"
    title = f"Sketches of {named}, by {model_name(request.model)}"
    return {"job": enqueue_generation(context, list(prompts.values()), requests, title, actor)}


def takes_guidance(context: Context, model_id: str) -> bool:
    """Whether a model can be asked for a guidance scale; a server says itself what it takes."""
    name = model_id.removeprefix("served:")
    if name != model_id and name in context.endpoints:
        return "guidance" in context.endpoints[name].fields
    return True


class CandidateJson(TypedDict):
    """An image that may become a sketch."""

    image: str | None
    model: str
    about: str


class CandidatesView(TypedDict):
    """The candidates of a concept, newest first, and why others failed."""

    words: str
    concept: str
    category: str
    said: str
    sentence: str
    drawn: list[CandidateJson]
    failed: list[str]


class SketchModel(TypedDict):
    """A model that can be asked for candidates, and what it lacks here."""

    id: str
    name: str
    lacks: str


class SketchModels(TypedDict):
    """The models, and the settings at first."""

    models: list[SketchModel]
    count: int
    low: float
    high: float
    concepts: int
    no_lines: str
    sentence: str


@requires("look")
def candidates_view(context: Context, actor: Actor, request: OfConcept) -> CandidatesView:
    """The candidates generated for a concept, newest first, and what failed; with its prompt, and
    how many modified concepts share its sketch."""
    prompt = prompt_of(request.words)
    base, said = base_of(request.words)
    rows = context.storage.drawings.recent(60, prompt=(SOURCE, prompt.id))
    concept = concept_of(base)
    return {
        "words": base,
        "concept": concept.id if concept else "",
        "category": concept.category if concept else "",
        "said": said,
        "sentence": prompt.text,
        "drawn": [_candidate_json(row) for row in rows if row.image_id],
        "failed": [row.reason for row in rows if not row.image_id][:3],
    }


def _candidate_json(row: GenerationRecord) -> CandidateJson:
    about = [f"seed {row.seed}" if row.seed is not None else ""]
    about += [f"guidance {row.guidance:g}" if row.guidance is not None else ""]
    return {
        "image": row.image_id,
        "model": model_name(row.model),
        "about": " · ".join(text for text in about if text),
    }


@requires("look")
def models_view(context: Context, actor: Actor, request: EmptyRequest) -> SketchModels:
    """The models that can generate candidates, what each needs to be installed, and the settings."""
    listed: list[SketchModel] = [
        {
            "id": entry.id,
            "name": entry.name,
            "lacks": (missing(entry, None, context.sources, context.endpoints) or [""])[0],
        }
        for entry in MODELS
        if entry.kind in DRAWABLE and entry.id != RENDERER
    ]
    listed += [
        {"id": f"served:{name}", "name": f"{name} (server)", "lacks": ""}
        for name in context.endpoints
    ]
    return {
        "models": sorted(listed, key=lambda entry: bool(entry["lacks"])),
        "count": CANDIDATES,
        "low": MIN_GUIDANCE,
        "high": MAX_GUIDANCE,
        "concepts": len([concept for concept in concepts() if not concept.modifier]),
        "no_lines": NO_LINES,
        "sentence": SENTENCE.format("…"),
    }
