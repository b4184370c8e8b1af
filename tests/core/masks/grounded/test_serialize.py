"""The steps of an automatic mask as plain JSON, and back."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np
import pytest

from truehue.core.errors import MaskError
from truehue.core.masks.grounded.compose import (
    MaskSteps,
    NegativeResult,
    compose,
    is_automatic,
    packed,
    steps_of,
    unpacked,
    with_steps,
)
from truehue.core.masks.grounded.records import Detection, Presence, Segment
from truehue.core.masks.grounded.variants import mask_variant

SHAPE = (37, 53)


def noise(seed: int, share: float = 0.5) -> np.ndarray:
    return np.random.default_rng(seed).random(SHAPE) < share


def steps() -> MaskSteps:
    box = (1.25, 2.5, 30.126, 20.0)
    return MaskSteps(
        "mug",
        mask_variant("paper"),
        SHAPE,
        (Detection("mug", box, 0.912345), Detection("mug", box, 0.4)),
        (Segment(noise(1), 0.98), Segment(noise(2), 0.5)),
        (
            NegativeResult("rim", (Detection("rim", box, 0.5),), (Segment(noise(3, 0.2), 0.75),)),
            NegativeResult("base"),
        ),
        (noise(4, 0.05),),
        {"detector": {"id": "d"}, "segmenter": {"id": "s"}},
    )


@pytest.mark.parametrize("shape", [(1, 1), (8, 8), SHAPE, (640, 3)])
def test_pixels_come_back_exactly(shape: tuple[int, int]) -> None:
    pixels = np.random.default_rng(5).random(shape) < 0.3
    assert np.array_equal(unpacked(packed(pixels), shape), pixels)
    assert len(packed(np.ones((1024, 1024), bool))) < 400


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no base64!",
        base64.b64encode(b"no zlib").decode(),
        packed(np.ones((9, 9), bool)),
        base64.b64encode(zlib.compress(bytes(10**7))).decode(),
    ],
)
def test_what_is_broken_or_of_another_size_is_refused(text: str) -> None:
    with pytest.raises(MaskError, match=r"part of this mask"):
        unpacked(text, SHAPE)


def test_a_mask_opens_again_with_all_its_steps_and_can_be_overridden() -> None:
    made = compose(steps())
    said = Presence("mug", "yes", "Is there a mug?", "yes", 97.123456, "janus")
    mask = with_steps(made, [said])
    stored = json.loads(json.dumps(dict(mask.parameters)))
    assert is_automatic(mask.maker, stored)
    again = compose(steps_of(stored))
    assert np.array_equal(again.mask.pixels, made.mask.pixels)
    assert again.mask.parameters == made.mask.parameters
    assert stored["presence"][0]["yes_percent"] == 97.12
    for boxes, labels in (([0], []), ([], ["rim"]), ([1], ["rim"])):
        wanted = compose(steps(), boxes, labels)
        grounded = compose(steps_of(stored), boxes, labels)
        assert np.array_equal(grounded.mask.pixels, wanted.mask.pixels)
        assert grounded.mask.parameters == wanted.mask.parameters
        # What came of an override stands on the mask, and has no steps of its own.
        assert not is_automatic(grounded.mask.maker, grounded.mask.parameters)


@pytest.mark.parametrize(
    "change",
    [
        {"parts": {}},
        {"boxes": []},
        {"variant": {"id": "x"}},
        {"variant": None},
        {"negatives": 5},
        {"boxes": [{"label": "mug"}] * 2},
        {"parts": {"shape": ["a", 2]}},
    ],
)
def test_parameters_of_something_else_are_refused(change: dict[str, Any]) -> None:
    stored = json.loads(json.dumps(dict(with_steps(compose(steps())).parameters)))
    with pytest.raises(MaskError, match="find the object again"):
        steps_of({**stored, **change})
