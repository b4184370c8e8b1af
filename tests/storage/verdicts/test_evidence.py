from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from tests.empty_data import empty_data
from tests.storage.conftest import START, SteppingClock
from tests.storage.samples import brushed, picture, verdict
from truehue.core.errors import BadInput, NotStored
from truehue.storage import Storage

pytestmark = pytest.mark.slow


@pytest.fixture
def image_id(storage: Storage) -> str:
    return storage.images.add(picture(), "a", "upload").image_id


@pytest.fixture
def mask_id(storage: Storage, image_id: str) -> str:
    return storage.masks.add(image_id, brushed()).mask_id


def test_a_verdict_comes_back_with_id_and_time(
    storage: Storage, image_id: str, mask_id: str
) -> None:
    values = verdict(image_id, mask_id)
    stored = storage.evidence.add(values)
    assert len(stored.evidence_id) == 64
    assert stored.created_at == START + timedelta(seconds=2)
    assert stored.created_at is not None
    assert stored.created_at.utcoffset() == timedelta(0)
    assert replace(stored, evidence_id="", expectation="", created_at=None) == values
    assert storage.evidence.get(stored.evidence_id) == stored
    assert storage.evidence.get(stored.evidence_id[:8]) == stored
    assert storage.evidence.recent(10) == storage.evidence.for_image(image_id) == [stored]


def test_the_same_key_never_overwrites(storage: Storage, image_id: str, mask_id: str) -> None:
    first = storage.evidence.add(verdict(image_id, mask_id))
    changed = verdict(
        image_id, mask_id, status="fail", reason="other", numbers={}, evidence_id="ff"
    )
    assert storage.evidence.add(changed) == first
    assert storage.evidence.add(first) == first
    assert storage.evidence.count() == 1


@pytest.mark.parametrize(
    "change",
    [
        {"mask_id": None},
        {"object_name": "bowl"},
        {"target": {"name": "blue"}},
        {"protocol": "other-rule"},
        {"version": "2"},
        {"parameters": {"threshold": 6.0}},
    ],
)
def test_every_part_of_the_key_counts(
    storage: Storage, image_id: str, mask_id: str, change: dict[str, Any]
) -> None:
    first = storage.evidence.add(verdict(image_id, mask_id))
    second = storage.evidence.add(replace(verdict(image_id, mask_id), **change))
    assert first.evidence_id != second.evidence_id
    assert storage.evidence.for_image(image_id) == [second, first]


def test_spelling_does_not_count(storage: Storage, image_id: str) -> None:
    a = verdict(image_id, target={"name": "Δ", "lab": [50.0, -0.0]}, parameters={"x": 1, "y": 2})
    b = verdict(
        image_id[:8].upper(),
        target=MappingProxyType({"lab": (50, 0), "name": "Δ"}),
        parameters={"y": 2.0, "x": 1.0},
    )
    assert storage.evidence.add(a) == storage.evidence.add(b)


def test_types_do_count(storage: Storage, image_id: str) -> None:
    values = [1, True, "1", None, [1], {"1": 1}]
    for value in values:
        storage.evidence.add(verdict(image_id, parameters={"x": value}))
    assert storage.evidence.count() == len(values)


def test_evidence_needs_its_image_and_mask(storage: Storage, image_id: str, mask_id: str) -> None:
    other = storage.images.add(picture(1), "b", "upload").image_id
    with pytest.raises(NotStored, match="image id"):
        storage.evidence.add(verdict("0" * 64))
    with pytest.raises(NotStored, match="mask id"):
        storage.evidence.add(verdict(image_id, "0" * 64))
    with pytest.raises(BadInput, match=r"mask_id .* belongs to the image"):
        storage.evidence.add(verdict(other, mask_id))
    with pytest.raises(NotStored, match="evidence id"):
        storage.evidence.get("0" * 64)
    with pytest.raises(NotStored, match="image id"):
        storage.evidence.for_image("0" * 64)
    assert storage.evidence.count() == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"numbers": {"delta_e00": float("nan")}}, r"numbers\.delta_e00 is nan.*None"),
        ({"numbers": {"a": [{"b": float("-inf")}]}}, r"numbers\.a\[0\]\.b is -inf"),
        ({"numbers": {"a": np.float32(1)}}, r"numbers\.a is a numpy\.float32"),
        ({"numbers": {1: 2}}, "numbers has the key 1"),
        ({"numbers": [1]}, "numbers must be a dict"),
        ({"target": {"name": float("nan")}}, r"target\.name is nan"),
        ({"parameters": {"x": {1, 2}}}, r"parameters\.x is a builtins\.set"),
        ({"status": "maybe"}, "status is 'maybe'.*unscored"),
        ({"protocol": ""}, "protocol is empty"),
        ({"version": 1}, "version must be text"),
        ({"reason": "\ud800"}, "reason holds a character"),
        ({"target": {"\ud800": 1}}, "a key of target holds a character"),
    ],
)
def test_bad_fields_are_named(
    shared_storage: Storage, change: dict[str, Any], message: str
) -> None:
    image_id = shared_storage.images.add(picture(), "a", "upload").image_id
    with pytest.raises(BadInput, match=message):
        shared_storage.evidence.add(replace(verdict(image_id), **change))
    assert shared_storage.evidence.count() == 0


def test_numbers_survive_to_the_last_bit(storage: Storage, image_id: str) -> None:
    numbers = {
        "third": 1 / 3,
        "tiny": 5e-324,
        "huge": 1.7976931348623157e308,
        "numpy": np.float64(0.1),
        "whole": 2**80,
        "text": "a\0b\n\"'",
    }
    stored = storage.evidence.add(verdict(image_id, numbers=numbers))
    assert stored.numbers == numbers
    assert type(stored.numbers["whole"]) is int


def test_text_is_never_part_of_a_statement(storage: Storage, image_id: str) -> None:
    nasty = "'); DROP TABLE evidence; --"
    stored = storage.evidence.add(verdict(image_id, object_name=nasty, reason=nasty))
    assert (stored.object_name, stored.reason) == (nasty, nasty)


def test_recent_is_newest_first_in_the_order_of_adding(
    storage: Storage, image_id: str, clock: SteppingClock
) -> None:
    """Also at one time, and where the clock is put back: what badges call the latest is first."""
    clock.step = timedelta(seconds=-1)
    same = [storage.evidence.add(verdict(image_id, version=str(n))) for n in range(3)]
    clock.step = timedelta(0)
    same += storage.evidence.add_many([verdict(image_id, version=str(n)) for n in (3, 4)])
    same.reverse()
    assert storage.evidence.recent(10) == same
    assert storage.evidence.for_image(image_id) == same
    clock.time += timedelta(seconds=1)
    newest = storage.evidence.add(verdict(image_id, version="new"))
    assert storage.evidence.recent(3) == [newest, *same[:2]]
    assert storage.evidence.recent(2, offset=4) == same[3:]


def test_times_are_utc_whatever_zone_the_clock_has(data_dir) -> None:
    tokyo = datetime(2026, 7, 1, 3, 0, tzinfo=timezone(timedelta(hours=9)))
    with Storage.open(empty_data(data_dir), lambda: tokyo) as storage:
        record = storage.images.add(picture(), "a", "upload")
    with Storage.open(data_dir) as storage:
        assert storage.images.get(record.image_id) == record
    assert record.created_at == datetime(2026, 6, 30, 18, 0, tzinfo=UTC)


def test_many_at_once_are_the_rows_that_one_by_one_would_be(data_dir) -> None:
    """Same rows, ids, times and order of adding; of one id the first row stays."""
    saved = []
    for way in ("many", "one"):
        with Storage.open(empty_data(data_dir / way), SteppingClock()) as storage:
            image = storage.images.add(picture(), "a", "upload")
            mask = storage.masks.add(image.image_id, brushed())
            local = verdict(image.image_id, mask.mask_id[:12])
            stored = storage.evidence.add(local)
            rows = [
                replace(local, version=str(7 * n % 50), status=("pass", "fail")[n % 2], mask_id=m)
                for n in range(50)
                for m in (None, mask.mask_id)
            ]
            rows += [replace(local, reason="later"), replace(rows[4], status="unscored")]
            if way == "many":
                add_many = storage.evidence.add_many(rows)
            else:
                add_many = [storage.evidence.add(row) for row in rows]
            in_order = storage._database.rows("SELECT evidence_id FROM evidence ORDER BY rowid")
            saved.append((add_many, in_order))
            assert add_many[-2] == stored
            assert add_many[-1].status == "pass"
            # One of them is the row that was there already.
            assert storage.evidence.count() == 100
            assert storage.evidence.add_many([]) == []
            assert storage.check() == []
    assert [row.evidence_id for row in saved[0][0]] == [row.evidence_id for row in saved[1][0]]
    assert [replace(r, created_at=None) for r in saved[0][0]] == [
        replace(r, created_at=None) for r in saved[1][0]
    ]
    assert saved[0][1] == saved[1][1]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"status": "maybe"}, BadInput),
        ({"image_id": "0" * 64}, NotStored),
        ({"mask_id": "0" * 64}, NotStored),
        ({"numbers": {"a": float("nan")}}, BadInput),
    ],
)
def test_of_many_with_one_that_cannot_be_stored_none_is(
    storage: Storage, image_id: str, change: dict[str, Any], error: type[Exception]
) -> None:
    rows = [verdict(image_id, version="1"), replace(verdict(image_id, version="2"), **change)]
    with pytest.raises(error):
        storage.evidence.add_many(rows)
    assert storage.evidence.count() == 0
