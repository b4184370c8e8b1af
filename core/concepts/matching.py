"""Match people's words for a concept to a concept of ColorConceptBench."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from types import MappingProxyType

from truehue.core.concepts.own import OWN_STYLE
from truehue.core.prompts.concepts import STYLES, Concept, concept_text, concepts

_ALIKE = 0.75
_PROMPT = re.compile(
    r"(?:(?:an? |the )?(?:natural photo|clip art cartoon|photo|photograph|image|image|"
    r"illustration|drawing|painting|cartoon) of )?(?:an? |the )?(?P<words>.+?)"
    r"(?:, centered composition)?\.?"
)
_JOINTS = re.compile(r"[_\-\u2010-\u2015\u2212\s]+")


def normal(text: str) -> str:
    """The one spelling of some words: small letters, single blanks, none for ``_`` and hyphens.

    ``" Rotten_Mango "`` is ``"rotten mango"``. Two texts are the same concept when their normal
    forms are equal; nothing else is guessed, no plural and no article.
    """
    return _JOINTS.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def concept_of(text: str) -> Concept | None:
    """The concept with these words in their normal form, or None where there is none."""
    return _by_text().get(normal(text))


def ids_of(own: Iterable[Concept], text: str) -> tuple[str, ...]:
    """The ids of all concepts with these words: ColorConceptBench's first, then those of ``own``."""
    wanted = normal(text)
    concept = concept_of(text)
    named = [entry.id for entry in own if normal(entry.words) == wanted]
    return ((concept.id,) if concept else ()) + tuple(named)


@lru_cache(maxsize=65_536)
def concept_of_prompt(text: str) -> tuple[str, str]:
    """The words of the concept that a prompt names, in their normal form, and its style.

    ``"A natural photo of a lonely cabin, centered composition."`` is ``("lonely cabin", "photo")``,
    ``"a lonely cabin"`` is ``("lonely cabin", "own")``. The style is one of
    :data:`truehue.core.prompts.concepts.STYLES` only where the text is ColorConceptBench's. Any
    other sentence gives words that no concept has.
    """
    match = _PROMPT.fullmatch(normal(text))
    if match is None:
        return "", OWN_STYLE
    message = match["words"]
    concept = concept_of(message)
    if concept is not None:
        for style, medium in STYLES.items():
            if normal(text) == normal(concept_text(concept, medium)):
                return message, style
    return message, OWN_STYLE


def similar(text: str, limit: int = 3) -> tuple[str, ...]:
    """The words of at most ``limit`` concepts that are written much like these, best first.

    For a sentence that asks whether one of them was meant; nothing is taken for another by it.
    """
    return tuple(get_close_matches(normal(text), _by_text(), limit, _ALIKE))


@cache
def _by_text() -> Mapping[str, Concept]:
    # Were two concepts ever called the same, the first of the paper's order would be meant.
    by_words: dict[str, Concept] = {}
    for concept in concepts():
        by_words.setdefault(normal(concept.words), concept)
    return MappingProxyType(by_words)
