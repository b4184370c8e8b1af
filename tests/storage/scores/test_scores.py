"""Stored scores: which of them counts, and what they say of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.empty_data import empty_data
from tests.storage.conftest import SteppingClock
from tests.storage.run_samples import fill
from truehue.core.errors import BadInput, NotStored
from truehue.core.scores.records import IMAGE, Measure, ScoreRecord
from truehue.storage import Storage

pytestmark = pytest.mark.slow

RATING = Measure("rating", "1", "Rating", "high", 0.0, 10.0, 1, "mean", "people")


def score(item: str, value: float | None, **changes: object) -> ScoreRecord:
    score_record = ScoreRecord(IMAGE, item, "rating", "1", value)
    if value is None:
        score_record = replace(score_record, status="unscored", reason="no answer")
    return replace(score_record, **changes)  # type: ignore[arg-type]


def test_a_score_comes_back_and_none_is_overwritten(storage: Storage) -> None:
    first = score("a", 5.0, numbers={"of": [1, 2.5]}, provenance={"study": "s"}, scorer="ann")
    storage.scores.add_many([first, score("b", None)])
    storage.scores.add_many([replace(first, value=7.0)])
    score_records = storage.scores.of_items(IMAGE, ["a", "b", "c"])
    assert [replace(record, created_at=None) for record in score_records["a"]] == [
        first,
        replace(first, value=7.0),
    ]
    assert [record.status for record in score_records["b"]] == ["unscored"]
    assert storage.scores.count() == 3
    assert (storage.scores.changes, list(score_records)) == (2, ["a", "b"])


def test_no_scores_are_no_change(storage: Storage) -> None:
    storage.scores.add_many([])
    assert (storage.scores.count(), storage.scores.changes) == (0, 0)


def test_of_each_scorer_the_latest_value_counts_and_of_several_the_mean(storage: Storage) -> None:
    add, values = storage.scores.add_many, storage.scores.values
    add([score("a", 2.0, scorer="ann"), score("a", 4.0, scorer="ben"), score("b", None)])
    assert values(RATING, IMAGE, ["a", "b"]) == {"a": 3.0}
    assert storage.scores.reasons(RATING, IMAGE, ["a", "b"]) == {"b": "no answer"}
    add([score("a", 6.0, scorer="ann")])
    add([score("a", None, scorer="ann"), score("b", 1.0)])
    assert values(RATING, IMAGE, ["a", "b", "c"]) == {"a": 5.0, "b": 1.0}
    assert storage.scores.reasons(RATING, IMAGE, ["a", "b"]) == {}
    # Another version, other parameters: another score.
    assert values(replace(RATING, version="2"), IMAGE, ["a"]) == {}
    assert values(replace(RATING, parameters={"scale": 5}), IMAGE, ["a"]) == {}
    add([score("a", 9.0, parameters={"scale": 5})])
    assert values(replace(RATING, parameters={"scale": 5.0}), IMAGE, ["a"]) == {"a": 9.0}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"item_kind": "song"}, "item_kind is 'song'"),
        ({"item": " "}, "item is empty"),
        ({"measure": ""}, "measure is empty"),
        ({"value": float("nan")}, "value is nan"),
        ({"value": None}, "value is None, and status scored"),
        ({"value": True}, "value is True"),
        ({"status": "unscored"}, "value is 1.0, and status unscored"),
        ({"status": "unscored", "value": None}, "reason is empty"),
        ({"status": "good"}, "status is 'good'"),
        ({"numbers": {"a": {1}}}, r"numbers\.a is a builtins\.set"),
    ],
)
def test_bad_fields_are_named_and_nothing_is_stored(
    shared_storage: Storage, change: dict[str, Any], text: str
) -> None:
    with pytest.raises(BadInput, match=text):
        shared_storage.scores.add_many([score("a", 1.0), replace(score("a", 1.0), **change)])
    assert shared_storage.scores.count() == 0


@pytest.fixture(scope="module")
def of_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Storage, str]]:
    folder = tmp_path_factory.mktemp("scores")
    with Storage.open(empty_data(folder / "data"), SteppingClock()) as storage:
        run_id, _ = fill(storage, folder, models=("model-a", "model-b"), prompts=6, images=2)
        yield storage, run_id


def test_a_run_has_a_mean_over_prompts_and_says_what_it_lacks(of_run: tuple[Storage, str]) -> None:
    storage, run_id = of_run
    scores = storage.scores
    images = scores.images_without(RATING, run_id)
    assert 4 < len(images) <= 12
    assert scores.mean_of_run(RATING, run_id).missing == len(images)
    values = {image_id: float(index) for index, image_id in enumerate(images[:-2])}
    scores.add_many([score(image_id, value) for image_id, value in values.items()])
    scores.add_many([score(images[-1], None)])
    assert scores.images_without(RATING, run_id) == images[-2:]
    score_mean = scores.mean_of_run(RATING, run_id)
    assert score_mean.mean == pytest.approx(sum(values.values()) / len(values))
    assert (score_mean.scored, score_mean.items) == (len(values), len(images))
    assert (score_mean.unscored, score_mean.missing) == ({"no answer": 1}, 1)
    assert score_mean.low is not None
    assert score_mean.low < score_mean.mean < (score_mean.high or 0.0)
    rows = [row for page in scores.of_run(run_id) for row in page]
    assert len(rows) == len(values) + 1
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    with pytest.raises(NotStored):
        scores.mean_of_run(RATING, "none")


def test_a_database_of_the_thirteenth_step_takes_scores(data_dir: Path) -> None:
    from truehue.storage.database.connection import Database
    from truehue.storage.database.migrations import MIGRATIONS

    data_dir.mkdir()
    Database.open(data_dir / "truehue.duckdb", migrations=MIGRATIONS[:13]).close()
    with Storage.open(data_dir) as storage:
        storage.scores.add_many([score("a", 1.0)])
    with Storage.open(data_dir) as storage:
        assert storage.scores.values(RATING, IMAGE, ["a"]) == {"a": 1.0}
        assert storage.check() == []
