"""People who vote, for ``tests.bench.votes``: many keep-alive connections in one cheap loop.

A client library would take more of the two cores than the server that is measured.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit


class Closed(Exception):
    """The server ended the connection before it had answered."""


class Connection:
    """HTTP/1.1 to one server, kept alive, with the cookies that it sets."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.cookies: dict[str, str] = {}

    def moved(self, address: str) -> Connection:
        """A connection to another server with the same cookies."""
        other = Connection(address)
        other.cookies = dict(self.cookies)
        return other

    async def ask(self, path: str, content: Mapping[str, Any] | None = None) -> tuple[int, bytes]:
        """Status and body of a GET, or of a POST of JSON. Raises Closed."""
        body = b"" if content is None else json.dumps(content).encode()
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        lines = [
            f"{'GET' if content is None else 'POST'} {path} HTTP/1.1",
            f"Host: {self._host}:{self._port}",
            *([f"Cookie: {cookies}"] if cookies else []),
            *(
                []
                if content is None
                else [
                    "Content-Type: application/json",
                    f"Content-Length: {len(body)}",
                    f"Origin: http://{self._host}:{self._port}",
                    "X-TrueHue: 1",
                ]
            ),
        ]
        request = "\r\n".join([*lines, "", ""]).encode() + body
        if self._streams is not None:
            # A server ends connections that rest; a browser then opens another one.
            with contextlib.suppress(Closed):
                return await self._sent(request)
        return await self._sent(request)

    async def _sent(self, request: bytes) -> tuple[int, bytes]:
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection(self._host, self._port)
            reader, writer = self._streams
            writer.write(request)
            await writer.drain()
            return await self._answer(reader)
        except (OSError, asyncio.IncompleteReadError, EOFError) as error:
            self.close()
            raise Closed(str(error)) from error

    async def _answer(self, reader: asyncio.StreamReader) -> tuple[int, bytes]:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = [line.partition(": ") for line in head[1:] if line]
        for name, _, value in headers:
            if name.lower() == "set-cookie":
                key, _, content = value.partition(";")[0].partition("=")
                self.cookies[key] = content
        named = {name.lower(): value for name, _, value in headers}
        if named.get("transfer-encoding") == "chunked":
            body = b""
            while size := int((await reader.readline()).split(b";")[0], 16):
                body += (await reader.readexactly(size + 2))[:-2]
            await reader.readline()
        else:
            body = await reader.readexactly(int(named.get("content-length", "0")))
        return int(head[0].split(" ")[1]), body

    def close(self) -> None:
        """Ends it; the next request opens another one."""
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None


SIDE = 768
"""Pixels that a laptop's page asks for where two pictures stand beside each other."""


@dataclass
class Tally:
    """What all voters together were told: event ids that were acknowledged, milliseconds from
    each request to its acknowledgement, and what went wrong."""

    acknowledged: list[str] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class Voter:
    """One participant: enrolls, then answers one trial after the other.

    ``unsent`` is the event that was sent and not acknowledged, as a page keeps it.
    """

    def __init__(
        self, address: str, token: str, tally: Tally, seed: int, images: bool = True
    ) -> None:
        self._fetches_images = images
        self._connection = Connection(address)
        self._path = f"/study/{token}"
        self._tally = tally
        self._random = random.Random(seed)
        self._trials: list[Mapping[str, Any]] = []
        self._pictures: set[str] = set()
        self._next = 0
        self.acknowledged: list[dict[str, Any]] = []
        self.unsent: dict[str, Any] | None = None

    async def enroll(self) -> None:
        """Agrees and gets the trials."""
        status, body = await self._connection.ask(f"{self._path}/state")
        state = json.loads(body)
        assert status == 200, body
        agreement = {
            "consent_version": state["study"]["consent"]["version"],
            "language": "en",
            "external": {},
            "display": {"viewport": [1366, 768], "dpr": 1},
        }
        status, body = await self._connection.ask(f"{self._path}/enroll", agreement)
        assert status == 200, body
        self._trials = json.loads(body)["trials"]
        assert self._trials, body

    async def vote(self) -> bool:
        """Looks at the next trial and answers it; False where none is left."""
        if self._next >= len(self._trials):
            return False
        trial = self._trials[self._next]
        for index in trial["places"]:
            for image in index["images"]:
                if self._fetches_images and image not in self._pictures:
                    self._pictures.add(image)
                    await self._connection.ask(f"{self._path}/images/{image}.png?side={SIDE}")
        self._next += 1
        self.unsent = {
            "id": secrets.token_hex(16),
            "kind": "answer",
            "position": trial["position"],
            "body": {"kind": "place", "value": self._random.randrange(2), "response_ms": 1500},
            "client_ms": time.time_ns() // 1_000_000,
        }
        started = time.perf_counter()
        await self._send([self.unsent])
        self._tally.milliseconds.append(1000 * (time.perf_counter() - started))
        self.acknowledged.append(self.unsent)
        self.unsent = None
        return True

    async def _send(self, events: Sequence[Mapping[str, Any]]) -> None:
        status, body = await self._connection.ask(f"{self._path}/events", {"events": events})
        stored = json.loads(body).get("stored", []) if status == 200 else []
        if status != 200 or set(stored) != {event["id"] for event in events}:
            self._tally.problems.append(f"{status}: {body[:300]!r}")
        self._tally.acknowledged += stored

    async def return_to(self, address: str) -> tuple[set[int], set[int]]:
        """Comes back after a restart: sends once more what was not acknowledged, and the last
        answers that were; returns the positions acknowledged and those that the server has."""
        self._connection.close()
        self._connection = self._connection.moved(address)
        again = [*self.acknowledged[-3:], *([self.unsent] if self.unsent else [])]
        if again:
            await self._send(again)
        status, body = await self._connection.ask(f"{self._path}/state")
        assert status == 200, body
        self.close()
        wanted = {event["position"] for event in self.acknowledged}
        return wanted, set(json.loads(body)["participant"]["positions_answered"])

    def close(self) -> None:
        """Leaves the page."""
        self._connection.close()


async def vote_steadily(voters: Sequence[Voter], every_s: float, seconds: float) -> None:
    """Each voter answers every ``every_s`` seconds, from a moment of their own; who was cut off
    stops."""

    async def one(voter: Voter, index: int) -> None:
        start = time.perf_counter() + every_s * index / len(voters)
        turn = 0
        while turn * every_s < seconds:
            await asyncio.sleep(max(0.0, start + turn * every_s - time.perf_counter()))
            turn += 1
            try:
                if not await voter.vote():
                    return
            except Closed:
                return

    await asyncio.gather(*(one(voter, index) for index, voter in enumerate(voters)))


class Votes(Protocol):
    """Somebody who votes, here or through Gradio's queue."""

    async def vote(self) -> bool: ...


async def vote_at_once(voters: Sequence[Votes], seconds: float) -> float:
    """Each voter answers as soon as the last answer is acknowledged; returns votes a second."""
    started = time.perf_counter()

    async def one(voter: Votes) -> int:
        votes = 0
        while time.perf_counter() - started < seconds and await voter.vote():
            votes += 1
        return votes

    votes = sum(await asyncio.gather(*(one(voter) for voter in voters)))
    return votes / (time.perf_counter() - started)
