"""The layer against its definition, pixel by pixel, and by hand."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.sketches.drawings import box, cat, ink_of, paper
from truehue.annotation.colorings import (
    Action,
    Clear,
    Fill,
    FillRegions,
    Redo,
    Stroke,
    Undo,
    checksum,
    effective_actions,
    paint,
)
from truehue.core.sketches.regions import RegionMaps, regions

pytestmark = pytest.mark.slow

RED, BLUE = "#ff0000", "#0000ff"


def small() -> RegionMaps:
    ink = paper(40, 52)
    box(ink, 6, 5, 30, 30, 2)
    box(ink, 34, 12, 48, 36, 1)
    ink[5:7, 12:15] = 255
    return regions(ink)


def by_definition(actions: list[Action], maps: RegionMaps) -> np.ndarray:
    """Each pixel of each action, as the format says it."""
    height, width = maps.shape
    y, x = np.mgrid[:height, :width].astype(np.int64)
    layer = np.zeros((height, width, 4), np.uint8)
    for action in effective_actions(actions):
        if isinstance(action, Clear):
            layer[:] = 0
            continue
        if isinstance(action, Fill):
            label = maps.label(action.closing, action.x, action.y)
            painted = (maps.labels[action.closing] == label) & (label > 0)
        elif isinstance(action, FillRegions):
            labels = maps.labels[action.closing]
            places = np.array(action.points).reshape(-1, 2).tolist()
            entered = [maps.label(action.closing, px, py) for px, py in places]
            painted = np.isin(labels, entered) & (labels > 0)
        else:
            points = np.array(action.points).reshape(-1, 2)
            squared = action.diameter**2
            painted = np.zeros(maps.shape, bool)
            for px, py in points:
                painted |= 4 * ((x - px) ** 2 + (y - py) ** 2) <= squared
            for (px, py), (qx, qy) in pairwise(points):
                dx, dy = int(qx - px), int(qy - py)
                along = (x - px) * dx + (y - py) * dy
                cross = (x - px) * dy - (y - py) * dx
                length = dx * dx + dy * dy
                painted |= (along > 0) & (along < length) & (4 * cross**2 <= squared * length)
            if action.within is not None:
                label = maps.label(action.within, *(int(value) for value in points[0]))
                painted &= (maps.labels[action.within] == label) & (label > 0)
        color = [0] * 4 if action.color is None else [*bytes.fromhex(action.color[1:]), 255]
        layer[painted] = color
    return layer


colors = st.sampled_from([None, RED, BLUE, "#ffffff", "#000000", "#12ab9f"])
fills = st.builds(Fill, st.integers(-3, 55), st.integers(-3, 43), st.integers(0, 3), colors)
near = st.integers(-30, 80)
points = st.lists(st.tuples(near, near), min_size=1, max_size=5).map(
    lambda pairs: tuple(value for pair in pairs for value in pair)
)
many = st.builds(FillRegions, points, st.integers(0, 3), colors)
far = st.tuples(*[st.integers(-2048, 4096)] * 4)
strokes = st.builds(
    Stroke,
    st.one_of(points, points, far),
    st.one_of(st.integers(1, 12), st.integers(1, 256)),
    colors,
    st.sampled_from([None, None, 0, 1, 3]),
)
others = st.sampled_from([Clear(), Undo(), Undo(), Redo()])
action = st.one_of(fills, many, strokes, strokes, others)


@settings(max_examples=150, deadline=None)
@given(st.lists(action, max_size=12))
def test_every_pixel_is_as_the_format_says(actions: list[Action]) -> None:
    maps = small()
    layer = paint(actions, maps)
    assert (layer == by_definition(actions, maps)).all()
    assert set(np.unique(layer[..., 3])) <= {0, 255}


def test_a_brush_of_every_size_by_hand() -> None:
    maps = regions(paper(9))
    shapes = {
        1: "#",
        2: """
            .#.
            ###
            .#.""",
        3: """
            ###
            ###
            ###""",
        4: """
            ..#..
            .###.
            #####
            .###.
            ..#..""",
    }
    for diameter, shape in shapes.items():
        painted = paint([Stroke((4, 4), diameter, RED)], maps)[..., 3] > 0
        wanted = ink_of(shape) == 0
        margin = (9 - wanted.shape[0]) // 2
        assert (painted == np.pad(wanted, margin)).all(), diameter


def test_fills_clears_and_white() -> None:
    maps = small()
    layer = paint([Fill(20, 20, 0, "#FFFFFF".lower()), Fill(40, 20, 0, RED)], maps)
    assert layer[20, 20].tolist() == [255, 255, 255, 255]
    assert layer[20, 40].tolist() == [255, 0, 0, 255]
    assert layer[2, 2].tolist() == [255, 255, 255, 255], "the box leaks without closing"
    assert not paint([Fill(40, 20, 0, RED), Fill(40, 20, 3, None)], maps).any()
    assert not paint([Fill(40, 20, 0, RED), Clear()], maps).any()


def test_a_stroke_within_a_region_stays_in_it() -> None:
    maps = small()
    layer = paint([Stroke((40, 20, 0, 20), 9, RED, within=0)], maps)
    painted = layer[..., 3] > 0
    assert painted[20, 40]
    assert (maps.labels[0][painted] == maps.label(0, 40, 20)).all()
    assert not paint([Stroke((-1, 20, 40, 20), 9, RED, within=0)], maps).any()


def test_the_checksum_is_crc_32_of_the_bytes() -> None:
    layer = np.zeros((1, 1, 4), np.uint8)
    assert checksum(layer) == "2144df1c"
    nine = np.frombuffer(b"123456789123456789123456789123456789", np.uint8).reshape(3, 3, 4)
    assert checksum(nine) == checksum(nine.copy(order="F")) != checksum(nine[::-1])


def test_hundreds_of_actions_on_a_large_sketch_take_under_a_second() -> None:
    maps = regions(cat(512))
    rng = np.random.default_rng(5)
    actions: list[Action] = []
    for step in range(300):
        if step % 3:
            walk = np.cumsum(rng.integers(-6, 7, (80, 2)), axis=0) + 250
            actions.append(Stroke(tuple(walk.reshape(-1).tolist()), 24, RED, within=step % 4))
        else:
            x, y = (int(value) for value in rng.integers(0, 512, 2))
            actions.append(Fill(x, y, step % 4, BLUE))
    paint(actions[:4], maps)
    begin = time.process_time()
    paint(actions, maps)
    assert time.process_time() - begin < 1.0


@pytest.mark.parametrize("diameter", [1, 256])
def test_the_longest_stroke_is_painted(diameter: int) -> None:
    rng = np.random.default_rng(1)
    walk = tuple(rng.integers(-2048, 4097, 4096).tolist())
    assert paint([Stroke(walk, diameter, RED)], regions(cat(128)))[..., 3].any()
