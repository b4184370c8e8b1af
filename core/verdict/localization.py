"""From the masks of a picture to what is known of where each object is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.generation.backends.reference import Standing
from core.images.mask import Mask
from core.prompts.prompt import ObjectTarget
from core.verdict.expectations import ABSENT, Finding, asked_of


def findings_of(
    targets: Sequence[ObjectTarget],
    masks: Mapping[int, Mask],
    standings: Sequence[Standing] = (),
    also: Iterable[int] = (),
) -> dict[int, Finding]:
    """What is known of each object that a color is asked of, by the position of its target.

    ``also`` are positions of others that are looked for. ``masks`` by position. ``standings`` are
    those of a picture that the reference renderer drew
    (:func:`core.generation.backends.reference.shapes_for`), and empty for any other: an object that
    it did not draw is absent, one that it has no shape for was left out. An object of which nothing
    is known has no finding.
    """
    out = {}
    for position in sorted({*(asked.position for asked in asked_of(targets)), *also}):
        mask = masks.get(position)
        if mask is not None:
            presence, reason = presence_of(mask.parameters, targets[position].name)
            out[position] = Finding(mask.pixels, presence, "mask", reason)
        elif standings:
            place = standings[position]
            left_out = Finding(step="mask", reason=place.note)
            out[position] = ABSENT if place.shape is not None else left_out
    return out


def presence_of(parameters: Mapping[str, Any], name: str) -> tuple[str, str]:
    """The answer kept with an automatic mask to whether its object is there, and what was said."""
    for one in parameters.get("presence") or ():
        if isinstance(one, Mapping) and one.get("object") == name:
            answer = str(one.get("override") or one.get("answer") or "")
            return answer, said(str(one.get("text") or answer))
    return "", ""


def said(text: str) -> str:
    """The reason of a presence: what the model answered."""
    return f"the answer was {text!r}."
