"""The available sketches, and line art that people upload or models generate: cleaned, previewed, and
stored as sketches."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, TypedDict

from pydantic import BeforeValidator, Field

from truehue.core.cache import LruCache
from truehue.core.concepts.matching import concept_of, normal
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import Concept, concepts
from truehue.core.records import SketchRecord
from truehue.core.sketches.records import Sketch, SketchSettings
from truehue.core.sketches.regions import CLOSINGS_PX, regions
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import shorten
from truehue.tabs.page.images import ImageJson, image_json, store_upload
from truehue.tabs.page.requests import EmptyRequest, PageRequest, Whole, digits
from truehue.tabs.page.roles import Actor
from truehue.tabs.sources.distributions import concepts_view
from truehue.tabs.sources.sketches import (
    GENERATED,
    IMPORT,
    PREFIX,
    STARTER,
    Found,
    SketchJson,
    find,
    sketch_json,
    source_text,
    starter,
)

MAX_WORDS = 80
MAX_NOTE = 200
MAX_KEPT = 24
_PREPARED: LruCache[Sketch] = LruCache(MAX_KEPT)
_NUMBERED = re.compile(r"[\s(]*(?:copy|sketch|drawing|final|v?\d+)\)?$")

Blank = Annotated[int | None, BeforeValidator(lambda value: digits(value) if value != "" else None)]


def _lines(value: object) -> object:
    """Lines as records, or as an address has them: ``x0,y0,x1,y1`` with semicolons between."""
    if not isinstance(value, str):
        return value
    return [line.split(",") for line in value.split(";")] if value else []


Lines = Annotated[tuple[tuple[Whole, Whole, Whole, Whole], ...], BeforeValidator(_lines)]


class NamedSketch(PageRequest):
    """A sketch by its id, or a starter drawing by the id of its concept."""

    sketch: str = ""
    drawing: str = ""


class BaseConcept(TypedDict):
    """A base concept with its modified ones: id, words and kind of each. ``drawing`` says that it
    has a starter drawing."""

    id: str
    words: str
    category: str
    modifiers: list[tuple[str, str, str]]
    drawing: bool


class StoredSketch(TypedDict):
    """A sketch that is stored."""

    id: str
    words: str
    category: str
    width: int
    height: int
    source: str
    starter: bool
    warnings: list[str]
    at: str
    url: str


class SketchesView(TypedDict):
    """What can be colored; ``colors`` counts by words who gave colors: people, others."""

    bases: list[BaseConcept]
    stored: list[StoredSketch]
    colors: dict[str, tuple[int, int]]


@requires("look")
def sketch_view(context: Context, actor: Actor, request: NamedSketch) -> SketchJson:
    """One sketch for coloring. Raises NotStored."""
    if request.drawing:
        return sketch_json(starter(request.drawing))
    if not request.sketch:
        raise BadInput("Choose a drawing first.")
    return sketch_json(find(context, request.sketch))


@requires("look")
def sketches_view(context: Context, actor: Actor, request: EmptyRequest) -> SketchesView:
    """The sketches, and the base concepts with their modifiers. Of the stored sketches of a base
    concept the one in use comes first."""
    bases: dict[int, BaseConcept] = {}
    for concept in concepts():
        if concept.modifier:
            entry = (concept.id, concept.words, concept.modifier_kind)
            bases[concept.base_id]["modifiers"].append(entry)
        else:
            bases[concept.base_id] = _base_json(concept)
    counted = concepts_view(context)["concepts"]
    return {
        "bases": list(bases.values()),
        "stored": [_stored_json(record) for record in context.storage.sketches.all()],
        "colors": {row[1]: (row[5], row[6]) for row in counted if row[5] or row[6]},
    }


@cache
def _generated_text() -> frozenset[str]:
    """The things that have a starter drawing; no file is read for that."""
    from truehue.core.sketches.starter import starter as every

    return frozenset(every())


def _base_json(concept: Concept) -> BaseConcept:
    return {
        "id": concept.id,
        "words": concept.words,
        "category": concept.category,
        "modifiers": [],
        "drawing": concept.words in _generated_text(),
    }


def _stored_json(record: SketchRecord) -> StoredSketch:
    concept = concept_of(record.words)
    return {
        "id": record.id,
        "words": record.words,
        "category": concept.category if concept else "",
        "width": record.width,
        "height": record.height,
        "source": source_text(record.source, record.note),
        "starter": record.source == STARTER,
        "warnings": [text for _, text in record.warnings],
        "at": record.created_at.isoformat(),
        "url": f"{PREFIX}/sketches/{record.id}.png",
    }


class PrepareSketchRequest(PageRequest):
    """A stored image, and how it becomes a sketch; without a threshold one is found."""

    image: str = Field(title="The image")
    threshold: Blank = Field(default=None, ge=1, le=254, title="The line threshold")
    side: Whole = Field(default=1024, ge=64, le=2048, title="The longer side")
    speck: Whole = Field(default=12, ge=0, le=400, title="The size of specks")
    flatten: bool = Field(default=True, title="Taking shading away")
    lines: Lines = Field(default=(), title="The lines across gaps")


class StoreSketchRequest(PrepareSketchRequest):
    """The same to be stored for a concept, or a starter ``drawing`` for its own."""

    image: str = ""
    words: str = Field(default="", max_length=MAX_WORDS, title="The concept")
    drawing: str = ""


def prepare_sketch(context: Context, request: PrepareSketchRequest) -> Sketch:
    """The sketch that comes of a stored image; the last ones are kept. Raises NotStored."""
    record = context.storage.images.get(request.image)  # also of what is kept: is it theirs to see?
    settings = SketchSettings(
        request.threshold, request.side, request.speck, request.flatten, request.lines
    )

    def make() -> Sketch:
        from truehue.core.sketches.prepare import prepare

        return prepare(context.srgb8(record.image_id), settings)

    return _PREPARED.get((record.image_id, settings), make)


class PreparedSketch(TypedDict):
    """A sketch before it is stored: its ``regions`` under each of ``closings_px``."""

    id: str
    width: int
    height: int
    closing: int
    warnings: list[str]
    regions: list[int]
    closings_px: list[int]


@requires("look")
def prepared_view(context: Context, actor: Actor, request: PrepareSketchRequest) -> PreparedSketch:
    """A sketch before it is stored: its size, its regions under each closing, and warnings."""
    sketch = prepare_sketch(context, request)
    height, width = sketch.ink.shape
    return {
        "id": sketch.id,
        "width": width,
        "height": height,
        "closing": sketch.closing,
        "warnings": [warning.words for warning in sketch.warnings],
        "regions": list(regions(sketch.ink).counts),
        "closings_px": list(CLOSINGS_PX),
    }


class GuessedConcept(TypedDict):
    """What a file shows, by its name; ``known`` where it is a concept."""

    words: str
    known: bool


class ImportedSketch(ImageJson, GuessedConcept):
    """An image of a line drawing, and what it shows."""


@requires("add")
def import_sketch(
    context: Context, actor: Actor, request: EmptyRequest, file: Path, name: str
) -> ImportedSketch:
    """Imports a line drawing. Raises ImageError."""
    record = store_upload(context, file, name or "pasted drawing", actor.id)
    return {**image_json(record), **guess(record.name)}


def guess(file_name: str) -> GuessedConcept:
    """What a file shows, by its name: the concept's words where they are one's, else the name's."""
    text = normal(Path(file_name).stem)[:MAX_WORDS]
    while (shorter := _NUMBERED.sub("", text).strip()) != text and shorter:
        text = shorter
    concept = concept_of(text)
    return {"words": concept.words if concept else text, "known": concept is not None}


def base_of(text: str) -> tuple[str, str]:
    """The words under which a sketch is stored, and what to say of it: the modifiers of a base
    concept share its sketch. Raises BadInput for no words."""
    text = normal(text)
    if not text:
        raise BadInput("Enter the concept that the drawing shows.", "words")
    concept = concept_of(text)
    if concept is None:
        return text, ""
    family = [item for item in concepts() if item.base_id == concept.base_id]
    base = next(item for item in family if not item.modifier)
    others = len(family) - 1
    if not others:
        return base.words, ""
    share = "One modified concept shares" if others == 1 else f"{others} modified concepts share"
    return base.words, f"{share} the sketch of “{base.words}”."


class SketchOfConcept(TypedDict):
    """A sketch that was stored, and what to say of its concept."""

    sketch: SketchJson
    said: str


@requires("add")
def store_sketch(context: Context, actor: Actor, request: StoreSketchRequest) -> SketchOfConcept:
    """Stores the sketch of a concept, and uses it for that concept from now on. A sketch stored for
    another concept is not changed."""
    if request.drawing:
        result = starter(request.drawing)
        text, said = base_of(request.words or result.words)
        result = replace(result, words=text)
    else:
        text, said = base_of(request.words)
        sketch = prepare_sketch(context, request)
        result = Found(sketch, text, *_source(context, request.image))
    result = save_sketch(context, actor, result)
    if normal(result.words) == normal(text):
        context.storage.sketches.use(result.sketch.id, actor.id)
    return {"sketch": sketch_json(result), "said": said}


def save_sketch(context: Context, actor: Actor, result: Found) -> Found:
    """Stores a sketch with its name; one that is stored keeps the name that it has. Which one is
    taken for that name stays as it is."""
    context.require_space(result.sketch.ink.size // 4)
    record = context.storage.sketches.add(
        result.sketch, result.words, result.source, result.note, actor.id
    )
    return replace(result, words=record.words, source=record.source, note=record.note)


def _source(context: Context, image_id: str) -> tuple[str, str]:
    """Where an image is from, and in words: the file that was brought, or model, seed and
    guidance."""
    from truehue.tabs.verdicts.generation import model_name

    record = context.storage.images.get(image_id)
    rows = context.storage.drawings.for_image(record.image_id)
    if not rows:
        return IMPORT, shorten(f"imported as {record.name}", MAX_NOTE)
    row = rows[0]
    parts = [model_name(row.model)]
    parts += [f"seed {row.seed}"] if row.seed is not None else []
    parts += [f"guidance {row.guidance:g}"] if row.guidance is not None else []
    return GENERATED, ", ".join(parts)
