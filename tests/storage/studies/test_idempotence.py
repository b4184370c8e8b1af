"""However often, in whatever batches and order events are sent, each is stored once."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.empty_data import empty_data
from tests.storage.studies.people import answer, link, person
from truehue.core.errors import BadInput
from truehue.core.studies import Event
from truehue.storage import Storage

# A step: who sends, and the events by number. Before some of them the storage is opened anew.
BATCH = st.lists(st.integers(0, 11), max_size=6)
STEPS = st.lists(st.tuples(st.integers(0, 2), BATCH), max_size=12)
RESTARTS = st.sets(st.integers(0, 11), max_size=2)


def test_each_event_is_stored_once_and_belongs_to_who_sent_it_first(tmp_path: Path) -> None:
    """Against a model that is a dict: id to owner and stored event. The examples share a storage,
    each with people and ids of its own."""
    data = empty_data(tmp_path / "data")
    opened = [Storage.open(data)]
    examples = itertools.count()

    def restart() -> Storage:
        opened.pop().close()
        opened.append(Storage.open(data))
        return opened[0]

    @settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(steps=STEPS, restarts=RESTARTS)
    def example(steps: list[tuple[int, list[int]]], restarts: set[int]) -> None:
        _compare(opened[0], restart, next(examples), steps, restarts)

    try:
        example()
        assert opened[0].check() == []
    finally:
        opened.pop().close()


def _compare(
    storage: Storage,
    restart: Callable[[], Storage],
    number: int,
    steps: list[tuple[int, list[int]]],
    restarts: set[int],
) -> None:
    events = [answer(n, f"{number:016x}{n:016x}") for n in range(12)]
    model: dict[str, tuple[int, Event]] = {}
    counts = [0, 0, 0]
    index = link(storage)
    people = [person(storage, index).id for _ in range(3)]
    for step, (who, batch) in enumerate(steps):
        if step in restarts:
            storage = restart()
        sent = [events[n] for n in batch]
        foreign = any(model.get(entry.id, (who,))[0] != who for entry in sent)
        try:
            stored = storage.study_events.append(people[who], sent)
        except BadInput:
            assert foreign
            continue
        assert not foreign
        for item in stored:
            if item.id not in model:
                assert item.number == counts[who]
                model[item.id] = (who, item)
                counts[who] += 1
            assert model[item.id] == (who, item)
    for who, item in enumerate(people):
        expected = [event for owner, event in model.values() if owner == who]
        assert list(storage.study_events.of(item)) == expected
