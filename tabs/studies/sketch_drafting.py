"""From the form of a study of colorings to its cases: concepts that a sketch is there for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from truehue.annotation.studies.cases import Case
from truehue.core.concepts.matching import concept_of, normal, similar
from truehue.core.errors import BadInput
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import counted
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
    requested = [text for text in wanted if text not in practiced]
    chosen = {text: choices.chosen(text, _key(form, text)) for text in requested}
    without = tuple(text for text, choice in chosen.items() if choice is None)
    complete = [text for text in requested if text not in without]
    sample = _drawn(form, complete, bool(without))
    training = tuple(_case(choices, text, _key(form, text)) for text in practiced)
    cases = tuple(_case(choices, text, _key(form, text)) for text in sample)
    return Draft(
        form,
        tuple(case for case, _ in cases),
        tuple(case for case, _ in training),
        (),
        {},
        len(wanted),
        len(complete),
        tuple(_message(form, sample, complete, without, practiced, wanted)),
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


def _concepts(terms: Iterable[str], field: str) -> list[str]:
    """The words as they are asked, each concept once."""
    by_normal: dict[str, str] = {}
    for text in terms:
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
    missing = [text for text in named if choices.chosen(text, _key(form, text)) is None]
    if missing:
        raise BadInput(
            f"There is no sketch of {_listed(missing)} to practice on.{_meant(missing[0])}",
            "practice",
        )
    if named:
        return named
    used = {normal(text) for text in wanted}
    bases = {normal(concept.concept) for text in wanted if (concept := concept_of(text))}
    free = [
        text
        for text in (*_PRACTICE, *choices)
        if text not in used | bases and choices.chosen(text) is not None
    ]
    practiced = list(dict.fromkeys(free))[: form.practice.number]
    if len(practiced) < form.practice.number:
        raise BadInput(
            f"The study leaves {counted(len(practiced), 'drawing')} to practice on. Choose "
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
    return [complete[int(index)] for index in sorted(rng.permutation(len(complete))[:number])]


def _case(choices: Choices, text: str, key: str) -> tuple[Case, Choice]:
    choice = choices.chosen(text, key)
    assert choice is not None
    case = Case(case_id_of(text), text, (), group_of(text), sketch=choice.plan_id)
    return case, choice


def _key(form: StudyForm, text: str) -> str:
    return form.sketches.get(text, form.sketches.get(normal(text), ""))


def _message(
    form: StudyForm,
    sample: Sequence[str],
    complete: Sequence[str],
    without: Sequence[str],
    practiced: Sequence[str],
    wanted: Sequence[str],
) -> list[str]:
    """Sentences on what was taken and left out."""
    messages = []
    if len(sample) < len(complete):
        messages.append(
            f"{len(sample):,} of {len(complete):,} concepts with a sketch sampled at random "
            f"(seed {form.seed})."
        )
    else:
        messages.append(f"All {len(sample):,} concepts with a sketch are included.")
    if without:
        messages.append(
            f"{counted(len(without), 'concept')} excluded: no sketch of {_listed(without)}."
        )
    if practiced:
        messages.append(
            f"Practice: {', '.join(practiced)}; these are not colored in the study itself."
        )
    moved = [text for text in practiced if text in wanted]
    if moved:
        messages.append(f"{_listed(moved)} used for practice only.")
    return messages


def _listed(terms: Sequence[str]) -> str:
    more = f" and {len(terms) - _NAMED} more" if len(terms) > _NAMED else ""
    return ", ".join(terms[:_NAMED]) + more


def _meant(text: str) -> str:
    near = [name for name in similar(text) if name != normal(text)]
    return f" Did you mean {near[0]}?" if near else ""
