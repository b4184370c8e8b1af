"""Screening before the trials: color-vision plates and patches, and what the answers to them say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from truehue.annotation.studies.plan import StudyPlan
from truehue.core.images.plates import DIGITS, PLACES, Axis
from truehue.core.studies import Event, EventKind

SCREENING_SEED = 71
"""Keeps these draws apart from those of the assignment."""


@dataclass(frozen=True)
class PlateChoice:
    """One plate of :func:`truehue.core.images.plates.plate`; ``seed`` is of the few that are
    made."""

    digit: str
    axis: Axis
    seed: int = 0


@dataclass(frozen=True)
class Patch:
    """A square of ``patch`` at one of four places on ``field``, both sRGB hex: the two darkest, or
    the two lightest, steps that a usable screen tells apart."""

    name: str
    field: str
    patch: str
    place: int


# L* 0 and 2.7, and L* 100 and 97.6: what hides the one has crushed shadows or clipped highlights.
_STEPS = (("dark", "#000000", "#0A0A0A"), ("light", "#FFFFFF", "#F8F8F8"))


def plates_for(seed: int, number: int) -> tuple[PlateChoice, ...]:
    """Four plates, one an axis, each with another digit, in a drawn order."""
    rng = np.random.default_rng([seed, number, SCREENING_SEED])
    digits = rng.permutation(list(DIGITS))
    axes = rng.permutation(len(Axis))
    return tuple(
        PlateChoice(str(digit), list(Axis)[int(axis)])
        for digit, axis in zip(digits, axes, strict=False)
    )


def patches_for(seed: int, number: int) -> tuple[Patch, ...]:
    """A dark patch and a light one, each at a drawn place."""
    rng = np.random.default_rng([seed, number, SCREENING_SEED + 1])
    return tuple(Patch(*step, place=int(rng.integers(PLACES))) for step in _STEPS)


def scored(
    body: Mapping[str, Any], plates: tuple[PlateChoice, ...], patches: tuple[Patch, ...]
) -> dict[str, Any]:
    """A participant's screening answers against what was shown.

    ``shown`` and ``read`` count plates; ``misread`` are the axes of those that were not read;
    ``dark`` and ``light`` say whether the patch was found, None where nothing was answered.
    """
    answers = body.get("plates")
    answers = answers if isinstance(answers, list) else []
    misread = [
        plate.axis.value
        for plate, answer in zip(plates, answers, strict=False)
        if answer != plate.digit
    ]
    shown = min(len(answers), len(plates))
    positions = {
        patch.name: None if body.get(patch.name) is None else body[patch.name] == patch.place
        for patch in patches
    }
    return {"shown": shown, "read": shown - len(misread), "misread": misread, **positions}


def screening_of(plan: StudyPlan, number: int, events: Iterable[Event]) -> dict[str, Any] | None:
    """What the last screening of the participant with that ``number`` says, as :func:`scored` says
    it; None where there was none.

    It is scored again from the answers, which the server stores beside what it made of them: what
    an imported study says of itself is not believed, and a body without them is one of answers.
    """
    body: Mapping[str, Any] | None = None
    for event in events:
        if event.kind is EventKind.SCREENING:
            answers = event.body.get("answers")
            body = answers if isinstance(answers, Mapping) else event.body
    if body is None:
        return None
    plates = plates_for(plan.seed, number) if plan.screening.plates else ()
    patches = patches_for(plan.seed, number) if plan.screening.patches else ()
    return scored(body, plates, patches)
