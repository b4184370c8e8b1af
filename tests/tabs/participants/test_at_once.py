"""Many people at the same time: nothing is lost, nothing doubled, nobody gets too much."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import Any

import httpx
import pytest

from tests.tabs.participants.people import OURS, Link, Room, answer, event, plan
from truehue.annotation.studies.plan import Method
from truehue.core.studies import EventKind, Purpose, State

pytestmark = pytest.mark.slow


async def _take_part(room: Room, link: Link, seed: int) -> list[str]:
    """One person, who sends some things twice, takes some back, and may leave; returns what was
    acknowledged."""
    chance = random.Random(seed)
    transport = httpx.ASGITransport(app=room.app)
    path = f"http://testserver/study/{link.token}"
    stored: list[str] = []
    async with httpx.AsyncClient(transport=transport, headers=OURS) as client:

        async def sent(*events: dict[str, Any]) -> dict[str, Any]:
            response = await client.post(f"{path}/events", json={"events": list(events)})
            assert response.status_code == 200, response.text
            details: dict[str, Any] = response.json()
            stored.extend(details["stored"])
            return details

        body = {"consent_version": "1", "language": "en"}
        response = await client.post(f"{path}/enroll", json=body)
        assert response.status_code == 200, response.text
        message = response.json()
        waiting = [trial["position"] for trial in message["trials"]]
        while waiting:
            position = waiting.pop(0)
            item = answer(position, chance.randrange(2))
            batch = [item]
            if chance.random() < 0.2:
                batch += [event("undo", position), answer(position, None, "tie")]
            both = await asyncio.gather(sent(*batch), sent(*batch))
            for message in both:
                waiting += [trial["position"] for trial in message["trials"]]
            waiting = sorted(set(waiting))
            if chance.random() < 0.01:
                await sent(event("withdrawal"))
                return stored
        assert (await sent(event("finish")))["participant"]["stage"] == "finished"
    return stored


@pytest.mark.parametrize("method", [Method.BALANCED, Method.ADAPTIVE])
def test_whoever_comes_at_once_the_log_gives_it_again(room: Room, method: Method) -> None:
    made = plan(15, 3, votes=2, trials=10, repeats=1, attention=1, method=method)
    link = room.opened(made)

    async def everybody() -> list[list[str]]:
        return await asyncio.gather(*(_take_part(room, link, seed) for seed in range(9)))

    acknowledged = asyncio.run(everybody())
    events = room.storage.study_events.of_study(link.study.id)
    ids = [item.id for counted in events.values() for item in counted]
    assert len(ids) == len(set(ids))
    assert {name for names in acknowledged for name in names} <= set(ids)
    for counted in events.values():
        assert [item.number for item in counted] == list(range(len(counted)))
        state = Counter[int | None]()
        for entry in counted:
            if entry.kind is EventKind.ANSWER:
                state[entry.position] += 1
            elif entry.kind is EventKind.UNDO:
                state[entry.position] -= 1
        assert all(count == 1 for count in state.values())
    assert room.log_differs(link.study) == []
    if method is Method.BALANCED:
        trials = room.storage.participants.trials_of_study(link.study.id)
        load = Counter(
            trial.stimulus_id
            for counted in trials.values()
            for trial in counted
            if trial.purpose is Purpose.MAIN
        )
        answered = Counter(
            {
                trials[person][item.position].stimulus_id: 0
                for person, counted in events.items()
                for item in counted
                if item.position is not None and trials[person][item.position].stimulus_id
            }
        )
        assert len(answered) == 45
        # Only what somebody who stopped had not answered is given to one more.
        stopped = sum(
            any(item.kind is EventKind.WITHDRAWAL for item in counted)
            for counted in events.values()
        )
        assert max(load.values()) <= 2 + stopped
        assert sum(load.values()) == 90


def test_people_who_come_at_once_get_every_stimulus_as_often_as_every_other(room: Room) -> None:
    link = room.opened(plan(6, 3, votes=10, trials=9))

    async def everybody() -> None:
        transport = httpx.ASGITransport(app=room.app)

        async def one() -> int:
            async with httpx.AsyncClient(transport=transport, headers=OURS) as client:
                body = {"consent_version": "1", "language": "en"}
                path = f"http://testserver/study/{link.token}/enroll"
                return (await client.post(path, json=body)).status_code

        statuses = await asyncio.gather(*(one() for _ in range(25)))
        assert Counter(statuses) == {200: 20, 409: 5}

    asyncio.run(everybody())
    stored_trials = room.storage.participants.trials_of_study(link.study.id)
    load = Counter(trial.stimulus_id for trials in stored_trials.values() for trial in trials)
    sides = Counter(
        (trial.stimulus_id, trial.order) for ts in stored_trials.values() for trial in ts
    )
    assert set(load.values()) == {10}
    assert set(sides.values()) == {5}
    assert all(len({t.stimulus_id for t in ts}) == 9 for ts in stored_trials.values())
    assert room.log_differs(link.study) == []


def test_a_study_closes_once_however_many_finish_it(room: Room) -> None:
    link = room.opened(plan(4, 2, votes=6, trials=4))

    async def everybody() -> None:
        await asyncio.gather(*(_take_part(room, link, seed + 500) for seed in range(6)))

    asyncio.run(everybody())
    study = room.storage.studies.get(link.study.id)
    assert study.state is State.CLOSED
    states = [entry for entry in room.storage.studies.log(study.id) if entry.kind == "state"]
    assert [entry.body["state"] for entry in states] == ["draft", "open", "closed"]
