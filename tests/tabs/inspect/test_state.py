"""What the browser sends is read strictly: a page can be edited, and so can a request."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from truehue.core.errors import BadInput, MaskError, NoPixels, NotStored, TrueHueError
from truehue.core.images.pixels import Mask
from truehue.core.masks import marks
from truehue.core.masks.marks import Mark
from truehue.core.masks.registry import mask_text
from truehue.core.records import ImageRecord
from truehue.tabs.inspect.score import judge
from truehue.tabs.inspect.state import exact_mask, make_mask, marks_of, origin_target
from truehue.tabs.inspect.work import Work, number_of, read_stage, work_of
from truehue.tabs.page.context import Context

pytestmark = pytest.mark.slow

WHOLE = {"type": "whole"}


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        0,
        [],
        {},
        "image",
        3.5,
        ["image_id"],
        {"marks": [WHOLE]},
        {"image_id": None},
        {"image_id": ""},
        {"opened": "f" * 64, "seq": 1},
    ],
)
def test_without_an_image_there_is_nothing_to_do(shared_context: Context, value: Any) -> None:
    assert read_stage(shared_context, value) is None


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
def test_other_types_are_refused_in_words(shared_context: Context, value: Any) -> None:
    with pytest.raises(BadInput, match="Reload the page"):
        read_stage(shared_context, value)


def test_image_marks_and_number_are_read(context: Context, stored: ImageRecord) -> None:
    value = {"image_id": stored.image_id, "marks": [WHOLE], "seq": 4, "more": "is left alone"}
    assert read_stage(context, value) == Work(stored, (Mark("whole"),), 4)
    assert read_stage(context, {"image_id": stored.image_id[:8]}) == Work(stored, ())


@pytest.mark.parametrize("value", [None, 5, [], {}, {"seq": "4"}, {"seq": None}])
def test_the_number_of_what_cannot_be_read_is_0(value: Any) -> None:
    assert number_of(value) == 0
    assert number_of({"seq": 4, "marks": "nonsense"}) == 4


@pytest.mark.parametrize(
    "mark",
    [
        None,
        5,
        "whole",
        [],
        {},
        {"type": None},
        {"type": ["box"]},
        {"type": "spray"},
        {"type": "box"},
        {"type": "box", "box": [1, 2, 3]},
        {"type": "box", "box": "1234"},
        {"type": "box", "box": [1, 2, 3, None]},
        {"type": "box", "box": [1, 2, 3, float("nan")]},
        {"type": "box", "box": [5, 5, 5, 5]},
        {"type": "box", "box": [900, 900, 999, 999]},
        {"type": "keep", "radius": 3},
        {"type": "keep", "radius": -1, "points": [[1, 1]]},
        {"type": "cut", "radius": 1e300, "points": [[1, 1]]},
        {"type": "brush", "radius": 3, "points": [[1]]},
        {"type": "erase", "radius": 3, "points": []},
        {"type": "brush", "radius": 3, "points": [[1, 10**400]]},
        {"type": "stored"},
        {"type": "stored", "mask_id": 5},
        {"type": "stored", "mask_id": ""},
        {"type": "stored", "mask_id": "f" * 64},
        {"type": "stored", "mask_id": "x" * 9999},
        {"type": "stored", "mask_id": "'; DROP TABLE masks; --"},
    ],
)
def test_a_broken_mark_is_refused_and_no_mask_is_stored(
    shared_context: Context, photograph: tuple[np.ndarray, list[int]], mark: Any
) -> None:
    stored = shared_context.storage.images.add(photograph[0], "photograph.png", "upload")
    with pytest.raises(TrueHueError) as caught:
        make_mask(shared_context, work_of(shared_context, stored.image_id, (mark,)))
    assert str(caught.value)
    assert shared_context.storage.masks.count() == 0


def test_ten_thousand_marks_are_refused_at_once(context: Context, stored: ImageRecord) -> None:
    marks = [{"type": "brush", "radius": 3, "points": [[9, 9]]}] * 10_000
    with pytest.raises(MaskError, match=r"At most 2,000 marks"):
        read_stage(context, {"image_id": stored.image_id, "marks": marks, "seq": 1})
    assert context.storage.masks.count() == 0


def test_a_million_points_are_refused_at_once(context: Context, stored: ImageRecord) -> None:
    stroke = {"type": "brush", "radius": 3, "points": [[9, 9]] * 1_000_000}
    with pytest.raises(MaskError, match="stroke points"):
        make_mask(context, work_of(context, stored.image_id, (stroke,)))


def test_an_image_that_is_not_stored_is_said(context: Context) -> None:
    for image_id in ("f" * 64, "short", "../../etc/passwd", "' OR 1=1 --"):
        with pytest.raises(NotStored):
            make_mask(context, work_of(context, image_id, (WHOLE,)))


def test_a_mask_of_another_image_is_refused(context: Context, stored: ImageRecord) -> None:
    other = context.storage.images.add(np.zeros((128, 128, 3), np.uint8), "other", "upload")
    mask = context.storage.masks.add(other.image_id, Mask(np.ones((128, 128), bool), "whole"))
    with pytest.raises(NotStored, match="belongs to another image"):
        make_mask(
            context,
            work_of(context, stored.image_id, ({"type": "stored", "mask_id": mask.mask_id},)),
        )


def test_no_marks_make_no_mask(context: Context, stored: ImageRecord) -> None:
    assert make_mask(context, work_of(context, stored.image_id, ())) is None
    assert context.storage.masks.count() == 0


def test_marks_that_leave_one_pixel_or_none_are_refused(
    context: Context, stored: ImageRecord
) -> None:
    item = {"type": "brush", "radius": 0.5, "points": [[9.5, 9.5]]}
    with pytest.raises(NoPixels, match="single pixel"):
        make_mask(context, work_of(context, stored.image_id, (item,)))
    erased = {"type": "erase", "radius": 512, "points": [[64, 64]]}
    with pytest.raises(NoPixels):
        make_mask(context, work_of(context, stored.image_id, (WHOLE, erased)))
    assert context.storage.masks.count() == 0


def test_the_same_marks_are_the_same_mask(context: Context, stored: ImageRecord) -> None:
    marks = ({"type": "brush", "radius": 9, "points": [[40, 40], [60, 60]]},)
    first = make_mask(context, work_of(context, stored.image_id, marks))
    again = make_mask(context, work_of(context, stored.image_id, marks))
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
    made = make_mask(context, work_of(context, stored.image_id, tuple(marks_of(exact))))
    assert made is not None
    assert made.maker == "renderer"
    assert np.array_equal(context.storage.masks.pixels(made.mask_id), pixels)
    assert mask_text(exact, stored) == "Exact mask from the renderer · 2,000 px · 12.2%"


def test_an_image_drawn_elsewhere_names_no_object(context: Context, stored: ImageRecord) -> None:
    assert origin_target(stored) == ("", "")
    sample = context.storage.images.add(
        np.zeros((9, 9, 3), np.uint8),
        "drawn",
        "render",
        (),
        {"object_name": "mug", "target": "css:teal"},
    )
    assert origin_target(sample) == ("mug", "css:teal")


def test_a_strokes_answer_takes_at_most_eight_statements(
    context: Context, stored: ImageRecord, statements: list[str]
) -> None:
    target = ("mug", "css:teal", "truehue", 0, True, "l3")
    stroke = {"type": "brush", "radius": 9, "points": [[40, 40], [60, 60]]}
    value = {"image_id": stored.image_id, "marks": [WHOLE], "seq": 1}
    judge(context, value, *target)
    statements.clear()
    marks: list[Any] = [WHOLE, stroke]
    staged, verdict, _ = judge(context, {**value, "marks": marks, "seq": 2}, *target)
    context.data_text()  # the header's counts are part of the answer
    assert staged["seq"] == 2
    assert verdict["view"]["status"] in ("pass", "fail")
    assert len(statements) <= 8, statements
    # The same on a mask that is stored already, as an automatic one is.
    record = context.storage.masks.get(verdict["view"]["question"]["mask"])
    marks = [{"type": "stored", "mask_id": record.mask_id}, stroke]
    statements.clear()
    judge(context, {**value, "marks": marks, "seq": 3}, *target)
    context.data_text()
    assert len(statements) <= 8, statements


def test_marks_are_read_once(
    context: Context, stored: ImageRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[Any] = []
    monkeypatch.setattr(marks, "_mark", lambda *values: reads.append(values) or Mark("whole"))
    judge(
        context,
        {"image_id": stored.image_id, "marks": [WHOLE], "seq": 1},
        "",
        "css:teal",
        "truehue",
        0,
        True,
        "l3",
    )
    assert len(reads) == 1
