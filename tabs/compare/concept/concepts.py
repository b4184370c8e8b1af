"""A concept as Compare begins with it: its siblings, and what there is of it to compare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truehue.core.prompts.concepts import Concept, concepts
from truehue.tabs.compare.concept.link import words_and_concept
from truehue.tabs.page.context import Context
from truehue.tabs.sources.distributions import Choice, choices

MOST_AT_FIRST = 3
RATINGS_NOTE = "ratings, normalized"


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
