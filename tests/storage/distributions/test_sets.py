from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.core.concepts.samples import distribution
from tests.storage.conftest import START
from truehue.core.concepts.reading import read_distributions
from truehue.core.concepts.records import (
    HISTOGRAMS,
    PALETTES,
    RATINGS,
    DistributionFile,
    DistributionRow,
)
from truehue.core.errors import BadInput, NotStored
from truehue.storage import Storage

pytestmark = pytest.mark.slow


def row(
    text: str = "apple", contributor: str = "", seed: int = 1, people: int = 0
) -> DistributionRow:
    return DistributionRow(
        text,
        contributor,
        distribution(seed),
        people,
        {"colors": [{"hex": "#112233", "weight": 0.5}, {"lab": [50.0, 1.5, -2.0]}], "ä": "ΔE"},
    )


FILE = DistributionFile(
    PALETTES,
    (row(people=5), row("rotten mango", "p1", 2), row("apple", "p2", 3), row("justice", "p1", 4)),
    ("One note.", "Another, 'quoted'."),
    ("justice",),
)


def test_a_set_comes_back_as_it_was(storage: Storage, data_dir: Path) -> None:
    set_id = storage.distributions.add(FILE, "  Lab colors ", "lab colors.csv", " from us ", True)
    record = storage.distributions.get(set_id)
    assert (record.set_id, record.name, record.kind) == (set_id, "Lab colors", PALETTES)
    assert (record.file_name, record.source, record.of_people) == ("lab colors.csv", "from us", 1)
    assert (record.notes, record.hidden, record.created_at) == (FILE.notes, False, START)
    assert (record.rows, record.concepts, record.contributors) == (4, 3, 2)
    assert storage.distributions.get(set_id[:8].upper()) == record
    assert storage.distributions.words(set_id) == ["apple", "rotten mango", "justice"]
    storage.close()
    with Storage.open(data_dir) as reopened:
        assert reopened.distributions.all() == [record]
        stored = reopened.distributions.rows(set_id)
        for entry, other in zip(stored, FILE.rows, strict=True):
            assert (entry.words, entry.contributor, entry.people, entry.given) == (
                other.words,
                other.contributor,
                other.people,
                other.given,
            )
            np.testing.assert_array_equal(entry.weights, other.weights)
            assert not entry.weights.flags.writeable
        rows = reopened.distributions.rows(set_id, "Rotten_Mango")
        assert [item.contributor for item in rows] == ["p1"]
        assert [item.contributor for item in reopened.distributions.rows(set_id, "apple")] == [
            "",
            "p2",
        ]
        assert reopened.distributions.rows(set_id, "pear") == []
        assert reopened.check() == []


def test_the_same_content_is_one_set(storage: Storage) -> None:
    add = storage.distributions.add
    first = add(FILE, "one", "one.csv", "", True)
    shuffled = replace(FILE, rows=FILE.rows[::-1], notes=("read otherwise",))
    assert add(shuffled, "two", "two.csv", "elsewhere", True) == first
    assert [item.name for item in storage.distributions.all()] == ["one"]
    assert storage.distributions.rows(first)[0].words == "apple"
    others = {
        add(FILE, "one", "one.csv", "", False),
        add(replace(FILE, kind=HISTOGRAMS), "one", "one.csv", "", True),
        add(replace(FILE, rows=FILE.rows[:3]), "one", "one.csv", "", True),
        add(replace(FILE, rows=(row(seed=9), *FILE.rows[1:])), "one", "one.csv", "", True),
        add(replace(FILE, rows=(row(people=6), *FILE.rows[1:])), "one", "one.csv", "", True),
        add(
            replace(FILE, rows=(replace(FILE.rows[0], given={}), *FILE.rows[1:])), "a", "", "", True
        ),
    }
    assert len(others - {first}) == 6
    assert len(storage.distributions.all()) == 7


def test_names_and_hiding_are_versions(storage: Storage) -> None:
    set_id = storage.distributions.add(FILE, "one", "one.csv", "", True)
    storage.distributions.rename(set_id, "two")
    storage.distributions.rename(set_id[:10], " two ")
    storage.distributions.hide(set_id)
    storage.distributions.hide(set_id)
    assert storage.distributions.all() == []
    (hidden,) = storage.distributions.all(hidden=True)
    assert (hidden.name, hidden.hidden, hidden.created_at) == ("two", True, START)
    assert len(storage.distributions.rows(set_id)) == 4
    storage.distributions.hide(set_id, False)
    storage.distributions.hide(set_id)
    # The same file again shows the set, under the name that it has.
    storage.distributions.add(FILE, "three", "three.csv", "", True)
    assert [(item.name, item.hidden) for item in storage.distributions.all()] == [("two", False)]
    versions = storage._database.rows(
        "SELECT version, name, hidden FROM set_views ORDER BY version"
    )
    assert versions == [
        (1, "one", False),
        (2, "two", False),
        (3, "two", True),
        (4, "two", False),
        (5, "two", True),
        (6, "two", False),
    ]
    assert storage._database.count("distribution_rows") == 4


def test_newest_first(storage: Storage) -> None:
    ids = [
        storage.distributions.add(
            DistributionFile(HISTOGRAMS, (row(seed=seed),)), f"set {seed}", "", "", False
        )
        for seed in range(1, 4)
    ]
    assert [item.set_id for item in storage.distributions.all()] == ids[::-1]


def wrong(weights: object) -> DistributionFile:
    return DistributionFile(HISTOGRAMS, (row(), replace(row("pear"), weights=np.array(weights))))


@pytest.mark.parametrize(
    ("file", "name", "message"),
    [
        (FILE, "", "name is empty"),
        (FILE, "a\nb", "more than one line"),
        (FILE, "x" * 201, "201 characters: give at most 200"),
        (replace(FILE, kind="guesses"), "a", "There is no kind 'guesses'"),
        (replace(FILE, rows=()), "a", "holds no distribution"),
        (wrong([1.0] * 71), "a", "Row 2 sums to 71 instead of 1"),
        (wrong([1.0]), "a", "Row 2 has 1 numbers"),
        (wrong([2.0, -1.0] + [0.0] * 69), "a", "Row 2 has -1 in bin 1"),
        (wrong([np.nan] * 71), "a", "Row 2 has nan in bin 0"),
        (DistributionFile(HISTOGRAMS, (row(" - "),)), "a", "Row 1 has no concept"),
        (DistributionFile(HISTOGRAMS, (row(people=-1),)), "a", "Row 1 is of -1 people"),
        (DistributionFile(HISTOGRAMS, (row(contributor="\ud800"),)), "a", "Row 1, contributor"),
    ],
)
def test_what_cannot_be_stored_is_named(
    shared_storage: Storage, file: DistributionFile, name: str, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        shared_storage.distributions.add(file, name, "a.csv", "", True)
    for table in ("distribution_sets", "distribution_rows", "set_views"):
        assert shared_storage._database.count(table) == 0


def test_a_set_that_is_not_there(storage: Storage) -> None:
    sets = storage.distributions
    for call in (
        sets.get,
        sets.words,
        sets.rows,
        sets.hide,
        lambda set_id: sets.rename(set_id, "a"),
    ):
        with pytest.raises(NotStored, match="Nothing is stored under the set id abcdef00"):
            call("abcdef00")
        with pytest.raises(NotStored, match="is no set id"):
            call("nothing")


def test_threads_add_the_same_and_different_sets(storage: Storage) -> None:
    def add(number: int) -> str:
        file = DistributionFile(HISTOGRAMS, (row(seed=1 + number % 4),))
        set_id = storage.distributions.add(file, f"set {number}", "", "", True)
        storage.distributions.rename(set_id, f"name {number}")
        assert len(storage.distributions.rows(set_id, "apple")) == 1
        return set_id

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(add, range(32)))
    assert len(set(ids)) == 4
    assert {item.set_id for item in storage.distributions.all()} == set(ids)
    assert storage._database.count("distribution_rows") == 4
    # One name at first and one for each rename that was another name.
    assert storage._database.count("set_views") == 4 + 32
    assert storage.check() == []


def test_lost_rows_are_noticed(storage: Storage) -> None:
    set_id = storage.distributions.add(FILE, "one", "one.csv", "", True)
    other = storage.distributions.add(replace(FILE, rows=(row(),)), "two", "", "", True)
    with storage._database.cursor() as cursor:
        cursor.execute("DELETE FROM distribution_rows WHERE set_id = ?", [set_id])
        cursor.execute("DELETE FROM distribution_sets WHERE set_id = ?", [other])
        cursor.execute("DELETE FROM set_views WHERE set_id = ?", [set_id])
    assert storage.check() == [
        f"the distribution 0 is of the set {other}, which is not stored",
        f"the set of distributions {set_id} has none",
        f"the set {set_id} has no name",
        f"version 1 of a name is of the set {other}, which is not stored",
    ]


# At night 6,369 colorings of 1,279 concepts: PROTOCOLS.md, section 2.
@pytest.mark.parametrize(
    ("count", "concepts"), [(504, 101), pytest.param(6_369, 1_274, marks=pytest.mark.nightly)]
)
def test_as_many_rows_as_colorings_were_kept(
    storage: Storage, monkeypatch: pytest.MonkeyPatch, count: int, concepts: int
) -> None:
    # As 6,369 rows take four parts, so do fewer.
    monkeypatch.setattr("truehue.storage.distributions._PART", count // 4 + 1)
    rows = tuple(row(f"thing {n // 5}", f"p{n % 5}", n + 1) for n in range(count))
    set_id = storage.distributions.add(DistributionFile(PALETTES, rows), "all", "", "", True)
    record = storage.distributions.get(set_id)
    assert (record.rows, record.concepts, record.contributors) == (count, concepts, 5)
    stored = storage.distributions.rows(set_id)
    for item, other in zip(stored[::97], rows[::97], strict=True):
        np.testing.assert_array_equal(item.weights, other.weights)
        assert (item.words, item.contributor) == (other.words, other.contributor)


def test_the_real_ratings(storage: Storage) -> None:
    folder = os.environ.get("TRUEHUE_SHARED_DATA")
    if not folder:
        pytest.skip("TRUEHUE_SHARED_DATA names no folder")
    path = Path(folder) / "human_uw71" / "uw71_all_concept_ratings.csv"
    file = read_distributions(path.name, path.read_bytes(), normalize=True)
    set_id = storage.distributions.add(file, "Ratings", path.name, "SchlossVRL/gpt-cca", True)
    record = storage.distributions.get(set_id)
    assert (record.kind, record.rows, record.concepts) == (RATINGS, 70, 70)
    (banana,) = storage.distributions.rows(set_id, "Banana")
    line = next(
        splitline for splitline in path.read_text().splitlines() if splitline.startswith("banana,")
    )
    floats = [float(cell) for cell in line.split(",")[1:]]
    assert json.loads(json.dumps(banana.given)) == {"numbers": floats}
    np.testing.assert_allclose(banana.weights, np.array(floats) / sum(floats), rtol=1e-14)
