"""An object by its name, through real tiny models from detector to mask."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from tests.core.masks.grounded.test_segmenters import count_calls, encoder
from truehue.core.errors import MaskError, ObjectNotFound, ObjectsOverlap
from truehue.core.generation.request import Cancelled
from truehue.core.images.pixels import Mask
from truehue.core.masks.cleanup import released_cleanup
from truehue.core.masks.grounded import transformers_loading
from truehue.core.masks.grounded.compose import recompose
from truehue.core.masks.grounded.ground import (
    GroundingMethod,
    filter_detections,
    ground,
    paint_over,
)
from truehue.core.masks.grounded.records import Detection, Detector, Segmenter
from truehue.core.masks.grounded.transformers_loading import AUTOCAST, FLOAT32
from truehue.core.masks.grounded.variants import MaskVariant, mask_variant
from truehue.core.prompts.prompt import ObjectTarget

pytestmark = pytest.mark.weights

PAPER, RELEASED = mask_variant("paper"), mask_variant("released")
PARTS = ("leaf", "stem of it")
APPLE = ObjectTarget("apple", negative_labels=PARTS)
CUP = ObjectTarget("cup")


@pytest.mark.parametrize("variant", [PAPER, RELEASED], ids=lambda item: item.id)
def test_a_name_becomes_a_mask_with_its_steps(
    detector: Detector, segmenter: Segmenter, image: np.ndarray, variant: Any
) -> None:
    said: list[str] = []
    calls = count_calls(encoder(segmenter))
    result = ground(
        image,
        APPLE,
        GroundingMethod(detector, segmenter, variant),
        image_name="i",
        progress=said.append,
    )
    assert said == [
        "Looking for apple",
        "Looking for parts to exclude: leaf, stem of it",
        "Segmenting apple",
    ]
    assert result.mask.pixels.shape == (48, 80)
    assert result.mask.pixels.any()
    # The detector's own boxes above the variant's threshold, in their order, one segment each.
    own = detector.detect(image, ["apple"], variant.box_threshold, variant.text_threshold)
    assert result.detections == own
    assert 0 < len(own) == len(result.segments)
    everything = np.any([segment.pixels for segment in result.segments], axis=0)
    assert np.array_equal(result.before_negatives, everything)
    assert [negative.label for negative in result.negatives] == list(PARTS)
    used = np.any([negative.pixels for negative in result.negatives], axis=0)
    assert np.array_equal(result.mask.pixels, everything & ~used)
    # One look at the image serves boxes, negative labels, and the clicks that follow.
    segmenter.from_points(segmenter.embed(image, "i"), [(30, 20)], [True])
    assert len(calls) == 1
    message = json.loads(json.dumps(result.mask.parameters))
    assert message["detector"]["id"] == detector.id
    assert message["segmenter"]["revision"].startswith("sha256:")
    assert message["variant"]["id"] == variant.id
    again = ground(image, APPLE, GroundingMethod(detector, segmenter, variant))
    assert np.array_equal(again.mask.pixels, result.mask.pixels)
    assert again.mask.parameters == result.mask.parameters
    # Overriding runs no model.
    detector.unload()
    segmenter.unload()
    grounded = recompose(result, without_boxes=range(1, len(own)), without_negatives=PARTS)
    assert np.array_equal(grounded.mask.pixels, result.segments[0].pixels)


def test_the_size_is_right_whatever_the_shape(
    detector: Detector, segmenter: Segmenter, image: np.ndarray
) -> None:
    for turned in (image.transpose(1, 0, 2), np.ascontiguousarray(image[:, :48])):
        grounded = ground(
            turned, ObjectTarget("apple"), GroundingMethod(detector, segmenter, RELEASED)
        )
        assert grounded.mask.pixels.shape == turned.shape[:2]


def test_what_is_not_found_says_how_far_off(
    detector: Detector, segmenter: Segmenter, image: np.ndarray
) -> None:
    strict = RELEASED.with_settings({"box_threshold": 1.0})
    calls = count_calls(encoder(segmenter))
    with pytest.raises(ObjectNotFound) as caught:
        ground(
            image,
            ObjectTarget("plate", negative_labels=("rim",)),
            GroundingMethod(detector, segmenter, strict),
        )
    best = detector.detect(image, ["plate"], 0.0, 0.25)[0].score
    assert caught.value.best_score == best
    assert (caught.value.object_name, caught.value.step) == ("plate", "detector")
    text = str(caught.value)
    assert text.startswith("The detector found no plate: no box above 1; its best was ")
    # Nothing was cut out of an image that has no such object.
    assert calls == []


def test_a_second_object_is_looked_for_beside_the_first(
    detector: Detector, segmenter: Segmenter, image: np.ndarray
) -> None:
    first = np.zeros((48, 80), dtype=bool)
    first[5:20, 10:30] = True
    released = GroundingMethod(detector, segmenter, RELEASED)
    paper = GroundingMethod(detector, segmenter, PAPER)
    cleaned = released_cleanup(image, first).pixels
    gray = paint_over(image, [cleaned])
    assert (gray[cleaned] == 128).all()
    assert np.array_equal(gray[~cleaned], image[~cleaned])
    grounded = ground(image, CUP, released, earlier=[first], image_name="i")
    assert not (grounded.mask.pixels & cleaned).any()
    assert grounded.detections == detector.detect(gray, ["cup"], 0.35, 0.25)
    assert len(grounded.mask.parameters["earlier"]) == 1
    # The painted image has a name of its own: the picture itself is looked at anew.
    calls = count_calls(encoder(segmenter))
    segmenter.embed(image, "i")
    assert len(calls) == 1
    # The paper's variant looks at the picture as it is.
    plain = ground(image, CUP, paper, earlier=[first], image_name="i")
    assert len(calls) == 1
    assert plain.detections == detector.detect(image, ["cup"], 0.3, 0.25)
    with pytest.raises(ObjectsOverlap) as caught:
        ground(image, CUP, paper, earlier=[plain.mask.pixels | first])
    assert caught.value.object_name == "cup"
    vivid = np.full_like(image, (200, 40, 40))
    with pytest.raises(ObjectsOverlap, match="Nothing of the cup is left"):
        ground(vivid, CUP, released, earlier=[np.ones((48, 80), bool)])
    with pytest.raises(MaskError, match="object 1 is bool"):
        ground(image, CUP, released, earlier=[first[:40]])


def test_released_cleans_the_masks_of_earlier_objects(
    detector: Detector, opened: Callable[[str], Any]
) -> None:
    # Half of the first object is gray, which the released clean-up drops from its mask.
    stored = np.full((48, 80, 3), 30, np.uint8)
    stored[5:40, 10:30] = (200, 40, 40)
    stored[5:40, 30:50] = 128
    first = np.zeros((48, 80), dtype=bool)
    first[5:40, 10:50] = True
    cleaned = released_cleanup(stored, first).pixels
    assert 0.4 < cleaned.sum() / first.sum() < 0.6
    segmenter = opened("sam2")
    method = GroundingMethod(detector, segmenter, RELEASED)
    grounded = ground(stored, CUP, method, earlier=[first])
    assert grounded.mask.parameters["earlier"] == [Mask(cleaned, "").content_sha256]
    # As the public code does: what the clean-up dropped is neither painted nor taken away.
    seen = paint_over(stored, [cleaned])
    assert grounded.detections == detector.detect(seen, ["cup"], 0.35, 0.25)
    assert (grounded.before_negatives & first & ~cleaned).any()
    assert not (grounded.before_negatives & cleaned).any()


def test_released_computes_under_autocast_where_the_public_code_does(
    tiny: dict[str, Path],
    opened: Callable[[str], Any],
    image: np.ndarray,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """bfloat16 autocast with TF32 on a GPU; here the CPU stands for it."""
    import torch
    from transformers import GroundingDinoForObjectDetection, GroundingDinoProcessor

    detector = opened("detector")
    segmenter = opened("sam2")
    in_float32 = ground(image, APPLE, GroundingMethod(detector, segmenter, PAPER))
    on_cpu = ground(image, APPLE, GroundingMethod(detector, segmenter, RELEASED))
    monkeypatch.setattr(transformers_loading, "AUTOCAST_DEVICES", ("cuda", "cpu"))
    calls = count_calls(encoder(segmenter))
    method = GroundingMethod(detector, segmenter, RELEASED)
    grounded = ground(image, APPLE, method, image_name="i")
    saved = [item.mask.parameters for item in (in_float32, on_cpu, grounded)]
    for role in ("detector", "segmenter"):
        assert [item[role].get("precision") for item in saved] == [None, FLOAT32, AUTOCAST]
        assert "device" not in saved[2][role]
    # The library's own model under autocast finds the very same boxes; float32 other ones.
    model = GroundingDinoForObjectDetection.from_pretrained(tiny["detector"]).eval()
    inputs = GroundingDinoProcessor.from_pretrained(tiny["detector"])(
        images=image, text="apple.", return_tensors="pt"
    )
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        scores = model(**inputs).logits.sigmoid().max(-1)[0][0]
    expected = sorted((float(score) for score in scores if score > 0.35), reverse=True)
    assert [detection.score for detection in grounded.detections] == pytest.approx(
        expected, abs=1e-6
    )
    assert [detection.score for detection in grounded.detections] != [
        detection.score for detection in on_cpu.detections
    ]
    # An image that was looked at in one precision is looked at again for the other.
    embeddings = [segmenter.embed(image, "i", autocast) for autocast in (True, False)]
    assert [embedding.features[0].dtype for embedding in embeddings] == [
        torch.bfloat16,
        torch.float32,
    ]
    assert len(calls) == 2
    cut = segmenter.from_boxes(embeddings[0], [grounded.detections[0].box])
    assert cut[0].pixels.dtype == bool
    # It opens again from its steps, and the flags are as they were.
    assert np.array_equal(recompose(grounded).mask.pixels, grounded.mask.pixels)
    assert not torch.backends.cuda.matmul.allow_tf32


def test_sam_cuts_out_under_autocast_too(
    opened: Callable[[str], Any], image: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transformers_loading, "AUTOCAST_DEVICES", ("cuda", "cpu"))
    detector = opened("detector")
    segmenter = opened("sam")
    grounded = ground(image, APPLE, GroundingMethod(detector, segmenter, RELEASED))
    assert grounded.mask.parameters["segmenter"]["precision"] == AUTOCAST
    assert grounded.mask.pixels.any()


def test_masks_of_the_first_version_keep_their_steps() -> None:
    stored = {**RELEASED.as_json(), "version": 1}
    del stored["clean_earlier"], stored["autocast"]
    of_before = MaskVariant(**stored)
    assert (of_before.clean_earlier, of_before.autocast) == (False, False)
    assert RELEASED.version == 2


def test_it_stops_when_asked(
    detector: Detector, opened: Callable[[str], Any], image: np.ndarray
) -> None:
    segmenter = opened("sam")
    stop, said = Event(), list[str]()

    def say(text: str) -> None:
        said.append(text)
        if text.startswith("Looking for parts"):
            stop.set()

    method = GroundingMethod(detector, segmenter, RELEASED)
    with pytest.raises(Cancelled):
        ground(image, APPLE, method, stop=stop, progress=say)
    assert len(said) == 2
    with pytest.raises(Cancelled):
        ground(image, APPLE, method, stop=stop)


def test_labels_are_asked_once_and_empty_ones_not(
    detector: Detector, opened: Callable[[str], Any], image: np.ndarray
) -> None:
    segmenter = opened("sam")
    grounded = ground(
        image,
        ObjectTarget("apple", negative_labels=("leaf", "", "leaf")),
        GroundingMethod(detector, segmenter, RELEASED),
    )
    assert [negative.label for negative in grounded.negatives] == ["leaf"]


def test_a_score_at_the_threshold_is_not_above_it() -> None:
    boxes = [Detection("a", (0, 0, 1, 1), score) for score in (0.35, 0.36, 0.9)]
    other = Detection("b", (0, 0, 1, 1), 0.8)
    assert [detection.score for detection in filter_detections([*boxes, other], "a", 0.35)] == [
        0.9,
        0.36,
    ]
