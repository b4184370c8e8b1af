"""Events: stored once, together, and acknowledged when they are on the disk."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.empty_data import empty_data
from tests.storage.studies.people import answer, link, new_id, person
from truehue.core.errors import BadInput, DataFolderError, NotStored, StorageError
from truehue.core.studies import Event, EventKind
from truehue.storage import Storage
from truehue.storage.studies.events import PACE_S

pytestmark = pytest.mark.slow

THREADS = 16


def test_events_come_back_as_they_were_sent_with_number_and_time(storage: Storage) -> None:
    record = person(storage)
    sent = [
        Event(new_id(), EventKind.CONSENT, None, {"version": "1", "text": "Größe \u0000 🎨"}, 5),
        answer(0, response_ms=812.5, reason=None, display={"dpr": 2}),
        Event(new_id(), EventKind.UNDO, 0),
    ]
    stored = storage.study_events.append(record.id, sent)
    assert [replace(event, number=0, at=None) for event in stored] == sent
    assert [event.number for event in stored] == [0, 1, 2]
    assert all(event.at is not None and event.at >= record.enrolled_at for event in stored)
    more = storage.study_events.append(record.id, [answer(1)])
    assert more[0].number == 3
    assert storage.study_events.of(record.id) == (*stored, *more)
    assert storage.study_events.append(record.id, []) == ()


def test_an_event_that_is_sent_again_is_stored_once(storage: Storage) -> None:
    record = person(storage)
    first = answer(0)
    (stored,) = storage.study_events.append(record.id, [first])
    # The same id with other words is still the same event, as it was stored.
    changed = replace(first, position=3, body={"value": 0})
    new = answer(1)
    again = storage.study_events.append(record.id, [changed, new, first, new])
    assert again == (stored, again[1], stored, again[1])
    assert (again[1].id, again[1].number) == (new.id, 1)
    assert storage.study_events.of(record.id) == (stored, again[1])


def test_an_event_is_known_again_after_a_restart(data_dir: Path) -> None:
    sent = [answer(n) for n in range(3)]
    with Storage.open(empty_data(data_dir)) as storage:
        record = person(storage)
        stored = storage.study_events.append(record.id, sent)
    with Storage.open(data_dir) as storage:
        assert storage.study_events.append(record.id, sent) == stored
        assert storage.study_events.append(record.id, [answer(3)])[0].number == 3
        assert storage.check() == []


def test_more_participants_than_are_kept_in_memory(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.storage.studies.events.KEPT_PARTICIPANTS", 2)
    index = link(storage)
    people = [person(storage, index).id for _ in range(4)]
    sent = {item: answer() for item in people}
    for _ in range(2):
        for entry in people:
            storage.study_events.append(entry, [sent[entry], answer()])
    for entry in people:
        assert [event.number for event in storage.study_events.of(entry)] == [0, 1, 2]
        assert len(storage.study_events._commits._rows._numbers) <= 2


def test_of_study_has_everybody_by_number(storage: Storage) -> None:
    index, other = link(storage), link(storage)
    people = [person(storage, index).id for _ in range(3)]
    storage.study_events.append(person(storage, other).id, [answer()])
    consent = Event(new_id(), EventKind.CONSENT)
    storage.study_events.append(people[2], [consent, answer(1)])
    storage.study_events.append(people[0], [answer(0)])
    study = storage.study_events.of_study(index[0])
    assert list(study) == people
    assert [len(events) for events in study.values()] == [1, 0, 2]
    assert study[people[2]] == storage.study_events.of(people[2])
    assert storage.study_events.count(index[0]) == 3
    assert storage.study_events.count(index[0], EventKind.ANSWER) == 2


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"id": "x"}, "id"),
        ({"id": "A" * 32}, "id"),
        ({"id": 5}, "id"),
        ({"kind": "vote"}, "kind"),
        ({"position": -1}, "position"),
        ({"position": 2**31}, "position"),
        ({"position": "1"}, "position"),
        ({"client_ms": 2**63}, "client_ms"),
        ({"client_ms": 1.5}, "client_ms"),
        ({"body": {"value": float("inf")}}, "body"),
        ({"body": {"value": "\ud83c"}}, "body"),
        ({"body": 7}, "body"),
        ({"body": [[1, 2, 3]]}, "body"),
    ],
)
def test_what_cannot_be_stored_is_refused_before_it_waits(
    shared_storage: Storage, changes: dict[str, Any], field: str
) -> None:
    record = person(shared_storage)
    with pytest.raises(BadInput) as caught:
        shared_storage.study_events.submit(record.id, [answer(), replace(answer(), **changes)])
    assert caught.value.field == field
    assert shared_storage.study_events.of(record.id) == ()


def test_one_kind_can_be_left_out(storage: Storage) -> None:
    record = person(storage)
    clear = Event(new_id(), EventKind.ACTION, 0, {"do": "clear"})
    storage.study_events.append(record.id, [clear, answer(0)])
    rest = storage.study_events.of_study(record.study_id, without=EventKind.ACTION)
    assert [event.kind for event in rest[record.id]] == [EventKind.ANSWER]
    assert storage.study_events.count(record.study_id, without=EventKind.ACTION) == 1
    assert storage.study_events.count(record.study_id) == 2


def test_the_first_strokes_of_each_participant(storage: Storage) -> None:
    index = link(storage)
    one, two = (person(storage, index) for _ in range(2))
    other = person(storage, link(storage))
    short, long, longer = ([n] * 2 * n for n in (3, 8, 20))

    def action(points: list[int], do: str = "stroke") -> Event:
        return Event(new_id(), EventKind.ACTION, 0, {"do": do, "points": points})

    storage.study_events.append(
        one.id,
        [action(short), action(long), action(long, "fill_regions"), action(longer), action(long)],
    )
    storage.study_events.append(one.id, [Event(new_id(), EventKind.ACTION, 0, {"do": "undo"})])
    storage.study_events.append(other.id, [action(long)])
    assert storage.study_events.strokes(index[0], 8, 20, 2) == {one.id: [long, longer]}
    assert storage.study_events.strokes(index[0], 8, 19, 9) == {one.id: [long, long]}
    assert two.id not in storage.study_events.strokes(index[0], 1, 99, 9)


def test_a_bad_batch_fails_alone(storage: Storage) -> None:
    """All wait for the one transaction: strangers and takers of others' ids among them."""
    index = link(storage)
    people = [person(storage, index).id for _ in range(12)]
    used = answer()
    storage.study_events.append(people[0], [used])
    double = answer()
    with storage._database._writing:  # the writer cannot begin before all of these wait
        good = [storage.study_events.submit(item, [answer(), answer()]) for item in people]
        thief = storage.study_events.submit(people[1], [answer(), used, answer()])
        stranger = storage.study_events.submit(new_id(), [answer()])
        twins = [storage.study_events.submit(item, [double]) for item in people[2:4]]
        late = [storage.study_events.submit(item, [answer()]) for item in people]
    for future in (*good, *late):
        assert future.result(300)
    with pytest.raises(BadInput, match="another participant") as caught:
        thief.result(300)
    assert used.id in str(caught.value)
    with pytest.raises(NotStored):
        stranger.result(300)
    # Two who made the same id at the same time: one has it.
    assert sorted(type(twin.exception(300)) for twin in twins if twin.exception(300)) == [BadInput]
    assert storage.study_events.count(index[0]) == 1 + 3 * 12 + 1
    assert [event.number for event in storage.study_events.of(people[1])] == [0, 1, 2]
    assert storage.check() == []


def test_what_waits_is_one_transaction(storage: Storage) -> None:
    index = link(storage)
    people = [person(storage, index).id for _ in range(5)]
    storage.study_events.append(people[0], [answer()])
    tally = storage._database.tally()
    assert tally is not None
    with storage._database._writing:
        first = storage.study_events.submit(people[0], [answer()])
        while storage.study_events._commits._waiting:  # the writer has taken it, and waits
            threading.Event().wait(0.001)
        rest = [storage.study_events.submit(item, [answer()]) for item in people * 20]
        assert not first.done()
        assert not any(future.done() for future in rest)
    wait([first, *rest], 300)
    after = storage._database.tally()
    assert after is not None
    assert after.writes - tally.writes == 2
    times = {event.at for future in rest for event in future.result()}
    assert len(times) == 1


def test_nothing_of_many_threads_is_lost_or_doubled(storage: Storage) -> None:
    index = link(storage)
    people = [person(storage, index).id for _ in range(THREADS)]
    start = threading.Barrier(THREADS)

    def vote(number: int) -> list[Event]:
        start.wait()
        stored: list[Event] = []
        for position in range(5):
            sent = [answer(position), answer(position)]
            both = [storage.study_events.submit(people[number], sent) for _ in range(2)]
            first, second = (future.result(300) for future in both)
            assert first == second
            assert storage.study_events.of(people[number])[-2:] == first
            stored += first
        return stored

    with ThreadPoolExecutor(THREADS) as pool:
        answered = list(pool.map(vote, range(THREADS)))
    study = storage.study_events.of_study(index[0])
    for item, stored in zip(people, answered, strict=True):
        assert list(study[item]) == stored
        assert [event.number for event in stored] == list(range(10))
    assert storage.check() == []


def test_devices_of_one_person_share_their_numbers(storage: Storage) -> None:
    record = person(storage)

    def vote(number: int) -> tuple[Event, ...]:
        return storage.study_events.append(record.id, [answer(number), answer(number)])

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(vote, range(60)))
    events = storage.study_events.of(record.id)
    assert [event.number for event in events] == list(range(120))
    positions = [event.position for event in events]
    assert positions[::2] == positions[1::2]
    times = [event.at for event in events if event.at is not None]
    assert times == sorted(times)


def test_events_and_erasures_at_the_same_time_leave_no_stray_row(storage: Storage) -> None:
    index = link(storage)
    people = [person(storage, index).id for _ in range(10)]
    stop = threading.Event()

    def vote(number: int) -> bool:
        while not stop.is_set():
            try:
                storage.study_events.append(people[number], [answer()])
            except NotStored:
                return True
        return False

    with ThreadPoolExecutor(10) as pool:
        refused = [pool.submit(vote, number) for number in range(10)]
        for item in people[:6]:
            storage.participants.erase(item, "ann")
        wait(refused[:6], 300)
        stop.set()
        assert [future.result() for future in refused] == [True] * 6 + [False] * 4
    assert set(storage.study_events.of_study(index[0])) == set(people[6:])
    assert storage.check() == []


def test_who_hangs_up_has_voted_all_the_same(storage: Storage) -> None:
    record = person(storage)

    async def hang_up() -> None:
        waiting = asyncio.wrap_future(storage.study_events.submit(record.id, [answer()]))
        waiting.cancel()
        await asyncio.wrap_future(storage.study_events.submit(record.id, [answer()]))

    asyncio.run(hang_up())
    assert len(storage.study_events.of(record.id)) == 2


def test_the_end_waits_for_what_was_submitted(data_dir: Path) -> None:
    with Storage.open(empty_data(data_dir)) as storage:
        record = person(storage)
        futures: list[Future[tuple[Event, ...]]] = []
        with storage._database._writing:
            futures += [storage.study_events.submit(record.id, [answer()]) for _ in range(20)]
    assert all(future.done() and future.exception() is None for future in futures)
    with pytest.raises(StorageError, match="closed"):
        storage.study_events.submit(record.id, [answer()])
    storage.close()
    with Storage.open(data_dir) as again:
        assert len(again.study_events.of(record.id)) == 20


def test_a_storage_without_events_has_no_thread(storage: Storage) -> None:
    names = [thread.name for thread in threading.enumerate()]
    assert "study events" not in names


def test_nothing_is_acknowledged_while_the_folder_is_away(storage: Storage, data_dir: Path) -> None:
    index = link(storage)
    record, other = person(storage, index), person(storage, index)
    storage.study_events.append(record.id, [answer()])
    away = data_dir.with_name("away")
    data_dir.rename(away)
    sent = answer()
    with storage._database._writing:
        futures = [storage.study_events.submit(item.id, [sent]) for item in (record, other)]
    for future in futures:
        assert isinstance(future.exception(300), DataFolderError)
    away.rename(data_dir)
    # The page sends it again, and it has the number that it would have had.
    assert storage.study_events.append(record.id, [sent])[0].number == 1


def test_transactions_that_several_share_are_paced_and_who_is_alone_never_waits(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    rests: list[float] = []
    monkeypatch.setattr(storage.study_events._commits, "_rest", rests.append)
    index = link(storage)
    people = [person(storage, index).id for _ in range(3)]
    for who in people:
        storage.study_events.append(who, [answer(), answer()])
    assert rests == []
    with storage._database._writing:  # meanwhile the others come
        waiting = [storage.study_events.submit(who, [answer()]) for who in people * 2]
    wait(waiting, 300)
    storage.study_events.close()
    assert rests
    assert all(0 <= rest <= PACE_S for rest in rests)
