"""From the form of a study of colorings to its cases: concepts that a sketch is there for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from truehue.annotation.studies.cases import Case
from truehue.core.concepts.matching import concept_of, normal, similar
from truehue.core.errors import BadInput
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import many
from truehue.tabs.studies.drafting import Draft
from truehue.tabs.studies.form import StudyForm
from truehue.tabs.studies.sketch_choices import Choice, Choices, case_id_of, choice_json, group_of

MOST_LETTERS = 120
_NAMED = 8
"""Words that a sentence names before it says how many more there are."""

# Of several categories and plain to color; the first that are not asked about are practiced on.
_PRACTICE = ("birthday cake", "bell pepper", "butterfly", "pizza", "rainbow", "tulip", "carrot")


def draft_of_sketches(context: Context, form: StudyForm) -> Draft:
    """The cases of a filled form. Raises BadInput where no concept with a sketch is left."""
    assert form.practice is not None
    choices = Choices(context)
    wanted = _concepts(form.concepts, "concepts")
    practiced = _practiced(form, choices, wanted)
    asked = [words for words in wanted if words not in practiced]
    chosen = {words: choices.chosen(words, _key(form, words)) for words in asked}
    without = tuple(words for words, choice in chosen.items() if choice is None)
    complete = [words for words in asked if words not in without]
    drawn = _drawn(form, complete, bool(without))
    training = tuple(_case(choices, words, _key(form, words)) for words in practiced)
    cases = tuple(_case(choices, words, _key(form, words)) for words in drawn)
    return Draft(
        form,
        tuple(case for case, _ in cases),
        tuple(case for case, _ in training),
        (),
        {},
        len(wanted),
        len(complete),
        tuple(_told(form, drawn, complete, without, practiced, wanted)),
        {case.id: choice for case, choice in (*cases, *training)},
        without,
    )


def sketches_json(draft: Draft) -> dict[str, Any]:
    """What is colored, practiced on, and left out for want of a sketch."""

    def listed(some: Iterable[Case]) -> list[dict[str, Any]]:
        return [
            {
                "case": case.id,
                "words": case.words,
                "group": case.group,
                **choice_json(draft.sketches[case.id]),
            }
            for case in some
        ]

    return {
        "asked": listed(draft.cases),
        "practice": listed(draft.training),
        "without": list(draft.without),
    }


def _concepts(words: Iterable[str], field: str) -> list[str]:
    """The words as they are asked, each concept once."""
    by_normal: dict[str, str] = {}
    for text in words:
        if len(text) > MOST_LETTERS:
            raise BadInput(
                f"{text[:40]!r}… has over {MOST_LETTERS} letters. Use a shorter name.",
                field,
            )
        concept = concept_of(text)
        by_normal.setdefault(normal(text), concept.words if concept else text)
    return list(by_normal.values())


def _practiced(form: StudyForm, choices: Choices, wanted: Sequence[str]) -> list[str]:
    """What is practiced on: what the form names, or so many drawings that nobody is asked about."""
    assert form.practice is not None
    named = _concepts(form.practice.concepts, "practice")
    missing = [words for words in named if choices.chosen(words, _key(form, words)) is None]
    if missing:
        raise BadInput(
            f"There is no sketch of {_listed(missing)} to practice on.{_meant(missing[0])}",
            "practice",
        )
    if named:
        return named
    taken = {normal(words) for words in wanted}
    bases = {normal(concept.concept) for words in wanted if (concept := concept_of(words))}
    free = [
        words
        for words in (*_PRACTICE, *choices)
        if words not in taken | bases and choices.chosen(words) is not None
    ]
    practiced = list(dict.fromkeys(free))[: form.practice.number]
    if len(practiced) < form.practice.number:
        raise BadInput(
            f"The study leaves {many(len(practiced), 'drawing')} to practice on. Choose "
            "practice concepts, or reduce the practice.",
            "practice",
        )
    return practiced


def _drawn(form: StudyForm, complete: Sequence[str], some_without: bool) -> list[str]:
    if not complete:
        raise BadInput(
            "None of these concepts has a sketch. Draw or import line drawings in Colorize, "
            "or choose other concepts."
            if some_without
            else "Choose the concepts to color.",
            "concepts",
        )
    number = form.number or len(complete)
    if number > len(complete):
        raise BadInput(
            f"{number:,} concepts are requested, but {len(complete):,} have a sketch. Use a "
            "smaller number, or 0 for all.",
            "number",
        )
    if number == len(complete):
        return list(complete)
    rng = np.random.default_rng([form.seed, number])
    return [complete[int(place)] for place in sorted(rng.permutation(len(complete))[:number])]


def _case(choices: Choices, words: str, key: str) -> tuple[Case, Choice]:
    choice = choices.chosen(words, key)
    assert choice is not None
    case = Case(case_id_of(words), words, (), group_of(words), sketch=choice.plan_id)
    return case, choice


def _key(form: StudyForm, words: str) -> str:
    return form.sketches.get(words, form.sketches.get(normal(words), ""))


def _told(
    form: StudyForm,
    drawn: Sequence[str],
    complete: Sequence[str],
    without: Sequence[str],
    practiced: Sequence[str],
    wanted: Sequence[str],
) -> list[str]:
    """Sentences on what was taken and left out."""
    told = []
    if len(drawn) < len(complete):
        told.append(
            f"{len(drawn):,} of {len(complete):,} concepts with a sketch sampled at random "
            f"(seed {form.seed})."
        )
    else:
        told.append(f"All {len(drawn):,} concepts with a sketch are included.")
    if without:
        told.append(f"{many(len(without), 'concept')} excluded: no sketch of {_listed(without)}.")
    if practiced:
        told.append(f"Practice: {', '.join(practiced)}; these are not colored in the study itself.")
    moved = [words for words in practiced if words in wanted]
    if moved:
        told.append(f"{_listed(moved)} used for practice only.")
    return told


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    return ", ".join(words[:_NAMED]) + more


def _meant(words: str) -> str:
    near = [one for one in similar(words) if one != normal(words)]
    return f" Did you mean {near[0]}?" if near else ""
