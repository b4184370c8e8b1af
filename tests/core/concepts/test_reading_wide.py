"""Tables with a row for each concept: which column is which bin."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tests.core.concepts.samples import HEX, LAB, distribution, wide, written
from truehue.core.color.uw71 import lab71, uw58, uw71
from truehue.core.concepts.reading import FileRefused, read_distributions
from truehue.core.concepts.records import HISTOGRAMS, RATINGS

SEMI = [name.replace(",", ";") for name in LAB]
INDEX = [str(index) for index in range(71)]
ROWS = [("rotten mango", distribution(1)), ("Justice", distribution(2))]


@pytest.mark.parametrize("first", ["", "concept", "Words", "WORD", "Unnamed: 0"])
@pytest.mark.parametrize(
    "header",
    [INDEX, [f"bin{n}" for n in INDEX], [f"bin_{int(n):02}" for n in INDEX], HEX, LAB, SEMI],
)
def test_columns_by_index_or_color(first: str, header: list[str]) -> None:
    file = read_distributions("a.csv", wide(ROWS, header, first))
    assert file.kind == HISTOGRAMS
    assert [row.words for row in file.rows] == ["rotten mango", "justice"]
    for row, (_, weights) in zip(file.rows, ROWS, strict=True):
        np.testing.assert_allclose(row.weights, weights, rtol=0, atol=1e-15)
        assert (row.given, row.contributor, row.people) == ({}, "", 0)
    assert file.unknown == ("justice",)
    assert file.problems == ()
    checked = (
        "nothing in the file confirms"
        if header[0] in ("0", "bin0", "bin_00")
        else ("was checked by their colors")
    )
    assert checked in file.notes[0]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("names", [HEX, LAB, INDEX])
def test_columns_in_another_order_are_the_same_rows(seed: int, names: list[str]) -> None:
    order = np.random.default_rng(seed).permutation(71)
    plain = read_distributions("a.csv", wide(ROWS, names))
    mixed_rows = [(text, weights[order]) for text, weights in ROWS]
    mixed = read_distributions("a.csv", wide(mixed_rows, [names[n] for n in order]))
    for row, other, (_, values) in zip(plain.rows, mixed.rows, mixed_rows, strict=True):
        assert row.words == other.words
        np.testing.assert_array_equal(row.weights, other.weights)
        assert other.given == {"numbers": list(values), "bins": list(order)}
    if names is not INDEX:
        assert any("another order" in note for note in mixed.notes)


@pytest.mark.parametrize("seed", range(3))
def test_a_row_of_colors_under_the_header_orders_columns_without_names(seed: int) -> None:
    order = np.random.default_rng(seed).permutation(71)
    lines = [
        ["concept", *(f"c{n}" for n in range(1, 72))],
        ["", *(HEX[n] for n in order)],
        ["banana", *(repr(float(w)) for w in distribution(7)[order])],
    ]
    row = read_distributions("a.csv", written(lines)).rows[0]
    np.testing.assert_allclose(row.weights, distribution(7), rtol=0, atol=1e-15)


def test_colors_are_found_without_their_sign_where_the_row_says_so() -> None:
    lines = [
        ["concept", *INDEX],
        ["hex", *(name[1:] for name in HEX)],
        ["banana", *(repr(float(w)) for w in distribution(7))],
    ]
    file = read_distributions("a.csv", written(lines))
    assert [row.words for row in file.rows] == ["banana"]
    assert "checked by their colors" in file.notes[0]


def test_counts_of_six_digits_are_no_colors() -> None:
    counts = [str(100_000 + n) for n in range(71)]
    lines = [["concept", *INDEX], ["banana", *counts], ["apple", *counts]]
    file = read_distributions("a.csv", written(lines), normalize=True)
    assert [row.words for row in file.rows] == ["banana", "apple"]


def test_an_index_that_contradicts_its_color_names_both() -> None:
    swapped = [*HEX]
    swapped[3], swapped[40] = swapped[40], swapped[3]
    lines = [["concept", *INDEX], ["hex", *swapped], ["banana", *["0"] * 71]]
    with pytest.raises(FileRefused, match=rf"{HEX[40]} bin 3, but it is that of bin 40") as caught:
        read_distributions("a.csv", written(lines))
    assert caught.value.offer == ""


def nearest_by_arithmetic(hex_: str) -> float:
    """CIELAB distance of a hex color to the nearest bin, with colour-science."""
    import colour

    srgb = np.array([int(hex_[n : n + 2], 16) for n in (1, 3, 5)]) / 255
    lab = colour.XYZ_to_Lab(colour.sRGB_to_XYZ(srgb))
    return float(np.linalg.norm(lab71() - lab, axis=1).min())


def test_a_color_that_is_no_bin_is_refused_with_its_distance() -> None:
    header = [*HEX]
    header[5] = "#123456"
    distance = nearest_by_arithmetic("#123456")
    with pytest.raises(FileRefused, match=f"#123456.*not a bin of UW-71.*{distance:.1f} CIELAB"):
        read_distributions("a.csv", wide(ROWS, header))
    # One step of a channel is rounding.
    red, green, blue = uw71()[20].srgb8
    header[5], header[20] = HEX[5], f"#{red - 1:02X}{green:02X}{blue:02X}"
    assert len(read_distributions("a.csv", wide(ROWS, header)).rows) == 2


def c(names: list[str]) -> list[str]:
    return [f"c{name}" for name in names]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (c(INDEX), r'no column that says which bin.*found: "c0", "c1", "c2".*#RRGGBB, or L,a,b'),
        ([str(n) for n in range(1, 72)], "bins 1 to 71 and no bin 0.*count from 0 to 70"),
        ([*INDEX[:70], "69"], "has bin 69 more than once"),
        ([*HEX[:70], HEX[3]], f'Column "{HEX[3]}".*and column "{HEX[3]}".*both bin 3'),
        ([*INDEX[:35], *HEX[35:]], 'by index \\("0"\\) and some by color'),
        ([*INDEX, "71"], "has 72 numbers; UW-71 has 71 bins"),
        (INDEX[:60], "has 60 numbers; UW-71 has 71 bins"),
        ([*HEX[:70], "#12345"], 'column "#12345".*5 digits'),
        ([*HEX[:70], "#12345Z"], 'column "#12345Z".*digit 6 is "Z"'),
    ],
)
def test_headers_that_do_not_say_which_bin(header: list[str], message: str) -> None:
    content = wide([("banana", np.ones(len(header)) / len(header))], header)
    with pytest.raises(FileRefused, match=message) as caught:
        read_distributions("a.csv", content)
    assert caught.value.offer == ""


def test_58_numbers_are_offered_their_places() -> None:
    weights = distribution(3, 58)
    content = wide([("banana", weights)], INDEX[:58])
    with pytest.raises(FileRefused, match=r"has 58 numbers.*import them as UW-58") as caught:
        read_distributions("a.csv", content)
    assert caught.value.offer == "as_58"
    file = read_distributions("a.csv", content, as_58=True)
    assert any("published order of UW-58 is another" in note for note in file.notes)
    expected = np.zeros(71)
    # The 13 bins of L* = 88 are empty, the others follow in their order.
    expected[[n for n, bin in enumerate(uw71()) if bin.lab[0] != 88.0]] = weights
    np.testing.assert_allclose(file.rows[0].weights, expected, rtol=0, atol=1e-15)
    assert file.rows[0].given["bins"] == list(uw58())


def test_58_colors_are_put_in_place_whatever_their_order_and_index() -> None:
    order = np.random.default_rng(3).permutation(np.array(uw58()))
    weights = distribution(3, 58)
    lines = [
        ["concept", *INDEX[:58]],
        ["hex", *(HEX[n] for n in order)],
        ["banana", *map(repr, map(float, weights))],
    ]
    file = read_distributions("a.csv", written(lines), as_58=True)
    np.testing.assert_allclose(file.rows[0].weights[order], weights, rtol=0, atol=1e-15)
    assert file.rows[0].weights.sum() == pytest.approx(1, abs=1e-12)
    light = next(bin.hex for bin in uw71() if bin.lab[0] == 88.0)
    lines[1][4] = light
    with pytest.raises(FileRefused, match=f"{light} is one of L\\* = 88"):
        read_distributions("a.csv", written(lines), as_58=True)


def test_labels_beside_the_numbers() -> None:
    weights = [*map(repr, map(float, distribution(4)))]
    lines = [
        ["contributor", "people", "modifier", "concept", *INDEX, "remark"],
        ["p 01", "", "Rotten", "mango", *weights, "good"],
        ["p02", "12", "", "mango", *weights, ""],
        ["p03", "a few", "", "mango", *weights, ""],
        ["p04", "", "fresh", "", *weights, ""],
    ]
    file = read_distributions("a.csv", written(lines))
    assert [(row.words, row.contributor, row.people) for row in file.rows] == [
        ("rotten mango", "p 01", 0),
        ("mango", "p02", 12),
    ]
    assert file.problems == (
        'Line 4: people is "a few", which is not a whole number.',
        'Line 5 ("fresh"): It has no concept.',
    )
    assert "Columns that were not used: remark." in file.notes


def test_the_real_ratings() -> None:
    folder = os.environ.get("TRUEHUE_SHARED_DATA")
    if not folder:
        pytest.skip("TRUEHUE_SHARED_DATA names no folder")
    path = Path(folder) / "human_uw71" / "uw71_all_concept_ratings.csv"
    with pytest.raises(FileRefused, match=r"No row of .* sums to 1.*import them as ratings") as no:
        read_distributions(path.name, path.read_bytes())
    assert no.value.offer == "ratings"
    file = read_distributions(path.name, path.read_bytes(), normalize=True)
    assert (file.kind, len(file.rows), file.problems) == (RATINGS, 70, ())
    values = {
        line.split(",")[0]: [float(cell) for cell in line.split(",")[1:]]
        for line in path.read_text().splitlines()[1:]
    }
    for row in file.rows:
        assert row.given["numbers"] == values[row.words]
        np.testing.assert_allclose(
            row.weights, np.array(values[row.words]) / sum(values[row.words])
        )
    banana = next(row.weights for row in file.rows if row.words == "banana")
    assert uw71()[int(banana.argmax())].name.casefold().split(",")[0].endswith("yellow")
    assert "banana" not in file.unknown
    assert "justice" in file.unknown
