"""The set: its colors, what they are judged against, and objects of two materials."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import unpack_srgb24
from truehue.core.color.systems import find, parse_target, system
from truehue.core.diagnosis.colors import (
    SECOND_HEX,
    TWO_MATERIAL_OBJECTS,
    make_query,
    near_colors,
    render_image,
    second_color,
    set_colors,
)
from truehue.core.errors import BadInput
from truehue.core.generation.renderer import RenderRequest, render
from truehue.core.generation.renderer.two_materials import render_two_materials

pytestmark = pytest.mark.slow


def test_29_and_147_colors() -> None:
    assert len(set_colors("l2")) == 29
    names = [color.name for color in set_colors("css")]
    assert len(names) == 147
    assert "rebeccapurple" not in names
    assert {"aqua", "cyan", "gray", "grey"} <= set(names)


@pytest.mark.parametrize("system_id", ["l2", "css"])
def test_near_colors_are_the_five_nearest_that_are_far_enough(system_id: str) -> None:
    for color in set_colors(system_id)[::7]:
        near = near_colors(color.srgb8, system_id)
        every = {
            other.srgb8: float(delta_e00(np.array(color.lab), np.array(other.lab)))
            for other in set_colors(system_id)
        }
        wanted = sorted(distance for distance in every.values() if distance >= 10.0)[:5]
        assert [every[other.srgb8] for other in near] == pytest.approx(wanted)
        assert len({other.srgb8 for other in near}) == 5


def test_a_hex_is_asked_for_beside_names() -> None:
    color_query = make_query("#E83B1B", "l2")
    assert color_query.true.hex == "#E83B1B"
    assert [target.system for target in color_query.near] == ["l2"] * 5
    assert color_query.targets[0] is color_query.true


def test_second_colors_take_turns_and_are_seen() -> None:
    turns = [second_color(number, (0, 200, 220)) for number in range(len(SECOND_HEX))]
    assert turns == list(SECOND_HEX)
    assert second_color(0, (250, 250, 250)) == SECOND_HEX[1]
    for color in set_colors("css"):
        for number in range(len(SECOND_HEX)):
            other = parse_target(second_color(number, color.srgb8))
            assert delta_e00(np.array(color.lab), np.array(other.lab)) >= 20.0


def test_a_picture_is_the_renderers() -> None:
    srgb8, mask = render_image("mug", "window", 1, "#E83B1B", 96)
    rendering = render(RenderRequest("mug", (0xE8, 0x3B, 0x1B), "window", 1, 96))
    assert (srgb8 == rendering.srgb8).all()
    assert (mask == rendering.mask.pixels).all()


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", TWO_MATERIAL_OBJECTS)
def test_two_materials_share_one_mask(name: str, seed: int) -> None:
    target, second = (200, 60, 40), (47, 111, 192)
    two_material_rendering = render_two_materials(name, target, second, "even", seed, 192)
    assert not (two_material_rendering.asked & two_material_rendering.second).any()
    both = two_material_rendering.asked | two_material_rendering.second
    assert 0.09 < two_material_rendering.second.sum() / both.sum() < 0.41
    assert (two_material_rendering.mask | ~both).all()
    # Only pixels on the line between the two belong to the object and to neither.
    assert both.sum() > 0.93 * two_material_rendering.mask.sum()
    # Under even light every pixel of a material shows its color to the last bit.
    assert (two_material_rendering.srgb8[two_material_rendering.asked] == target).all()
    assert (two_material_rendering.srgb8[two_material_rendering.second] == second).all()
    # The object is seen as in its picture of one material.
    alone = render(RenderRequest(name, target, "even", seed, 192)).mask.pixels
    assert (two_material_rendering.mask | ~alone).all()


def test_two_materials_of_one_color_are_one_material() -> None:
    color = (200, 60, 40)
    both = render_two_materials("mug", color, color, "studio", 0, 192)
    alone = render(RenderRequest("mug", color, "studio", 0, 192))
    differs = np.abs(both.srgb8.astype(int) - alone.srgb8).max(axis=2)[alone.mask.pixels]
    # Where the solids meet, a line of pixels is lit a little differently.
    assert (differs > 3).mean() < 0.02


def test_the_second_material_has_its_color_in_the_set() -> None:
    srgb8, mask = render_image("book", "even", 0, "#E83B1B", 96, "#2F6FC0")
    packed = {tuple(int(v) for v in pixel) for pixel in srgb8[mask]}
    assert {(0xE8, 0x3B, 0x1B), tuple(int(v) for v in unpack_srgb24(np.uint32(0x2F6FC0)))} <= packed


def test_what_has_one_material_is_refused() -> None:
    with pytest.raises(BadInput, match="two materials"):
        render_image("banana", "even", 0, "#E83B1B", 96, "#2F6FC0")


def test_colors_that_share_a_value_are_found_by_their_own_name() -> None:
    assert find("cyan", "css").name == "cyan"
    assert len(system("css").colors) == 148
