"""Masks without weights, on photographs whose truth is known."""

from __future__ import annotations

import itertools
import json
import re
import threading

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.photographs import bounds, object_photograph, overlap
from truehue.core.errors import BadInput, MaskError, NoPixels
from truehue.core.images.pixels import Mask
from truehue.core.masks.display import MAX_CHARACTERS, outline_path
from truehue.core.masks.from_marks import mask_from_marks, paint_stroke, stroke_pixels
from truehue.core.masks.grabcut import drop_small
from truehue.core.masks.marks import MAX_MARKS, MAX_POINTS, parse_marks
from truehue.core.masks.registry import MASKERS, describe, masker

pytestmark = pytest.mark.slow


def stroke(kind: str, *points: tuple[float, float], radius: float = 4) -> dict:
    return {"type": kind, "radius": radius, "points": [list(point) for point in points]}


@pytest.fixture(scope="module")
def photograph() -> tuple[np.ndarray, np.ndarray]:
    return object_photograph(200)


# ── marks ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ("box", "must be a list"),
        ({"type": "whole"}, "must be a list"),
        ([3], "Mark 1 must be an object"),
        ([{"type": "lasso"}], "unknown type 'lasso'"),
        ([{"type": ["box"]}], "unknown type"),
        ([{"type": "whole"}, {"type": "box"}], "Mark 2: the box must be a list"),
        ([{"type": "box", "box": [1, 2, 3]}], "this has 3 numbers"),
        ([{"type": "box", "box": [1, 2, 3, "4"]}], "must be a number, this is str"),
        ([{"type": "box", "box": [1, 2, 3, True]}], "must be a number, this is bool"),
        ([{"type": "box", "box": [1, 2, 3, float("nan")]}], "finite"),
        ([{"type": "box", "box": [1, 2, 3, float("inf")]}], "finite"),
        ([{"type": "box", "box": [1, 2, 3, 10**400]}], "finite"),
        ([{"type": "box", "box": [5, 2, 5, 9]}], "no part of the image"),
        ([{"type": "box", "box": [-9, 2, -1, 9]}], "no part of the image"),
        ([{"type": "keep", "points": [[1, 1]]}], "radius must be a number"),
        ([{"type": "keep", "radius": 0.4, "points": [[1, 1]]}], "0.5 to 512"),
        ([{"type": "cut", "radius": 513, "points": [[1, 1]]}], "0.5 to 512"),
        ([{"type": "brush", "radius": 3, "points": []}], "at least one point"),
        ([{"type": "brush", "radius": 3, "points": "12"}], "must be a list"),
        ([{"type": "brush", "radius": 3, "points": [[1, 2, 3]]}], "this has 3 numbers"),
        ([{"type": "erase", "radius": 3, "points": [[1, None]]}], "this is NoneType"),
        ([{"type": "stored"}], "mask_id"),
        ([{"type": "stored", "mask_id": ""}], "mask_id"),
        ([{"type": "whole"}] * (MAX_MARKS + 1), "At most 2,000 marks"),
        ([stroke("keep", *[(1, 1)] * (MAX_POINTS // 2 + 1))] * 2, "At most 200,000"),
    ],
)
def test_bad_marks_are_refused_with_the_reason(marks: object, message: str) -> None:
    with pytest.raises(MaskError, match=re.escape(message)):
        parse_marks(marks, 20, 10)


def test_boxes_are_ordered_and_clipped() -> None:
    (mark,) = parse_marks([{"type": "box", "box": [30, 8, -5, 2.5]}], 20, 10)
    assert mark.box == (0, 2.5, 20, 8)
    assert parse_marks([mark.as_json()], 20, 10) == (mark,)


def test_marks_survive_json() -> None:
    marks = [
        {"type": "whole"},
        {"type": "box", "box": [1.0, 2.0, 3.0, 4.5]},
        stroke("keep", (1.25, 2.0), (-3.0, 99.0), radius=2.0),
        {"type": "stored", "mask_id": "m1"},
    ]
    parsed = parse_marks(marks, 20, 10)
    again = json.loads(json.dumps([mark.as_json() for mark in parsed]))
    assert again == marks
    assert parse_marks(again, 20, 10) == parsed


# ── strokes ──────────────────────────────────────────────────────────────────────────────────


def distance_to_line(points: np.ndarray, width: int, height: int) -> np.ndarray:
    y, x = np.mgrid[:height, :width] + 0.5
    nearest = np.full((height, width), np.inf)
    for start, end in itertools.pairwise(points):
        step = end - start
        length = float(step @ step)
        along = (x - start[0]) * step[0] + (y - start[1]) * step[1]
        share = np.clip(along / length, 0, 1) if length else np.zeros_like(x)
        gap = np.hypot(x - start[0] - share * step[0], y - start[1] - share * step[1])
        nearest = np.minimum(nearest, gap)
    return nearest


@pytest.mark.parametrize("radius", [0.5, 1.0, 3.3, 20.0])
@pytest.mark.parametrize("seed", range(6))
def test_strokes_cover_exactly_the_pixels_under_the_brush(radius: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    width, height = rng.integers(1, 70, 2)
    points = rng.uniform(-20, 90, (rng.integers(2, 6), 2))
    if seed % 3 == 0:
        points[:, seed % 2] = points[0, seed % 2]
    expected = distance_to_line(points, width, height) <= radius
    for x, y in np.floor(points).astype(int):
        if 0 <= x < width and 0 <= y < height:
            expected[y, x] = True
    pixels = np.zeros((height, width), dtype=bool)
    paint_stroke(pixels, points.tolist(), radius)
    assert np.array_equal(pixels, expected)


def test_the_thinnest_dot_paints_its_pixel_and_one_outside_paints_none() -> None:
    pixels = np.zeros((5, 5), dtype=bool)
    paint_stroke(pixels, [(2.0, 3.0)], 0.5)
    assert np.argwhere(pixels).tolist() == [[3, 2]]
    paint_stroke(pixels, [(50.0, 50.0)], 0.5)
    assert pixels.sum() == 1


def test_a_stroke_beyond_any_hand_is_refused() -> None:
    wild = np.random.default_rng(0).uniform(0, 1000, (100_000, 2)).tolist()
    with pytest.raises(MaskError, match="too long"):
        mask_from_marks(np.zeros((1000, 1000, 3), np.uint8), [stroke("brush", *wild, radius=512)])


def test_many_strokes_are_refused_together_before_one_is_painted(monkeypatch) -> None:
    image = np.zeros((1500, 2000, 3), np.uint8)
    monkeypatch.setattr(
        "truehue.core.masks.from_marks.stroke_pixels", lambda *_: pytest.fail("painted")
    )
    for kind in ("brush", "keep"):
        dots = [stroke(kind, (700, 700), radius=512)] * MAX_MARKS
        with pytest.raises(MaskError, match="take some off"):
            mask_from_marks(image, dots)


def test_each_stroke_is_painted_once(photograph, monkeypatch) -> None:
    image, truth = photograph
    painted = []

    def counted(*arguments):
        painted.append(arguments)
        return stroke_pixels(*arguments)

    monkeypatch.setattr("truehue.core.masks.from_marks.stroke_pixels", counted)
    strokes = [stroke(kind, (100, 100)) for kind in ("keep", "cut", "brush", "erase")]
    mask_from_marks(image, [*strokes, {"type": "box", "box": bounds(truth, 6)}])
    assert len(painted) == len(strokes)


@pytest.mark.parametrize("radius", [0.5, 5.0, 20.0, 70.0])
@pytest.mark.parametrize("seed", range(5))
def test_long_strokes_give_the_same_pixels_with_less_work(
    radius: float, seed: int, monkeypatch
) -> None:
    rng = np.random.default_rng(seed)
    count, shape = rng.integers(2, 150), tuple(rng.integers(1, 100, 2).tolist())
    turn = np.linspace(0, 7, count)
    points = (
        rng.uniform(-20, 110, (count, 2)),
        np.cumsum(rng.normal(0, 1, (count, 2)), axis=0) + 50,
        # Half pixels: centers that lie exactly on the edge of the brush.
        np.round(np.cumsum(rng.normal(0, 1, (count, 2)), axis=0)) + 50.5,
        np.stack([50 + 30 * np.cos(turn), 50 + 30 * np.sin(turn)], axis=1),
        np.stack([np.full(count, 50.25), np.arange(count)], axis=1),
    )[seed % 5].tolist()
    pixels = []
    for limit in (10**9, 0):
        monkeypatch.setattr("truehue.core.masks.from_marks._MANY_ROWS", limit)
        pixels.append(np.zeros(shape, dtype=bool))
        paint_stroke(pixels[-1], points, radius)
    assert np.array_equal(*pixels)


# ── GrabCut ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("size", "seed"), [(200, 0), (200, 1), (400, 2), (600, 0)])
def test_a_box_finds_the_object(size: int, seed: int) -> None:
    image, truth = object_photograph(size, seed)
    mask = mask_from_marks(image, [{"type": "box", "box": bounds(truth, size // 60)}])
    assert mask.maker == "grabcut"
    assert overlap(mask.pixels, truth) > 0.985
    assert "note" not in mask.parameters


def test_a_box_on_3_megapixels_finds_the_object() -> None:
    """Far above the sizes at which GrabCut and the edge's filter work."""
    small, truth = object_photograph(512)
    image = cv2.resize(small, (2000, 1500), interpolation=cv2.INTER_CUBIC)
    mask = mask_from_marks(image, [{"type": "box", "box": [20, 20, 1980, 1480]}])
    expected = cv2.resize(truth.astype(np.uint8), (2000, 1500), interpolation=cv2.INTER_LINEAR)
    assert overlap(mask.pixels, expected > 0) > 0.97


def test_strokes_mend_a_hard_case() -> None:
    image, truth = object_photograph(400, hard=True)
    box = {"type": "box", "box": bounds(truth, 6)}
    boxed = mask_from_marks(image, [box])
    keep = stroke("keep", (150, 265), (190, 290), (240, 265), radius=8)
    mask = mask_from_marks(image, [box, keep])
    before, after = overlap(boxed.pixels, truth), overlap(mask.pixels, truth)
    assert before < 0.9
    assert after > before + 0.05


def test_keep_is_always_inside_and_cut_always_outside(photograph) -> None:
    image, truth = photograph
    box = {"type": "box", "box": bounds(truth, 6)}
    # On the wrong side on purpose: a piece of ground outside of the box, a hole in the object.
    keep, cut = stroke("keep", (10, 10), (30, 10)), stroke("cut", (90, 100), (110, 100))
    mask = mask_from_marks(image, [box, keep, cut])
    for mark, inside in ((keep, True), (cut, False)):
        painted = np.zeros_like(truth)
        paint_stroke(painted, mark["points"], mark["radius"])
        assert (mask.pixels[painted] == inside).all()
    # The later stroke covers the earlier one.
    over = mask_from_marks(image, [box, cut, stroke("keep", (90, 100), (110, 100))])
    assert over.pixels[100, 90:110].all()


def test_strokes_work_without_a_box(photograph) -> None:
    image, truth = photograph
    keep = stroke("keep", (75, 85), (120, 120), radius=6)
    alone = mask_from_marks(image, [keep])
    assert alone.maker == "grabcut"
    assert "background is guessed" in alone.parameters["note"]
    both = mask_from_marks(image, [keep, stroke("cut", (10, 20), (190, 20), radius=8)])
    assert overlap(both.pixels, truth) > 0.97
    assert "note" not in both.parameters
    assert mask_from_marks(image, [stroke("cut", (10, 20), (190, 20))]).area_px > 2


def test_a_later_box_replaces_an_earlier_one(photograph) -> None:
    image, truth = photograph
    box = {"type": "box", "box": bounds(truth, 6)}
    first = {"type": "box", "box": [2, 2, 30, 30]}
    inside, outside = stroke("keep", (100, 100)), stroke("keep", (10, 10))
    plain = mask_from_marks(image, [box, inside])
    assert np.array_equal(mask_from_marks(image, [first, box, inside]).pixels, plain.pixels)
    # A stroke that belonged to another object does not follow.
    assert np.array_equal(mask_from_marks(image, [outside, box, inside]).pixels, plain.pixels)
    # One inside of the new box still counts.
    assert np.array_equal(mask_from_marks(image, [inside, box]).pixels, plain.pixels)


def test_the_same_marks_make_the_same_mask_in_every_thread(photograph) -> None:
    image, truth = photograph
    marks = [{"type": "box", "box": bounds(truth, 6)}, stroke("keep", (100, 100))]
    name: list[str] = []

    def work() -> None:
        np.random.default_rng().random(3)
        cv2.setRNGSeed(threading.get_ident() % 1000)
        name.append(mask_from_marks(image, marks).content_sha256)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(name) == 4
    assert len(set(name)) == 1


def test_a_flat_image_gives_the_box_with_a_note() -> None:
    image = np.full((60, 80, 3), 119, dtype=np.uint8)
    box = {"type": "box", "box": [10, 10, 30, 20]}
    mask = mask_from_marks(image, [box])
    assert mask.area_px == 200
    assert mask.pixels[10:20, 10:30].all()
    assert mask.parameters["note"].endswith("the mask is the box.")
    cut = mask_from_marks(image, [box, stroke("cut", (20, 15), radius=2)])
    assert 0 < 200 - cut.area_px < 20
    keep = mask_from_marks(image, [stroke("keep", (40, 30), radius=3)])
    assert keep.area_px == 32
    assert keep.parameters["note"].endswith("the mask is the strokes.")


@pytest.mark.parametrize("shape", [(1, 2), (2, 2), (3, 40), (40, 3), (9, 9)])
@pytest.mark.parametrize("seed", range(3))
def test_grabcut_survives_tiny_images(shape: tuple[int, int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    image = rng.integers(0, 2, (*shape, 3), dtype=np.uint8) * rng.integers(1, 255, dtype=np.uint8)
    height, width = shape
    assert mask_from_marks(image, [{"type": "box", "box": [0, 0, width, height]}]).area_px >= 2


def test_a_box_over_all_of_the_image_and_strokes_over_everything() -> None:
    image, _ = object_photograph(120)
    everything = {"type": "box", "box": [0, 0, 120, 120]}
    assert mask_from_marks(image, [everything]).area_px > 2
    mask = mask_from_marks(image, [everything, stroke("keep", (60, 60), radius=200)])
    assert mask.area_px == 120 * 120
    with pytest.raises(NoPixels, match="leave no pixel"):
        mask_from_marks(image, [everything, stroke("cut", (60, 60), radius=200)])


def test_crumbs_go_and_pinholes_close_unless_a_stroke_made_them() -> None:
    pixels = np.zeros((100, 100), dtype=bool)
    pixels[10:60, 10:60] = True
    pixels[20, 20] = pixels[40, 40] = False
    pixels[80, 80] = pixels[90, 90] = True
    keep, cut = np.zeros_like(pixels), np.zeros_like(pixels)
    keep[80, 80] = cut[40, 40] = True
    clean = drop_small(pixels, keep, cut)
    assert (clean[20, 20], clean[40, 40], clean[80, 80], clean[90, 90]) == (
        True,
        False,
        True,
        False,
    )
    assert not drop_small(np.zeros_like(pixels), keep, cut).any()


# ── all together ─────────────────────────────────────────────────────────────────────────────


def test_brush_and_whole_name_their_maker(photograph) -> None:
    image, _ = photograph
    whole = mask_from_marks(image, [{"type": "whole"}])
    assert (whole.maker, whole.area_percent) == ("whole", 100.0)
    brush = mask_from_marks(image, [stroke("brush", (50, 50), radius=10)])
    assert (brush.maker, brush.area_px) == ("brush", 316)
    less = mask_from_marks(image, [{"type": "whole"}, stroke("erase", (50, 50), radius=10)])
    assert (less.maker, less.area_px) == ("brush", 200 * 200 - 316)
    # Whole starts over.
    again = mask_from_marks(image, [stroke("erase", (9, 9)), {"type": "whole"}])
    assert again.maker == "whole"


def test_brush_and_erase_apply_in_order_after_grabcut(photograph) -> None:
    image, truth = photograph
    box = {"type": "box", "box": bounds(truth, 6)}
    add, remove = stroke("brush", (10, 10)), stroke("erase", (10, 10), (100, 100))
    first = mask_from_marks(image, [box, add, remove])
    assert first.maker == "grabcut"
    assert not first.pixels[10, 10]
    assert not first.pixels[100, 100]
    assert mask_from_marks(image, [box, remove, add]).pixels[10, 10]


def test_a_stored_mask_keeps_its_maker_until_a_hand_changes_it(photograph) -> None:
    image, truth = photograph
    base = Mask(truth, "renderer")
    stored = {"type": "stored", "mask_id": "m1"}
    alone = mask_from_marks(image, [stroke("brush", (3, 3)), stored], base)
    assert alone.maker == "renderer"
    assert alone.content_sha256 == base.content_sha256
    assert alone.parameters["base"]["content_sha256"] == base.content_sha256
    changed = mask_from_marks(
        image, [stored, stroke("keep", (5, 5)), stroke("cut", (100, 100))], base
    )
    assert changed.maker == "brush"
    assert changed.pixels[5, 5]
    assert not changed.pixels[100, 100]
    assert truth[100, 100], "the stored mask itself must stay as it was"
    with pytest.raises(MaskError, match="missing"):
        mask_from_marks(image, [stored])
    with pytest.raises(MaskError, match="another size"):
        mask_from_marks(image, [stored], Mask(truth[:-1], "renderer"))
    # A box after it searches anew and does not need it.
    boxed = mask_from_marks(image, [stored, {"type": "box", "box": bounds(truth, 6)}])
    assert boxed.maker == "grabcut"


def test_masks_without_pixels_are_refused(photograph) -> None:
    image, _ = photograph
    with pytest.raises(NoPixels, match="draw a box"):
        mask_from_marks(image, [])
    with pytest.raises(NoPixels, match="at least 2 pixels"):
        mask_from_marks(image, [stroke("brush", (10, 10), radius=0.5)])
    with pytest.raises(NoPixels, match="leave no pixel"):
        mask_from_marks(image, [stroke("brush", (10, 10)), stroke("erase", (10, 10), radius=9)])
    with pytest.raises(MaskError, match="smaller than a pixel"):
        mask_from_marks(image, [{"type": "box", "box": [3.6, 3.6, 4.4, 4.4]}])
    with pytest.raises(MaskError, match="uint8"):
        mask_from_marks(image.astype(float), [{"type": "whole"}])


def test_undo_replays_the_shorter_list_to_the_identical_mask(photograph) -> None:
    image, truth = photograph
    marks = [
        {"type": "box", "box": bounds(truth, 6)},
        stroke("keep", (43, 161), (48, 161)),
        stroke("cut", (100, 120), (115, 120)),
        stroke("brush", (15, 15), (30, 25)),
        stroke("erase", (100, 75), (110, 75)),
        {"type": "whole"},
        stroke("erase", (10, 10)),
    ]
    seen = [mask_from_marks(image, marks[:n]) for n in range(1, len(marks) + 1)]
    assert len({mask.content_sha256 for mask in seen}) == len(marks)
    for count in (6, 5, 3, 1):
        undone = mask_from_marks(image, marks[:count])
        assert undone.content_sha256 == seen[count - 1].content_sha256
        assert undone.maker == seen[count - 1].maker


def test_parameters_make_the_same_mask_again(photograph) -> None:
    image, truth = photograph
    marks = [
        {"type": "box", "box": bounds(truth, 6)},
        stroke("cut", (165.25, 45.125)),
        stroke("erase", (100, 75)),
    ]
    mask = mask_from_marks(image, marks)
    stored = json.loads(json.dumps(dict(mask.parameters)))
    again = mask_from_marks(image, stored["marks"])
    assert again.content_sha256 == mask.content_sha256
    assert dict(again.parameters) == stored


WHOLE, STORED = {"type": "whole"}, {"type": "stored", "mask_id": "m1"}
BOX, OTHER = {"type": "box", "box": [4, 4, 30, 26]}, {"type": "box", "box": [20, 10, 38, 28]}


@pytest.mark.parametrize(
    ("marks", "saved"),
    [
        ([BOX, WHOLE], [WHOLE]),
        ([WHOLE, WHOLE], [WHOLE]),
        ([stroke("brush", (5, 5)), STORED, WHOLE], [WHOLE]),
        ([WHOLE, BOX, STORED, stroke("cut", (9, 9))], [STORED, stroke("cut", (9, 9))]),
        ([BOX, OTHER], [OTHER]),
        ([WHOLE, OTHER], [OTHER]),
        ([STORED, OTHER], [OTHER]),
        ([stroke("keep", (5, 5)), BOX, OTHER], [OTHER]),
        ([BOX, stroke("keep", (5, 5)), OTHER], [OTHER]),
        ([BOX, stroke("keep", (30, 20)), OTHER], [stroke("keep", (30, 20)), OTHER]),
        ([OTHER, stroke("cut", (5, 5))], [OTHER, stroke("cut", (5, 5))]),
    ],
)
def test_only_the_marks_that_take_part_are_kept(marks: list, saved: list) -> None:
    image = object_photograph(40)[0][:30]
    base = Mask(image[..., 0] > 100, "renderer")
    mask = mask_from_marks(image, marks, base)
    assert mask.parameters["marks"] == json.loads(json.dumps(saved))
    again = mask_from_marks(image, saved, base)
    assert (again.maker, again.parameters) == (mask.maker, mask.parameters)
    assert again.content_sha256 == mask.content_sha256


POINTS = st.tuples(st.integers(-8, 48), st.integers(-8, 40))
STROKE_MARKS = st.builds(
    lambda kind, points, radius: stroke(kind, *points, radius=radius),
    st.sampled_from(["keep", "cut", "brush", "erase"]),
    st.lists(POINTS, min_size=1, max_size=3),
    st.sampled_from([0.5, 2, 6]),
)
BOXES = st.builds(
    lambda x, y, width, height: {"type": "box", "box": [x, y, x + width, y + height]},
    st.integers(0, 36),
    st.integers(0, 26),
    st.integers(1, 40),
    st.integers(1, 30),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(STROKE_MARKS, STROKE_MARKS, BOXES, st.sampled_from([WHOLE, STORED])),
        min_size=1,
        max_size=7,
    )
)
def test_the_kept_marks_make_the_identical_mask(marks: list) -> None:
    image = object_photograph(40)[0][:30]
    base = Mask(image[..., 0] > 100, "renderer")
    try:
        mask = mask_from_marks(image, marks, base)
    except NoPixels:
        return
    saved = mask.parameters["marks"]
    again = mask_from_marks(image, saved, base)
    assert again.content_sha256 == mask.content_sha256
    assert (again.maker, again.parameters) == (mask.maker, mask.parameters)
    assert [mark["type"] for mark in saved].count("box") <= 1
    assert [mark["type"] for mark in saved[1:]].count("whole") == 0


@pytest.mark.parametrize(
    ("maker", "parameters", "text"),
    [
        (
            "grabcut",
            {"marks": [BOX, stroke("keep", (1, 1)), stroke("erase", (1, 1))]},
            "GrabCut · box, 2 strokes",
        ),
        ("grabcut", {"marks": [stroke("keep", (1, 1))]}, "GrabCut · 1 stroke"),
        ("brush", {"marks": [STORED, *[stroke("brush", (1, 1))] * 3]}, "Brush · 3 strokes"),
        ("whole", {"marks": [WHOLE]}, "Whole image"),
        ("renderer", {"seed": 1}, "Exact mask from the renderer"),
        ("renderer", {"marks": [STORED]}, "Exact mask from the renderer"),
        ("file", {}, "From the file's transparency"),
        ("file", {"from": "transparency"}, "From the file's transparency"),
        ("file", {"from": "mug-mask.png"}, "From the mask file mug-mask.png"),
        ("sam", {"marks": None}, "sam"),
    ],
)
def test_a_maker_is_told_in_words(maker: str, parameters: dict, text: str) -> None:
    assert describe(maker, parameters) == text


def test_what_marks_make_is_told_in_words(photograph) -> None:
    image, truth = photograph
    box = {"type": "box", "box": bounds(truth, 6)}
    mask = mask_from_marks(image, [box, stroke("keep", (100, 100)), stroke("brush", (9, 9))])
    assert describe(mask.maker, mask.parameters) == "GrabCut · box, 2 strokes"
    whole = mask_from_marks(image, [box, {"type": "whole"}])
    assert describe(whole.maker, whole.parameters) == "Whole image"


# ── outline and registry ─────────────────────────────────────────────────────────────────────


def filled(path: str, height: int, width: int) -> np.ndarray:
    """The pixels whose centers an evenodd fill of ``path`` covers, at four times the size."""
    image = np.zeros((height * 4, width * 4), dtype=np.uint8)
    for piece in re.findall(r"M([^z]*)z", path):
        start, _, steps = piece.partition("l")
        first = np.array([[int(n) for n in start.split()]])
        moves = np.array([int(n) for n in re.findall(r"-?\d+", steps)]).reshape(-1, 2)
        points = np.concatenate([first, first + np.cumsum(moves, axis=0)])
        part = np.zeros_like(image)
        cv2.fillPoly(part, [points.astype(np.int32) * 4], 1)
        image ^= part
    return image[2::4, 2::4] > 0


def test_the_outline_follows_pixel_edges_with_holes() -> None:
    pixels = np.zeros((20, 30), dtype=bool)
    pixels[3:15, 4:24] = True
    pixels[6:10, 8:16] = False
    pixels[17:19, 27:30] = True
    path = outline_path(pixels)
    assert np.array_equal(filled(path, 20, 30), pixels)
    assert path.count("M") == 3
    assert outline_path(np.ones((5, 7), dtype=bool)) == "M0 0l0 5 7 0 0-5z"
    assert outline_path(np.zeros((5, 7), dtype=bool)) == ""


def test_the_outline_of_a_curved_mask_stays_within_a_pixel(photograph) -> None:
    _, truth = photograph
    path = outline_path(truth)
    assert len(path) < 6_000
    wrong = filled(path, *truth.shape) != truth
    edge = cv2.morphologyEx(truth.astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3))) > 0
    assert not (wrong & ~edge).any()
    assert overlap(filled(path, *truth.shape), truth) > 0.99


def test_single_pixels_and_diagonals_keep_an_outline() -> None:
    pixels = np.eye(6, dtype=bool)
    pixels[0, 5] = True
    assert np.array_equal(filled(outline_path(pixels), 6, 6), pixels)


@pytest.mark.parametrize(
    "share", [0.5, *(pytest.param(share, marks=pytest.mark.nightly) for share in (0.02, 0.9))]
)
def test_noise_stays_under_the_limit(share: float) -> None:
    pixels = np.random.default_rng(0).random((700, 900)) < share
    assert 0 < len(outline_path(pixels)) <= MAX_CHARACTERS


def test_the_registry_lists_what_works_without_weights() -> None:
    without = [known.id for known in MASKERS if not known.weights]
    assert without == ["grabcut", "brush", "whole", "renderer", "file", "paper"]
    assert masker("brush").name == "Brush"
    with pytest.raises(BadInput, match="known are salient, grabcut"):
        masker("sam")
