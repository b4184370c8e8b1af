"""The Generate tab's functions, called as its events call them, with a real storage."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import gradio as gr
import numpy as np
import pytest

from core.errors import BadInput, UnknownColor
from core.generation.registry import GenerationRequest, generate
from core.generation.renderer import LIGHTS, OBJECTS
from tabs import generate as tab
from tabs.context import Context
from tabs.links import read

RIGHT: dict[str, Any] = {
    "model_id": "reference-renderer", "object_name": "mug", "target_text": "css:teal",
    "light": "studio", "seed": 5, "size_px": 96,
}  # fmt: skip


@pytest.fixture(scope="session")
def view() -> tab.View:
    """The components of the Generate tab, in no running app."""
    with gr.Blocks():
        return tab.layout()


def restored(context: Context, view: tab.View, query: dict[str, str]) -> dict[str, Any]:
    """What a link sets, by the name of the component in the view."""
    names = {id(component): name for name, component in vars(view).items()}
    updates = tab.restore(context, query)
    return {
        names[id(component)]: update
        for component, update in zip(view.restored, updates, strict=True)
    }


def untouched(update: Any) -> bool:
    return isinstance(update, dict) and set(update) == {"__type__"}


@pytest.mark.parametrize("object_name", OBJECTS)
@pytest.mark.parametrize("light", LIGHTS)
def test_every_object_in_every_light_is_stored_exactly_with_its_mask(
    context: Context, object_name: str, light: str
) -> None:
    asked = {**RIGHT, "object_name": object_name, "light": light}
    record, _ = tab.draw(context, **asked)
    wanted = generate(
        GenerationRequest("reference-renderer", object_name, (0, 128, 128), light, 5, 96)
    )
    assert np.array_equal(context.storage.images.srgb8(record.image_id), wanted.srgb8)
    (mask,) = context.storage.masks.for_image(record.image_id)
    assert wanted.mask is not None
    assert np.array_equal(context.storage.masks.pixels(mask.mask_id), wanted.mask.pixels)
    assert (record.source, mask.maker) == ("render", "renderer")
    assert record.origin["model_id"] == "reference-renderer"
    assert record.origin["target"] == "css:teal"
    assert (record.origin["seed"], record.origin["light"]) == (5, light)
    assert record.name == f"{object_name}, teal, {light} light, seed 5"


def test_the_same_request_is_one_image(context: Context) -> None:
    first, _ = tab.draw(context, **RIGHT)
    again, _ = tab.draw(context, **RIGHT)
    assert first == again
    assert context.storage.images.count() == 1
    assert context.storage.masks.count() == 1


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        ({"seed": None}, BadInput, "whole number from 0"),
        ({"seed": -1}, BadInput, "whole number from 0"),
        ({"seed": 1.5}, BadInput, "whole number from 0"),
        ({"seed": 2**31}, BadInput, "whole number from 0"),
        ({"seed": 10**30}, BadInput, "whole number from 0"),
        ({"target_text": ""}, UnknownColor, "No color was given"),
        ({"target_text": None}, UnknownColor, "No color was given"),
        ({"target_text": "vivd red"}, UnknownColor, "Vivid red"),
        ({"target_text": "#12345"}, UnknownColor, "5 digits"),
        ({"target_text": "1, 2, 256"}, UnknownColor, "blue"),
        ({"object_name": "anvil"}, BadInput, "sphere, cube"),
        ({"light": "disco"}, BadInput, "studio"),
        ({"size_px": 63}, BadInput, "64 to 2048"),
        ({"size_px": 4096}, BadInput, "64 to 2048"),
        ({"model_id": "dreams"}, BadInput, "reference-renderer"),
    ],
)
def test_what_cannot_be_drawn_is_explained_and_nothing_is_stored(
    context: Context, wrong: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        tab.draw(context, **{**RIGHT, **wrong})
    assert context.storage.images.count() == 0
    assert context.storage.masks.count() == 0


@pytest.mark.parametrize("target", ["css:teal", "l3:Vivid reddish orange", "#0A8C3F"])
def test_the_link_of_a_picture_fills_the_controls_and_shows_it(
    context: Context, view: tab.View, target: str
) -> None:
    asked = {**RIGHT, "target_text": target, "light": "window", "size_px": 256}
    record, address = tab.draw(context, **asked)
    query = read(dict(parse_qsl(urlsplit(address).query)))
    found = restored(context, view, query)
    assert found["model"] == "reference-renderer"
    assert (found["object_name"], found["light"], found["seed"]) == ("mug", "window", 5)
    assert found["target"]["value"] == target
    assert found["light_text"] == LIGHTS["window"].description
    assert found["size"] == 256
    assert found["picture"]["view"]["url"] == f"/media/images/{record.image_id}.png"
    assert found["to_inspect"]["interactive"] is True


def test_a_link_to_a_picture_that_is_not_stored_fills_the_controls_and_says_so(
    context: Context, view: tab.View
) -> None:
    found = restored(context, view, {"tab": "generate", "image": "f" * 16, "seed": "8"})
    assert found["seed"] == 8
    assert "cannot be shown here" in found["picture"]["view"]["error"]
    assert untouched(found["to_inspect"])


@pytest.mark.parametrize(
    "query",
    [
        {"tab": "generate"},
        {"tab": "generate", "seed": "-1", "object": "anvil", "model": "x"},
        {"tab": "generate", "seed": "9" * 190, "size": "9" * 190},
        {"tab": "generate", "seed": "²", "size": "²"},
        {"tab": "generate", "light": "disco", "seed": "1.5", "size": "100"},
    ],
)
def test_a_link_with_nonsense_in_it_leaves_the_controls_usable(
    context: Context, view: tab.View, query: dict[str, str]
) -> None:
    found = restored(context, view, query)
    for name in ("model", "object_name", "seed", "size", "picture", "drawn", "to_inspect"):
        assert untouched(found[name]), name
    assert found["light"] == "studio"


def test_a_link_to_another_tab_changes_nothing(context: Context, view: tab.View) -> None:
    found = restored(context, view, {"tab": "inspect", "seed": "3", "light": "hard"})
    assert all(untouched(update) for update in found.values())
