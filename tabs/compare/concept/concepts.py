"""The concepts that Compare knows, and what there is of each: people's colors and pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from truehue.core.concepts.matching import concept_of, normal
from truehue.core.prompts.concepts import Concept, concepts
from truehue.tabs.compare.concept.link import words_and_concept
from truehue.tabs.compare.generated import words_with_images
from truehue.tabs.compare.sources import Choice, choices
from truehue.tabs.page.context import Context

MOST_AT_FIRST = 3
RATINGS_NOTE = "ratings, normalized"


def concepts_view(context: Context) -> dict[str, Any]:
    """All concepts and the words that imports brought beside them, each with how many sets of
    people and of pictures there are of it; and what is here at all.

    A concept is ``[id, words, thing, category, kind, people, pictures]``, of words without an id
    the id is empty.
    """
    people, other, pictured = Counter[str](), Counter[str](), Counter[str]()
    for record in context.storage.distributions.all():
        into = people if record.of_people else other
        into.update({normal(text) for text in context.storage.distributions.words(record.set_id)})
    for group in context.storage.picture_sets.all():
        (people if group.of_people else pictured)[normal(group.words)] += 1
    runs = context.storage.profiles.runs()
    sample = Counter[str]()
    for run in runs:
        sample.update(context.storage.profiles.concepts(run.run_id).concept_ids)
    concept_list = concepts()
    generated = words_with_images(context)
    listed = [
        [
            concept.id,
            concept.words,
            concept.concept,
            concept.category,
            concept.modifier_kind,
            people[normal(concept.words)],
            sum(count[normal(concept.words)] for count in (other, pictured, generated))
            + sample[concept.id],
        ]
        for concept in concept_list
    ]
    names = {normal(concept.words) for concept in concept_list}
    others = sorted({*people, *other, *pictured} - names)
    listed += [
        [
            "",
            text,
            text,
            "Other",
            "",
            people[text],
            other[text] + pictured[text] + generated[text],
        ]
        for text in others
        if concept_of(text) is None
    ]
    return {
        "concepts": listed,
        "here": {
            "people": sum(people.values()) > 0,
            "runs": len(runs),
            "sets": len(other) + len(pictured),
            "images": any(row[6] for row in listed),
        },
    }


def choices_view(context: Context, query: Mapping[str, str]) -> dict[str, Any]:
    """A concept: its siblings, what can be compared of it, and what to begin with.

    Raises BadInput for a concept that there is not.
    """
    text, concept = words_and_concept(query)
    entries = choices(context, text)
    return {
        "words": text,
        "concept": None if concept is None else concept_json(concept),
        "siblings": []
        if concept is None
        else [
            concept_json(candidate)
            for candidate in concepts()
            if candidate.base_id == concept.base_id
        ],
        "choices": [
            {
                "source": choice.source,
                "label": choice.label,
                "kind": choice.kind,
                "count": choice.count,
                "note": choice.note,
            }
            for choice in entries
        ],
        "begin": [choice.source for choice in begin_with(entries)],
    }


def concept_json(concept: Concept) -> dict[str, str]:
    """One concept for the page."""
    return {
        "id": concept.id,
        "words": concept.words,
        "thing": concept.concept,
        "modifier": concept.modifier,
        "kind": concept.modifier_kind,
        "category": concept.category,
    }


def begin_with(entries: list[Choice]) -> list[Choice]:
    """What is shown when nobody chose: the first of people, then one of each run and set.

    Of people, shares of colorings come before ratings, which are none.
    """
    people = [choice for choice in entries if choice.kind == "people"]
    selection = sorted(people, key=lambda choice: choice.note == RATINGS_NOTE)[:1]
    seen = set[str]()
    for choice in entries:
        location = choice.source.partition("/")[0]
        if choice.kind != "people" and location not in seen:
            seen.add(location)
            selection.append(choice)
    if len(selection) < 2:
        selection += [choice for choice in entries if choice not in selection]
    return selection[:MOST_AT_FIRST]
