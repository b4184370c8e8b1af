"""Regions: gaps, diagonal lines, regions of one pixel, nested ones, ones at the edge."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import ndimage

from tests.core.sketches.drawings import box, cat, ink_of, paper
from truehue.core.errors import BadInput
from truehue.core.sketches.records import sketch_id
from truehue.core.sketches.regions import CLOSINGS_PX, GROWTH_PX, LINE, label_maps, regions

pytestmark = pytest.mark.slow


def rooms(gap_px: int, side: int = 1024, thick: int = 3) -> np.ndarray:
    """A box with a gap in the middle of its right wall."""
    ink = paper(side)
    box(ink, side // 4, side // 4, 3 * side // 4, 3 * side // 4, thick)
    ink[side // 2 : side // 2 + gap_px, 3 * side // 4 - thick + 1 : 3 * side // 4 + 1] = 255
    return ink


def test_a_closed_box_is_one_region_and_its_surround_another() -> None:
    maps = regions(rooms(0, 256))
    assert maps.counts == (2, 2, 2, 2)
    assert [maps.label(k, 0, 0) for k in range(4)] == [1] * 4
    assert [maps.label(k, 128, 128) for k in range(4)] == [2] * 4
    assert maps.label(0, -1, 5) == maps.label(0, 5, 256) == 0


@pytest.mark.parametrize(("gap_px", "closed"), [(1, 1), (4, 1), (6, 2), (10, 2), (12, 3), (24, 3)])
def test_a_gap_is_closed_from_its_width_on(gap_px: int, closed: int) -> None:
    maps = regions(rooms(gap_px))
    apart = [maps.label(k, 0, 0) != maps.label(k, 512, 512) for k in range(4)]
    assert apart == [k >= closed for k in range(4)]


def test_a_gap_wider_than_the_widest_stays_open() -> None:
    maps = regions(rooms(27))
    assert maps.counts == (1, 1, 1, 1)


def test_the_border_across_a_gap_runs_straight_between_its_ends() -> None:
    maps = regions(rooms(10))
    inside = maps.label(2, 512, 512)
    labels = maps.labels[2]
    assert (labels[300:700, 300:766] == inside).all()
    assert (labels[300:700, 769:] != inside).all()


def test_gaps_scale_with_the_sketch() -> None:
    small, large = regions(rooms(5, 512, 2)), regions(rooms(10, 1024, 3))
    assert small.counts == large.counts == (1, 1, 2, 2)


def test_a_neck_does_not_fall_to_pieces() -> None:
    """A passage as wide as the ball, with walls that waver, is of one region with its end."""
    ink = paper(1024)
    rng = np.random.default_rng(3)
    box(ink, 100, 100, 500, 900)
    ink[400:600, 498:501] = 255
    top = 488 + rng.integers(-1, 2, 400)
    bottom = 514 + rng.integers(-1, 2, 400)
    for step in range(400):
        ink[top[step] - 3 : top[step], 498 + step] = 0
        ink[bottom[step] : bottom[step] + 3, 498 + step] = 0
    ink[400:489, 498:501] = ink[514:600, 498:501] = 0
    ink[486:517, 898:901] = 0
    assert max(regions(ink).counts) <= 3


def test_what_is_smaller_than_the_ball_keeps_its_region_and_what_it_was_closed_to() -> None:
    """A small box with a small gap is closed by the narrow ball, and stays so under wide ones."""
    ink = paper(1024)
    box(ink, 500, 500, 518, 518)
    ink[508:511, 516:519] = 255
    assert regions(ink).counts == (1, 2, 2, 2)


def test_a_leg_belongs_to_the_body_that_it_opens_to_and_not_to_the_gap_in_its_foot() -> None:
    ink = paper(1024)
    box(ink, 200, 100, 800, 400)
    box(ink, 300, 397, 316, 700)
    ink[397:401, 303:314] = 255
    ink[698:701, 307:311] = 255
    maps = regions(ink)
    for closing in (1, 2, 3):
        assert maps.label(closing, 309, 650) == maps.label(closing, 500, 250)
        assert maps.label(closing, 309, 650) != maps.label(closing, 20, 20)


def test_diagonal_lines_of_one_pixel_do_not_leak() -> None:
    ink = paper(64)
    for step in range(64):
        ink[step, step] = 0
    maps = regions(ink)
    assert maps.counts[0] == 2
    assert maps.label(0, 60, 3) != maps.label(0, 3, 60)


def test_an_antialiased_line_of_one_pixel_ends_regions_at_every_angle() -> None:
    import cv2

    for angle in range(0, 180, 7):
        ink = paper(128)
        away = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))]) * 200
        ends = [
            np.round((np.array([64.3, 63.6]) + sign * away) * 16).astype(int) for sign in (-1, 1)
        ]
        cv2.line(ink, ends[0], ends[1], 0, 1, cv2.LINE_AA, 4)
        assert regions(ink).counts[0] == 2, angle


def test_regions_of_one_pixel_are_kept() -> None:
    ink = ink_of("""
        ..........
        .###.##...
        .#.##.#...
        .###.##...
        ..###.....
        ..#.#..#..
        ..###.#.#.
        .......#..
        ..........
        ..........""")
    labels = regions(ink).labels[0]
    assert len({int(labels[2, 2]), int(labels[2, 5]), int(labels[5, 3]), int(labels[6, 7])}) == 4
    assert labels[3, 4] not in (labels[0, 0], labels[2, 2])
    assert regions(ink).counts[0] == 6


def test_ink_of_more_regions_than_anybody_colors_is_refused_in_words() -> None:
    ink = paper(320)
    ink[1::2] = ink[:, 1::2] = 0
    with pytest.raises(BadInput, match="25,600 regions, more than 20,000"):
        regions(ink)


def test_nested_regions_and_ones_at_the_edge() -> None:
    ink = paper(256)
    for inset in (20, 50, 80):
        box(ink, inset, inset, 255 - inset, 255 - inset)
    ink[:, 10:12] = 0
    maps = regions(ink)
    assert maps.counts[0] == 5
    assert [maps.label(0, x, 128) for x in (0, 15, 30, 60, 128)] == [1, 2, 3, 4, 5]


def test_regions_grow_under_lines_to_the_nearest_and_no_further_than_they_should() -> None:
    ink = paper(1024)
    ink[500:541] = 0
    maps = regions(ink)
    for labels in maps.labels:
        assert (labels[:512] == 1).all()
        assert (labels[512:529] == 0).all()
        assert (labels[529:] == 2).all()


def test_the_cat_has_its_parts_and_is_numbered_in_raster_order() -> None:
    ink = cat()
    maps = regions(ink)
    assert maps.label(0, 900, 620) == maps.label(0, 5, 5)
    assert maps.label(1, 900, 620) != maps.label(1, 5, 5)
    for labels in maps.labels:
        firsts = [
            int(np.flatnonzero(labels == index)[0]) for index in range(1, int(labels.max()) + 1)
        ]
        assert firsts == sorted(firsts)


@settings(max_examples=60, deadline=None)
@given(
    arrays(
        np.uint8,
        st.tuples(st.integers(8, 40), st.integers(8, 40)),
        elements=st.sampled_from([0, 90, 159, 160, 255]),
    )
)
def test_whatever_is_drawn(ink: np.ndarray) -> None:
    maps = label_maps(ink)
    paper_px = ink >= LINE
    plain, count = ndimage.label(paper_px)
    reach = max(GROWTH_PX * max(ink.shape) / 1024, 2.0)
    away = ndimage.distance_transform_edt(~paper_px) if paper_px.any() else np.full(ink.shape, 99.0)
    for labels in maps:
        assert ((labels > 0) == (away <= reach)).all()
    assert len(np.unique(plain * (count + 2) + np.where(paper_px, maps[0], 0))) == count + (
        not paper_px.all()
    )
    for item, other in pairwise(maps):
        pairs = np.unique(np.stack([item, other]).reshape(2, -1), axis=1)
        assert len(np.unique(pairs[1])) == pairs.shape[1], "a wider closing only divides"


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6))
def test_every_region_is_of_one_piece_on_paper_and_ink_goes_to_its_nearest(seed: int) -> None:
    """At a size where closings divide: lines and boxes by chance."""
    rng = np.random.default_rng(seed)
    ink = paper(192)
    for _ in range(12):
        left, top = rng.integers(0, 150, 2)
        wide, high = rng.integers(5, 60, 2)
        box(ink, left, top, left + wide, top + high, int(rng.integers(1, 4)))
    for _ in range(30):
        x, y = rng.integers(0, 188, 2)
        ink[y : y + 4, x : x + 4] = 255
    maps = label_maps(ink)
    paper_px = ink >= LINE
    nearest = ndimage.distance_transform_edt(~paper_px)
    for labels in maps:
        for index in range(1, int(labels.max()) + 1):
            own = labels == index
            assert ndimage.label(own & paper_px)[1] == 1
        # The region of an ink pixel has a paper pixel as near as any.
        rows, columns = np.nonzero(~paper_px & (labels > 0))
        for row, column in list(zip(rows, columns, strict=True))[::97]:
            own = np.argwhere((labels == labels[row, column]) & paper_px)
            assert np.hypot(*(own - (row, column)).T).min() == pytest.approx(nearest[row, column])


def test_all_ink_has_no_region_and_no_ink_has_one() -> None:
    assert regions(np.zeros((16, 16), np.uint8)).counts == (0, 0, 0, 0)
    assert regions(paper(16)).counts == (1, 1, 1, 1)


def test_the_rows_of_a_region_are_those_with_its_label() -> None:
    maps = regions(cat(256))
    for closing in range(len(CLOSINGS_PX)):
        for label in range(1, maps.counts[closing] + 1):
            lies = np.flatnonzero((maps.labels[closing] == label).any(axis=1))
            assert maps.rows(closing, label) == slice(int(lies[0]), int(lies[-1]) + 1)
        assert maps.rows(closing, 0) == maps.rows(closing, 999) == slice(None)


def test_regions_are_kept_and_cannot_be_written() -> None:
    ink = cat(128)
    assert regions(ink) is regions(ink.copy())
    with pytest.raises(ValueError, match="read-only"):
        regions(ink).labels[0][0, 0] = 9


def test_an_id_is_of_ink_and_shape() -> None:
    ink = paper(8, 16)
    assert len(sketch_id(ink)) == 32
    assert sketch_id(ink) == sketch_id(ink.copy()) != sketch_id(ink.reshape(16, 8))


@pytest.mark.parametrize("ink", [paper(7), np.zeros((8, 2049), np.uint8), np.zeros((9, 9))])
def test_what_is_no_ink_is_refused(ink: np.ndarray) -> None:
    with pytest.raises(BadInput):
        regions(ink)
