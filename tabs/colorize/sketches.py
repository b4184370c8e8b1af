"""What can be colored: the starter drawings, and the sketches that were stored here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from truehue.core.cache import LruCache
from truehue.core.concepts.matching import concept_of
from truehue.core.errors import BadInput, NotStored, TrueHueError
from truehue.core.prompts.concepts import Concept, concepts
from truehue.core.records import SketchRecord
from truehue.core.sketches.records import Sketch, SketchWarning
from truehue.core.sketches.records import sketch_id as id_of
from truehue.tabs.compare.concept.concepts import concepts_view
from truehue.tabs.page.actor import asks
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import Nothing, PageRequest
from truehue.tabs.page.roles import Actor

if TYPE_CHECKING:
    from truehue.core.sketches.starter import Drawing

STARTER, IMPORT, GENERATED = "starter", "import", "generated"
SOURCES = {
    STARTER: "TrueHue’s starter drawing",
    IMPORT: "brought as a file",
    GENERATED: "drawn by a model",
}
PREFIX = "/api/colorize"
MOST_STARTERS = 12
_STARTERS: LruCache[Sketch] = LruCache(MOST_STARTERS)
_NAMES: dict[str, str] = {}
"""The concept of each starter drawing whose sketch was made, by the sketch's id."""
_SEARCH = Lock()
_ID = re.compile("[0-9a-f]{32}")


class NamedSketch(PageRequest):
    """A sketch by its id, or a starter drawing by the id of its concept."""

    sketch: str = ""
    drawing: str = ""


@dataclass(frozen=True)
class Found:
    """A sketch, what it shows, and where it is from, a key of :data:`SOURCES` with a ``note``;
    ``drawing`` is the concept of a starter drawing, else empty."""

    sketch: Sketch
    words: str
    source: str
    note: str = ""
    drawing: str = ""


@cache
def drawings() -> Mapping[str, Drawing]:
    """The starter drawings by the ids of their concepts, in the paper's order; no file is read."""
    from truehue.core.sketches.starter import starter as every

    listed = sorted(every().values(), key=lambda drawing: drawing.concept_id)
    return {drawing.concept_id: drawing for drawing in listed}


def drawing_of(concept_id: str) -> Drawing:
    """One starter drawing. Raises NotStored for a concept that has none."""
    drawing = drawings().get(concept_id)
    if drawing is None:
        raise NotStored("There is no starter drawing of that concept. Choose another one.")
    return drawing


def starter_sketch(concept_id: str) -> Sketch:
    """A starter drawing as a sketch; errors as :func:`drawing_of`."""
    drawing = drawing_of(concept_id)

    def make() -> Sketch:
        from truehue.core.sketches.prepare import of_ink

        sketch = of_ink(drawing.ink())
        _NAMES[sketch.id] = concept_id
        return sketch

    return _STARTERS.get(concept_id, make)


def find(context: Context, sketch_id: str) -> Found:
    """A sketch by its id, stored here or a starter drawing. Raises NotStored."""
    if sketch_id not in _NAMES:
        try:
            return _stored(context, sketch_id)
        except NotStored:
            _name_starters(sketch_id)
    if sketch_id not in _NAMES:
        raise NotStored("That sketch is not here. Choose another one, or bring it again.")
    return starter(_NAMES[sketch_id])


def starter(concept_id: str) -> Found:
    """A starter drawing; errors as :func:`drawing_of`."""
    words = drawing_of(concept_id).words
    return Found(starter_sketch(concept_id), words, STARTER, drawing=concept_id)


def _stored(context: Context, sketch_id: str) -> Found:
    record = context.storage.sketches.get(sketch_id)
    warnings = tuple(SketchWarning(code, words) for code, words in record.warnings)
    sketch = Sketch(record.id, context.storage.sketches.ink(record.id), warnings, record.closing)
    return Found(sketch, record.words, record.source, record.note)


def _name_starters(sketch_id: str) -> None:
    """Draws starter drawings until the one with that id is found: a link may speak of one that
    nobody has opened since the start."""
    if not _ID.fullmatch(sketch_id):
        return
    with _SEARCH:
        known = set(_NAMES.values())
        for name, drawing in drawings().items():
            if sketch_id in _NAMES:
                return
            if name not in known:
                with suppress(TrueHueError):  # whoever opens that drawing is told
                    _NAMES[id_of(drawing.ink())] = name


def sketch_json(found: Found) -> dict[str, Any]:
    """A sketch as a canvas takes it, with its name."""
    sketch = found.sketch
    height, width = sketch.ink.shape
    address = f"{PREFIX}/sketches/{sketch.id}"
    return {
        "id": sketch.id,
        "width": width,
        "height": height,
        "closing": sketch.closing,
        "ink": f"{address}.png",
        "regions": f"{address}.regions",
        "warnings": [warning.words for warning in sketch.warnings],
        "words": found.words,
        "drawing": found.drawing,
        "source": source_words(found.source, found.note),
    }


def source_words(source: str, note: str) -> str:
    """Where a sketch is from, in words."""
    return note or SOURCES.get(source, source)


@asks("look")
def sketch_view(context: Context, actor: Actor, request: NamedSketch) -> dict[str, Any]:
    """One sketch, to be colored. Raises NotStored."""
    if request.drawing:
        return sketch_json(starter(request.drawing))
    if not request.sketch:
        raise BadInput("Choose a drawing first.")
    return sketch_json(find(context, request.sketch))


@asks("look")
def sketches_view(context: Context, actor: Actor, request: Nothing) -> dict[str, Any]:
    """What can be colored, and the concepts with their states and moods.

    ``bases`` are ``{id, words, category, modifiers: [[id, words, kind], …], drawing}`` of all
    base concepts; ``stored`` the sketches kept here, of each thing the one in use first; ``colors``
    what people and models have given colors to, by words: ``[people, others]``.
    """
    bases: dict[int, dict[str, Any]] = {}
    for concept in concepts():
        if concept.modifier:
            entry = [concept.id, concept.words, concept.modifier_kind]
            bases[concept.base_id]["modifiers"].append(entry)
        else:
            bases[concept.base_id] = _base_json(concept)
    counted = concepts_view(context)["concepts"]
    return {
        "bases": list(bases.values()),
        "stored": [_stored_json(record) for record in context.storage.sketches.all()],
        "colors": {row[1]: [row[5], row[6]] for row in counted if row[5] or row[6]},
    }


@cache
def _drawn_words() -> frozenset[str]:
    """The things that have a starter drawing; no file is read for that."""
    from truehue.core.sketches.starter import starter as every

    return frozenset(every())


def _base_json(concept: Concept) -> dict[str, Any]:
    return {
        "id": concept.id,
        "words": concept.words,
        "category": concept.category,
        "modifiers": [],
        "drawing": concept.words in _drawn_words(),
    }


def _stored_json(record: SketchRecord) -> dict[str, Any]:
    concept = concept_of(record.words)
    return {
        "id": record.id,
        "words": record.words,
        "category": concept.category if concept else "",
        "width": record.width,
        "height": record.height,
        "source": source_words(record.source, record.note),
        "starter": record.source == STARTER,
        "warnings": [words for _, words in record.warnings],
        "at": record.created_at.isoformat(),
        "url": f"{PREFIX}/sketches/{record.id}.png",
    }
