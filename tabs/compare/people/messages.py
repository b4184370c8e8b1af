"""The words of a concept as a person types them: known ones, similar ones, free ones."""

from __future__ import annotations

from typing import Any

from truehue.core.concepts.matching import concept_of, normal, similar
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import concepts

MOST_WORDS = 120
SHOWN = 12


def free_words(typed: str) -> str:
    """The normal form of what stands for a concept; it need not be one of ColorConceptBench.

    Raises BadInput where there are none, or too many characters.
    """
    words = normal(typed)
    if not words:
        raise BadInput("Enter the concept, for instance “rotten mango”.")
    if len(words) > MOST_WORDS:
        raise BadInput(f"A concept has up to {MOST_WORDS} characters.")
    return words


def concept_json(words: str) -> dict[str, Any]:
    """Words with the id of the concept that they are, empty where they are none."""
    concept = concept_of(words)
    return {"words": words, "concept": concept.id if concept else ""}


def suggestions(typed: str) -> dict[str, Any]:
    """Concepts that hold the typed words, those that begin with them first; else similar ones."""
    words = normal(typed)[:MOST_WORDS]
    holding = [concept for concept in concepts() if words in normal(concept.words)] if words else []
    holding.sort(
        key=lambda concept: (
            normal(concept.words) != words,
            not normal(concept.words).startswith(words),
        )
    )
    return {
        "words": words,
        "known": concept_of(words) is not None if words else False,
        "found": [
            {
                "words": concept.words,
                "concept": concept.id,
                "category": concept.category,
                "kind": concept.modifier_kind,
            }
            for concept in holding[:SHOWN]
        ],
        "total": len(holding),
        "similar": [] if holding or not words else list(similar(words))[:5],
    }
