"""The starter set: line drawings that the project draws itself, by code, as vectors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from truehue.core.prompts.concepts import concepts
from truehue.core.sketches.starter.drawing import Drawing
from truehue.core.sketches.starter.registry import DRAWN


@cache
def starter() -> Mapping[str, Drawing]:
    """The drawings by the words of their concept ("apple"), in the paper's order of concepts."""
    return MappingProxyType(
        {
            concept.words: Drawing(
                concept.words, concept.id, concept.category, DRAWN[concept.words]
            )
            for concept in concepts()
            if concept.modifier_kind == "base" and concept.words in DRAWN
        }
    )
