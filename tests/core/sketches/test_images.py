"""Pictures: PNG with the same pixels, SVG that covers every pixel with its own color."""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from tests.core.sketches.drawings import cat
from truehue.core.errors import BadInput, MaskError
from truehue.core.sketches.images import composite, ink_png, layer_png, outlines, svg

SVG = "{http://www.w3.org/2000/svg}"


def covered(path: str, shape: tuple[int, ...]) -> np.ndarray:
    """The pixels inside a path of lines along the axes, by even and odd crossings to the left."""
    crossings = np.zeros((shape[0], shape[1] + 1), np.int64)
    for loop in path.strip("z").split("z"):
        x, y = (int(value) for value in re.match(r"M(\d+) (\d+)", loop).groups())  # type: ignore[union-attr]
        first = y
        for way, step in re.findall(r"([hv])(-?\d+)", loop):
            if way == "h":
                x += int(step)
            else:
                crossings[min(y, y + int(step)) : max(y, y + int(step)), x] += 1
                y += int(step)
        crossings[min(y, first) : max(y, first), x] += 1  # z closes by a vertical line
    return np.cumsum(crossings, axis=1)[:, :-1] % 2 == 1


@settings(max_examples=80, deadline=None)
@given(
    arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9)), elements=st.integers(0, 3))
)
def test_every_pixel_is_in_the_path_of_its_area_alone(areas: np.ndarray) -> None:
    paths = outlines(areas)
    assert set(paths) == set(np.unique(areas).tolist()) - {0}
    for number, path in paths.items():
        assert (covered(path, areas.shape) == (areas == number)).all()


def test_an_outline_by_hand() -> None:
    assert outlines(np.array([[0, 5], [5, 5]])) == {5: "M1 0h1v2h-2v-1h1z"}
    assert outlines(np.zeros((3, 3), int)) == {}


def colored(ink: np.ndarray) -> np.ndarray:
    layer = np.zeros((*ink.shape, 4), np.uint8)
    layer[10:60, 5:90] = (255, 128, 0, 255)
    layer[40:50, 20:30] = (255, 255, 255, 255)
    return layer


def test_the_svg_has_every_color_and_all_ink_exactly_and_no_raster() -> None:
    ink = cat(128)
    layer = colored(ink)
    document = svg(ink, layer)
    tree = ElementTree.fromstring(document)
    assert not list(tree.iter(f"{SVG}image"))
    again = np.full((*ink.shape, 3), 255, np.int64)
    below, above = (list(group) for group in tree.iter(f"{SVG}g"))
    for path in below:
        again[covered(path.get("d", ""), ink.shape)] = [
            *bytes.fromhex(path.get("fill", "")[1:]),
        ]
    darkness = np.zeros(ink.shape)
    for path in above:
        darkness[covered(path.get("d", ""), ink.shape)] = float(path.get("fill-opacity", "1"))
    assert (np.rint(255 - 255 * darkness) == ink).all()
    blended = np.rint(again * (1 - darkness[..., None]))
    assert np.abs(blended - composite(ink, layer)).max() <= 1


@dataclass(frozen=True)
class Line:
    def svg(self) -> str:
        return (
            '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" '
            'viewBox="0 0 9 9" stroke-width="2"><title>line</title><path d="M0 0L9 9"/></svg>\n'
        )


def test_a_drawing_keeps_its_own_paths() -> None:
    ink = cat(128)
    tree = ElementTree.fromstring(svg(ink, colored(ink), Line()))
    nested = tree.find(f"{SVG}g[@id='ink']/{SVG}svg")
    assert nested is not None
    size = {"width": "128", "height": "128"}
    assert nested.attrib == {**size, "viewBox": "0 0 9 9", "stroke-width": "2"}
    assert [path.get("d") for path in nested] == ["M0 0L9 9"]


def test_png_files_have_the_same_pixels() -> None:
    ink = cat(128)
    lines = np.asarray(Image.open(BytesIO(ink_png(ink))))
    assert lines.shape == (128, 128, 2)
    assert (lines[..., 0] == 0).all()
    assert (lines[..., 1] == 255 - ink).all()
    image = Image.open(BytesIO(layer_png(colored(ink))))
    assert image.mode == "RGBA"
    assert (np.asarray(image) == colored(ink)).all()


def test_ink_lies_over_colors_over_white() -> None:
    ink = np.full((8, 8), 255, np.uint8)
    ink[0], ink[1] = 0, 128
    layer = np.zeros((8, 8, 4), np.uint8)
    layer[:, 0] = (200, 100, 0, 255)
    seen = composite(ink, layer)
    assert seen[:3, 0].tolist() == [[0, 0, 0], [100, 50, 0], [200, 100, 0]]
    assert seen[:3, 1].tolist() == [[0, 0, 0], [128, 128, 128], [255, 255, 255]]


def test_other_sizes_are_refused() -> None:
    ink = cat(64)
    for wrong in (np.zeros((64, 63, 4), np.uint8), np.zeros((64, 64, 3), np.uint8)):
        with pytest.raises(MaskError):
            svg(ink, wrong)
    with pytest.raises(BadInput):
        ink_png(np.zeros((9, 9), bool))


def test_a_large_svg_is_not_slow_to_fill() -> None:
    """All of a picture in one color: its outline is looked at only where something changes."""
    areas = np.ones((300, 300), int)
    assert outlines(areas) == {1: "M0 0h300v300h-300z"}
