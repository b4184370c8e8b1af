"""What is wrong in a file: told with its place, and the rest comes in."""

from __future__ import annotations

import json
from time import process_time

import numpy as np
import pytest

from tests.core.concepts.samples import distribution, wide, written
from truehue.core.concepts import reading
from truehue.core.concepts.reading import FileRefused, from_json, read_distributions
from truehue.core.concepts.reading import collector as gathering
from truehue.core.concepts.records import HISTOGRAMS, RATINGS
from truehue.core.errors import BadInput

INDEX = [str(index) for index in range(71)]
GOOD = [*map(repr, map(float, distribution(1)))]


def changed(index: int, cell: str) -> list[str]:
    return [*GOOD[:index], cell, *GOOD[index + 1 :]]


def test_every_bad_row_is_told_with_its_line_and_the_others_come_in() -> None:
    lines = [
        ["concept", *INDEX],
        ["apple", *GOOD],
        ["banana", *changed(3, "nan")],
        [],
        ["mango", *changed(4, "")],
        ["lemon", *changed(5, "red")],
        ["peach", *changed(6, "-0.25")],
        ["grape", *changed(7, "1_0")],
        ["corn", *GOOD[:-1]],
        ["lion", *GOOD, "1"],
        ["APPLE", *GOOD],
        ["", *GOOD],
        ["truck", *changed(8, "1e400")],
        ["train", *["0"] * 71],
        ["bear", *["0.5"] * 71],
        ["beach", *GOOD, "", ""],
        ['"', *GOOD],
        ["w" * 201, *GOOD],
        ["palm\0", *GOOD],
        ["frog", *GOOD],
    ]
    file = read_distributions("a.csv", written(lines))
    assert file.kind == HISTOGRAMS
    assert [row.words for row in file.rows] == ["apple", "beach", "frog"]
    assert sorted(problem.split(" ")[1].strip(':("') for problem in file.problems) == sorted(
        ["3", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "17", "18", "19"]
    )
    details = "\n".join(file.problems)
    for message in (
        'Line 3 ("banana"): column "3" is "nan", which is not a number.',
        'Line 5 ("mango"): column "4" is empty.',
        'Line 6 ("lemon"): column "5" is "red", which is not a number.',
        'Line 7 ("peach") has -0.25 in bin 6: a share cannot be negative.',
        'Line 8 ("grape"): column "7" is "1_0", which is not a number.',
        "Line 9: It has 71 cells and the header 72.",
        "Line 10: It has 73 cells and the header 72.",
        'Line 11 ("APPLE"): Line 2 has the same concept and contributor.',
        'Line 12 (""): It has no concept.',
        'Line 13 ("truck") has inf in bin 8',
        'Line 14 ("train") sums to 0 instead of 1.',
        'Line 15 ("bear") sums to 35.5 instead of 1. If the file holds ratings',
        "Line 17: A quotation mark is not closed",
        "Its concept has 201 characters",
        "Line 19: The line has a NUL byte in it.",
    ):
        assert message in details, details


def test_a_sum_may_miss_1_as_files_with_six_decimals_do() -> None:
    near, far = np.full(71, 1 / 71), np.full(71, 1 / 71)
    near[0] += 9e-7
    far[0] += 2e-6
    file = read_distributions("a.csv", wide([("apple", near), ("banana", far)], INDEX))
    assert [row.words for row in file.rows] == ["apple"]
    assert file.rows[0].weights.sum() == pytest.approx(1, abs=1e-15)
    assert "sums to 1.000002 instead of 1" in file.problems[0]


def test_ratings_are_normalized_where_that_is_said() -> None:
    ratings = np.linspace(0, 1, 71)
    content = wide([("apple", ratings), ("banana", distribution(1))], INDEX)
    assert [row.words for row in read_distributions("a.csv", content).rows] == ["banana"]
    file = read_distributions("a.csv", content, normalize=True)
    assert file.kind == RATINGS
    # 0, 1/70, ... 70/70 sum to 71 / 2.
    np.testing.assert_allclose(file.rows[0].weights, ratings / 35.5, rtol=1e-14)
    assert file.rows[0].given == {"numbers": list(ratings)}
    assert file.rows[1].given == {}
    assert any(
        note.endswith("1 of 2 rows did not sum to 1 and were divided by their sum.")
        for note in file.notes
    )


def test_histograms_are_not_called_ratings_because_somebody_said_so() -> None:
    content = wide([("apple", distribution(1))], INDEX)
    file = read_distributions("a.csv", content, normalize=True)
    assert file.kind == HISTOGRAMS
    assert "Every row sums to 1 already, so nothing was normalized." in file.notes


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_encodings(encoding: str) -> None:
    text = wide([("Käse", distribution(1))], INDEX).decode()
    file = read_distributions("a.csv", text.encode(encoding))
    assert file.rows[0].words == "käse"
    assert ("read as Windows-1252" in file.notes[0]) == (encoding == "cp1252")
    values = json.dumps({"Käse": list(distribution(1))}, ensure_ascii=False)
    assert read_distributions("a.json", values.encode(encoding)).rows[0].words == "käse"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_separators_and_line_ends(delimiter: str, end: str) -> None:
    content = written([["concept", *INDEX], ["apple", *GOOD]], delimiter)
    file = read_distributions("a.csv", content.replace(b"\n", end.encode()) + end.encode() * 2)
    np.testing.assert_allclose(file.rows[0].weights, distribution(1), rtol=0, atol=1e-15)


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
def test_a_decimal_comma_is_read_where_the_whole_file_has_one(delimiter: str) -> None:
    def content(cells: list[str]) -> bytes:
        return written([["concept", *INDEX], ["apple", *cells]], delimiter)

    commas = [f"{float(item):.17f}".replace(".", ",") for item in distribution(1)]
    file = read_distributions("a.csv", content(commas))
    np.testing.assert_allclose(file.rows[0].weights, distribution(1), rtol=0, atol=1e-15)
    assert "decimal comma" in file.notes[0]
    with pytest.raises(FileRefused, match="which is not a number: write it with a point"):
        read_distributions("a.csv", content([*commas[:-1], "0.5"]))
    thousands = ["0"] * 70 + ["1,234"]
    with pytest.raises(FileRefused, match='is "1,234", which is not a number'):
        read_distributions("a.csv", content(thousands), normalize=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a.csv is empty"),
        (b"\n \n\t\n", "a.csv is empty"),
        (b"\xef\xbb\xbf", "a.csv is empty"),
        (b"PK\x03\x04" + b"x" * 99, "an Excel workbook, not text. Save the table as UTF-8 text"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image, not text"),
        (b"a\x00b\x00c\x00" * 50, "UTF-16 without a byte order mark"),
        (b"concept," + ",".join(INDEX).encode(), "no row below its header"),
        (b"concept,modifier,0,concept\n", 'has the columns "concept" and "concept"'),
        (b"hello world", "no column that says which bin"),
        (b"concept\napple\n", "no column that says which bin"),
        (b"{", "is not JSON"),
        (b"[" * 100_000, "nested too deep"),
        (b"[]", "no distribution in it"),
        (b"{}", "no distribution in it"),
        (b"[[1, 2], [3, 4]]", "in a form that is known.*Such a file is"),
        (b'[{"concept": "a"}, 7]', "in a form that is known"),
        (b'{"apple": [1], "apple": [2]}', 'has "apple" more than once'),
        (
            b'[{"concept": "a", "palette": ["#111111"]}, {"concept": "b", "weights": []}]',
            "holds palettes and histograms",
        ),
        (b'[{"concept": "a", "weights": [1], "concept": "b"}]', '"concept" more than once'),
    ],
)
def test_files_that_are_refused_whole(content: bytes, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_distributions("a.csv", content)


def test_a_file_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    content = wide([("apple", distribution(1)), ("banana", distribution(1))], INDEX)
    monkeypatch.setattr(reading, "MAX_BYTES", len(content))
    assert len(read_distributions("a.csv", content).rows) == 2
    monkeypatch.setattr(gathering, "MAX_ROWS", 1)
    with pytest.raises(FileRefused, match=r"more than 1 rows. Split it"):
        read_distributions("a.csv", content)
    with pytest.raises(FileRefused, match=r"may have at most .* MB. Split it"):
        read_distributions("a.csv", content + b"\n")


def test_a_thousand_problems_are_told_and_the_others_counted() -> None:
    lines = [["concept", *INDEX], ["apple", *GOOD], *([f"w{n}", "x"] for n in range(1_007))]
    file = read_distributions("a.csv", written(lines))
    assert len(file.problems) == 1_001
    assert file.problems[-1] == "7 more rows could not be read."


def entry(**changes: object) -> dict[str, object]:
    return {"concept": "apple", "weights": list(distribution(1)), **changes}


def test_json_by_concept_and_as_a_list() -> None:
    by_concept = {"apple": list(distribution(1)), "Rotten-Mango": list(distribution(2))}
    file = read_distributions("a.json", json.dumps(by_concept).encode())
    assert [row.words for row in file.rows] == ["apple", "rotten mango"]
    np.testing.assert_allclose(file.rows[1].weights, distribution(2), rtol=0, atol=1e-15)
    assert [note for note in file.notes if "nothing in the file confirms" in note]
    for key in ("weights", "bins", "histogram"):
        values = [{"concept": "mango", "modifier": "rotten", key: list(distribution(2))}]
        row = read_distributions("a.json", json.dumps(values).encode()).rows[0]
        assert row.words == "rotten mango"


def test_colors_in_json_order_the_numbers() -> None:
    from tests.core.concepts.samples import HEX

    order = np.random.default_rng(0).permutation(71)
    values = entry(weights=list(distribution(1)[order]), colors=[HEX[n] for n in order])
    file = read_distributions("a.json", json.dumps([values]).encode())
    np.testing.assert_allclose(file.rows[0].weights, distribution(1), rtol=0, atol=1e-15)
    assert "another order" in file.notes[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": None}, "no list of numbers called weights"),
        ({"weights": [None] * 71}, "number 0 is missing"),
        ({"weights": [True] * 71}, "number 0 is true, which is not a number"),
        ({"weights": ["0.1"] * 71}, 'number 0 is "0.1", which is not a number'),
        ({"weights": [10**400] + [0] * 70}, "number 0 is too large"),
        ({"weights": [float("nan")] * 71}, "has nan in bin 0"),
        ({"weights": [-1, 2] + [0] * 69}, "has -1 in bin 0"),
        ({"weights": [0.1] * 71}, "sums to 7.1 instead of 1. If the file holds ratings"),
        ({"weights": [0.1] * 10}, "has 10 numbers"),
        ({"weights": [0.1] * 58}, "has 58 numbers.*import them as UW-58"),
        ({"colors": ["#111111"]}, "colors is not a list of 71 colors"),
        ({"colors": ["#123456"] * 71}, "Color 0 of Entry 2 .*not a bin of UW-71"),
        ({"people": -1}, "people is -1"),
        ({"people": True}, "people is true"),
        ({"contributor": [1]}, "contributor is text"),
        ({"concept": 1.5}, "concept is text"),
        ({"contributor": "\ud800"}, "contributor holds a character that is not valid"),
        ({"concept": "pear"}, "has the same concept"),
    ],
)
def test_json_entries_that_are_refused(changes: dict[str, object], message: str) -> None:
    values = [{**entry(), "concept": "pear"}, entry(**changes)]
    file = read_distributions("a.json", json.dumps(values).encode())
    assert [row.words for row in file.rows] == ["pear"]
    (problem,) = file.problems
    assert "Entry 2" in problem
    import re

    assert re.search(message, problem), problem


def test_numbers_that_overflow_are_no_ratings_and_no_palette() -> None:
    huge = {"concept": "pear", "weights": [1e308] * 71}
    for normalize in (False, True):
        file = read_distributions(
            "a.json", json.dumps([huge, entry()]).encode(), normalize=normalize
        )
        assert [row.words for row in file.rows] == ["apple"]
        assert "too large to be added up" in file.problems[0]
    colors = [{"hex": "#112233", "weight": 1e308}, {"hex": "#FFFFFF", "weight": 1e308}]
    with pytest.raises(FileRefused, match="too large to be added up"):
        read_distributions("a.json", json.dumps([{"concept": "a", "palette": colors}]).encode())


def test_a_key_that_stands_twice_among_many_is_found_in_no_time() -> None:
    keys = ",".join(f'"k{number}":0' for number in range(100_000))
    began = process_time()
    with pytest.raises(FileRefused, match=r'"k0" more than once'):
        read_distributions("a.json", f'{{{keys},"k0":1}}'.encode())
    # Every key against every other took minutes.
    assert process_time() - began < 20


@pytest.mark.parametrize(
    "content", [b"[" + b"{}," * 3_000 + b"{}]", b'{"apple": [' + b"0," * 9_000 + b"0]}"]
)
def test_json_of_more_parts_than_a_file_needs(
    monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    monkeypatch.setattr(from_json, "MAX_PARTS", 2_000)
    monkeypatch.setattr(from_json, "MAX_NUMBERS", 8_000)
    with pytest.raises(FileRefused, match=r"more than 8,000 numbers, or 2,000 lists.*Split it"):
        read_distributions("a.json", content)
