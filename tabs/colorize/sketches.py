"""The sketches that can be colored, as the page shows them."""

from __future__ import annotations

from functools import cache
from typing import Any

from truehue.core.concepts.matching import concept_of
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import Concept, concepts
from truehue.core.records import SketchRecord
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest, PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.sources.distributions import concepts_view
from truehue.tabs.sources.sketches import PREFIX, STARTER, find, sketch_json, source_text, starter


class NamedSketch(PageRequest):
    """A sketch by its id, or a starter drawing by the id of its concept."""

    sketch: str = ""
    drawing: str = ""


@requires("look")
def sketch_view(context: Context, actor: Actor, request: NamedSketch) -> dict[str, Any]:
    """One sketch, to be colored. Raises NotStored."""
    if request.drawing:
        return sketch_json(starter(request.drawing))
    if not request.sketch:
        raise BadInput("Choose a drawing first.")
    return sketch_json(find(context, request.sketch))


@requires("look")
def sketches_view(context: Context, actor: Actor, request: EmptyRequest) -> dict[str, Any]:
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
def _generated_text() -> frozenset[str]:
    """The things that have a starter drawing; no file is read for that."""
    from truehue.core.sketches.starter import starter as every

    return frozenset(every())


def _base_json(concept: Concept) -> dict[str, Any]:
    return {
        "id": concept.id,
        "words": concept.words,
        "category": concept.category,
        "modifiers": [],
        "drawing": concept.words in _generated_text(),
    }


def _stored_json(record: SketchRecord) -> dict[str, Any]:
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
