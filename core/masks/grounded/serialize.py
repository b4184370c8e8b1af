"""An automatic mask as plain JSON that holds all its steps, so that it opens again without models.

Segments are kept in the parameters of the mask itself, as zlib over one bit a pixel, in base64:
exact, a few kilobytes each, never more than a sixth of a byte a pixel, and one row of the store
tells the whole story. Masks of their own would put rows among the masks that are nobody's object.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from truehue.core.errors import MaskError
from truehue.core.images.mask import Mask
from truehue.core.masks.grounded.compose import MAKER, MaskSteps, NegativeResult
from truehue.core.masks.grounded.records import Detection, Grounded, Presence, Segment
from truehue.core.masks.grounded.variants import MaskVariant

_MODELS = ("detector", "segmenter")


def packed(pixels: np.ndarray) -> str:
    """bool ``(H, W)`` as text; :func:`unpacked` gives it back."""
    return base64.b64encode(zlib.compress(np.packbits(pixels).tobytes(), 6)).decode("ascii")


def unpacked(text: str, shape: tuple[int, int]) -> np.ndarray:
    """bool ``(H, W)`` of what :func:`packed` wrote; raises MaskError for anything else."""
    count = shape[0] * shape[1]
    reader = zlib.decompressobj()
    try:
        data = reader.decompress(base64.b64decode(text, validate=True), (count + 7) // 8 + 1)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise MaskError(f"A part of this mask cannot be read: {error}.") from error
    if len(data) != (count + 7) // 8:
        raise MaskError("A part of this mask has another size than the image.")
    bits = np.unpackbits(np.frombuffer(data, np.uint8), count=count)
    return bits.astype(bool).reshape(shape)


def with_steps(grounded: Grounded, presence: Iterable[Presence] = ()) -> Mask:
    """The mask with all its steps and the answers to presence in its parameters."""
    steps = grounded.details["steps"]
    assert isinstance(steps, MaskSteps)
    parts: dict[str, Any] = {
        "shape": list(steps.shape),
        "segments": [packed(segment.pixels) for segment in steps.segments],
        "negatives": [
            [packed(segment.pixels) for segment in negative.segments]
            for negative in steps.negatives
        ],
        "qualities": [
            [round(float(segment.score), 4) for segment in negative.segments]
            for negative in steps.negatives
        ],
    }
    if steps.earlier:
        parts["earlier"] = [packed(mask) for mask in steps.earlier]
    answers = [
        {
            "object": record.object_name,
            "answer": record.answer,
            "question": record.question,
            "text": record.text,
            "by": record.by,
            "yes_percent": None if record.yes_percent is None else round(record.yes_percent, 2),
        }
        for record in presence
    ]
    more = {"parts": parts, **({"presence": answers} if answers else {})}
    return Mask(grounded.mask.pixels, grounded.mask.maker, {**grounded.mask.parameters, **more})


def is_automatic(maker: str, parameters: Mapping[str, Any]) -> bool:
    """Whether a stored mask holds the steps of an automatic one."""
    return maker == MAKER and isinstance(parameters.get("parts"), Mapping)


def steps_of(parameters: Mapping[str, Any]) -> MaskSteps:
    """The steps that :func:`with_steps` wrote; raises MaskError for what it did not."""
    try:
        parts = parameters["parts"]
        height, width = (int(side) for side in parts["shape"])
        shape = (height, width)
        boxes = tuple(_detection(box) for box in parameters["boxes"])
        segments = tuple(
            Segment(unpacked(text, shape), float(box["quality"]))
            for box, text in zip(parameters["boxes"], parts["segments"], strict=True)
        )
        negatives = tuple(
            NegativeResult(
                str(negative["label"]),
                tuple(_detection(box) for box in negative["boxes"]),
                tuple(
                    Segment(unpacked(text, shape), float(quality))
                    for text, quality in zip(texts, qualities, strict=True)
                ),
            )
            for negative, texts, qualities in zip(
                parameters["negatives"], parts["negatives"], parts["qualities"], strict=True
            )
        )
        return MaskSteps(
            str(parameters["object"]),
            MaskVariant(**parameters["variant"]),
            shape,
            boxes,
            segments,
            negatives,
            tuple(unpacked(text, shape) for text in parts.get("earlier", ())),
            {name: parameters[name] for name in _MODELS if name in parameters},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MaskError(
            "The steps of this automatic mask cannot be read: find the object again."
        ) from error


def _detection(data: Mapping[str, Any]) -> Detection:
    x0, y0, x1, y1 = (float(value) for value in data["box"])
    return Detection(str(data["label"]), (x0, y0, x1, y1), float(data["score"]))
