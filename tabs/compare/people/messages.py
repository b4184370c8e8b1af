"""Matches of a typed concept: known, similar and free words."""

from __future__ import annotations

from typing import TypedDict

from truehue.core.concepts.matching import concept_of, normal, similar
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import concepts

MAX_WORDS = 120
SHOWN = 12


class ConceptWords(TypedDict):
    """Words with the id of the concept that they are, empty where they are none."""

    words: str
    concept: str


class ConceptMatch(ConceptWords):
    """A concept that holds the typed words."""

    category: str
    kind: str


class ConceptSuggestions(TypedDict):
    """The concepts that typed words may mean."""

    words: str
    known: bool
    found: list[ConceptMatch]
    total: int
    similar: list[str]


def normalize_concept(typed: str) -> str:
    """The normal form of what stands for a concept; it need not be one of ColorConceptBench.

    Raises BadInput where there are none, or too many characters.
    """
    text = normal(typed)
    if not text:
        raise BadInput("Enter the concept, for instance “rotten mango”.")
    if len(text) > MAX_WORDS:
        raise BadInput(f"A concept has up to {MAX_WORDS} characters.")
    return text


def concept_json(text: str) -> ConceptWords:
    """Looks up the concept of words."""
    concept = concept_of(text)
    return {"words": text, "concept": concept.id if concept else ""}


def suggestions(typed: str) -> ConceptSuggestions:
    """Concepts that contain the typed words, those that begin with them first; else similar ones."""
    text = normal(typed)[:MAX_WORDS]
    holding = [concept for concept in concepts() if text in normal(concept.words)] if text else []
    holding.sort(
        key=lambda concept: (
            normal(concept.words) != text,
            not normal(concept.words).startswith(text),
        )
    )
    return {
        "words": text,
        "known": concept_of(text) is not None if text else False,
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
        "similar": [] if holding or not text else list(similar(text))[:5],
    }
