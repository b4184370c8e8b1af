"""The expectations that a prompt's targets set for each object, and their match with the masks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truehue.core.color.systems import ColorTarget, parse_target
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.images.pixels import Mask
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.verdict.rules import DIFFERS, MATCHES

if TYPE_CHECKING:
    from truehue.core.generation.backends.reference import PlacedTarget

STEPS = ("presence", "detection", "mask", "color")
"""Where the way from an image to a verdict can end, in its order."""

PRESENCES = ("", "yes", "no", "unknown")


@dataclass(frozen=True)
class Expectation:
    """One object that a verdict is needed on.

    ``position`` is that of its target. ``relation`` is ``matches`` or ``differs``: the object has
    to have ``color``, or must not. ``guided`` is False where the released code measures without the
    target color's help: COA's second object and ICA's reference (gen-color-bench @ 802a3ba).
    ``label`` names it in a sentence: "the plate", or "the second apple" where two share a name.
    """

    position: int
    target: ObjectTarget
    color: ColorTarget
    relation: str
    guided: bool | None
    label: str

    @property
    def key(self) -> str:
        """What names the expectation wherever it is stored (:func:`expectation_key`). Two objects
        of one name that are expected to show the same are one."""
        return expectation_key(self.target.name, self.color.hex, self.relation)

    @property
    def answer_keys(self) -> tuple[str, ...]:
        """The keys of the verdicts that answer it: its own, and that of a verdict that names no
        object, which speaks of all of its color."""
        return tuple(dict.fromkeys((expectation_key("", self.color.hex, self.relation), self.key)))


def expectation_key(object_name: str, color: str, relation: str = MATCHES) -> str:
    """The object's name in lower case, a line feed and the color's hex (``#D51C3C``).

    Where the object must not have that color, a line feed and ``differs`` follow: "is the plate
    red?" is not "the plate must not be red".
    """
    rest = f"\n{DIFFERS}" if relation == DIFFERS else ""
    return f"{object_name.strip().lower()}\n{color}{rest}"


def key_of_verdict(object_name: str, target: Mapping[str, Any]) -> str:
    """The key of the expectation that a verdict answers.

    ``target`` is the target color as plain JSON: ``hex``, or where there is none ``value``, as
    :func:`truehue.core.color.systems.parse_target` reads it, and ``relation``. A target without
    either answers nothing that is ever expected.
    """
    color = str(target.get("hex") or "").upper()
    value = str(target.get("value") or "")
    if not color and value:
        try:
            color = parse_target(value).hex
        except TrueHueError:
            color = value
    return expectation_key(
        object_name,
        color or json.dumps(target, ensure_ascii=False, sort_keys=True, default=str),
        str(target.get("relation") or MATCHES),
    )


@dataclass(frozen=True)
class Localization:
    """What is known of where one object is.

    ``mask`` bool ``(H, W)``, or None. ``presence`` is the answer to whether the object is in the
    image: ``yes``, ``no``, ``unknown``, or empty where nobody asked. Without a mask, ``step`` (of
    :data:`STEPS`) says where the search ended and ``reason`` why, as a whole sentence or empty.
    Raises BadInput for a presence or a step that is none.
    """

    mask: np.ndarray | None = None
    presence: str = ""
    step: str = "detection"
    reason: str = ""

    def __post_init__(self) -> None:
        if self.presence not in PRESENCES:
            raise BadInput(f"presence is {self.presence!r}: give yes, no, unknown or nothing.")
        if self.step not in STEPS:
            raise BadInput(f"step is {self.step!r}: give one of {', '.join(STEPS)}.")


ABSENT = Localization(presence="no", step="presence")
"""An object that is known not to be in the image."""


def expectations_of(targets: Sequence[ObjectTarget]) -> tuple[Expectation, ...]:
    """The objects that an image is judged by, in their order.

    A main object has to have its color. A reference (ICA) has to have its own or else the first
    main object's. A bystander (COA) must not have the first main object's. Objects that no color
    is asked of are left out.
    """
    main = first_color(targets)
    expectations = []
    for position, target in enumerate(targets):
        color, relation, guided = target.color, MATCHES, None
        if target.role == "bystander":
            color, relation, guided = main, DIFFERS, False
        elif target.role == "reference":
            color, guided = target.color or main, False
        if color is not None:
            label = label_of(targets, position)
            expectations.append(Expectation(position, target, color, relation, guided, label))
    return tuple(expectations)


def first_color(targets: Sequence[ObjectTarget]) -> ColorTarget | None:
    """The color of the first main object that has one."""
    return next((t.color for t in targets if t.role == "main" and t.color is not None), None)


def label_of(targets: Sequence[ObjectTarget], position: int) -> str:
    """``"the plate"``, or ``"the second apple"`` where several targets are called so."""
    name = targets[position].name.strip()
    alike = [index for index, other in enumerate(targets) if _same(other.name, name)]
    if not name:
        return f"the {_ordinal(position)} object"
    return f"the {_ordinal(alike.index(position))} {name}" if len(alike) > 1 else f"the {name}"


def _same(name: str, other: str) -> bool:
    return name.strip().lower() == other.lower()


def _ordinal(index: int) -> str:
    parts = ("first", "second", "third", "fourth", "fifth", "sixth")
    return parts[index] if index < len(parts) else f"{index + 1}th"


def findings_of(
    targets: Sequence[ObjectTarget],
    masks: Mapping[int, Mask],
    standings: Sequence[PlacedTarget] = (),
    also: Iterable[int] = (),
) -> dict[int, Localization]:
    """What is known of each object that a color is asked of, by the position of its target.

    ``also`` are positions of others that are looked for. ``masks`` by position. ``standings`` are
    those of an image that the reference renderer drew
    (:func:`truehue.core.generation.backends.reference.shapes_for`), and empty for any other: an
    object that it did not draw is absent, one that it has no shape for was left out. An object of
    which nothing is known has no finding.
    """
    findings = {}
    for position in sorted(
        {*(expectation.position for expectation in expectations_of(targets)), *also}
    ):
        mask = masks.get(position)
        if mask is not None:
            presence, reason = presence_of(mask.parameters, targets[position].name)
            findings[position] = Localization(mask.pixels, presence, "mask", reason)
        elif standings:
            placed_target = standings[position]
            left_out = Localization(step="mask", reason=placed_target.note)
            findings[position] = ABSENT if placed_target.shape is not None else left_out
    return findings


def presence_of(parameters: Mapping[str, Any], name: str) -> tuple[str, str]:
    """The answer kept with an automatic mask to whether its object is there, and what was said."""
    for record in parameters.get("presence") or ():
        if isinstance(record, Mapping) and record.get("object") == name:
            answer = str(record.get("override") or record.get("answer") or "")
            return answer, answer_reason(str(record.get("text") or answer))
    return "", ""


def answer_reason(text: str) -> str:
    """The reason of a presence: what the model answered."""
    return f"the answer was {text!r}."
