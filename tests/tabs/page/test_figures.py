"""The charts are what plotly accepts, and no color in them is made up."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from PIL import Image

from tests.charts import plotly_of
from tests.core.photographs import object_photograph
from truehue.core.color.spaces import hex_of, lab_to_srgb8
from truehue.core.color.systems import parse_target
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import Measurement, measure
from truehue.core.verdict.rules import RULES
from truehue.tabs.page import figures
from truehue.tabs.page.context import ROOT

pytestmark = pytest.mark.slow

STYLE = (ROOT / "assets/css/page/page.css").read_text("utf-8")


CASES = [
    *(
        (by.id, target, k)
        for by in RULES
        for target, k in (("l3:Vivid reddish orange", 3), ("#4060A0", 0), ("css:gray", 0))
    ),
    ("one gray", "css:gray", 0),
    ("black", "css:white", 0),
]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def found(request: pytest.FixtureRequest) -> Measurement:
    """A photograph by every rule, or an image of one color by the paper's."""
    rule_id, target, k = request.param
    flat = {"one gray": 128, "black": 0}.get(rule_id)
    if flat is None:
        srgb8, truth = object_photograph(96)
        return measure(srgb8, truth, parse_target(target), rule_id, acceptance=Acceptance(k))
    srgb8 = np.full((20, 20, 3), flat, np.uint8)
    return measure(srgb8, np.ones((20, 20), bool), parse_target(target))


def colors_in(part: Any, key: str = "") -> Iterator[str]:
    """Every text that stands where a color may, below ``part``."""
    if isinstance(part, dict):
        for name, value in part.items():
            yield from colors_in(value, name)
    elif isinstance(part, list):
        for value in part:
            yield from colors_in(value, key)
    elif isinstance(part, str) and "color" in key:
        yield part


@pytest.mark.parametrize("draw", [figures.chromaticity, figures.lightness])
def test_a_figure_is_valid_and_its_colors_are_measured_or_the_pages(
    draw: Any, found: Measurement
) -> None:
    figure = plotly_of(draw(found))
    # Plotly checks every name and every value.
    again = go.Figure(figure)
    assert len(again.data) >= 1
    assert found.verdict.lab is not None
    measured = {candidate.hex for candidate in found.candidates}
    measured.add(hex_of(lab_to_srgb8(np.array(found.verdict.lab))))
    if found.verdict.light is not None:
        measured.add(hex_of(lab_to_srgb8(np.array(found.verdict.light.seen_lab))))
    seen = set(colors_in(figure))
    assert seen
    for color in seen:
        name = re.fullmatch(r"var\((--th-[a-z]+)\)", color)
        if name:
            assert f"{name[1]}:" in STYLE
        else:
            # "rgba(0,0,0,0)" lets the page through.
            assert color in measured | {"rgba(0,0,0,0)"}


def test_found_and_asked_stand_where_they_were_measured(found: Measurement) -> None:
    figure = figures.chromaticity(found)
    assert found.verdict.lab is not None
    points = {
        series["rows"][0]["hover"]: (
            series["rows"][0]["x"],
            series["rows"][0]["y"],
            series["marker"]["color"],
        )
        for series in figure["series"]
        if "marker" in series
    }
    assert points["measured"][:2] == pytest.approx(found.verdict.lab[1:])
    candidate = found.candidates[0]
    label = f"target: {candidate.name or candidate.hex}"
    assert points[label][:2] == pytest.approx(candidate.lab[1:])
    assert points[label][2] == candidate.hex
    (low_a, high_a), (low_b, high_b) = (figure[axis]["range"] for axis in "xy")
    for a, b, _ in points.values():
        assert low_a < a < high_a
        assert low_b < b < high_b
    assert low_a < 0 < high_a
    assert low_b < 0 < high_b
    # One unit of a* is as long as one of b*, or distances and angles would lie.
    assert high_a - low_a == pytest.approx(high_b - low_b)
    assert figure["y"]["scaleanchor"] == "x"


def test_the_density_is_drawn_in_colors_of_the_pixels() -> None:
    srgb8 = np.full((20, 20, 3), (200, 80, 40), np.uint8)
    result = measure(srgb8, np.ones((20, 20), bool), parse_target("css:red"))
    (image,) = figures.chromaticity(result)["images"]
    data = base64.b64decode(image["source"].removeprefix("data:image/png;base64,"))
    with Image.open(io.BytesIO(data)) as opened:
        rgba8 = np.asarray(opened)
    sample = rgba8[rgba8[..., 3] > 0][:, :3]
    assert len(sample)
    assert np.unique(sample, axis=0).tolist() == [[200, 80, 40]]
    assert image["x"] <= result.verdict.lab[1] <= image["x"] + image["sizex"]  # type: ignore[index]
    assert image["y"] - image["sizey"] <= result.verdict.lab[2] <= image["y"]  # type: ignore[index]


@pytest.mark.parametrize(("requested", "apart"), [("#c85028", True), ("css:blue", False)])
def test_words_of_one_place_do_not_cover_each_other(requested: str, apart: bool) -> None:
    srgb8 = np.full((20, 20, 3), (200, 80, 40), np.uint8)
    result = measure(srgb8, np.ones((20, 20), bool), parse_target(requested))
    notes = figures.chromaticity(result)["notes"]
    shifts = {note["text"]: note["yshift"] for note in notes}
    assert (abs(shifts["measured"] - shifts["target"]) >= 14) == apart
    assert {note["bgcolor"] for note in notes} == {figures.PLOT}  # and dots do not cover them


def test_the_lightness_histogram_holds_every_pixel() -> None:
    srgb8, truth = object_photograph(96)
    figure = figures.lightness(measure(srgb8, truth, parse_target("css:red")))
    heights = [row["y"] for row in figure["series"][0]["rows"]]
    assert sum(heights) == pytest.approx(100.0)
    assert len(heights) == 50
    texts = [note["text"] for note in figure["notes"]]
    assert texts[0] == f"target {parse_target('css:red').lab[0]:.1f}"
    assert texts[1].startswith("measured ")


def test_no_outline_is_drawn_where_a_rival_decides() -> None:
    """The measured color may lie within what the light leaves, and fail all the same."""
    black = np.full((20, 20, 3), parse_target("l2:black").srgb8, np.uint8)

    def outlines(target: str) -> list[str]:
        result = measure(black, np.ones((20, 20), bool), parse_target(target), "truehue")
        rival = result.verdict.rival
        assert (rival is not None and rival.decides) == (target == "css:black")
        series = figures.chromaticity(result)["series"]
        return [item["name"] for item in series if "name" in item]

    assert outlines("css:black") == []
    assert len(outlines("l2:black")) == 1


@pytest.mark.parametrize(
    ("by", "limit"),
    [
        ("truehue", r"limit under this light, without rivals:<br>ΔE00 \(k_L = 2\) < [\d.]+"),
        ("paper", r"limit: Δa\*b\* < 5, ΔE00 < 5, hue < 30°"),
    ],
)
def test_what_the_rule_compares_with_is_named(by: str, limit: str) -> None:
    srgb8, truth = object_photograph(96)
    result = measure(srgb8, truth, parse_target("css:red"), rule_id=by)
    light = result.verdict.light
    assert (light is not None) == (by == "truehue")
    named = [item["name"] for item in figures.chromaticity(result)["series"] if "name" in item]
    assert len(named) <= 1
    assert all(re.fullmatch(limit, name) for name in named)
    texts = [note["text"] for note in figures.lightness(result)["notes"]]
    expected = [f"target under this light {light.seen_lab[0]:.1f}"] if light else []
    assert texts[2:] == expected
