"""Failures acted out: measured in CIELAB, and said."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.color.difference import delta_e00, hue_difference_deg
from truehue.core.color.spaces import chroma, srgb8_to_lab
from truehue.core.color.systems import SYSTEMS, system
from truehue.core.errors import BadInput
from truehue.core.generation.renderer import FAILURES
from truehue.core.generation.renderer.checks import in_srgb
from truehue.core.generation.renderer.failures import (
    LEAK_SHARE,
    VIVID_FACTOR,
    Cast,
    act,
    mix_colors,
    more_vivid,
)
from truehue.core.generation.renderer.usual import choose_usual_color, default_color, neutral

BLUE, RED, GRAY = (60, 90, 160), (180, 60, 50), (119, 119, 119)
DULL = (110, 100, 125)


def lab(srgb8: tuple[int, int, int]) -> np.ndarray:
    return np.asarray(srgb8_to_lab(np.array(srgb8)))


def apart(first: tuple[int, int, int], second: tuple[int, int, int]) -> float:
    return float(delta_e00(lab(first), lab(second)))


def named(system_id: str) -> list[tuple[int, int, int]]:
    return [color.srgb8 for color in system(system_id).colors]


def two(first: tuple[int, int, int], second: tuple[int, int, int]) -> list[Cast]:
    return [Cast("banana", "banana", first, first), Cast("apple", "apple", second, second)]


def test_every_failure_says_what_it_does() -> None:
    assert list(FAILURES) == [
        "none",
        "ignored",
        "leaked",
        "swapped",
        "too-vivid",
        "one-missing",
        "modifier-ignored",
        "modifier-overshot",
    ]
    assert all(text.endswith(".") for text in FAILURES.values())
    with pytest.raises(BadInput, match="none, ignored"):
        act("melted", two(BLUE, RED))


def test_none_changes_nothing() -> None:
    done = act("none", two(BLUE, RED))
    assert done.colors == (BLUE, RED)
    assert not done.acted
    assert done.notes == ()


def test_ignored_gives_objects_their_usual_colors() -> None:
    done = act("ignored", two(BLUE, BLUE))
    assert done.colors == (default_color("banana", "banana"), default_color("apple", "apple"))
    assert done.acted
    assert len(done.notes) == 2
    # An apple that is asked to be apple red becomes the other usual color.
    red = default_color("apple", "apple")
    assert red is not None
    assert apart(choose_usual_color("apple", "apple", red), red) >= 10.0


@pytest.mark.parametrize("system_id", list(SYSTEMS))
def test_no_usual_color_is_near_the_asked_one(system_id: str) -> None:
    for target in named(system_id):
        for name in ("banana", "apple", "taxi", "cube", "elephant"):
            assert apart(choose_usual_color(name, "cube", target), target) >= 10.0, (name, target)
        assert apart(neutral([target]), target) >= 20.0


def test_a_neutral_gray_keeps_away_from_several_colors() -> None:
    gray = neutral([GRAY, (185, 185, 185)])
    assert gray == (59, 59, 59)
    assert neutral([]) == GRAY
    crowded = [(v, v, v) for v in (30, 59, 119, 185, 224)]
    assert neutral(crowded) in crowded


def test_leaked_moves_the_neighbor_toward_the_first() -> None:
    done = act("leaked", two(BLUE, RED))
    assert done.colors[0] == BLUE
    leaked = done.colors[1]
    assert leaked is not None
    np.testing.assert_allclose(
        lab(leaked), (1 - LEAK_SHARE) * lab(RED) + LEAK_SHARE * lab(BLUE), atol=0.6
    )
    assert apart(leaked, RED) > 10.0
    assert done.stage_tint_srgb8 == (255, 255, 255)


def test_leaked_tints_the_backdrop_of_an_object_alone() -> None:
    done = act("leaked", two(BLUE, RED)[:1])
    assert done.colors == (BLUE,)
    assert float(hue_difference_deg(lab(done.stage_tint_srgb8), lab(BLUE))) < 3.0
    assert float(chroma(lab(done.stage_tint_srgb8))) > 8.0
    gray = act("leaked", [Cast("cube", "cube", GRAY, GRAY)])
    assert not gray.acted
    assert "cannot tint" in gray.notes[0]


def test_swapped_exchanges_two_colors() -> None:
    assert act("swapped", two(BLUE, RED)).colors == (RED, BLUE)
    bystander = [Cast("mug", "mug", BLUE, BLUE), Cast("table", "chair", GRAY, None)]
    assert act("swapped", bystander).colors == (GRAY, BLUE)
    # A third object keeps its own.
    three = [*two(BLUE, RED), Cast("mug", "mug", GRAY, GRAY)]
    assert act("swapped", three).colors == (RED, BLUE, GRAY)
    for nobody in (two(BLUE, BLUE), two(BLUE, RED)[:1]):
        done = act("swapped", nobody)
        assert not done.acted
        assert "nothing is swapped" in done.notes[0]


@pytest.mark.parametrize("system_id", list(SYSTEMS))
def test_too_vivid_raises_chroma_alone(system_id: str) -> None:
    """In whole color systems: lightness and hue stay within the rounding to 8 bits."""
    raised = 0
    for srgb8 in named(system_id):
        vivid, factor = more_vivid(srgb8)
        before, after = lab(srgb8), lab(vivid)
        assert 1.0 <= factor <= VIVID_FACTOR + 1e-9
        if factor == 1.0:
            assert vivid == srgb8
            continue
        raised += 1
        assert abs(after[0] - before[0]) < 0.6, srgb8
        assert chroma(after) == pytest.approx(factor * chroma(before), abs=1.6)
        # Hue as a distance: at little chroma the rounding turns the angle more.
        turned = np.deg2rad(float(hue_difference_deg(after, before)))
        assert turned * chroma(after) < 1.6, srgb8
    assert raised > 0.4 * len(named(system_id))


def test_too_vivid_leaves_grays_and_says_so() -> None:
    done = act("too-vivid", [Cast("mug", "mug", GRAY, GRAY)])
    assert done.colors == (GRAY,)
    assert not done.acted
    assert "no chroma" in done.notes[0]
    done = act("too-vivid", [Cast("mug", "mug", (255, 0, 0), (255, 0, 0))])
    assert not done.acted
    assert "sRGB allows" in done.notes[0]
    # A bystander is nobody's color: it stays.
    done = act("too-vivid", [Cast("mug", "mug", DULL, DULL), Cast("box", "cube", RED, None)])
    assert done.colors[1] == RED
    assert done.acted
    assert "1.60 times" in done.notes[0]


def test_bringing_into_srgb_takes_chroma_only() -> None:
    far = np.array((60.0, 90.0, -110.0))
    near = in_srgb(far)
    assert near[0] == far[0]
    assert near[1] / far[1] == pytest.approx(near[2] / far[2])
    assert 0.2 < near[1] / far[1] < 1.0
    np.testing.assert_array_equal(in_srgb(lab(RED)), lab(RED))
    assert mix_colors(RED, BLUE, 0.0) == RED
    assert mix_colors(RED, BLUE, 1.0) == BLUE


def test_one_missing_is_the_second() -> None:
    done = act("one-missing", two(BLUE, RED))
    assert done.colors == (BLUE, None)
    assert done.acted
    alone = act("one-missing", two(BLUE, RED)[:1])
    assert not alone.acted
    assert "no second object" in alone.notes[0]
