"""The true color of an object of a render, as it is said beside verdicts."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.color.systems import parse_target
from truehue.core.generation.backends.reference import ReferenceRenderer
from truehue.core.generation.request import GenerationRequest
from truehue.core.generation.truth import describe_true_color, rendered_shape, true_color_hex
from truehue.core.prompts.prompt import ObjectTarget

RED, BLUE = parse_target("#C04040"), parse_target("#4060C0")


def origin(failure: str, *targets: ObjectTarget) -> dict:
    """What the renderer keeps of a picture that it drew."""
    request = GenerationRequest(
        model="reference-renderer",
        text="a scene",
        targets=targets,
        seed=1,
        width=64,
        height=64,
        options={"failure": failure},
    )
    image = ReferenceRenderer().draw([request], lambda step: None, Event())[0]
    return dict(image.origin)


def main(name: str, color: str) -> ObjectTarget:
    return ObjectTarget(name=name, color=parse_target(color))


def test_a_right_render_has_the_asked_color() -> None:
    known = origin("none", main("mug", "#C04040"))
    assert true_color_hex(known) == true_color_hex(known, " Mug ") == "#C04040"
    said = describe_true_color(known, RED, "mug")
    assert said == "Ground truth: rendered in exactly the target color, #C04040."


def test_a_failure_that_was_acted_says_how_far_it_is() -> None:
    known = origin("swapped", main("apple", "#C04040"), main("mug", "#4060C0"))
    assert true_color_hex(known, position=0) == "#4060C0"
    assert true_color_hex(known, position=1) == "#C04040"
    labs = [srgb8_to_lab(np.array(item.srgb8, dtype=np.uint8)) for item in (RED, BLUE)]
    apart = float(delta_e00(*labs))
    assert describe_true_color(known, RED, position=0) == (
        f"Ground truth: rendered in #4060C0, {apart:.1f} ΔE00 from the target color."
    )


@pytest.mark.parametrize(
    "known",
    [
        {},
        {"model": "sdxl-base-1.0", "objects": [{"target": 0, "name": "mug", "drawn": "#C04040"}]},
        {"model": "reference-renderer", "objects": [{"target": 0, "name": "mug", "drawn": None}]},
        {"model": "reference-renderer", "objects": "mug"},
        {"model": "reference-renderer", "objects": [{"name": "mug", "drawn": "no color"}]},
        {"model": "reference-renderer"},
    ],
)
def test_what_is_not_known_is_not_said(known: dict) -> None:
    assert describe_true_color(known, RED, "mug") == ""


def test_two_objects_of_one_name_need_their_position() -> None:
    known = origin("none", main("cup", "#C04040"), main("cup", "#4060C0"))
    assert true_color_hex(known, "cup") == ""
    assert true_color_hex(known, "plate") == ""
    assert true_color_hex(known, position=1) == "#4060C0"


def test_the_shape_that_stands_in_is_known() -> None:
    known = origin("none", main("sink", "#C04040"), main("mug", "#4060C0"))
    assert [rendered_shape(known, position) for position in (0, 1, 2)] == ["mug", "mug", ""]
    assert rendered_shape({**known, "model": "another"}, 0) == ""
