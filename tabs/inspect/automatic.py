"""An automatic mask on the stage: the models' steps, and a person's overrides of them.

An override recomputes the mask from its stored steps, without any model. It does not use Gradio.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, TypedDict

import numpy as np

from truehue.core.errors import MaskError
from truehue.core.images.pixels import Mask
from truehue.core.masks.grounded.compose import compose, is_automatic, steps_of, union
from truehue.core.masks.grounded.records import Grounded
from truehue.core.masks.grounded.weights import VISION_MODELS
from truehue.core.masks.marks import STARTS, Mark, Override
from truehue.core.records import ImageRecord, MaskRecord


@dataclass(frozen=True)
class Overrides:
    """A person's words on the steps of a mask; of two on the same step the later one counts."""

    all: tuple[Override, ...] = ()

    def of(self, step: str, index: int) -> Override:
        """The one that counts, or one that changes nothing."""
        own = [
            override for override in self.all if (override.step, override.index) == (step, index)
        ]
        return own[-1] if own else Override(step, index)

    def left_out(self, step: str, count: int) -> list[int]:
        """The places, up to ``count``, that are not to be used."""
        return [index for index in range(count) if not self.of(step, index).use]


@dataclass(frozen=True)
class Automatic:
    """An automatic mask with the overrides that marks put on it.

    ``record`` is the mask as the models made it, ``found`` what follows with the overrides.
    ``presence`` are the answers as plain JSON, with a person's under ``override``.
    """

    record: MaskRecord
    found: Grounded
    presence: tuple[Mapping[str, Any], ...]
    overrides: Overrides

    @property
    def mask(self) -> Mask:
        """The mask with the overrides, and them in its parameters."""
        parameters = dict(self.found.mask.parameters)
        if self.presence:
            parameters["presence"] = [dict(presence) for presence in self.presence]
        return Mask(self.found.mask.pixels, self.found.mask.maker, parameters)

    @property
    def taken(self) -> np.ndarray:
        """What negative labels took, bool ``(H, W)``."""
        pixels = self.found.before_negatives
        return union(
            [negative.pixels for negative in self.found.negatives],
            (pixels.shape[0], pixels.shape[1]),
        )


def automatic_of(
    image: ImageRecord, marks: Sequence[Mark], base: MaskRecord | None
) -> Automatic | None:
    """The automatic mask that the marks stand on; None where they stand on something else.

    ``base`` is the stored mask that the last mark of that kind names. Raises MaskError for one
    whose steps cannot be read, and what :func:`truehue.core.masks.grounded.compose.compose` raises
    for the overrides.
    """
    starts = [mark for mark in marks if mark.type in (*STARTS, "box")]
    if not starts or starts[-1].type != "stored" or base is None:
        return None
    if not is_automatic(base.maker, base.parameters):
        return None
    answers = tuple(base.parameters.get("presence") or ())
    overrides = overrides_of(marks)
    steps = steps_of(base.parameters)
    counts = {
        "box": len(steps.detections),
        "negative": len(steps.negatives),
        "presence": len(answers),
    }
    for override in overrides.all:
        if override.index >= counts[override.step]:
            raise MaskError(
                f"There is no {override.step} {override.index + 1} in this automatic mask."
            )
    labels = [steps.negatives[n].label for n in overrides.left_out("negative", counts["negative"])]
    grounded = compose(steps, overrides.left_out("box", counts["box"]), labels)
    answers = tuple(
        {**answer, "override": word} if (word := overrides.of("presence", n).answer) else answer
        for n, answer in enumerate(answers)
    )
    return Automatic(base, grounded, answers, overrides)


def overrides_of(marks: Sequence[Mark]) -> Overrides:
    """The overrides among the marks that stand on the last stored mask."""
    last = max((n for n, mark in enumerate(marks) if mark.type == "stored"), default=0)
    return Overrides(tuple(mark.override for mark in marks[last:] if mark.override is not None))


class GroundingPart(TypedDict):
    """A part of an automatic mask; ``by_hand`` where a person put it out of use."""

    label: str
    text: str
    note: str
    used: bool
    by_hand: bool


class GroundingBox(GroundingPart):
    """A box in pixels: left, top, right and bottom."""

    box: list[float]


class GroundingNegative(GroundingPart):
    """A negative label, and whether it was found."""

    found: bool


class PresenceAnswer(TypedDict):
    """Whether an object is there, by a model; ``override`` is a person's answer."""

    answer: str
    note: str
    override: str


class GroundingJson(TypedDict):
    """What an automatic mask was made from."""

    object: str
    made: str
    boxes: list[GroundingBox]
    negatives: list[GroundingNegative]
    presence: list[PresenceAnswer]
    notes: list[str]


def grounding_view(automatic: Automatic) -> GroundingJson:
    """What the stage lists and draws of it; see ``assets/js/stage/proposals.js``."""
    grounding, parameters = automatic.found, automatic.record.parameters
    area = max(1, int(np.count_nonzero(grounding.before_negatives)))
    out_of_use = set(automatic.overrides.left_out("box", len(grounding.detections)))
    boxes: list[GroundingBox] = [
        {
            "box": list(detection.box),
            "label": detection.label,
            "text": f"{detection.score:.2f}",
            "note": "",
            "used": n not in out_of_use,
            "by_hand": n in out_of_use,
        }
        for n, detection in enumerate(grounding.detections)
    ]
    negatives: list[GroundingNegative] = []
    for n, label in enumerate(grounding.negatives):
        used = automatic.overrides.of("negative", n).use
        share = 100.0 * np.count_nonzero(label.pixels) / area
        negatives.append(
            {
                "label": label.label,
                "text": f"{share:.1f}%" if label.pixels.any() else "not used",
                "note": label.reason,
                "used": used,
                "by_hand": not used,
                "found": bool(label.detections),
            }
        )
    return {
        "object": str(parameters.get("object", "")),
        "made": made_by(parameters),
        "boxes": boxes,
        "negatives": negatives,
        "presence": [_answer(presence) for presence in automatic.presence],
        "notes": list(grounding.notes),
    }


def made_by(parameters: Mapping[str, Any]) -> str:
    """``GroundingDINO tiny, SAM ViT-B, variant Paper``."""
    variant = parameters.get("variant")
    name = variant.get("name", "") if isinstance(variant, Mapping) else ""
    parts = [model_name(parameters, role) for role in ("detector", "segmenter")]
    return ", ".join([part for part in parts if part] + ([f"variant {name}"] if name else []))


def model_name(parameters: Mapping[str, Any], role: str) -> str:
    """The name of the model that a mask's parameters hold for that role."""
    data = parameters.get(role)
    return name_of(str(data.get("id", ""))) if isinstance(data, Mapping) else ""


def name_of(model_id: str) -> str:
    """The name of a model by its id; of a folder its last part, not where it lies."""
    scheme, _, rest = model_id.partition(":")
    if scheme == "folder":
        return PurePath(rest).name
    return next((model.name for model in VISION_MODELS if model.id == model_id), model_id)


def _answer(presence: Mapping[str, Any]) -> PresenceAnswer:
    note = presence_text(presence)
    answer = presence.get("override") or presence.get("answer")
    return {
        "answer": f"{presence.get('object', '')}: {answer}",
        "note": note,
        "override": str(presence.get("override", "")),
    }


def presence_text(presence: Mapping[str, Any]) -> str:
    """What a presence model said to its question: ``Janus-Pro 1B to “Is …?”: yes (97.1% yes)``."""
    percent = presence.get("yes_percent")
    sure = f" ({percent:.1f}% yes)" if isinstance(percent, (int, float)) else ""
    answer = presence.get("answer")
    text = str(presence.get("text", ""))
    if answer in ("yes", "no"):
        reply = str(answer)
    else:
        # A model may answer with signs that are no words.
        reply = "neither yes nor no" + (f", “{text}”" if any(map(str.isalnum, text)) else "")
    return f"{name_of(str(presence.get('by')))} to “{presence.get('question')}”: {reply}{sure}"
