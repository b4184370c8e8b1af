"""What the page makes of the numbers of askings, which needs no page."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from tests.node import run_module

pytestmark = pytest.mark.process

# The page's links look at its address and history.
FIGURE = """
globalThis.window = globalThis;
globalThis.addEventListener = () => {};
globalThis.location = { search: '' };
globalThis.history = { replaceState() {} };
globalThis.sessionStorage = { getItem: () => null };
globalThis.document = { addEventListener() {}, getElementById: () => null };
const { figureBlocks } = await load('vlm/figure');
"""


def tally(right: int, target: int, **more: Any) -> dict[str, Any]:
    percent = 100 * right / target
    counts = {"right": right, "asked": target, "wrong": target - right}
    range_ = {"percent": percent, "low": max(0, percent - 9), "high": min(100, percent + 9)}
    return {**counts, **range_, "chance": 25.0, "mark": "", **more}


def row(evaluation: str, settings: str, **more: Any) -> dict[str, Any]:
    return {
        "id": evaluation,
        "name": "Model",
        "settings": settings,
        "pixels": False,
        "micro": tally(3, 8),
        "macro": None,
        "robust": None,
        "tasks": {"color_counting": tally(3, 8)},
        **more,
    }


FOUND = {
    "set": {"tasks": [{"id": "color_counting", "title": "Color Counting", "count": 8}]},
    "rows": [row("a", "plain · in color · float32"), row("b", "plain · in gray · float32")],
    "chance": {"tasks": {"color_counting": 25.0}, "micro": 25.0},
    "pixels": {"tasks": {"color_counting": tally(8, 8)}},
    "people": [
        {
            "title": "Ours",
            "participants": 1,
            "micro": tally(6, 8),
            "macro": None,
            "tasks": {"color_counting": tally(6, 8)},
        }
    ],
    "published": [
        {"people": True, "note": "ColorBench, Table 1", "tasks": {"color_counting": 62.0}}
    ],
}


def test_two_of_the_same_model_are_told_apart_by_what_is_different() -> None:
    names = run_module(
        """const { namesOf } = await load('vlm/names');
        return [...namesOf(value)];""",
        [
            row("a", "plain · in gray · temperature 0.5, seed 3"),
            row("b", "plain · in gray · temperature 0.5, seed 40"),
            row("c", "plain · in gray", name="Other"),
        ],
    )
    assert names == [["a", "Model, seed 3"], ["b", "Model, seed 40"], ["c", "Other"]]


def lanes(result: dict[str, Any]) -> list[tuple[str, list[str]]]:
    blocks = run_module(
        FIGURE
        + """
        return figureBlocks(value, (id) => id.toUpperCase());""",
        result,
    )
    return [(block["title"], [each["who"] for each in block["lanes"]]) for block in blocks]


def test_people_published_and_the_pixel_reader_stand_where_they_answered() -> None:
    models = ["Model, in color", "Model, in gray"]
    assert lanes(FOUND) == [
        ("All questions (micro average)", [*models, "People: Ours"]),
        ("Color Counting", [*models, "Pixel reader", "People: Ours", "People (published)"]),
    ]
    # Means and what is right with all variants stand where somebody has them.
    seeds = {"macro": tally(3, 8), "robust": {"as_made": tally(1, 8), "complete": tally(1, 8)}}
    robust = {**FOUND, "rows": [*FOUND["rows"], row("r", "in color", name="Robust one", **seeds)]}
    assert lanes(robust)[1:3] == [
        ("Mean of the tasks (macro average)", ["Robust one"]),
        ("Robust", ["Robust one"]),
    ]
    # Without anybody there is chance; the reader as an asking of its own is not said twice.
    nobody = {**FOUND, "rows": [], "people": [], "pixels": None, "published": []}
    assert lanes(nobody) == [("Color Counting", ["Chance"])]
    reader = {**FOUND, "rows": [row("p", "in color", name="Pixel reader", pixels=True)]}
    assert lanes(reader)[1][1] == ["Pixel reader", "People: Ours", "People (published)"]


def test_the_figure_is_a_picture_of_its_own() -> None:
    svg = run_module(
        FIGURE
        + """
        const { figureSvg } = await load('vlm/figure_file');
        const blocks = figureBlocks(value, (id) => id.toUpperCase());
        return figureSvg(blocks, 'A <set> & more', ['A  Model']);""",
        FOUND,
    )
    fromstring = ElementTree.fromstring(svg)
    texts = [
        "".join(node.itertext()) for node in fromstring.iter("{http://www.w3.org/2000/svg}text")
    ]
    assert texts[:2] == ["A <set> & more", "A  Model"]
    assert {"A  Model, in color", "37.5", "3/8", "People (published)"} <= set(texts)
    assert "var(" not in svg
    assert "NaN" not in svg
