"""People in a study, of whom not all do as they should, for ``tests.bench.crowd``."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tests.bench.voters import Closed, Connection
from truehue.annotation.screening import patches_for, plates_for
from truehue.annotation.studies.plan import Ending, StudyPlan
from truehue.tabs.participants.view import attention_text

Json = dict[str, Any]
ABSENCE_S = 60
"""The shortest time after which a study gives what somebody holds to others."""
LATE_S = ABSENCE_S + 8
CODES = {Ending.COMPLETED: "DONE", Ending.SCREENED_OUT: "EYES", Ending.FAILED_CHECKS: "CHECKS"}


class Role(StrEnum):
    """What somebody does in the study."""

    COMPLETES = "completes"
    LOOKS_IN = "looks at the screening and leaves"
    SCREENED_OUT = "is screened out"
    LEAVES = "leaves midway"
    RETURNS = "returns in time"
    RETURNS_LATE = "returns late"
    MISSES_CHECKS = "misses most checks"
    FAILS = "misses all checks"
    SCRIPT = "answers as a script"
    EXCLUDED = "is excluded by the researcher"
    WITHDRAWS = "stops midway"
    ERASED = "is erased"


COMPLETING = {Role.COMPLETES, Role.RETURNS}
UNFINISHED = {Role.LOOKS_IN, Role.LEAVES, Role.ERASED, Role.SCRIPT}
"""Who gets no code; a script is faster than people can be."""
ENDINGS = {Role.SCREENED_OUT: Ending.SCREENED_OUT, Role.FAILS: Ending.FAILED_CHECKS}
LEFT_OUT = {Role.MISSES_CHECKS, Role.FAILS, Role.SCRIPT, Role.EXCLUDED}
ABSENT = {Role.LOOKS_IN, Role.LEAVES, Role.RETURNS_LATE}
"""Who holds trials that others get only after ``ABSENCE_S``."""


@dataclass(frozen=True)
class Pace:
    """Seconds: ``arrival`` within which all come, ``pause`` before an answer, ``again`` between
    two looks at a full study and of the researcher."""

    arrival: float
    pause: float
    again: float


@dataclass
class Crowd:
    """The study that all take part in, where its server is, and what everybody was told.

    ``starts`` counts the starts of the server; ``numbers`` are participants' by id.
    """

    study_id: str
    token: str
    plan: StudyPlan
    pace: Pace
    address: str = ""
    starts: int = 0
    numbers: dict[str, int] = field(default_factory=dict)
    milliseconds: list[float] = field(default_factory=list)
    answers: int = 0
    problems: list[str] = field(default_factory=list)

    def at(self, address: str) -> None:
        """The server has started at this address."""
        self.address, self.starts = address, self.starts + 1

    async def after(self, start: int) -> None:
        """Waits until the server has started once more than ``start`` times."""
        while self.starts == start:
            await asyncio.sleep(0.02)

    async def asks(self, path: str, content: Json | None = None) -> Any:
        """What a researcher gets of this study, again after a restart."""
        while True:
            start, connection = self.starts, Connection(self.address)
            try:
                url = f"/api/studies/{self.study_id}/{path}"
                status, body = await connection.ask(url, content)
            except Closed:
                await self.after(start)
                continue
            connection.close()
            assert status == 200, (path, status, body[:300])
            return body.decode() if path.endswith(".csv") else json.loads(body)

    async def watch(self) -> None:
        """Looks at Live again and again, as a researcher does."""
        while True:
            live = await self.asks("live")
            self.numbers = {person["id"]: person["number"] for person in live["people"]}
            await asyncio.sleep(self.pace.again)


class Guest:
    """One person with a browser. ``acknowledged`` are the ids of stored events, ``values`` the last
    acknowledged answers by position."""

    def __init__(self, crowd: Crowd, role: Role, seed: int) -> None:
        self.crowd, self.role = crowd, role
        self.id, self.code, self.stage = "", "", ""
        self.acknowledged: list[str] = []
        self.values: dict[int, int | None] = {}
        self.enrolled = False
        self._was_away = False
        self._random = random.Random(seed)
        self._start, self._connection = crowd.starts, Connection(crowd.address)
        self._path = f"/study/{crowd.token}"
        self._trials: dict[int, Json] = {}
        self._images: set[str] = set()
        self._last: list[Json] = []
        self._checks = {attention_text(crowd.plan, n): n for n in range(crowd.plan.choice_count)}

    async def take_part(self, after_s: float) -> None:
        """Everything from coming in to leaving."""
        await asyncio.sleep(after_s)
        if not await self._enroll():
            return
        if self.role is Role.LOOKS_IN:
            await self._ask("/plates/0.png")
            return
        await self._screen()
        if self.role is Role.SCREENED_OUT:
            return
        if self.role is Role.SCRIPT:
            await self._send([self._answer(trial, 40.0) for trial in self._open()])
        await self._answers()

    def close(self) -> None:
        """Leaves the page."""
        self._connection.close()

    async def _enroll(self) -> bool:
        """Agrees, once there is a place; False where the study closed before."""
        while True:
            state = json.loads((await self._ask("/state"))[1])
            if state["study"]["state"] == "closed":
                return False
            if state["study"]["state"] == "open":
                agreement = {
                    "id": secrets.token_hex(16),
                    "consent_version": state["study"]["consent"]["version"],
                    "language": "en",
                }
                status, body = await self._ask("/enroll", agreement)
                if status == 200:
                    self.enrolled = True
                    self._keep(json.loads(body))
                    self.id = json.loads(body)["participant"]["id"]
                    return True
                assert json.loads(body)["code"] in ("full", "closed", "many"), body
            await asyncio.sleep(self.crowd.pace.again)

    async def _screen(self) -> None:
        while self.id not in self.crowd.numbers:
            await asyncio.sleep(0.02)
        seed, number = self.crowd.plan.seed, self.crowd.numbers[self.id]
        digits = [plate.digit for plate in plates_for(seed, number)]
        if self.role is Role.SCREENED_OUT:
            digits[1:] = [""] * 3
        patches = {patch.name: patch.place for patch in patches_for(seed, number)}
        await self._send([self._event("screening", None, {"plates": digits, **patches})])

    async def _answers(self) -> None:
        """One trial after the other; each role goes its way after some."""
        midway = min(self._random.randrange(4, 12), len(self._trials) // 2)
        while self._open() and self.stage == "trials":
            if len(self.values) == midway and not self._was_away:
                self._was_away = True
                if await self._leaves():
                    return
            trial = self._open()[0]
            await self._look(trial)
            await asyncio.sleep(self.crowd.pace.pause * self._random.uniform(1.0, 1.4))
            await self._send([self._answer(trial)], twice=self._random.random() < 0.1)
            if self.stage == "trials" and self._random.random() < 0.05 and self._open():
                again = self._answer(trial)
                await self._send([self._event("undo", trial["position"], {}), again])
        if self.role is Role.EXCLUDED:
            await self._decided("exclude", {"reason": "Wrote that they had guessed."})
        if self.stage == "trials" and self._random.random() < 0.8:  # others forget to finish
            comment = self._event("comment", None, {"text": "Nice."})
            await self._send([comment, self._event("finish", None, {})], twice=True)

    async def _leaves(self) -> bool:
        """What somebody does midway; whether they are gone for good."""
        match self.role:
            case Role.LEAVES:
                return True
            case Role.WITHDRAWS:
                await self._send([self._event("withdrawal", None, {})])
                return True
            case Role.ERASED:
                number = self.crowd.numbers[self.id]
                await self._decided("erase", {"confirm": number + 1})
                answer = self._answer(self._open()[0])
                status, _ = await self._ask("/events", {"events": [answer]})
                assert status == 401, status
                self.acknowledged, self.values = [], {}
                return True
            case Role.RETURNS | Role.RETURNS_LATE:
                late = self.role is Role.RETURNS_LATE
                await asyncio.sleep(LATE_S if late else 5 * self.crowd.pace.pause)
                self._connection.close()
                self._trials = {}
                state = json.loads((await self._ask("/state"))[1])
                assert set(state["participant"]["positions_answered"]) == self.values.keys()
                self._keep(state)
        return False

    async def _decided(self, action: str, content: Json) -> None:
        await self.crowd.asks(f"participants/{self.id}/{action}", content)

    async def _look(self, trial: Json) -> None:
        for place in trial["places"]:
            for image in place["images"]:
                if image not in self._images:
                    self._images.add(image)
                    status, _ = await self._ask(f"/images/{image}.png?side=256")
                    assert status == 200, image

    def _answer(self, trial: Json, ms: float = 1400.0) -> Json:
        """As a person reads it: a check says what to choose."""
        body = {"kind": "place", "value": self._random.randrange(2), "response_ms": ms}
        wanted = self._checks.get(trial["words"])
        if wanted is not None:
            missed = self._misses(trial["position"])
            body["value"] = 1 - wanted if missed else wanted
        elif (chance := self._random.random()) < 0.15:
            body |= {"kind": "tie" if chance < 0.1 else "skip", "value": None}
        return self._event("answer", trial["position"], body)

    def _misses(self, position: int) -> bool:
        """Whether this check is missed: the first of three is right, also the second time, where not
        all are wrong."""
        if self.role is Role.FAILS:
            return True
        checks = [n for n, trial in sorted(self._trials.items()) if trial["words"] in self._checks]
        before = any(n in self.values for n in checks if n != position)
        return self.role is Role.MISSES_CHECKS and before

    def _event(self, kind: str, position: int | None, body: Mapping[str, Any]) -> Json:
        return {
            "id": secrets.token_hex(16),
            "kind": kind,
            "position": position,
            "body": body,
            "client_ms": time.time_ns() // 1_000_000,
        }

    def _open(self) -> list[Json]:
        return [trial for n, trial in sorted(self._trials.items()) if n not in self.values]

    async def _send(self, events: list[Json], twice: bool = False) -> None:
        """Sends events until they are acknowledged, ``twice``: by two windows at once; after a
        restart together with the last that were acknowledged before."""
        started = time.perf_counter()
        sent = [*self._last, *events] if self._start != self.crowd.starts else events
        self._move()
        windows = [self._connection]
        if twice:
            windows.append(self._connection.moved(self.crowd.address))
        try:
            await asyncio.gather(*(self._post(window, sent) for window in windows))
            self.crowd.milliseconds.append(1000 * (time.perf_counter() - started))
        except Closed:
            await self.crowd.after(self._start)
            self._move()
            await self._post(self._connection, [*self._last, *events])
        self._last = [*self._last, *events][-3:]
        for event in events:
            if event["kind"] == "answer":
                self.crowd.answers += 1
                self.values[event["position"]] = event["body"]["value"]

    async def _post(self, connection: Connection, events: Sequence[Json]) -> None:
        status, body = await connection.ask(f"{self._path}/events", {"events": list(events)})
        told = json.loads(body)
        stored = told.get("stored", [])
        if set(stored) != {event["id"] for event in events}:
            self.crowd.problems.append(f"{self.role}: {status}: {body[:300]!r}")
        self.acknowledged += stored
        if "participant" in told:
            self._keep(told)

    async def _ask(self, path: str, content: Json | None = None) -> tuple[int, bytes]:
        while True:
            try:
                self._move()
                return await self._connection.ask(self._path + path, content)
            except Closed:
                await self.crowd.after(self._start)

    def _move(self) -> None:
        """Goes to where the server is by now."""
        if self._start != self.crowd.starts:
            self._connection.close()
            self._start = self.crowd.starts
            self._connection = self._connection.moved(self.crowd.address)

    def _keep(self, message: Json) -> None:
        self._trials |= {trial["position"]: trial for trial in message["trials"]}
        self.code, self.stage = message["participant"]["code"], message["participant"]["stage"]
