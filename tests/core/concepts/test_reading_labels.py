"""Files that say what each row is, and numbers that are counts or percent."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.core.concepts.samples import distribution, wide, written
from truehue.core.color.uw71 import uw71
from truehue.core.concepts.distribution import of_rows
from truehue.core.concepts.reading import RATINGS, SHARES, FileRefused, read_distributions
from truehue.core.concepts.reading import collector as gathering
from truehue.core.concepts.records import HISTOGRAMS
from truehue.core.errors import BadInput

INDEX = [str(index) for index in range(71)]
HEADER = ["concept", "label", "kind", "method", "people", *(bin.hex for bin in uw71())]


def row(seed: int, *labels: str) -> list[str]:
    return [*labels, *map(repr, map(float, distribution(seed)))]


def test_rows_say_what_they_are() -> None:
    file = read_distributions(
        "a.csv",
        written(
            [
                HEADER,
                row(1, "banana", "A run", "pictures", "extracted", "0"),
                row(2, "banana", "A lab", "ratings", "given", "20"),
                row(3, "banana", "Sheets", "palettes", "given", ""),
                row(4, "banana", "A run", "ratings", "given", "3"),
                row(5, "apple", "X", "feelings", "given", "3"),
            ]
        ),
    )
    assert [(item.label, item.kind, item.contributor, item.people) for item in file.rows] == [
        ("A run", "histograms", "", 0),
        ("A lab", "ratings", "", 20),
        ("Sheets", "palettes", "", 0),
    ]
    assert file.rows[0].given == {
        "label": "A run",
        "kind": "pictures",
        "method": "extracted",
        "people": 0,
    }
    assert "people" not in file.rows[2].given
    assert [(part.kind, len(part.rows)) for part in file.parts()] == [
        ("histograms", 1),
        ("ratings", 1),
        ("palettes", 1),
    ]
    assert "Line 2 has the same concept and label." in file.problems[0]
    assert 'Its kind is "feelings"' in file.problems[1]
    assert any(
        "“A run” (histograms), “A lab” (ratings), “Sheets” (palettes)" in n for n in file.notes
    )
    assert any("1 of 3 rows give 0 people" in note for note in file.notes)


def test_all_rows_of_one_kind_make_a_file_of_it() -> None:
    lines = [HEADER, row(1, "banana", "A lab", "ratings", "given", "2")]
    assert read_distributions("a.csv", written(lines)).kind == RATINGS


def test_of_0_people_there_is_no_interval() -> None:
    lines = [["concept", "contributor", "people", *INDEX]]
    lines += [row(seed, "banana", f"Run {seed}", "0") for seed in range(3)]
    entries = [
        {
            "concept": "banana",
            "contributor": f"Run {seed}",
            "people": 0,
            "weights": distribution(seed).tolist(),
        }
        for seed in range(3)
    ]
    for content in (written(lines), json.dumps(entries).encode()):
        file = read_distributions("a", content)
        assert [(item.contributor, item.label) for item in file.rows] == [
            ("", "Run 0"),
            ("", "Run 1"),
            ("", "Run 2"),
        ]
        parts = [of_rows("Run", part.rows, part.kind) for part in file.parts()]
        assert len(parts) == 3
        assert all(part.fixed and part.count == 0 for part in parts)
    # Without that column they are people, as before.
    people = read_distributions("a.csv", written([[*line[:2], *line[3:]] for line in lines]))
    assert not of_rows("People", people.rows, people.kind).fixed


def test_label_alone_is_a_column_that_nobody_asked_for() -> None:
    file = read_distributions("a.csv", written([["concept", "label", *INDEX], row(1, "pear", "x")]))
    assert (file.rows[0].label, file.rows[0].given) == ("", {})
    assert "Columns that were not used: label." in file.notes


def test_a_column_without_any_concept_is_asked_for() -> None:
    content = written([HEADER, row(1, "", "A run", "pictures", "pixels", "0")])
    with pytest.raises(FileRefused) as refused:
        read_distributions("a.csv", content)
    assert refused.value.offer == "words"
    assert read_distributions("a.csv", content, text="pear").rows[0].words == "pear"


def test_formulas_are_read_as_they_were() -> None:
    content = written([HEADER, row(1, "pear", "'=1+1", "pictures", "pixels", "0")])
    assert read_distributions("a.csv", content).rows[0].label == "=1+1"


def test_too_many_labels_are_people_perhaps() -> None:
    counted = gathering.MAX_LABELS + 1
    lines = [["concept", "contributor", "people", *INDEX]]
    lines += [row(seed, "banana", f"p{seed}", "0") for seed in range(counted)]
    with pytest.raises(FileRefused, match="leave the column people out"):
        read_distributions("a.csv", written(lines))


@pytest.mark.parametrize("times", [0.9999, 1.0005, 100.0, 9999.0])
def test_counts_and_percent_are_offered_to_be_histograms(times: float) -> None:
    content = wide([("apple", times * distribution(1))], INDEX)
    with pytest.raises(FileRefused, match="counts, percent or rounded shares"):
        read_distributions("a.csv", content)
    file = read_distributions("a.csv", content, normalize=SHARES)
    assert file.kind == HISTOGRAMS
    np.testing.assert_allclose(file.rows[0].weights, distribution(1), rtol=1e-12)
    assert (
        "These are histograms: counts, percent or rounded shares. 1 of 1 rows did not sum to 1 and "
        "were divided by their sum." in file.notes
    )
    assert read_distributions("a.csv", content, normalize=RATINGS).kind == RATINGS


def test_rows_that_miss_1_among_others_are_offered_too() -> None:
    content = wide([("apple", distribution(1)), ("pear", 1.001 * distribution(2))], INDEX)
    file = read_distributions("a.csv", content)
    assert (len(file.rows), file.offers) == (1, (RATINGS, SHARES))
    again = read_distributions("a.csv", content, normalize=SHARES)
    assert (len(again.rows), again.offers, again.problems) == (2, (), ())


def test_normalized_otherwise_is_refused() -> None:
    with pytest.raises(BadInput, match="as ratings or as shares"):
        read_distributions("a.csv", wide([("apple", distribution(1))], INDEX), normalize="softmax")
