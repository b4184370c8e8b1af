"""What the browser sends is read strictly: a page can be edited, and so can a request."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.errors import BadInput, MaskError, NoPixels, NotStored, TrueHueError
from core.images.mask import Mask
from core.records import ImageRecord
from tabs.inspect.state import (
    Work,
    exact_mask,
    make_mask,
    marks_of,
    mask_text,
    origin_target,
    read_stage,
)
from tabs.page.context import Context

WHOLE = {"type": "whole"}


@pytest.mark.parametrize(
    "value",
    [None, "", 0, [], {}, "image", 3.5, ["image_id"], {"marks": [WHOLE]}, {"image_id": None},
     {"image_id": ""}, {"opened": "f" * 64, "seq": 1}],
)  # fmt: skip
def test_without_an_image_there_is_nothing_to_do(value: Any) -> None:
    assert read_stage(value) is None


@pytest.mark.parametrize(
    "value",
    [
        {"image_id": 5},
        {"image_id": ["f" * 64]},
        {"image_id": {"a": 1}},
        {"image_id": "f" * 64, "marks": "whole"},
        {"image_id": "f" * 64, "marks": {"type": "whole"}},
        {"image_id": "f" * 64, "marks": 7},
        {"image_id": "f" * 64, "marks": [], "seq": "1"},
        {"image_id": "f" * 64, "marks": [], "seq": 1.5},
        {"image_id": "f" * 64, "marks": [], "seq": [1]},
    ],
)
def test_other_types_are_refused_in_words(value: Any) -> None:
    with pytest.raises(BadInput, match="Reload the page"):
        read_stage(value)


def test_image_marks_and_number_are_read() -> None:
    value = {"image_id": "f" * 64, "marks": [WHOLE], "seq": 4, "more": "is left alone"}
    assert read_stage(value) == Work("f" * 64, (WHOLE,), 4)
    assert read_stage({"image_id": "f" * 64}) == Work("f" * 64, (), 0)


@pytest.mark.parametrize(
    "mark",
    [
        None, 5, "whole", [], {}, {"type": None}, {"type": ["box"]}, {"type": "spray"},
        {"type": "box"}, {"type": "box", "box": [1, 2, 3]}, {"type": "box", "box": "1234"},
        {"type": "box", "box": [1, 2, 3, None]}, {"type": "box", "box": [1, 2, 3, float("nan")]},
        {"type": "box", "box": [5, 5, 5, 5]}, {"type": "box", "box": [900, 900, 999, 999]},
        {"type": "keep", "radius": 3}, {"type": "keep", "radius": -1, "points": [[1, 1]]},
        {"type": "cut", "radius": 1e300, "points": [[1, 1]]},
        {"type": "brush", "radius": 3, "points": [[1]]},
        {"type": "erase", "radius": 3, "points": []},
        {"type": "brush", "radius": 3, "points": [[1, 10**400]]},
        {"type": "stored"}, {"type": "stored", "mask_id": 5}, {"type": "stored", "mask_id": ""},
        {"type": "stored", "mask_id": "f" * 64}, {"type": "stored", "mask_id": "x" * 9999},
        {"type": "stored", "mask_id": "'; DROP TABLE masks; --"},
    ],
)  # fmt: skip
def test_a_broken_mark_is_refused_and_no_mask_is_stored(
    context: Context, stored: ImageRecord, mark: Any
) -> None:
    with pytest.raises(TrueHueError) as caught:
        make_mask(context, Work(stored.image_id, (mark,), 1))
    assert str(caught.value)
    assert context.storage.masks.count() == 0


def test_ten_thousand_marks_are_refused_at_once(context: Context, stored: ImageRecord) -> None:
    marks = [{"type": "brush", "radius": 3, "points": [[9, 9]]}] * 10_000
    work = read_stage({"image_id": stored.image_id, "marks": marks, "seq": 1})
    assert work is not None
    with pytest.raises(MaskError, match=r"At most 2,000 marks"):
        make_mask(context, work)
    assert context.storage.masks.count() == 0


def test_a_million_points_are_refused_at_once(context: Context, stored: ImageRecord) -> None:
    stroke = {"type": "brush", "radius": 3, "points": [[9, 9]] * 1_000_000}
    with pytest.raises(MaskError, match="stroke points"):
        make_mask(context, Work(stored.image_id, (stroke,), 1))


def test_an_image_that_is_not_stored_is_said(context: Context) -> None:
    for image_id in ("f" * 64, "short", "../../etc/passwd", "' OR 1=1 --"):
        with pytest.raises(NotStored):
            make_mask(context, Work(image_id, (WHOLE,), 1))


def test_a_mask_of_another_image_is_refused(context: Context, stored: ImageRecord) -> None:
    other = context.storage.images.add(np.zeros((128, 128, 3), np.uint8), "other", "upload")
    mask = context.storage.masks.add(other.image_id, Mask(np.ones((128, 128), bool), "whole"))
    with pytest.raises(NotStored, match="belongs to another image"):
        make_mask(context, Work(stored.image_id, ({"type": "stored", "mask_id": mask.mask_id},), 1))


def test_no_marks_make_no_mask(context: Context, stored: ImageRecord) -> None:
    assert make_mask(context, Work(stored.image_id, (), 1)) is None
    assert context.storage.masks.count() == 0


def test_marks_that_leave_one_pixel_or_none_are_refused(
    context: Context, stored: ImageRecord
) -> None:
    one = {"type": "brush", "radius": 0.5, "points": [[9.5, 9.5]]}
    with pytest.raises(NoPixels, match="single pixel"):
        make_mask(context, Work(stored.image_id, (one,), 1))
    erased = {"type": "erase", "radius": 512, "points": [[64, 64]]}
    with pytest.raises(NoPixels):
        make_mask(context, Work(stored.image_id, (WHOLE, erased), 1))
    assert context.storage.masks.count() == 0


def test_the_same_marks_are_the_same_mask(context: Context, stored: ImageRecord) -> None:
    marks = ({"type": "brush", "radius": 9, "points": [[40, 40], [60, 60]]},)
    first = make_mask(context, Work(stored.image_id, marks, 1))
    again = make_mask(context, Work(stored.image_id, marks, 2))
    assert first is not None
    assert first == again
    assert marks_of(first) == list(marks)


def test_the_mask_that_came_with_an_image_is_found_and_used_as_it_is(
    context: Context, stored: ImageRecord
) -> None:
    assert exact_mask(context, stored.image_id) is None
    pixels = np.zeros((128, 128), bool)
    pixels[10:50, 20:70] = True
    exact = context.storage.masks.add(stored.image_id, Mask(pixels, "renderer", {"seed": 1}))
    assert exact_mask(context, stored.image_id) == exact
    assert marks_of(exact) == [{"type": "stored", "mask_id": exact.mask_id}]
    made = make_mask(context, Work(stored.image_id, tuple(marks_of(exact)), 1))
    assert made is not None
    assert made.maker == "renderer"
    assert np.array_equal(context.storage.masks.pixels(made.mask_id), pixels)
    assert mask_text(exact, stored) == "Exact mask from the renderer · 2,000 px · 12.2%"


def test_an_image_drawn_elsewhere_names_no_object(context: Context, stored: ImageRecord) -> None:
    assert origin_target(stored) == ("", "")
    drawn = context.storage.images.add(
        np.zeros((9, 9, 3), np.uint8), "drawn", "render", (),
        {"object_name": "mug", "target": "css:teal"},
    )  # fmt: skip
    assert origin_target(drawn) == ("mug", "css:teal")
