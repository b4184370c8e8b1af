"""The sketch of each concept in a study: stored ones, the starter set, those of a base concept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from truehue.core.concepts.matching import concept_of, normal
from truehue.core.prompts.concepts import Concept, concepts
from truehue.core.records import SketchRecord
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.sources.sketches import (
    PREFIX,
    STARTER,
    drawings,
    source_text,
    starter_sketch,
)

OWN = "Other words"
"""The group of words that are no concept of the list."""
_SMALL = 256


@dataclass(frozen=True)
class Choice:
    """A sketch that can be colored: ``id`` where it is stored, else ``drawing``, the concept id of
    a starter drawing that is stored when a study needs it. ``shows`` is what it was drawn of."""

    id: str
    drawing: str
    shows: str
    source: str
    warnings: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What a form names it by."""
        return self.id or self.drawing

    @property
    def plan_id(self) -> str:
        """Its id; of what is not stored yet one that stands for it while a plan is looked at."""
        return self.id or hashlib.sha256(f"{STARTER}\x1f{self.drawing}".encode()).hexdigest()[:32]

    @property
    def preview(self) -> str:
        """The address of a small picture of it, on white."""
        if self.drawing:
            return f"{PREFIX}/starter/{self.drawing}.svg"
        return f"{PREFIX}/sketches/{self.id}.png?side={_SMALL}"


class Choices:
    """The sketches at hand at one moment, by what they show."""

    def __init__(self, context: Context) -> None:
        self._stored: dict[str, list[SketchRecord]] = {}
        for record in context.storage.sketches.all():  # the one in use first
            self._stored.setdefault(normal(record.words), []).append(record)
        self._drawings = {
            normal(drawing.words): drawing.concept_id for drawing in drawings().values()
        }

    def of(self, text: str) -> tuple[Choice, ...]:
        """The sketches that fit these words, the one that is taken first: those drawn of the words
        themselves, the one in use first, then those of the thing without its state or mood."""
        return tuple(choice for shows in concepts_shown_by(text) for choice in self._showing(shows))

    def chosen(self, text: str, key: str = "") -> Choice | None:
        """The sketch that is colored for these words: the one with this key, else the first."""
        fitting = self.of(text)
        return next(
            (choice for choice in fitting if key and choice.key == key), next(iter(fitting), None)
        )

    def __iter__(self) -> Iterator[str]:
        """What sketches show, in normal form."""
        return iter(dict.fromkeys((*self._stored, *self._drawings)))

    def _showing(self, shows: str) -> Iterator[Choice]:
        records = self._stored.get(shows, ())
        for record in records:
            yield Choice(
                record.id,
                "",
                record.words,
                source_text(record.source, record.note),
                tuple(text for _, text in record.warnings),
            )
        if shows in self._drawings and not any(
            sketch_record.source == STARTER for sketch_record in records
        ):
            yield Choice("", self._drawings[shows], shows, source_text(STARTER, ""))


def concepts_shown_by(concept: str) -> tuple[str, ...]:
    """What a sketch of these words can show, in normal form: the words, then their end without
    what stands before it, as in "moldy old apple", "old apple", "apple"."""
    text = normal(concept)
    known = concept_of(text)
    if known is not None:
        return tuple(dict.fromkeys((text, normal(known.concept))))
    parts = text.split()
    return tuple(" ".join(parts[start:]) for start in range(len(parts)))


def store_choice(context: Context, choice: Choice, maker: str) -> str:
    """The id of a stored sketch of this choice; a starter drawing is stored now, which takes about
    a second."""
    if choice.id:
        return choice.id
    sketch = starter_sketch(choice.drawing)
    return context.storage.sketches.add(sketch, choice.shows, STARTER, maker=maker).id


class SketchChoice(TypedDict):
    """A sketch to choose; ``picture`` is its address."""

    key: str
    shows: str
    picture: str
    source: str
    warnings: list[str]


class ModifierJson(TypedDict):
    """A state or mood of a thing, with the sketches drawn of it where there are any."""

    words: str
    kind: str
    sketches: NotRequired[list[SketchChoice]]


class ConceptJson(TypedDict):
    """A base concept with its modifiers."""

    words: str
    category: str
    sketches: list[SketchChoice]
    modifiers: list[ModifierJson]


class SketchedWords(TypedDict):
    """Words that sketches are stored of."""

    words: str
    sketches: list[SketchChoice]


class ConceptList(TypedDict):
    """The concepts to choose from."""

    things: list[ConceptJson]
    others: list[SketchedWords]


def choice_json(choice: Choice) -> SketchChoice:
    """A sketch as the form shows it."""
    return {
        "key": choice.key,
        "shows": choice.shows,
        "picture": choice.preview,
        "source": choice.source,
        "warnings": list(choice.warnings),
    }


@requires("study")
def concept_list(context: Context, actor: Actor, request: EmptyRequest) -> ConceptList:
    """The concepts to choose from, by category: base concepts with their modifiers, and the
    sketches of each; and other words with a stored sketch."""
    choices = Choices(context)
    resources: dict[int, ConceptJson] = {}
    for concept in concepts():
        if not concept.modifier:
            resources[concept.base_id] = _concept_json(concept, choices)
            continue
        own = [
            choice_json(choice)
            for choice in choices.of(concept.words)
            if _of(choice, concept.words)
        ]
        entry: ModifierJson = {"words": concept.words, "kind": concept.modifier_kind}
        resources[concept.base_id]["modifiers"].append({**entry, "sketches": own} if own else entry)
    others = [shows for shows in choices if concept_of(shows) is None]
    return {
        "things": list(resources.values()),
        "others": [
            {"words": shows, "sketches": [choice_json(choice) for choice in choices.of(shows)]}
            for shows in others
        ],
    }


def group_of(text: str) -> str:
    """The group of a case: the category of its concept."""
    concept = concept_of(text)
    return concept.category if concept else OWN


def case_id_of(text: str) -> str:
    """The id of a case: the concept's, or one made of the words."""
    concept = concept_of(text)
    if concept is not None:
        return concept.id
    return f"words-{hashlib.sha256(normal(text).encode()).hexdigest()[:12]}"


def _concept_json(concept: Concept, choices: Choices) -> ConceptJson:
    sketches = [choice_json(choice) for choice in choices.of(concept.words)]
    return {
        "words": concept.words,
        "category": concept.category,
        "sketches": sketches,
        "modifiers": [],
    }


def _of(choice: Choice, text: str) -> bool:
    return normal(choice.shows) == normal(text)
