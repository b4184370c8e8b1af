"""Tables with a row for each bin, and bare numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.concepts.samples import HEX, LAB, distribution, written
from truehue.core.color.uw71 import uw58, uw71
from truehue.core.concepts.reading import FileRefused, read_distributions
from truehue.core.concepts.records import HISTOGRAMS, PALETTES

APPLE, MANGO = distribution(1), distribution(2)
KEYS: dict[str, tuple[list[str], list[list[str]]]] = {
    "index": (["index"], [[str(n)] for n in range(71)]),
    "unnamed index": ([""], [[str(n)] for n in range(71)]),
    "named bins": (["concept"], [[f"bin_{n:02}"] for n in range(71)]),
    "hex": (["hex"], [[name] for name in HEX]),
    "unnamed hex": ([""], [[name] for name in HEX]),
    "triple": (["Lab"], [[name] for name in LAB]),
    "lab": (["L*", "a*", "b*"], [name.split(",") for name in LAB]),
    "rgb": (["r", "g", "b"], [[*map(str, bin.srgb8)] for bin in uw71()]),
    "index, hex and lab": (
        ["index", "hex", "L", "a", "b"],
        [[str(n), HEX[n], *LAB[n].split(",")] for n in range(71)],
    ),
}


def turned(key: str, order: np.ndarray, delimiter: str = ",") -> bytes:
    header, cells = KEYS[key]
    lines = [[*header, "apple", "rotten mango"]]
    lines += [[*cells[n], repr(float(APPLE[n])), repr(float(MANGO[n]))] for n in order]
    return written(lines, delimiter)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_rows_in_any_order_are_the_same_distributions(key: str, seed: int | None) -> None:
    order = np.arange(71) if seed is None else np.random.default_rng(seed).permutation(71)
    file = read_distributions("a.csv", turned(key, order))
    assert file.kind == HISTOGRAMS
    assert [row.words for row in file.rows] == ["apple", "rotten mango"]
    np.testing.assert_allclose(file.rows[0].weights, APPLE, rtol=0, atol=1e-15)
    np.testing.assert_allclose(file.rows[1].weights, MANGO, rtol=0, atol=1e-15)
    by_index = key in ("index", "unnamed index", "named bins")
    assert any("nothing in the file confirms" in note for note in file.notes) == by_index


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_separators(delimiter: str) -> None:
    file = read_distributions("a.csv", turned("index, hex and lab", np.arange(71), delimiter))
    np.testing.assert_allclose(file.rows[1].weights, MANGO, rtol=0, atol=1e-15)


def test_a_column_that_cannot_be_read_leaves_the_others() -> None:
    content = turned("hex", np.arange(71)).decode().splitlines()
    content[5] = f"{HEX[4]},{content[5].split(',')[1]},none"
    file = read_distributions("a.csv", "\n".join(content).encode())
    assert [row.words for row in file.rows] == ["apple"]
    assert file.problems == ('Column 3 ("rotten mango"): line 6 is "none", which is not a number.',)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((5, "7,#123456,0,0"), r"#123456 bin 7|#123456.*not a bin"),
        ((5, f"7,{HEX[4]},0,0"), f"calls the color {HEX[4]} bin 7, but it is that of bin 4"),
        ((5, f"3,{HEX[3]},0,0"), "Line 5 .* and line 6 .* both bin 3"),
        ((5, f"x,{HEX[4]},0,0"), 'Line 6 of a.csv: "x" is not an index of a bin'),
        ((5, "4,blue,0,0"), 'Line 6 of a.csv: "blue" is not a color'),
        ((5, f"4,{HEX[4]},0"), "Line 6 of a.csv cannot be read.*3 cells and the header 4"),
    ],
)
def test_a_line_without_its_bin_refuses_the_file(change: tuple[int, str], message: str) -> None:
    lines = [["index", "hex", "apple", "mango"]]
    lines += [[str(n), HEX[n], repr(float(APPLE[n])), "0"] for n in range(71)]
    content = written(lines).decode().splitlines()
    content[change[0]] = change[1]
    with pytest.raises(FileRefused, match=message):
        read_distributions("a.csv", "\n".join(content).encode())


def test_two_notations_that_are_two_colors() -> None:
    lines = [["hex", "L", "a", "b", "apple"]]
    lines += [[HEX[n], *LAB[n].split(","), repr(float(APPLE[n]))] for n in range(71)]
    assert len(read_distributions("a.csv", written(lines)).rows) == 1
    lines[9] = [HEX[8], *LAB[60].split(","), "0"]
    with pytest.raises(FileRefused, match=rf"Line 10.*{HEX[8]} and \[.*are two colors"):
        read_distributions("a.csv", written(lines))
    with pytest.raises(FileRefused, match='more than one column "b"'):
        read_distributions("a.csv", b"r,g,b,L,a,b,apple\n1,2,3,4,5,6,7\n1,2,3,4,5,6,7\n")


def test_58_rows() -> None:
    weights = distribution(5, 58)
    order = np.random.default_rng(0).permutation(58)
    lines = [["hex", "apple"]]
    lines += [[HEX[uw58()[n]], repr(float(weights[n]))] for n in order]
    with pytest.raises(FileRefused, match="58 numbers") as caught:
        read_distributions("a.csv", written(lines))
    assert caught.value.offer == "as_58"
    row = read_distributions("a.csv", written(lines), as_58=True).rows[0]
    np.testing.assert_allclose(row.weights[list(uw58())], weights, rtol=0, atol=1e-15)


BARE = {
    "row": ",".join(map(repr, map(float, APPLE))),
    "column": "\n".join(map(repr, map(float, APPLE))),
    "column with a header": "weight\n" + "\n".join(map(repr, map(float, APPLE))),
    "list": str([*map(float, APPLE)]),
    "index and weight": "index,weight\n"
    + "\n".join(f"{n},{float(item)!r}" for n, item in enumerate(APPLE)),
    "hex and weight": "hex,weight\n"
    + "\n".join(f"{HEX[n]},{float(item)!r}" for n, item in enumerate(APPLE)),
    "header of indices": ",".join(map(str, range(71)))
    + "\n"
    + ",".join(map(repr, map(float, APPLE))),
    "object": '{"weights": ' + str([*map(float, APPLE)]) + "}",
}


@pytest.mark.parametrize("form", BARE)
def test_bare_numbers_are_of_the_concept_that_is_told(form: str) -> None:
    content = BARE[form].encode()
    file = read_distributions("a.csv", content, text="Rotten_Mango")
    assert [row.words for row in file.rows] == ["rotten mango"]
    assert file.kind == HISTOGRAMS
    np.testing.assert_allclose(file.rows[0].weights, APPLE, rtol=0, atol=1e-15)
    with pytest.raises(FileRefused, match="does not name its concept") as caught:
        read_distributions("a.csv", content)
    assert caught.value.offer == "words"


def test_the_text_above_a_column_is_its_concept() -> None:
    content = ("rotten mango\n" + BARE["column"]).encode()
    assert read_distributions("a.csv", content).rows[0].words == "rotten mango"
    assert read_distributions("a.csv", content, text="apple").rows[0].words == "rotten mango"


@pytest.mark.parametrize(
    ("content", "message", "offer"),
    [
        (",".join(["0.5"] * 58), "58 numbers", "as_58"),
        (str([0.5] * 58), "58 numbers", "as_58"),
        (",".join(["0.5"] * 70), "a.csv has 70 numbers; UW-71 has 71 bins", ""),
        (",".join(["0.5"] * 71), r'a.csv \("apple"\) sums to 35.5', "ratings"),
        ("[" + ",".join(["0.5"] * 71) + "]", r'\("apple"\) sums to 35.5', "ratings"),
        (",".join(["0"] * 71), r"sums to 0 instead of 1\.", ""),
        ("\n".join(["0.5"] * 30 + ["NaN"] + ["0.5"] * 40), 'number 30 is "NaN"', ""),
        (",".join(["0.5"] * 30 + [""] + ["0.5"] * 40), "number 30 is empty", ""),
        (",".join(map(str, range(71))), "no row below its header", ""),
        ("concept," + ",".join(map(str, range(71))), "no row below its header", ""),
        (",".join(["1e999"] + ["0"] * 70), "has inf in bin 0", ""),
        (",".join(["-0.1", "1.1"] + ["0"] * 69), "has -0.1 in bin 0.*cannot be negative", ""),
    ],
)
def test_bare_numbers_that_are_no_distribution(content: str, message: str, offer: str) -> None:
    with pytest.raises(FileRefused, match=message) as caught:
        read_distributions("a.csv", content.encode(), text="apple")
    assert caught.value.offer == offer


def test_a_few_colors_with_weights_are_a_palette_of_the_told_concept() -> None:
    file = read_distributions("a.csv", b"hex,weight\n#FF0000,3\n#00FF00,1\n", text="apple")
    assert file.kind == PALETTES
    assert sorted(file.rows[0].weights[file.rows[0].weights > 0]) == [0.25, 0.75]
