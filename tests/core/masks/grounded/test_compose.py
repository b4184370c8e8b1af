"""From made-up boxes and segments to a mask: every step, and every step overridden."""

from __future__ import annotations

import json

import numpy as np
import pytest

from truehue.core.errors import BadInput, ObjectNotFound, ObjectsOverlap
from truehue.core.masks.grounded.compose import (
    MAKER,
    MaskSteps,
    NegativeResult,
    compose,
    iou,
    recompose,
)
from truehue.core.masks.grounded.records import Detection, Segment
from truehue.core.masks.grounded.variants import MaskVariant, mask_variant
from truehue.core.masks.registry import describe, masker

PAPER, RELEASED = mask_variant("paper"), mask_variant("released")
SHAPE = (40, 100)


def block(x0: int, x1: int, y0: int = 0, y1: int = 40) -> np.ndarray:
    out = np.zeros(SHAPE, dtype=bool)
    out[y0:y1, x0:x1] = True
    return out


def box(label: str, x0: int, x1: int, score: float = 0.8) -> Detection:
    return Detection(label, (float(x0), 0.0, float(x1), 40.0), score)


def negative(label: str, *spans: tuple[int, int]) -> NegativeResult:
    return NegativeResult(
        label,
        tuple(box(label, *span) for span in spans),
        tuple(Segment(block(*span), 0.9) for span in spans),
    )


def steps(
    *spans: tuple[int, int],
    negatives: tuple[NegativeResult, ...] = (),
    earlier: tuple[np.ndarray, ...] = (),
    variant: MaskVariant = RELEASED,
) -> MaskSteps:
    return MaskSteps(
        "car",
        variant,
        SHAPE,
        tuple(box("car", *span) for span in spans),
        tuple(Segment(block(*span), 0.9) for span in spans),
        negatives,
        earlier,
        {"detector": {"id": "d"}, "segmenter": {"id": "s"}},
    )


def test_every_box_is_segmented_and_united() -> None:
    grounded = compose(steps((0, 20), (10, 50)))
    assert np.array_equal(grounded.mask.pixels, block(0, 50))
    assert np.array_equal(grounded.before_negatives, block(0, 50))
    assert grounded.mask.maker == "grounded_sam"
    assert grounded.notes == ()


def test_a_negative_part_is_taken_and_counted() -> None:
    grounded = compose(steps((0, 50), negatives=(negative("wheel", (40, 60)), negative("lamp"))))
    assert np.array_equal(grounded.mask.pixels, block(0, 40))
    wheel, lamp = grounded.negatives
    assert np.array_equal(wheel.pixels, block(40, 50))
    assert wheel.reason == ""
    assert not lamp.pixels.any()
    assert lamp.reason == "not found: no box above 0.25"
    assert grounded.mask.parameters["negatives"][0]["taken_px"] == 400


def test_a_negative_elsewhere_takes_nothing() -> None:
    grounded = compose(steps((0, 50), negatives=(negative("tree", (60, 90)),)))
    assert np.array_equal(grounded.mask.pixels, block(0, 50))
    assert grounded.negatives[0].reason == "does not touch the object"


@pytest.mark.parametrize(
    ("variant", "covered", "used"),
    [
        # Of 100 columns: at the share itself the part is still taken, above it is left out.
        (PAPER, 50, True),
        (PAPER, 51, False),
        (PAPER, 95, False),
        (RELEASED, 51, True),
        (RELEASED, 70, True),
        (RELEASED, 96, False),
    ],
)
def test_what_covers_too_much_is_the_object_itself(
    variant: MaskVariant, covered: int, used: bool
) -> None:
    grounded = compose(
        steps((0, 100), negatives=(negative("body", (0, covered)),), variant=variant)
    )
    assert grounded.mask.pixels.any()
    assert grounded.negatives[0].pixels.any() == used
    if not used:
        assert f"covers {covered}% of the object" in grounded.negatives[0].reason


def test_segments_of_one_label_are_judged_one_by_one() -> None:
    grounded = compose(steps((0, 100), negatives=(negative("glass", (0, 99), (90, 100)),)))
    assert np.array_equal(grounded.mask.pixels, block(0, 90))
    assert "covers 99% of the object" in grounded.notes[0]


def test_released_gives_back_when_too_little_is_left() -> None:
    grounded = compose(steps((0, 100), negatives=(negative("a", (0, 35)), negative("b", (35, 70)))))
    assert np.array_equal(grounded.mask.pixels, block(70, 100))
    undone = compose(steps((0, 100), negatives=(negative("a", (0, 36)), negative("b", (35, 71)))))
    assert np.array_equal(undone.mask.pixels, block(0, 100))
    assert all("only 29% of the car would be left" in item.reason for item in undone.negatives)
    assert "given back" in undone.notes[0]
    # The paper has no such rule, and keeps what is left, be it ever so little.
    parts = (negative("a", (0, 49)), negative("b", (48, 97)))
    assert compose(steps((0, 100), negatives=parts, variant=PAPER)).mask.area_px == 3 * 40
    parts = (negative("a", (0, 50)), negative("b", (50, 100)))
    assert compose(steps((0, 100), negatives=parts, variant=PAPER)).mask.area_percent == 100


def test_nothing_found_says_object_and_step() -> None:
    with pytest.raises(ObjectNotFound, match="no pixel of car in 1 box") as caught:
        compose(steps((0, 0)))
    assert (caught.value.object_name, caught.value.step) == ("car", "segmenter")


def test_a_later_object_loses_what_an_earlier_one_has() -> None:
    for variant in (PAPER, RELEASED):
        grounded = compose(steps((40, 100), earlier=(block(0, 45),), variant=variant))
        assert np.array_equal(grounded.mask.pixels, block(45, 100))
        assert np.array_equal(grounded.before_negatives, block(45, 100))
        assert "8% of the car belongs to an earlier object" in grounded.notes[0]
        assert len(grounded.mask.parameters["earlier"]) == 1


def test_one_object_found_twice_fails_and_says_with_which() -> None:
    with pytest.raises(ObjectsOverlap, match=r"overlaps object 2 by an IoU of 0\.50") as caught:
        compose(steps((0, 80), earlier=(block(90, 100), block(0, 40)), variant=PAPER))
    assert (caught.value.earlier, round(caught.value.iou, 2)) == (1, 0.5)
    # The released code measures after the removal, when only an object without a rest is told.
    assert compose(steps((0, 80), earlier=(block(0, 40),))).mask.area_px == 40 * 40
    with pytest.raises(ObjectsOverlap, match="Nothing of the car is left outside of object 1"):
        compose(steps((10, 40), earlier=(block(0, 40),)))


def test_the_limit_of_overlap_is_not_over_it() -> None:
    # 20 of 100 columns in both: an IoU of exactly 0.2.
    assert iou(block(0, 60), block(40, 100)) == 0.2
    assert compose(steps((40, 100), earlier=(block(0, 60),), variant=PAPER)).mask.area_px == 1600
    with pytest.raises(ObjectsOverlap):
        compose(steps((39, 100), earlier=(block(0, 60),), variant=PAPER))
    assert iou(block(0, 0), block(0, 0)) == 0


def test_steps_are_overridden_by_hand_and_back() -> None:
    result = compose(steps((0, 20), (30, 60), negatives=(negative("wheel", (50, 70)),)))
    grounded = recompose(result, without_boxes=[0])
    assert np.array_equal(grounded.mask.pixels, block(30, 50))
    assert grounded.mask.parameters["overrides"] == {"without_boxes": [0], "without_negatives": []}
    both = recompose(grounded, without_negatives=["wheel"])
    assert np.array_equal(both.mask.pixels, block(0, 20) | block(30, 60))
    assert both.negatives[0].reason == "left in by hand"
    assert both.mask.parameters["overrides"] == {
        "without_boxes": [],
        "without_negatives": ["wheel"],
    }
    back = recompose(both)
    assert np.array_equal(back.mask.pixels, result.mask.pixels)
    assert back.mask.parameters == result.mask.parameters
    assert "overrides" not in back.mask.parameters
    # Leaving one part in may be what lets the others be taken at all.
    undone = compose(steps((0, 100), negatives=(negative("a", (0, 50)), negative("b", (50, 90)))))
    assert undone.mask.area_percent == 100
    again = recompose(undone, without_negatives=["a"])
    assert np.array_equal(again.mask.pixels, block(0, 50) | block(90, 100))


def test_impossible_overrides_are_refused() -> None:
    grounded = compose(steps((0, 20), negatives=(negative("wheel", (5, 9)),)))
    with pytest.raises(ObjectNotFound, match="left out by hand") as caught:
        recompose(grounded, without_boxes=[0])
    assert caught.value.step == "override"
    with pytest.raises(BadInput, match="no box 1: there are 1"):
        recompose(grounded, without_boxes=[1])
    with pytest.raises(BadInput, match="'door' is none of the negative labels"):
        recompose(grounded, without_negatives=["door"])


def test_parameters_are_plain_json_with_every_step() -> None:
    grounded = compose(steps((0, 20), (30, 60), negatives=(negative("wheel", (50, 70)),)))
    message = json.loads(json.dumps(grounded.mask.parameters))
    assert message == grounded.mask.parameters
    assert message["boxes"][0] == {
        "label": "car",
        "box": [0.0, 0.0, 20.0, 40.0],
        "score": 0.8,
        "quality": 0.9,
    }
    assert message["variant"]["id"] == "released"
    assert message["variant"]["least_left_share"] == 0.3
    assert message["detector"] == {"id": "d"}
    text = describe(grounded.mask.maker, grounded.mask.parameters)
    assert text == f"{masker(MAKER).name} · car, 2 boxes, 1 part taken away"
    changed = recompose(grounded, without_boxes=[0])
    assert describe(changed.mask.maker, changed.mask.parameters).endswith(", 1 step by hand")


def test_other_settings_change_the_name_of_a_variant() -> None:
    other = RELEASED.with_settings({"box_threshold": 0.2})
    assert (other.id, other.box_threshold, other.least_left_share) == ("released*", 0.2, 0.3)
    assert RELEASED.with_settings({"box_threshold": 0.35}) is RELEASED
    with pytest.raises(BadInput, match="no setting boxes"):
        RELEASED.with_settings({"boxes": 1})
    with pytest.raises(BadInput, match=r"box_threshold is from 0 to 1, not 1\.5"):
        RELEASED.with_settings({"box_threshold": 1.5})
    with pytest.raises(BadInput, match="known are paper, released"):
        mask_variant("ours")
