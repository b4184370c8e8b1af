"""Reference sets for the comparison of models: imported distributions and people's colorings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from truehue.core.concepts.distribution import of_pictures, of_rows
from truehue.core.concepts.matching import ids_of
from truehue.core.concepts.records import (
    EXTRACTED,
    KINDS,
    RATINGS,
    ConceptImagesRecord,
    DistributionRow,
    ImageProfile,
)
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import Concept
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.links import ID_LENGTH
from truehue.tabs.page.shared_answers import TitledChoice
from truehue.tabs.sources.distributions import MAX_REASONS

COLORINGS = "colorings"
"""The id of all picture sets of people together: colorings, one set a concept."""


@dataclass(frozen=True)
class ReferenceSet:
    """People that can be chosen: ``id`` is ``set:…`` of an imported file, or :data:`COLORINGS`.

    ``kind`` is a key of :data:`truehue.core.concepts.records.KINDS`, empty for colorings; ``words``
    say what their numbers are.
    """

    id: str
    name: str
    kind: str
    words: str

    def as_json(self) -> TitledChoice:
        """As an entry of a list."""
        tag = " (ratings)" if self.kind == RATINGS else ""
        return {"id": self.id, "name": self.name + tag, "title": self.words}


@dataclass(frozen=True)
class People:
    """People's distributions by concept id, float64 ``(71,)`` each, and where each came from.
    ``others`` counts words that are no concept, ``unscored`` pictures without colors by reason."""

    crowd: ReferenceSet
    weights: Mapping[str, np.ndarray] = field(repr=False)
    sources: Mapping[str, str] = field(repr=False)
    others: int = 0
    unscored: Mapping[str, int] = field(default_factory=dict)

    def source_of(self, concept_id: str) -> str:
        """The source of Compare for that concept."""
        return self.sources.get(concept_id, self.crowd.id)

    @property
    def words(self) -> str:
        """What these people's numbers are, and of how many concepts."""
        text = f"“{self.crowd.name}” are {self.crowd.words}. {count_noun(len(self.weights), 'concept')}"
        if self.others:
            text += (
                f"; {count_noun(self.others, 'more concept')} {'is' if self.others == 1 else 'are'} not "
                "in ColorConceptBench or a run's own set, and not included here"
            )
        text += "."
        if self.unscored:
            lost = sum(self.unscored.values())
            most_frequent = sorted(self.unscored.items(), key=lambda entry: -entry[1])
            why = "; ".join(
                f"{count:,} × {reason}" for reason, count in most_frequent[:MAX_REASONS]
            )
            if len(most_frequent) > MAX_REASONS:
                why += f"; {sum(count for _, count in most_frequent[MAX_REASONS:]):,} for other reasons"
            are = "is" if lost == 1 else "are"
            text += f" {count_noun(lost, 'image')} could not be measured and {are} not included here: {why}."
        return text


class ReferenceSets:
    """People's distributions of a storage. Imported files never change, so they are read once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._read: dict[tuple[object, ...], People] = {}
        self._lock = Lock()

    def crowds(self) -> tuple[ReferenceSet, ...]:
        """All that can be chosen: colorings first, then palettes, histograms and ratings."""
        storage = self._context.storage
        crowds = [
            ReferenceSet(
                f"set:{record.set_id[:ID_LENGTH]}", record.name, record.kind, KINDS[record.kind]
            )
            for record in storage.distributions.all()
            if record.of_people
        ]
        crowds.sort(key=lambda reference_set: list(KINDS).index(reference_set.kind))
        if self._colorings():
            crowds.insert(
                0,
                ReferenceSet(
                    COLORINGS,
                    "Stored colorings",
                    "",
                    "images that people colored, extracted as published",
                ),
            )
        return tuple(crowds)

    def chosen(self, crowds: tuple[ReferenceSet, ...], crowd_id: str) -> People | None:
        """The people of that id; the first without one, None where there are none at all. Raises
        BadInput for an id that there is not."""
        if not crowd_id:
            return self.of(crowds[0]) if crowds else None
        people = next(
            (reference_set for reference_set in crowds if reference_set.id == crowd_id), None
        )
        if people is None:
            raise BadInput(
                "The people's colors of this link are not available, or hidden. Show or "
                "import them in People and files, or choose others."
            )
        return self.of(people)

    def of(self, reference_set: ReferenceSet) -> People:
        """The distributions of a crowd, one a concept: the mean of its contributors'."""
        # People's words mean more concepts where a run of one's own has come in since.
        own = tuple(concept.id for concept in self._own())
        key: tuple[object, ...] = (reference_set.id, reference_set.name, own)
        if reference_set.id == COLORINGS:
            key = (*key, *(coloring.set_id for coloring in self._colorings()))
        with self._lock:
            people = self._read.get(key)
        if people is None:
            people = (
                self._of_colorings(reference_set)
                if reference_set.id == COLORINGS
                else self._of_set(reference_set)
            )
            with self._lock:
                self._read[key] = people
        return people

    def _of_set(self, reference_set: ReferenceSet) -> People:
        set_id = reference_set.id.partition(":")[2]
        rows: dict[str, list[DistributionRow]] = {}
        for row in self._context.storage.distributions.rows(set_id):
            rows.setdefault(row.words, []).append(row)
        weights, others = {}, 0
        for text, ones in rows.items():
            concept_ids = self._ids_of(text)
            others += not concept_ids
            for concept_id in concept_ids:
                weights[concept_id] = of_rows(text, ones, reference_set.kind).weights
        return People(reference_set, weights, {}, others)

    def _ids_of(self, text: str) -> tuple[str, ...]:
        """The concepts with these words: the benchmark's, and those of runs of one's own."""
        return ids_of(self._own(), text)

    def _own(self) -> tuple[Concept, ...]:
        return self._context.storage.profiles.own_concepts()

    def _colorings(self) -> list[ConceptImagesRecord]:
        return [record for record in self._context.storage.picture_sets.all() if record.of_people]

    def _of_colorings(self, reference_set: ReferenceSet) -> People:
        image_profiles: dict[str, list[ImageProfile]] = {}
        sources: dict[str, str] = {}
        others, unscored = 0, Counter[str]()
        for record in self._colorings():
            concept_ids = self._ids_of(record.words)
            if not concept_ids:
                others += 1
                continue
            measured, lost = self._context.storage.picture_sets.image_profiles(record.set_id)
            unscored.update(reason.rstrip(".") for _, reason in lost)
            for concept_id in concept_ids:
                image_profiles.setdefault(concept_id, []).extend(measured)
                # Of several sets of one concept a link names the newest; the numbers are of all.
                sources.setdefault(concept_id, f"pictures:{record.set_id[:ID_LENGTH]}")
        weights = {
            concept_id: of_pictures(reference_set.name, ones, EXTRACTED, of_people=True).weights
            for concept_id, ones in image_profiles.items()
            if ones
        }
        return People(reference_set, weights, sources, others, unscored)
