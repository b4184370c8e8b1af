"""Concepts in a run: the objects with measured colors, their outcome, and their concept.

A prompt of a color concept ("a rotten mango") has no target color. The result of its images is the
colors of its object, stored as a profile, and no verdict.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from truehue.core.concepts.own import own_id, own_style
from truehue.core.concepts.profile import profile_of
from truehue.core.errors import MaskError, TrueHueError
from truehue.core.prompts.concepts import build_concepts
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.runs.records import ObjectProfile
from truehue.core.verdict.expectations import Localization, expectations_of, label_of
from truehue.core.verdict.reasons import sentence

CONCEPT = "concept"
"""The task of prompts whose objects' colors are measured."""

NOT_MEASURED = (
    "Its colors were not measured: the run is older than that. Score the run's pictures again."
)
"""Of an image of before there were profiles."""

log = logging.getLogger("truehue")


@dataclass(frozen=True)
class RunConcepts:
    """The concepts of a run, in the order of its prompts.

    ``concept_ids`` and ``styles`` as in truehue.core.prompts.concepts; ``guidances`` are the scales
    that it draws with, ascending, one of None where that is the model's own or unknown. ``counts``
    says by concept and style how many images have come in, and how many of them were measured.
    """

    run_id: str
    concept_ids: tuple[str, ...]
    styles: tuple[str, ...]
    guidances: tuple[float | None, ...]
    counts: Mapping[tuple[str, str], tuple[int, int]] = field(repr=False)


@dataclass(frozen=True)
class MissingCell:
    """The colors of a concept that have yet to be extracted; as of a ConceptCell."""

    run_id: str
    concept_id: str
    style: str
    guidance: float | None


def measured_of(task: str, targets: Sequence[ObjectTarget]) -> tuple[int, ...]:
    """The positions of the targets whose colors are measured: the main object of a concept."""
    if task != CONCEPT:
        return ()
    return tuple(index for index, target in enumerate(targets) if target.role == "main")[:1]


def mask_positions(task: str, targets: Sequence[ObjectTarget]) -> tuple[int, ...]:
    """The positions of the targets that need a mask: those that a color is asked of, and those
    whose colors are measured."""
    positions = (expectation.position for expectation in expectations_of(targets))
    return tuple(sorted({*positions, *measured_of(task, targets)}))


def has_only_concepts(prompts: Iterable[Prompt]) -> bool:
    """Whether there are concepts alone, of which no color is asked: no rule has a say there."""
    return all(
        measured_of(prompt.task, prompt.targets) and not expectations_of(prompt.targets)
        for prompt in prompts
    )


def concept_of(prompt: Prompt) -> tuple[str, str] | None:
    """Id and style of the concept that a prompt is of; None for any other.

    It is ColorConceptBench's where the prompt is word for word the same, else one of one's own
    (:mod:`truehue.core.concepts.own`), where the prompt names its concept.
    """
    if prompt.task != CONCEPT:
        return None
    if _texts().get(prompt.id) == prompt.text:
        concept_id, style = prompt.id.rsplit("-", 1)
        return concept_id, style
    concept_id = own_id(prompt)
    return (concept_id, own_style(prompt)) if concept_id else None


def profiles_of(
    prompt: Prompt, srgb8: np.ndarray, findings: Mapping[int, Localization]
) -> tuple[ObjectProfile, ...]:
    """The colors of a concept's object, or the reason why there are none.

    ``srgb8`` uint8 ``(H, W, 3)``; ``findings`` by the position of the target. An object that is
    said not to be in the image is not measured, whatever mask there is. Empty for a prompt of
    another task. Raises MemoryError: that is no fault of the image.
    """
    return tuple(
        _profile(position, label_of(prompt.targets, position), srgb8, findings.get(position))
        for position in measured_of(prompt.task, prompt.targets)
    )


def _profile(
    position: int, label: str, srgb8: np.ndarray, finding: Localization | None
) -> ObjectProfile:
    if finding is None:
        return ObjectProfile(position, None, f"No mask of {label} is at hand.")
    why = finding.reason
    if finding.presence == "no":
        return ObjectProfile(position, None, sentence(f"{label} is not in the picture", why))
    if finding.presence == "unknown":
        text = f"it is not known whether {label} is in the picture"
        return ObjectProfile(position, None, sentence(text, why))
    if finding.mask is None:
        # Where only the mask failed the object may be there: the reason is all there is to say.
        text = why if why and finding.step == "mask" else sentence(f"{label} was not found", why)
        return ObjectProfile(position, None, text)
    try:
        return ObjectProfile(position, profile_of(srgb8, finding.mask))
    except MaskError as error:
        return ObjectProfile(position, None, sentence(f"{label} cannot be measured", str(error)))
    except MemoryError:
        raise
    except Exception as error:
        log.exception("the colors of a concept could not be measured")
        subject = (
            str(error) if isinstance(error, TrueHueError) else f"{type(error).__name__}: {error}"
        )
        return ObjectProfile(position, None, f"Measuring broke off: {subject}")


@cache
def _texts() -> dict[str, str]:
    return {prompt.id: prompt.text for prompt in build_concepts()}
