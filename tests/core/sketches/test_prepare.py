"""Pictures as people bring them become the same sketch; what cannot be one is told."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.core.photographs import object_photograph
from tests.core.sketches.drawings import box, cat, paper
from tests.core.sketches.pictures_made import PICTURES, clean, gray_scan, gray_wash
from truehue.core.errors import BadInput, ImageError
from truehue.core.sketches import prepare as warnings
from truehue.core.sketches.prepare import of_ink, prepare
from truehue.core.sketches.records import Sketch, SketchSettings, sketch_id
from truehue.core.sketches.regions import LINE, regions

pytestmark = pytest.mark.slow

SIDE = SketchSettings(longer_side=256)
WARNINGS = {
    "colored_in": {warnings.COLORED},
    "gray_wash": {warnings.GRAY_WASH},
    "chalk": {warnings.INVERTED},
}


def codes(sketch: Sketch) -> set[str]:
    return {warning.code for warning in sketch.warnings}


@pytest.mark.parametrize("name", PICTURES)
def test_the_same_drawing_comes_of_every_picture(name: str) -> None:
    sketch = prepare(PICTURES[name](256), SIDE)
    wanted = cat(256)
    assert sketch.ink.shape == wanted.shape
    assert np.abs(sketch.ink.astype(int) - wanted).mean() < 3
    off_line = cv2.erode(wanted, np.ones((7, 7), np.uint8)) == 255
    assert (sketch.ink[off_line] == 255).all(), "paper is white wherever no line is near"
    lines = wanted < 60
    assert (sketch.ink[lines] < LINE).mean() > 0.97
    maps = regions(sketch.ink)
    for x, y in ((128, 160), (128, 90), (110, 70), (146, 70), (2, 2)):
        assert (regions(wanted).label(1, x, y)) == maps.label(1, x, y)
    assert codes(sketch) - {warnings.GAPS} == WARNINGS.get(name, set())


def test_edges_stay_smooth() -> None:
    ink = prepare(gray_scan(256), SIDE).ink
    levels = np.unique(ink)
    assert len(levels) > 60
    assert 0.3 < ((ink > 0) & (ink < 255)).sum() / (ink < 128).sum() < 1.5


def test_larger_pictures_are_made_smaller_and_small_ones_larger() -> None:
    assert prepare(np.full((300, 900, 3), 255, np.uint8), SIDE).ink.shape == (85, 256)
    assert prepare(clean(128), SIDE).ink.shape == (256, 256)
    assert prepare(np.full((16, 20, 3), 255, np.uint8), SIDE).ink.shape == (64, 80)
    assert prepare(np.full((4, 300, 3), 255, np.uint8), SIDE).ink.shape == (8, 256)
    sizes = [np.bincount(regions(ink).labels[1].reshape(-1)) for ink in (large(), cat(256))]
    assert len({int((size >= 100).sum()) for size in sizes}) == 1


def large() -> np.ndarray:
    return prepare(clean(600), SIDE).ink


def test_specks_go_and_what_is_meant_stays() -> None:
    stored = clean(256)
    stored[20:22, 20:22] = 0
    stored[230:238, 20:28] = 0
    saved = prepare(stored, SketchSettings(longer_side=256, speck_px=0))
    gone = prepare(stored, SketchSettings(longer_side=256, speck_px=100))
    assert saved.ink[20, 20] < LINE
    assert gone.ink[20, 20] == 255
    assert gone.ink[234, 24] < LINE
    assert saved.id != gone.id == sketch_id(gone.ink)


def test_holes_of_paper_in_ink_are_specks_too() -> None:
    stored = np.full((256, 256, 3), 255, np.uint8)
    stored[100:120, 100:120] = 0
    stored[110, 110] = 255
    assert prepare(stored, SketchSettings(longer_side=256, speck_px=0)).ink[110, 110] == 255
    assert prepare(stored, SketchSettings(longer_side=256, speck_px=40)).ink[110, 110] < LINE


def test_solid_black_stays_black() -> None:
    stored = clean(256)
    cv2.circle(stored, (128, 170), 40, (0, 0, 0), -1)
    ink = prepare(stored, SIDE).ink
    assert (ink[140:200, 115:140] < 40).all()


def test_the_threshold_decides_which_gray_is_a_line() -> None:
    stored = np.full((200, 200, 3), 255, np.uint8)
    stored[50:54], stored[100:104] = 0, 170
    for threshold, faint in ((120, False), (200, True)):
        settings = SketchSettings(line_threshold=threshold, longer_side=200)
        ink = prepare(stored, settings).ink
        assert ink[52, 100] < 40
        assert bool(ink[102, 100] < LINE) is faint


def test_without_flattening_gray_stays_what_it_is() -> None:
    flat = prepare(gray_wash(256), SIDE)
    gray = prepare(gray_wash(256), SketchSettings(longer_side=256, flatten=False))
    assert flat.ink[160, 160] == 255
    assert gray.ink[160, 160] < 255
    assert warnings.SHADING in codes(gray)
    assert warnings.SHADING not in codes(flat)


def test_a_photograph_and_empty_paper_and_black_are_told() -> None:
    assert warnings.PHOTOGRAPH in codes(prepare(object_photograph(256)[0], SIDE))
    rng = np.random.default_rng(1)
    grain = np.clip(235 + 4 * rng.standard_normal((256, 256, 3)), 0, 255).astype(np.uint8)
    assert codes(prepare(grain, SIDE)) == {warnings.EMPTY}
    assert warnings.EMPTY in codes(prepare(np.zeros((64, 64, 3), np.uint8), SIDE))


def test_noise_is_told_and_ink_without_any_paper() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (300, 300, 3), dtype=np.uint8)
    assert warnings.PHOTOGRAPH in codes(prepare(noise, SIDE))
    black = of_ink(np.zeros((64, 64), np.uint8))
    assert regions(black.ink).counts == (0, 0, 0, 0)
    assert black.closing == 0
    assert warnings.MOSTLY_INK in codes(black)


def test_ink_is_taken_as_it_is_with_what_is_to_be_said() -> None:
    ink = cat(512)
    sketch = of_ink(ink)
    assert (sketch.ink == ink).all()
    assert sketch.ink is not ink
    assert sketch.id == sketch_id(ink)
    assert (sketch.closing, codes(sketch)) == (1, {warnings.GAPS})
    ink[:] = 0
    assert sketch.ink.any()
    with pytest.raises(ValueError, match="read-only"):
        sketch.ink[0, 0] = 1


def leaking(gap_px: int) -> np.ndarray:
    ink = paper(1024)
    box(ink, 300, 300, 700, 500, 5)
    box(ink, 300, 496, 700, 700, 5)
    ink[600 : 600 + gap_px, 696:701] = 255
    return ink


@pytest.mark.parametrize(("gap_px", "closing"), [(0, 0), (3, 1), (9, 2), (20, 3), (40, 0)])
def test_the_suggested_closing_is_the_one_that_holds(gap_px: int, closing: int) -> None:
    sketch = of_ink(leaking(gap_px))
    assert sketch.closing == closing
    wanted = ({warnings.GAPS} if closing else set()) | (
        {warnings.FEW_REGIONS} if gap_px == 40 else set()
    )
    assert codes(sketch) == wanted


def test_a_neck_suggests_no_closing() -> None:
    ink = paper(1024)
    box(ink, 300, 100, 700, 400, 5)
    box(ink, 300, 450, 700, 900, 5)
    ink[396:455, 490:512] = 255
    ink[400:450, 485:490] = ink[400:450, 512:517] = 0
    sketch = of_ink(ink)
    assert regions(ink).counts == (2, 2, 2, 3)
    assert sketch.closing == 0


def test_hatching_is_told() -> None:
    ink = cat(512)
    ink[250:400:8, 180:330], ink[250:400, 180:330:8] = 0, 0
    assert warnings.SPECKS in codes(of_ink(ink))


def test_mostly_ink_is_told() -> None:
    ink = paper(256)
    ink[:128] = 0
    assert codes(of_ink(ink)) == {warnings.MOSTLY_INK, warnings.FEW_REGIONS}


def test_warnings_are_sentences() -> None:
    for sketch in (of_ink(leaking(20)), prepare(object_photograph(256)[0], SIDE)):
        for warning in sketch.warnings:
            assert warning.words[0].isupper()
            assert warning.words.endswith(".")


@pytest.mark.parametrize(
    "wrong",
    [
        {"line_threshold": 0},
        {"line_threshold": 255},
        {"longer_side": 63},
        {"longer_side": 2049},
        {"speck_px": -1},
        {"speck_px": 401},
    ],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(BadInput) as refusal:
        SketchSettings(**wrong)  # type: ignore[arg-type]
    assert [refusal.value.field] == list(wrong)


@pytest.mark.parametrize(
    "stored",
    [
        np.zeros((9, 9), np.uint8),
        np.zeros((9, 9, 4), np.uint8),
        np.zeros((9, 9, 3)),
        np.zeros((0, 9, 3), np.uint8),
        np.zeros((2, 300, 3), np.uint8),
    ],
)
def test_what_is_no_picture_is_refused(stored: np.ndarray) -> None:
    with pytest.raises(ImageError):
        prepare(stored)


def test_a_line_across_a_wide_gap_parts_what_leaked() -> None:
    image = np.full((256, 256, 3), 255, np.uint8)
    cv2.rectangle(image, (64, 64), (192, 192), (0, 0, 0), 3)
    image[100:150, 185:200] = 255
    open_ = prepare(image, SIDE)
    assert list(regions(open_.ink).counts) == [1, 1, 1, 1]
    # From one end of the gap to the other, in ten-thousandths.
    closed = prepare(image, replace(SIDE, lines=((7530, 3700, 7530, 6100),)))
    assert list(regions(closed.ink).counts) == [2, 2, 2, 2]
    assert closed.id != open_.id
    assert np.array_equal(closed.ink[:, :180], open_.ink[:, :180])
