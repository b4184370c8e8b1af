"""The reference renderer as a model: what it draws of a prompt's targets, and what it says."""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import hex_of, srgb8_to_lab
from truehue.core.color.systems import ColorTarget, parse_target
from truehue.core.errors import BadInput
from truehue.core.generation.backends.reference import (
    STEPS,
    ReferenceRenderer,
    shapes_for,
    stand_in_note,
)
from truehue.core.generation.renderer import OBJECTS, RenderRequest, render
from truehue.core.generation.renderer.scenes import forget_scenes
from truehue.core.generation.renderer.stand_ins import is_location, stand_in
from truehue.core.generation.request import (
    Cancelled,
    GeneratedImage,
    GenerationRequest,
    LoadedModel,
    StepReport,
)
from truehue.core.prompts.prompt import ObjectTarget

pytestmark = pytest.mark.slow

ASSETS = Path(__file__).resolve().parents[4] / "assets" / "prompts" / "gencolorbench"
GREEN, RED = parse_target("css:SeaGreen"), parse_target("css:FireBrick")
SIZE = 96


def target(name: str, color: ColorTarget | None = None, role: str = "main") -> ObjectTarget:
    return ObjectTarget(name, color, role=role)


def asked(
    *targets: ObjectTarget, seed: int = 3, options: Mapping[str, Any] | None = None
) -> GenerationRequest:
    return GenerationRequest(
        model="reference-renderer",
        text="A picture.",
        seed=seed,
        width=SIZE,
        height=SIZE,
        targets=targets,
        options={"light": "even", **(options or {})},
    )


def drawn(request: GenerationRequest) -> GeneratedImage:
    return ReferenceRenderer().draw([request], lambda report: None, Event())[0]


def color_in(image: GeneratedImage, number: int) -> tuple[int, int, int]:
    """The one color that a mask holds in even light."""
    inside = image.srgb8[image.masks[number].mask.pixels]
    assert (inside == inside[0]).all()
    return int(inside[0][0]), int(inside[0][1]), int(inside[0][2])


def apart(first: tuple[int, int, int], second: tuple[int, int, int]) -> float:
    lab = srgb8_to_lab(np.array((first, second)))
    return float(delta_e00(lab[0], lab[1]))


def test_one_object_is_the_picture_of_the_renderer() -> None:
    model: LoadedModel = ReferenceRenderer()
    image = model.draw([asked(target("mug", GREEN))], lambda report: None, Event())[0]
    alone = render(RenderRequest("mug", GREEN.srgb8, "even", 3, SIZE))
    assert image.srgb8.tobytes() == alone.srgb8.tobytes()
    assert image.masks[0].target == 0
    assert image.masks[0].mask.content_sha256 == alone.mask.content_sha256
    assert image.masks[0].mask.maker == "renderer"
    assert image.notes == ()


def test_several_objects_each_with_its_color_and_mask() -> None:
    image = drawn(asked(target("apple", GREEN), target("book", RED)))
    assert [mask.target for mask in image.masks] == [0, 1]
    assert [color_in(image, number) for number in (0, 1)] == [GREEN.srgb8, RED.srgb8]


def test_a_reference_shares_the_color_and_a_bystander_is_gray() -> None:
    image = drawn(asked(target("mug", GREEN), target("teapot", role="reference")))
    assert color_in(image, 1) == GREEN.srgb8
    for color in (GREEN, parse_target("css:Gray"), parse_target("css:Silver")):
        image = drawn(asked(target("mug", color), target("chair", role="bystander")))
        gray = color_in(image, 1)
        assert gray[0] == gray[1] == gray[2]
        assert apart(gray, color.srgb8) >= 20.0


def test_a_place_is_left_out_and_a_thing_is_drawn_beside() -> None:
    image = drawn(asked(target("car", RED), target("sidewalk", role="bystander")))
    assert [mask.target for mask in image.masks] == [0]
    assert image.notes == ("The renderer has no scenery: the sidewalk is left out.",)
    assert image.origin["objects"][1]["shape"] is None
    image = drawn(asked(target("apple", RED), target("white plate", role="bystander")))
    assert [mask.target for mask in image.masks] == [0, 1]
    assert image.notes == ("Rendered with a torus shape (no white plate model).",)
    # What a prompt asks to be colored is always drawn.
    image = drawn(asked(target("beach", RED)))
    assert image.notes == ("Rendered with a cube shape (no beach model).",)


def test_an_object_that_no_color_is_asked_of_has_its_usual_one() -> None:
    image = drawn(asked(target("banana")))
    assert hex_of(color_in(image, 0)) == "#F1D02F"
    assert image.notes == ("The banana has no target color: it is rendered in its usual one.",)
    assert image.origin["objects"][0]["asked"] is None
    image = drawn(asked(target("wrench")))
    assert color_in(image, 0) == (119, 119, 119)
    assert image.notes[-1] == "The wrench has no target color: it is rendered in a gray."


def test_every_object_of_the_benchmark_has_a_shape() -> None:
    path = ASSETS / "objects.csv"
    if not path.exists():
        pytest.skip("The benchmark's objects are not there.")
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 108
    used = set()
    for row in rows:
        result = stand_in(row["name"])
        # By name, not by category: every one of them was thought about.
        assert result == stand_in(row["name"], row["category"]), row["name"]
        assert result == stand_in(row["name"], "Vehicles"), row["name"]
        assert not is_location(row["name"])
        used.add(result.shape)
        note = stand_in_note(row["name"])
        assert (note == "") == result.itself
    assert used == set(OBJECTS)
    alone = {row["name"] for row in rows if stand_in(row["name"]).itself}
    assert alone == {
        "apple",
        "banana",
        "book",
        "car",
        "chair",
        "hat",
        "mug",
        "sports ball",
        "teapot",
        "teddy bear",
        "vase",
    }


def test_the_second_objects_of_the_benchmark_are_drawn_or_places() -> None:
    path = ASSETS / "contextual.csv"
    if not path.exists():
        pytest.skip("The benchmark's templates are not there.")
    with path.open(encoding="utf-8", newline="") as lines:
        seconds = {row["second_object"] for row in csv.DictReader(lines)} - {""}
    drawn_ones = {name for name in seconds if not is_location(name)}
    assert {"plate", "table", "orange", "chair", "ball"} <= drawn_ones
    assert {"sidewalk", "sky", "wall", "pond", "grass", "kitchen counter"} <= seconds - drawn_ones


def test_names_are_read_as_people_write_them() -> None:
    assert stand_in("Wooden Table").shape == "chair"
    assert stand_in("books") == stand_in("book")
    assert stand_in("A T-shirt").shape == "hat"
    assert stand_in("gizmo").shape == "cube"
    assert stand_in("capybara", "Animals").shape == "teddy bear"
    assert stand_in("dragonfruit", "Fruits").shape == "apple"
    assert stand_in_note("refrigerator") == "Rendered with a cube shape (no refrigerator model)."
    assert stand_in_note("mango") == "Rendered with an apple shape (no mango model)."


def test_shapes_can_be_told_before_drawing() -> None:
    targets = (target("oven", RED), target("chair", role="bystander"), target("sink", GREEN))
    placed_targets = shapes_for(targets)
    assert [placed_target.shape for placed_target in placed_targets] == ["cube", "chair", "mug"]
    assert [bool(placed_target.note) for placed_target in placed_targets] == [True, False, True]
    image = drawn(asked(*targets))
    assert [item["shape"] for item in image.origin["objects"]] == ["cube", "chair", "mug"]
    wished = drawn(asked(target("oven", RED), options={"shape": "car"}))
    assert wished.origin["objects"][0]["shape"] == "car"
    assert "'car'" in wished.notes[0]


@pytest.mark.parametrize(
    ("failure", "first", "second"),
    [
        ("none", GREEN.hex, RED.hex),
        ("swapped", RED.hex, GREEN.hex),
        ("ignored", "#F1D02F", "#B5252B"),
    ],
)
def test_failures_are_drawn_and_kept_in_the_origin(failure: str, first: str, second: str) -> None:
    request = asked(target("banana", GREEN), target("mango", RED), options={"failure": failure})
    if failure == "ignored":
        request = asked(target("banana", GREEN), target("apple", GREEN), options=request.options)
    image = drawn(request)
    assert [hex_of(color_in(image, number)) for number in (0, 1)] == [first, second]
    objects = image.origin["objects"]
    assert [item["drawn"] for item in objects] == [first, second]
    assert objects[0]["asked"] == GREEN.value
    assert image.origin["failure"] == failure
    assert image.origin["failure_acted"] == (failure != "none")


def test_one_missing_has_one_mask_less() -> None:
    request = asked(target("mug", GREEN), target("hat", RED), options={"failure": "one-missing"})
    image = drawn(request)
    assert [mask.target for mask in image.masks] == [0]
    assert image.origin["objects"][1]["drawn"] is None
    assert "Simulated: the hat is missing." in image.notes


def test_leaked_alone_tints_the_backdrop() -> None:
    plain = drawn(asked(target("mug", GREEN)))
    leaked = drawn(asked(target("mug", GREEN), options={"failure": "leaked"}))
    inside = plain.masks[0].mask.pixels
    np.testing.assert_array_equal(plain.srgb8[inside], leaked.srgb8[inside])
    corner = leaked.srgb8[0, 0].astype(int)
    assert corner[1] > corner[0] + 5
    lab = srgb8_to_lab(np.stack([plain.srgb8[0, 0], leaked.srgb8[0, 0]]))
    assert float(delta_e00(lab[0], lab[1])) > 5.0


@pytest.mark.process
def test_the_origin_draws_the_same_again() -> None:
    request = asked(
        target("banana", GREEN), target("hat", RED), options={"light": "hard", "failure": "leaked"}
    )
    image = drawn(request)
    origin = json.loads(json.dumps(dict(image.origin)))
    code = (
        "import hashlib, json, sys\n"
        "from truehue.core.generation.renderer import SceneObject, SceneRequest, render_scene\n"
        "scene = json.load(sys.stdin)\n"
        "objects = tuple(SceneObject(o['shape'], tuple(o['albedo_srgb8']))"
        " for o in scene['objects'])\n"
        "tint = tuple(scene['stage_tint_srgb8'])\n"
        "again = render_scene(SceneRequest("
        "objects, scene['light'], scene['seed'], scene['size_px'], tint))\n"
        "print(hashlib.sha256(again.srgb8.tobytes()).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(origin["scene"]),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == hashlib.sha256(image.srgb8.tobytes()).hexdigest()
    assert origin["model"] == "reference-renderer"
    assert origin["object_name"] == "banana"
    assert parse_target(origin["target"]) == parse_target(GREEN.value)


def test_a_batch_is_drawn_in_order_and_the_same_as_one_by_one() -> None:
    requests = [asked(target("mug", GREEN), seed=n) for n in (1, 2)]
    requests.append(asked(target("hat", RED), target("cube", GREEN)))
    reports: list[StepReport] = []
    together = ReferenceRenderer().draw(requests, reports.append, Event())
    forget_scenes()
    alone = [drawn(request) for request in reversed(requests)][::-1]
    assert [image.srgb8.tobytes() for image in together] == [i.srgb8.tobytes() for i in alone]
    assert {report.steps for report in reports} == {3 * STEPS}
    steps = [report.step for report in reports]
    assert steps == sorted(set(steps))
    assert steps[-1] == 3 * STEPS
    last = reports[-1].preview_srgb8
    assert last is not None
    assert last.dtype == np.uint8
    assert max(last.shape[:2]) <= 128


def test_a_fresh_picture_reports_every_step() -> None:
    forget_scenes()
    reports: list[StepReport] = []
    ReferenceRenderer().draw([asked(target("cube", RED))], reports.append, Event())
    assert [report.step for report in reports] == list(range(1, STEPS + 1))


def test_a_cancel_takes_effect_within_a_step() -> None:
    forget_scenes()
    stop = Event()
    reports: list[StepReport] = []

    def on_step(report: StepReport) -> None:
        reports.append(report)
        if report.step == 3:
            stop.set()

    model = ReferenceRenderer()
    with pytest.raises(Cancelled):
        model.draw([asked(target("teapot", RED), seed=77)], on_step, stop)
    assert reports[-1].step == 3
    assert model.memory_bytes == 0
    # Also before the first step, and when the scene is kept.
    drawn(asked(target("teapot", RED), seed=77))
    assert model.memory_bytes > 0
    with pytest.raises(Cancelled):
        model.draw([asked(target("teapot", RED), seed=77)], on_step, stop)
    model.unload()
    assert model.memory_bytes == 0


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"targets": ()}, "needs an object and a color"),
        ({"targets": (target(" ", RED),)}, "needs a name"),
        ({"targets": (target("cube", RED),) * 5}, "one to 4"),
        ({"options": {"light": "disco"}}, "studio"),
        ({"options": {"light": ["even"]}}, "studio"),
        ({"options": {"failure": "melted"}}, "too-vivid"),
        ({"options": {"shape": "anvil"}}, "teapot"),
        ({"options": {"lens": 50}}, "light, failure, shape"),
        ({"height": 200}, "squares"),
        ({"width": 32, "height": 32}, "64 to 2048"),
        ({"width": 4096, "height": 4096}, "64 to 2048"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**31}, "seed"),
    ],
)
def test_what_cannot_be_drawn_is_said(change: dict[str, Any], text: str) -> None:
    values = vars(asked(target("cube", RED))) | change
    with pytest.raises(BadInput, match=text):
        drawn(GenerationRequest(**values))
