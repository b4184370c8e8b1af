"""Points and overrides among the marks, with a segmenter that cuts out a disk at each point."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image

from truehue.core.errors import MaskError, NoPixels
from truehue.core.images.pixels import Mask
from truehue.core.masks.display import unmeasured_overlay_png
from truehue.core.masks.from_marks import Box, mask_from_marks
from truehue.core.masks.grounded.records import Segment
from truehue.core.masks.marks import Override, parse_marks
from truehue.core.masks.registry import describe

IMAGE = np.full((60, 80, 3), 120, np.uint8)
STORED = {"type": "stored", "mask_id": "m1"}
BOX = {"type": "box", "box": [5, 5, 50, 50]}


def point(x: float, y: float, inside: bool = True, by: str = "") -> dict[str, Any]:
    return {"type": "point", "x": x, "y": y, "inside": inside, **({"by": by} if by else {})}


def stroke(kind: str, x: float, y: float) -> dict[str, Any]:
    return {"type": kind, "radius": 2.0, "points": [[x, y]]}


def disk(x: float, y: float, radius: float = 8) -> np.ndarray:
    rows, columns = np.mgrid[:60, :80] + 0.5
    return np.hypot(columns - x, rows - y) < radius


class Disks:
    """Disks of the inside points without those of the outside ones; keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def __call__(
        self,
        points: Sequence[tuple[float, float]],
        inside: Sequence[bool],
        box: Box | None,
        by: str,
    ) -> Segment:
        self.asked.append((list(points), list(inside), box, by))
        pixels = np.zeros((60, 80), bool)
        for (x, y), within in zip(points, inside, strict=True):
            pixels = pixels | disk(x, y) if within else pixels & ~disk(x, y)
        return Segment(pixels, 0.9)


def test_points_and_the_box_are_one_prompt() -> None:
    cut = Disks()
    marks = [point(20, 20), BOX, point(40, 20), point(20, 30, inside=False, by="sam")]
    mask = mask_from_marks(IMAGE, marks, segment=cut)
    points = [(20, 20), (40, 20), (20, 30)]
    assert cut.asked == [(points, [True, True, False], (5, 5, 50, 50), "sam")]
    assert np.array_equal(mask.pixels, (disk(20, 20) | disk(40, 20)) & ~disk(20, 30))
    assert mask.maker == "points"
    assert mask.parameters["points"] == [{"segmenter": "sam", "score": 0.9}]
    assert describe(mask.maker, mask.parameters) == "Points · box, 3 points"
    loads = json.loads(json.dumps(mask.parameters["marks"]))
    again = mask_from_marks(IMAGE, loads, segment=cut)
    assert (again.content_sha256, again.parameters) == (mask.content_sha256, mask.parameters)


def test_a_point_made_for_another_box_counts_no_more() -> None:
    cut = Disks()
    mask = mask_from_marks(IMAGE, [point(70, 50), point(20, 20), BOX], segment=cut)
    assert cut.asked[0][0] == [(20, 20)]
    assert [mark["type"] for mark in mask.parameters["marks"]] == ["point", "box"]


def test_strokes_paint_on_what_points_cut_out() -> None:
    marks = [point(20, 20), stroke("keep", 60, 40), stroke("cut", 20, 20), stroke("brush", 70, 5)]
    mask = mask_from_marks(IMAGE, [*marks, stroke("erase", 60, 40)], segment=Disks())
    assert mask.pixels[5, 70]
    assert mask.pixels[14, 20]
    assert not mask.pixels[20, 20]
    assert not mask.pixels[40, 60]
    assert "grabcut" not in mask.parameters


def test_on_a_stored_mask_points_add_and_take_away_in_order() -> None:
    base = Mask(disk(40, 30, 20), "renderer")
    away, back = point(50, 30, inside=False), point(50, 30)
    cut = Disks()
    mask = mask_from_marks(IMAGE, [STORED, away, point(5, 5)], base, cut)
    assert np.array_equal(mask.pixels, base.pixels & ~disk(50, 30) | disk(5, 5))
    # What is at the point is what is taken away: the segmenter is asked for it, not against it.
    assert [target[1] for target in cut.asked] == [[True], [True]]
    assert mask.maker == "points"
    assert mask_from_marks(IMAGE, [STORED, away, back], base, cut).pixels[30, 50]
    assert not mask_from_marks(IMAGE, [STORED, back, away], base, cut).pixels[30, 50]
    whole = mask_from_marks(IMAGE, [{"type": "whole"}, away], segment=cut)
    assert np.array_equal(whole.pixels, ~disk(50, 30))
    painted = mask_from_marks(IMAGE, [STORED, away, stroke("brush", 50, 30)], base, cut)
    assert painted.maker == "brush"
    assert painted.pixels[30, 50]


def test_points_without_a_segmenter_are_refused_in_words() -> None:
    for marks in ([point(20, 20)], [STORED, point(20, 20)]):
        with pytest.raises(MaskError, match="none is at hand"):
            mask_from_marks(IMAGE, marks, Mask(disk(40, 30), "renderer"))
    with pytest.raises(NoPixels, match="leave no pixel"):
        mask_from_marks(IMAGE, [point(20, 20, inside=False)], segment=Disks())

    def small(*_: Any) -> Segment:
        return Segment(np.ones((2, 2), bool), 1.0)

    with pytest.raises(MaskError, match="another size"):
        mask_from_marks(IMAGE, [point(20, 20)], segment=small)


def test_overrides_are_kept_and_change_no_pixel_here() -> None:
    base = Mask(disk(40, 30), "grounded", {"boxes": 2})
    override = {"type": "override", "step": "box", "index": 1, "use": False}
    mask = mask_from_marks(IMAGE, [STORED, override], base)
    assert (mask.maker, mask.content_sha256) == ("grounded", base.content_sha256)
    assert mask.parameters["marks"] == [STORED, override]
    assert describe("grounded", mask.parameters).endswith(" · 1 step by hand")


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ({"type": "point"}, "x must be a number"),
        ({"type": "point", "x": 1, "y": 1}, "inside must be true or false"),
        ({"type": "point", "x": 81, "y": 1, "inside": True}, "outside of the image"),
        ({"type": "point", "x": 1, "y": -1, "inside": True}, "outside of the image"),
        ({"type": "point", "x": 1, "y": float("nan"), "inside": True}, "finite"),
        ({"type": "point", "x": 1, "y": 1, "inside": True, "by": 5}, "id of a segmenter"),
        ({"type": "override", "step": "mood", "index": 0, "use": True}, "one of box"),
        ({"type": "override", "step": "box", "index": -1, "use": True}, "whole number"),
        ({"type": "override", "step": "box", "index": True, "use": True}, "whole number"),
        ({"type": "override", "step": "box", "index": 0}, "true or false"),
        ({"type": "override", "step": "presence", "index": 0, "answer": "maybe"}, "yes, no"),
    ],
)
def test_broken_points_and_overrides_are_refused(mark: dict[str, Any], message: str) -> None:
    with pytest.raises(MaskError, match=re.escape(message)):
        parse_marks([mark], 80, 60)


def test_they_survive_json() -> None:
    marks = [
        point(1.5, 2.0, by="sam"),
        point(3.0, 4.0, inside=False),
        {"type": "override", "step": "negative", "index": 2, "use": False},
        {"type": "override", "step": "presence", "index": 0, "answer": "no"},
    ]
    parsed = parse_marks(marks, 80, 60)
    assert json.loads(json.dumps([mark.as_json() for mark in parsed])) == marks
    assert parsed[2].override == Override("negative", 2, use=False)


def test_negative_parts_are_hatched_otherwise_than_what_a_rule_left_out() -> None:
    mask, measured, negative = disk(20, 30, 15), disk(20, 30, 8), disk(60, 30, 15)
    png = unmeasured_overlay_png(mask, measured, negative)
    assert png is not None
    rgba = np.array(Image.open(io.BytesIO(png)).convert("RGBA"))
    assert (rgba[..., 0] == rgba[..., 1]).all()
    assert (rgba[..., 1] == rgba[..., 2]).all()
    assert (rgba[mask & ~measured, 3] > 0).all()
    assert (rgba[negative, 3] > 0).all()
    assert (rgba[~(mask | negative) | measured, 3] == 0).all()
    light = (rgba[..., 0] == 255) & (rgba[..., 3] > 0)
    # Along its own direction a stripe stays light; the other one runs across it.
    for part, own, other in ((mask & ~measured, (1, -1), (1, 1)), (negative, (1, 1), (1, -1))):
        inner = part & np.roll(part, own, (0, 1)) & np.roll(part, other, (0, 1))
        assert (light == np.roll(light, own, (0, 1)))[inner].all()
        assert not (light == np.roll(light, other, (0, 1)))[inner].all()
    # What a hand put back is not hatched, and without anything to tell there is no picture.
    assert unmeasured_overlay_png(mask, mask, mask) is None
    assert unmeasured_overlay_png(mask, mask, None) is None
