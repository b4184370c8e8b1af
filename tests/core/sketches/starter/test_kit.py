"""The drawing kit: smooth curves, corners, shapes that hide, lines that are cut off."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.sketches.starter.curves import closed, joined, opened
from truehue.core.sketches.starter.drawing import ink_of, svg_of
from truehue.core.sketches.starter.outlines import arc, band, box, ellipse, leaf, scalloped, star
from truehue.core.sketches.starter.sheet import SIDE, Sheet


def ink(sheet: Sheet, share: float = 0.8, side: int = 256) -> np.ndarray:
    return ink_of(sheet.fitted(share), side)


def test_four_points_of_a_circle_make_the_circle() -> None:
    flat = closed("100,0 0,100 -100,0 0,-100").flat()
    assert np.abs(np.hypot(*flat.T) - 100).max() < 0.1


def test_a_curve_passes_its_points_and_breaks_at_corners_only() -> None:
    path = opened("0,0 50,40! 100,0 150,30")
    assert path.cubics[:, 0].tolist() == [[0, 0], [50, 40], [100, 0]]
    into, out = path.cubics[0, 3] - path.cubics[0, 2], path.cubics[1, 1] - path.cubics[1, 0]
    assert abs(into[0] * out[1] - into[1] * out[0]) > 1
    into, out = path.cubics[1, 3] - path.cubics[1, 2], path.cubics[2, 1] - path.cubics[2, 0]
    assert np.arctan2(*into) == pytest.approx(np.arctan2(*out))


def test_an_arc_is_part_of_its_ellipse() -> None:
    flat = arc(10, 20, 50, 30, (180, 360)).flat()
    assert np.hypot((flat[:, 0] - 10) / 50, (flat[:, 1] - 20) / 30) == pytest.approx(1, abs=1e-3)
    assert flat[0] == pytest.approx([-40, 20])
    assert flat[:, 1].max() <= 20 + 1e-9


def test_closed_outlines_end_where_they_start() -> None:
    for path in (
        ellipse(0, 0, 40, 20, 30),
        box(0, 0, 50, 30, 8),
        leaf((0, 0), (90, 10), 30, 5),
        band(opened("0,0 50,20 100,0"), (10, 20, 5), "round"),
        scalloped(ellipse(0, 0, 60), 9, 12),
        star(0, 0, 40, 16),
        joined(opened("0,0 10,20"), opened("30,20 40,0")),
    ):
        assert path.closed
        assert path.cubics[-1, 3] == pytest.approx(path.cubics[0, 0], abs=1e-6)
        assert np.allclose(path.cubics[1:, 0], path.cubics[:-1, 3])


def test_turning_mirroring_and_moving() -> None:
    path = opened("0,0 10,0")
    assert path.turned(90).cubics[0, 3] == pytest.approx([0, 10])
    assert path.mirrored(20).cubics[0, 3] == pytest.approx([30, 0])
    assert path.moved(5, 6).backwards().cubics[0, 0] == pytest.approx([15, 6])


def test_a_shape_hides_what_lies_behind_it() -> None:
    sheet = Sheet()
    sheet.shape(ellipse(0, 0, 100))
    sheet.line(opened("-100,0 100,0"))
    sheet.shape(ellipse(0, 0, 40))
    pixels = ink(sheet)
    assert pixels[128, 128] == 255
    assert pixels[128, 60] < 128


def test_a_line_inside_of_a_shape_is_cut_off_at_its_outline() -> None:
    sheet = Sheet()
    sheet.shape(box(-200, -200, 400, 400))
    with sheet.inside(ellipse(0, 0, 100)):
        sheet.line(opened("-300,0 300,0"))
    pixels = ink(sheet)
    assert pixels[128, 128] < 128
    assert pixels[128, 50] == 255
    assert svg_of(sheet.fitted(), "").count("<clipPath") == 1


def test_merged_shapes_have_one_outline() -> None:
    sheet = Sheet()
    sheet.merged(ellipse(-50, 0, 60), ellipse(50, 0, 60))
    assert ink(sheet)[128, 118:138].min() == 255


def test_a_group_ends_with_a_heavier_line_however_deep_it_lies() -> None:
    widths = []
    for depth in (0, 1, 2):
        sheet = Sheet()
        if depth == 0:
            sheet.shape(box(0, 0, 100, 100))
        elif depth == 1:
            with sheet.group():
                sheet.shape(box(0, 0, 100, 100))
        else:
            with sheet.group(), sheet.group():
                sheet.shape(box(0, 0, 100, 100))
        row = 255 - ink(sheet, side=SIDE)[SIDE // 2, : SIDE // 2].astype(int)
        widths.append(row.sum() / 255)
    assert widths == pytest.approx([5, 7, 7], abs=0.5)


def test_a_tapered_line_is_thick_at_one_end_whatever_the_scale() -> None:
    for size in (10, 1000):
        sheet = Sheet()
        sheet.stroke(opened(f"0,0 {size},0"), "end", 6)
        dark = (255 - ink(sheet, side=SIDE).astype(int)).sum(axis=0) / 255
        assert dark[140] == pytest.approx(6, abs=0.8)
        assert 1 < dark[SIDE - 110] < 3.5


def test_a_frame_hides_what_lies_beyond_it() -> None:
    sheet = Sheet()
    with sheet.framed(box(0, 0, 100, 100, 5)):
        sheet.line(opened("-500,50 500,50"))
    pixels = ink(sheet)
    assert pixels[128, 128] < 128
    assert pixels[128, 5] == 255
    # A viewer that fills by winding instead would paint the mat over all of the scene.
    assert 'fill-rule="evenodd"' in svg_of(sheet.fitted(), "")
