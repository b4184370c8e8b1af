"""Palettes: in a long table, and in JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.core.concepts.samples import HEX, LAB
from truehue.core.color.uw71 import lab71, uw71
from truehue.core.concepts.reading import FileRefused, read_distributions
from truehue.core.concepts.records import PALETTES

HEADER = "concept,modifier,contributor,people,hex,weight\n"


def nearest(hex_: str) -> int:
    """The nearest bin of a hex color, with colour-science."""
    import colour

    srgb = np.array([int(hex_[n : n + 2], 16) for n in (1, 3, 5)]) / 255
    lab = colour.XYZ_to_Lab(colour.sRGB_to_XYZ(srgb))
    return int(np.linalg.norm(lab71() - lab, axis=1).argmin())


def test_a_row_for_each_color() -> None:
    file = read_distributions(
        "a.csv",
        (
            HEADER + "mango,rotten,p1,,#7A4B12,0.5\n"
            "mango,,p1,,#FFC324,2\n"
            "mango,rotten,p2,3,#7A4B12,1\n"
            "mango,rotten,p1,,#101010,0.25\n"
            "mango,rotten,p1,,#111111,0.25\n"
        ).encode(),
    )
    assert (file.kind, file.problems, file.unknown) == (PALETTES, (), ())
    assert [(row.words, row.contributor, row.people) for row in file.rows] == [
        ("rotten mango", "p1", 0),
        ("mango", "p1", 0),
        ("rotten mango", "p2", 3),
    ]
    expected = np.zeros(71)
    expected[nearest("#7A4B12")] += 0.5
    expected[nearest("#101010")] += 0.25
    expected[nearest("#111111")] += 0.25
    np.testing.assert_allclose(file.rows[0].weights, expected)
    assert file.rows[0].given == {
        "colors": [
            {"hex": "#7A4B12", "weight": 0.5},
            {"hex": "#101010", "weight": 0.25},
            {"hex": "#111111", "weight": 0.25},
        ]
    }
    assert file.rows[1].weights[nearest("#FFC324")] == 1.0
    assert "closest UW-71 bin" in file.notes[0]


@pytest.mark.parametrize(
    ("header", "cells", "values"),
    [
        ("concept,hex", [(HEX[n],) for n in (3, 40, 40, 7)], {"hex": HEX[3]}),
        ("concept,color", [(HEX[n][1:].lower(),) for n in (3, 40, 40, 7)], {"hex": HEX[3]}),
        (
            "concept,r,g,b",
            [tuple(map(str, uw71()[n].srgb8)) for n in (3, 40, 40, 7)],
            {"rgb": list(uw71()[3].srgb8)},
        ),
        (
            "concept,L,a,b",
            [tuple(LAB[n].split(",")) for n in (3, 40, 40, 7)],
            {"lab": [float(group) for group in LAB[3].split(",")]},
        ),
    ],
)
def test_colors_in_any_notation_weigh_the_same_without_weights(
    header: str, cells: list[tuple[str, ...]], values: dict[str, object]
) -> None:
    content = "\n".join([header, *(",".join(["apple", *cell]) for cell in cells)])
    file = read_distributions("a.csv", content.encode())
    row = file.rows[0]
    assert {n: float(row.weights[n]) for n in np.flatnonzero(row.weights)} == {
        3: 0.25,
        7: 0.25,
        40: 0.5,
    }
    assert isinstance(row.given["colors"], list)
    assert row.given["colors"][0] == values
    assert any("no column contributor" in note for note in file.notes)


def test_a_bad_color_takes_its_palette_with_it_and_no_other() -> None:
    content = HEADER + (
        "apple,,p1,,#FF0000,1\n"
        "apple,,p2,,#FF0000,1\n"
        "apple,,p2,,#FF000,1\n"
        "apple,,p2,,nothing,1\n"
        "apple,,p3,,#FF0000,\n"
        "apple,,p3,,#00FF00,1\n"
        "apple,,p4,,#FF0000,-1\n"
        "apple,,p5,,#FF0000,0\n"
        "apple,,p6,,#FF0000,much\n"
        "apple,,p7,,#FF0000\n"
        "apple,,p8,x,#FF0000,1\n"
        ",,p9,,#FF0000,1\n"
    )
    file = read_distributions("a.csv", content.encode())
    assert [row.contributor for row in file.rows] == ["p1"]
    details = "\n".join(file.problems)
    for message in (
        'Line 3 ("apple"): its palette was excluded, since line 4 cannot be read: The hex color',
        'Line 6 ("apple"): some colors of its palette have no weight.',
        'Line 8 ("apple"): The weights of colors are numbers from 0 on, and not all 0.',
        'Line 9 ("apple"): The weights of colors are numbers from 0 on, and not all 0.',
        'Line 10 ("apple"): its palette was excluded, since line 10 cannot be read: the '
        'weight is "much", which is not a number.',
        "Line 11: It has 5 cells and the header 6.",
        'Line 12: people is "x", which is not a whole number.',
        'Line 13 (""): It has no concept.',
    ):
        assert message in details, details
    assert len(file.problems) == 8


@pytest.mark.parametrize(
    ("header", "line", "message"),
    [
        ("concept,r,g,b", "apple,256,0,0", "whole numbers from 0 to 255, not 256, 0, 0"),
        ("concept,r,g,b", "apple,0.5,0,0", "whole numbers from 0 to 255, not 0.5, 0, 0"),
        ("concept,L,a,b", "apple,120,0,0", "L\\* from 0 to 100"),
        ("concept,L,a,b", "apple,50,0,", "b is empty"),
    ],
)
def test_colors_that_are_none(header: str, line: str, message: str) -> None:
    with pytest.raises(FileRefused, match=f"Nothing in a.csv could be read.*{message}") as caught:
        read_distributions("a.csv", f"{header}\n{line}\n".encode())
    assert len(caught.value.problems) == 1


def test_palettes_in_json() -> None:
    values = [
        {
            "concept": "mango",
            "modifier": "rotten",
            "contributor": 7,
            "people": 2,
            "palette": [{"hex": "#7A4B12", "weight": 3}, {"rgb": [16, 16, 16], "weight": 1}],
        },
        {"concept": "apple", "palette": [{"lab": list(uw71()[9].lab)}, HEX[8]]},
        {"concept": "apple", "contributor": "x", "palette": []},
        {"concept": "apple", "contributor": "y", "palette": [{"hex": "#1"}]},
        {"concept": "apple", "contributor": "z", "palette": [{"weight": 1}]},
        {"concept": "apple", "contributor": "w", "palette": [{"hex": "#111111", "weight": "1"}]},
    ]
    file = read_distributions("a.json", json.dumps(values).encode())
    assert file.kind == PALETTES
    assert [(row.words, row.contributor, row.people) for row in file.rows] == [
        ("rotten mango", "7", 2),
        ("apple", "", 0),
    ]
    assert file.rows[0].weights[nearest("#7A4B12")] == 0.75
    assert {n: float(file.rows[1].weights[n]) for n in (8, 9)} == {8: 0.5, 9: 0.5}
    assert [problem.split(" (")[0] for problem in file.problems] == [
        "Entry 3",
        "Entry 4",
        "Entry 5",
        "Entry 6",
    ]
