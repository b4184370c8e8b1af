"""However often, in whatever batches and order events are sent, each is stored once."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import BadInput
from core.studies import Event
from storage import Storage
from tests.storage.studies.people import answer, link, person

# A step: who sends, the events by number, and whether the storage is opened anew before.
BATCH = st.lists(st.integers(0, 11), max_size=6)
STEPS = st.lists(st.tuples(st.integers(0, 2), BATCH, st.booleans()), max_size=12)


@settings(max_examples=10, deadline=None)
@given(steps=STEPS)
def test_each_event_is_stored_once_and_belongs_to_who_sent_it_first(
    steps: list[tuple[int, list[int], bool]],
) -> None:
    """Against a model that is a dict: id to owner and stored event."""
    events = [answer(n, f"{n:032x}") for n in range(12)]
    model: dict[str, tuple[int, Event]] = {}
    counts = [0, 0, 0]
    with TemporaryDirectory() as folder:
        storage = Storage.open(Path(folder))
        try:
            place = link(storage)
            people = [person(storage, place).id for _ in range(3)]
            for who, batch, again in steps:
                if again:
                    storage.close()
                    storage = Storage.open(Path(folder))
                sent = [events[n] for n in batch]
                foreign = any(model.get(one.id, (who,))[0] != who for one in sent)
                try:
                    stored = storage.study_events.append(people[who], sent)
                except BadInput:
                    assert foreign
                    continue
                assert not foreign
                for one in stored:
                    if one.id not in model:
                        assert one.number == counts[who]
                        model[one.id] = (who, one)
                        counts[who] += 1
                    assert model[one.id] == (who, one)
            for who, one in enumerate(people):
                expected = [event for owner, event in model.values() if owner == who]
                assert list(storage.study_events.of(one)) == expected
            assert storage.check() == []
        finally:
            storage.close()
