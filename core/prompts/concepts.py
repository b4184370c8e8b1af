"""ColorConceptBench's concepts, and a prompt for each in two styles.

arXiv paper "ColorConceptBench", Table 9 (concepts) and Appendix C.2 (sentence). The emotional
column of the table was displaced; the README beside the file describes our assignment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from truehue.core.prompts.prompt import ObjectTarget, Prompt, with_articles
from truehue.core.prompts.tables import listed, read_rows

SOURCE = "concepts"
FILE = "concepts/concepts.csv"
SHA256 = "4da40e830a5d541fba530dc888c372926749777fc43d577b7140cf01d7a8b505"

STYLES: Mapping[str, str] = MappingProxyType(
    {"photo": "natural photo", "cartoon": "clip-art cartoon"}
)
"""The two styles, by the word that ends an id."""


@dataclass(frozen=True, slots=True)
class Concept:
    """One concept: a thing as such, or in a state or a mood.

    ``id`` is ``concept-0041`` for the thing (the paper's number) and ``concept-0041-fresh`` with a
    modifier. ``modifier_kind`` is ``base``, ``visual state`` or ``emotional``. ``countable`` says
    whether a sentence puts ``a`` before it ("a fresh apple", "fresh spinach").
    """

    id: str
    base_id: int
    category: str
    concept: str
    modifier: str
    modifier_kind: str
    countable: bool

    @property
    def words(self) -> str:
        """``"fresh apple"``."""
        return f"{self.modifier} {self.concept}".strip()

    @property
    def phrase(self) -> str:
        """``"a fresh apple"``, ``"fresh spinach"``."""
        return with_articles(f"a {self.words}") if self.countable else self.words


@cache
def concepts() -> tuple[Concept, ...]:
    """The 1,279 concepts in the paper's order: each thing, its visual states, its moods."""
    return tuple(
        Concept(
            id="-".join(filter(None, (f"concept-{int(row['id']):04d}", modifier))),
            base_id=int(row["id"]),
            category=row["category"],
            concept=row["concept"],
            modifier=modifier,
            modifier_kind=kind,
            countable=row["article"] == "a",
        )
        for row in read_rows(FILE, SHA256)
        for modifier, kind in _modifiers(row)
    )


def _modifiers(row: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield "", "base"
    for modifier in listed(row["visual_state"]):
        yield modifier, "visual state"
    for modifier in listed(row["emotional"]):
        yield modifier, "emotional"


def concept_text(concept: Concept, style: str) -> str:
    """The sentence of a concept; ``style`` is a value of :data:`STYLES`."""
    return with_articles(f"A {style} of {concept.phrase}, centered composition.")


@cache
def build_concepts() -> tuple[Prompt, ...]:
    """2,558 prompts: every concept as a natural photo and as a clip-art cartoon.

    The target is the thing, without a color: what its color should be is a distribution.
    """
    return tuple(
        Prompt(
            id=f"{concept.id}-{word}",
            text=concept_text(concept, style),
            task="concept",
            targets=(ObjectTarget(concept.concept, category=concept.category),),
            source=SOURCE,
            template="C.2",
            category=concept.category,
            concept=concept.concept,
            modifier=concept.modifier,
            modifier_kind=concept.modifier_kind,
            style=style,
        )
        for concept in concepts()
        for word, style in STYLES.items()
    )
