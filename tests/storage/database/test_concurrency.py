from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Semaphore
from typing import TypeVar

import numpy as np
import pytest

from tests.storage.samples import answers, asks, brushed, drawing, picture, prompts, verdict
from truehue.core.errors import StorageError
from truehue.storage import Storage
from truehue.storage.database.connection import Database

pytestmark = pytest.mark.slow

THREADS = 8
T = TypeVar("T")


def _at_once(task: Callable[[int], T]) -> list[T]:
    """Start ``task`` in all threads at the same moment and return what they return."""
    start = threading.Barrier(THREADS)

    def wait_and_run(number: int) -> T:
        start.wait()
        return task(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(wait_and_run, range(THREADS)))


def test_the_same_things_from_many_threads_are_one_row_each(storage: Storage) -> None:
    def add_everything(number: int) -> list[object]:
        added: list[object] = []
        for seed in range(3):
            image = storage.images.add(picture(seed), f"thread {number}", "upload")
            mask = storage.masks.add(image.image_id, brushed())
            evidence = storage.evidence.add(
                verdict(image.image_id, mask.mask_id, reason=f"thread {number}")
            )
            added += [image, mask, evidence]
        return added

    results = _at_once(add_everything)
    assert all(result == results[0] for result in results)
    assert (storage.images.count(), storage.masks.count(), storage.evidence.count()) == (3, 3, 3)
    assert storage.check() == []
    assert not list(storage.data_dir.rglob("*.part"))


def test_no_row_of_many_threads_is_lost(storage: Storage) -> None:
    image_id = storage.images.add(picture(), "a", "upload").image_id
    total = 64

    def add_share(number: int) -> list[str]:
        return [
            storage.evidence.add(verdict(image_id, parameters={"n": n})).evidence_id
            for n in range(number, total, THREADS)
        ]

    ids = {evidence_id for share in _at_once(add_share) for evidence_id in share}
    assert len(ids) == total
    stored = storage.evidence.for_image(image_id)
    assert {record.evidence_id for record in stored} == ids
    assert {record.parameters["n"] for record in stored} == set(range(total))


def test_reading_while_others_write(storage: Storage) -> None:
    def mix(number: int) -> None:
        image = storage.images.add(picture(number), str(number), "upload")
        for n in range(3):
            storage.evidence.add(verdict(image.image_id, version=str(n)))
            assert len(storage.evidence.for_image(image.image_id)) == n + 1
            np.testing.assert_array_equal(storage.images.srgb8(image.image_id), picture(number))
            assert storage.images.recent(3)

    _at_once(mix)
    assert storage.evidence.count() == THREADS * 3


def test_no_drawing_of_many_threads_is_lost(storage: Storage) -> None:
    def draw(number: int) -> list[str]:
        image = storage.images.add(picture(number % 3), "", "generated")
        alone = [
            storage.drawings.add(drawing(image.image_id, seed=n, job_id=str(number)))
            for n in range(3)
        ]
        together = storage.drawings.add_many(
            [drawing(seed=n, prompt_id=f"cna-{n}", job_id=str(number)) for n in range(10)]
        )
        storage.evidence.add(answers(image.image_id, asks(), version=str(number)))
        assert storage.drawings.count(job_id=str(number)) == 13
        marks = storage.drawings.marks("gencolorbench")
        assert marks["cna-1"].verdict == "pass"
        return [row.drawing_id for row in (*alone, *together)]

    ids = [drawing_id for share in _at_once(draw) for drawing_id in share]
    assert len(set(ids)) == THREADS * 13
    assert {row.drawing_id for row in storage.drawings.recent(1000)} == set(ids)
    numbers = storage._database.rows("SELECT number FROM drawings ORDER BY number")
    assert [number for (number,) in numbers] == list(range(1, THREADS * 13 + 1))
    marks = storage.drawings.marks("gencolorbench")
    assert (marks["cna-1"].drawn, marks["cna-1"].failed) == (THREADS * 3, THREADS)
    assert storage.images.count() == 3
    assert storage.check() == []


def test_sets_and_selections_from_many_threads(storage: Storage) -> None:
    def save(number: int) -> str:
        added = storage.prompt_sets.add(f"thread {number}", prompts(12), "csv")
        storage.prompt_sets.hide(storage.prompt_sets.add("own", prompts(number + 1), "csv").set_id)
        storage.selections.save("basket", [(added.set_id, f"cna_l3-{number + 1}")])
        return added.set_id

    assert len(set(_at_once(save))) == 1
    assert len(storage.prompt_sets.all(hidden=True)) == 1 + THREADS
    assert len(storage.prompt_sets.all()) == 1
    assert [record.version for record in storage.selections.all()] == [THREADS]
    assert storage.check() == []


def test_a_snapshot_is_of_one_moment_for_its_thread_alone(storage: Storage) -> None:
    first = storage.images.add(picture(1), "1.png", "upload")
    with storage.snapshot():
        assert storage.images.get(first.image_id) == first
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(storage.images.add, picture(2), "2.png", "upload").result()
            assert len(pool.submit(storage.images.by_ids, [other.image_id]).result()) == 1
        with storage.snapshot():
            assert not storage.images.by_ids([other.image_id])
        with pytest.raises(StorageError, match="one moment"):
            storage.images.add(picture(3), "3.png", "upload")
        assert storage.images.by_ids([first.image_id])
    assert len(storage.images.by_ids([first.image_id, other.image_id])) == 2


ENDLESS = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range < b.range"


def test_it_closes_when_what_others_read_has_ended(tmp_path: Path) -> None:
    """DuckDB by itself refuses to close while a cursor is at work."""
    database = Database.open(tmp_path / "truehue.duckdb")
    reads, ended = Semaphore(0), threading.Event()

    def read(_: int) -> str:
        try:
            while not ended.is_set():
                database.rows("SELECT count(*) FROM range(2000000)")
                reads.release()
        except StorageError as error:
            return str(error)
        return "never refused"

    with ThreadPoolExecutor(3) as readers:
        refusals = readers.map(read, range(3))
        for _ in range(9):
            reads.acquire()
        try:
            database.close()
            said = [refusal.rpartition(" has been ")[2] for refusal in refusals]
            assert said == 3 * ["closed: open the data folder again."]
        finally:
            ended.set()


def test_what_does_not_end_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truehue.storage.database.connection.GRACE_S", 0.2)
    database = Database.open(tmp_path / "truehue.duckdb")
    event = threading.Event()

    def read() -> None:
        with database.cursor() as cursor:
            event.set()
            cursor.execute(ENDLESS)

    with ThreadPoolExecutor(1) as reader:
        reading = reader.submit(read)
        event.wait()
        database.close()
        with pytest.raises(StorageError, match="Interrupted"):
            reading.result()
    with pytest.raises(StorageError, match="has been closed"):
        database.rows("SELECT 1")


def test_a_transaction_that_does_not_end_is_rolled_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.storage.database.connection.GRACE_S", 0.2)
    database = Database.open(tmp_path / "truehue.duckdb")
    before, started = database.count("images"), threading.Event()

    def write() -> None:
        with database.transaction() as cursor:
            cursor.execute("CREATE TABLE half (n INTEGER)")
            started.set()
            cursor.execute(ENDLESS)

    with ThreadPoolExecutor(1) as writer:
        writing = writer.submit(write)
        started.wait()
        database.close()
        with pytest.raises(StorageError, match="Interrupted"):
            writing.result()
    again = Database.open(tmp_path / "truehue.duckdb")
    assert again.count("images") == before
    assert again.rows("SELECT * FROM duckdb_tables() WHERE table_name = 'half'") == []
    again.close()


def test_an_idle_cursor_keeps_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truehue.storage.database.connection.GRACE_S", 0.1)
    monkeypatch.setattr("truehue.storage.database.connection._INTERRUPTING_S", 0.1)
    database = Database.open(tmp_path / "truehue.duckdb")
    with database.cursor() as cursor:
        cursor.execute("SELECT 1")
        database.close()
    Database.open(tmp_path / "truehue.duckdb").close()
