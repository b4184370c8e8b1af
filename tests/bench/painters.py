"""People who color, for ``tests.bench.colorings``: every action is sent as soon as it is done."""

from __future__ import annotations

import asyncio
import json
import math
import random
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any

from tests.bench.voters import Closed, Connection, Tally

SIDE = 1024
MIN_POINTS, MAX_POINTS = 10, 200
Json = dict[str, Any]


def drawn_action(rng: random.Random) -> Json:
    """What a hand does next: mostly a stroke of 10 to 200 points, a fill, now and then an undo."""
    chance = rng.random()
    color = f"#{rng.randrange(2**24):06x}"
    if chance < 0.05:
        return {"do": "undo"}
    if chance < 0.25:
        x, y = rng.randrange(SIDE), rng.randrange(SIDE)
        return {"do": "fill", "x": x, "y": y, "closing": 1, "color": color}
    at = (rng.uniform(0, SIDE), rng.uniform(0, SIDE))
    way = rng.uniform(0, math.tau)
    points: list[int] = []
    for _ in range(rng.randint(MIN_POINTS, MAX_POINTS)):
        points += [int(v) for v in at]
        way += rng.gauss(0, 0.3)
        at = (
            min(max(at[0] + 6 * math.cos(way), 0), SIDE - 1),
            min(max(at[1] + 6 * math.sin(way), 0), SIDE - 1),
        )
    return {
        "do": "stroke",
        "points": points,
        "diameter": rng.choice((8, 16, 32, 64)),
        "color": color,
        "within": rng.choice((None, 1)),
    }


class Painter:
    """One designer: enrolls, fetches a sketch, colors it, and goes on to the next one.

    ``acknowledged`` are the actions that were, by position and in order; ``unsent`` what was sent
    and not acknowledged, as a page keeps it. A sketch is finished after ``actions_a_sketch``.
    The first ``prepared`` actions are worked out at once.
    """

    def __init__(
        self,
        address: str,
        token: str,
        tally: Tally,
        seed: int,
        actions_a_sketch: tuple[int, int],
        prepared: int = 100,
    ) -> None:
        self._connection = Connection(address)
        self._path = f"/study/{token}"
        self._tally = tally
        self._random = random.Random(seed)
        self._least, self._most = actions_a_sketch
        # Worked out before the load: a hand's way costs half of what its painter does.
        self._prepared = [drawn_action(self._random) for _ in range(prepared)]
        self._trials: list[Mapping[str, Any]] = []
        self._place = 0
        self._done = 0
        self._goal = 0
        self.acknowledged: dict[int, list[Json]] = {}
        self.finished: set[int] = set()
        self.unsent: list[Json] = []
        self._last: list[Json] = []

    async def enroll(self) -> None:
        """Agrees, gets the trials, and fetches the first sketch."""
        status, body = await self._connection.ask(f"{self._path}/state")
        assert status == 200, body
        version = json.loads(body)["study"]["consent"]["version"]
        agreement = {"consent_version": version, "language": "en", "external": {}, "display": {}}
        status, body = await self._connection.ask(f"{self._path}/enroll", agreement)
        assert status == 200, body
        self._trials = json.loads(body)["trials"]
        assert self._trials, body
        await self._open()

    async def act(self) -> None:
        """Does one thing on the canvas, and finishes the sketch where it is time."""
        position = self._trials[self._place]["position"]
        sample = self._prepared.pop() if self._prepared else drawn_action(self._random)
        event = self._event("action", position, sample)
        if not self._done:  # or nothing might be colored
            event["body"] = {"do": "fill", "x": 500, "y": 500, "closing": 1, "color": "#aa5500"}
        started = time.perf_counter()
        await self._send([event])
        self._tally.milliseconds.append(1000 * (time.perf_counter() - started))
        self._done += 1
        if self._done < self._goal or self._place + 1 == len(self._trials):
            return
        body = {
            "kind": "coloring",
            "value": None,
            "actions": self._done,
            "checksum": "00000000",  # a checksum costs a page something, and a server as little
            "response_ms": 60_000,
        }
        await self._send([self._event("answer", position, body)])
        self.finished.add(position)
        self._place += 1
        await self._open()

    async def return_to(self, address: str) -> tuple[int, int]:
        """Comes back after a restart: sends once more what was not acknowledged, and the last that
        was. Returns how many acknowledged actions of the open sketch the page is not told of, and
        how many it is told twice or in another order."""
        self._connection.close()
        self._connection = self._connection.moved(address)
        unsent = list(self.unsent)
        again = [*self._last[-3:], *(item for item in unsent if item not in self._last[-3:])]
        if again:
            await self._send(again)
        status, body = await self._connection.ask(f"{self._path}/state")
        assert status == 200, body
        self.close()
        lost = out_of_place = 0
        for trial in json.loads(body)["trials"]:
            wanted = [item["body"] for item in self.acknowledged.get(trial["position"], [])]
            lost += max(0, len(wanted) - len(trial["actions"])) if trial["actions"] else 0
            out_of_place += bool(trial["actions"]) and trial["actions"] != wanted
        return lost, out_of_place

    def close(self) -> None:
        """Leaves the page."""
        self._connection.close()

    async def _open(self) -> None:
        self._done, self._goal = 0, self._random.randint(self._least, self._most)
        sketch = self._trials[self._place]["sketch"]["id"]
        for kind in ("png", "regions"):
            status, body = await self._connection.ask(f"{self._path}/sketches/{sketch}.{kind}")
            assert status == 200, body

    def _event(self, kind: str, position: int, body: Json) -> Json:
        return {
            "id": secrets.token_hex(16),
            "kind": kind,
            "position": position,
            "body": body,
            "client_ms": time.time_ns() // 1_000_000,
        }

    async def _send(self, events: Sequence[Json]) -> None:
        known = {item["id"] for item in self._last}
        self.unsent = [*(item for item in events if item["id"] not in known)]
        status, body = await self._connection.ask(f"{self._path}/events", {"events": list(events)})
        stored = json.loads(body).get("stored", []) if status == 200 else []
        if status != 200 or set(stored) != {event["id"] for event in events}:
            self._tally.problems.append(f"{status}: {body[:300]!r}")
        self._tally.acknowledged += stored
        for event in self.unsent:
            if event["id"] in stored and event["kind"] == "action":
                self.acknowledged.setdefault(event["position"], []).append(event)
        self._last = [*self._last, *self.unsent][-3:]
        self.unsent = []


async def paint_steadily(
    painters: Sequence[Painter], every_s: tuple[float, float], seconds: float
) -> None:
    """Each painter acts with pauses of ``every_s`` (least and most), from a moment of their own;
    who was cut off stops."""
    begun = time.perf_counter()

    async def one(index: int, painter: Painter) -> None:
        rng = random.Random(index)
        await asyncio.sleep(rng.uniform(0, every_s[1]))
        while time.perf_counter() - begun < seconds:
            started = time.perf_counter()
            try:
                await painter.act()
            except Closed:
                return
            pause = rng.uniform(*every_s) - (time.perf_counter() - started)
            await asyncio.sleep(max(0.0, pause))

    await asyncio.gather(*(one(index, painter) for index, painter in enumerate(painters)))
