"""``python -m tests.bench.votes``: no vote is lost, none counts twice, and nobody waits.

1. 200 people vote every 3 seconds for 2 minutes over 127.0.0.1, and fetch each picture as a browser
   does. Then the app is killed (SIGKILL) while they vote, and started again over the same data:
   everybody sends once more what was not acknowledged, and some of what was.
2. 32 people vote as fast as they are answered, by TrueHue's route and, after it in the same run, by
   the default queue of a Gradio app that stores the same vote by the same call. Twice, in turns.

Goals: every acknowledged vote is there, and once; median under 100 ms and 95% under 400 ms from
request to acknowledgement; at least 5 times the votes a second of Gradio's queue. The exit status
is 0 when all are met.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import math
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.bench.gradio_votes import GradioVoter, server_code
from tests.bench.startup import free_port
from tests.bench.voters import Tally, Voter, vote_at_once, vote_steadily
from truehue.annotation.studies.cases import Candidate, Case, Kind
from truehue.annotation.studies.plan import Consent, Material, StudyPlan, to_json
from truehue.core.studies import EventKind, State
from truehue.storage.store import Storage

ROOT = Path(__file__).resolve().parents[2]
CASES, MODELS, PICTURES = 400, 3, 60
FAST_PEOPLE, FAST_TRIALS = 32, 400
MEDIAN_MS, P95_MS, TIMES = 100.0, 400.0, 5.0


@dataclass(frozen=True)
class Study:
    """A study that is open, by its id, and the token of its link."""

    id: str
    token: str


def _picture(rng: np.random.Generator) -> np.ndarray:
    """uint8 ``(1024, 1024, 3)``: soft forms with a little noise, which takes as long to decode and
    to store as what models draw."""
    import cv2

    soft = cv2.resize(rng.integers(0, 256, (12, 12, 3)).astype(np.float32), (1024, 1024))
    noise = rng.normal(0, 3, (1024, 1024, 1))
    return np.clip(soft + noise, 0, 255).astype(np.uint8)


def make_study(data: Path, trials: int) -> Study:
    """A study of 1,200 pairs, of which each person gets so many."""
    rng = np.random.default_rng(14)
    with Storage.open(data) as storage:
        images = [
            storage.images.add(_picture(rng), f"{index}.png", source="upload").image_id
            for index in range(PICTURES)
        ]
        cases = tuple(
            Case(
                f"case {i}",
                f"a thing of number {i}",
                tuple(
                    Candidate(f"model {j}", (images[(MODELS * i + j) % PICTURES],))
                    for j in range(MODELS)
                ),
            )
            for i in range(CASES)
        )
        plan = StudyPlan(
            title="Votes as a bench",
            kind=Kind.PAIRS,
            material=Material.IMAGES,
            question="Which image’s colors match the description better?",
            instructions="",
            consent=Consent("1", "I take part."),
            cases=cases,
            votes=1_000,
            trials=trials,
            seed=14,
        )
        study = storage.studies.add(to_json(plan), "owner")
        token = secrets.token_urlsafe(32)
        digest = hashlib.sha256(token.encode()).hexdigest()
        storage.invitations.add(study.id, digest, "bench", False, "owner")
        storage.studies.set_state(study.id, State.OPEN, "owner")
        return Study(study.id, token)


@contextmanager
def started(command: list[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A server's process from its first answer on; killed at the end, if it is not yet."""
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        limit = time.monotonic() + 90
        while True:
            if process.poll() is not None or time.monotonic() > limit:
                raise SystemExit(f"{command[:3]} did not start.")
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/config", timeout=10).read()
                break
            except OSError:
                time.sleep(0.1)
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(30)


def app(data: Path, port: int) -> list[str]:
    """The command of the app."""
    return [sys.executable, "app.py", "--data", str(data), "--port", str(port)]


@dataclass(frozen=True)
class Load:
    """The first part: what voters were told, and what was there after the kill."""

    tally: Tally
    voters: int
    lost: int
    doubled: int
    seconds: float


async def _vote_and_kill(
    voters: list[Voter], every_s: float, seconds: float, server: subprocess.Popen[bytes]
) -> float:
    begun = time.perf_counter()
    for start in range(0, len(voters), 20):
        await asyncio.gather(*(voter.enroll() for voter in voters[start : start + 20]))
    print(f"{len(voters)} people enrolled in {time.perf_counter() - begun:.1f} s", flush=True)
    begun = time.perf_counter()
    # Longer than the kill, so that it hits votes that are under way.
    voting = asyncio.create_task(vote_steadily(voters, every_s, seconds + 2 * every_s))
    await asyncio.sleep(seconds)
    server.kill()
    measured_s = time.perf_counter() - begun
    await voting
    return measured_s


async def _return_all(voters: list[Voter], address: str) -> int:
    """How many acknowledged votes the server does not tell of any more."""
    lost = 0
    for voter in voters:
        wanted, there = await voter.return_to(address)
        lost += len(wanted - there)
    return lost


def load_and_kill(data: Path, people: int, every_s: float, seconds: float) -> Load:
    """The first part."""
    study = make_study(data, math.ceil(seconds / every_s) + 10)
    tally = Tally()
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    voters = [Voter(address, study.token, tally, seed) for seed in range(people)]
    with started(app(data, port), port) as server:
        measured_s = asyncio.run(_vote_and_kill(voters, every_s, seconds, server))
        server.wait(30)
    port = free_port()
    with started(app(data, port), port):
        lost = asyncio.run(_return_all(voters, f"http://127.0.0.1:{port}"))
    with Storage.open(data) as storage:
        stored = storage.study_events.of_study(study.id)
    rows = Counter(event.id for events in stored.values() for event in events)
    lost = max(lost, len(set(tally.acknowledged) - rows.keys()))
    votes = Counter(
        (person, event.position)
        for person, events in stored.items()
        for event in events
        if event.kind is EventKind.ANSWER
    )
    doubled = sum(count - 1 for counts in (rows, votes) for count in counts.values())
    return Load(tally, people, lost, doubled, measured_s)


def votes_a_second(folder: Path, seconds: float) -> tuple[float, float, list[str]]:
    """The second part: TrueHue's route, Gradio's queue, and what went wrong."""
    data = folder / "route"
    study = make_study(data, FAST_TRIALS)
    tally = Tally()
    port = free_port()
    with started(app(data, port), port):
        address = f"http://127.0.0.1:{port}"
        # Gradio's pages have no pictures either.
        people = range(FAST_PEOPLE)
        voters = [Voter(address, study.token, tally, seed, images=False) for seed in people]

        async def route() -> float:
            await asyncio.gather(*(voter.enroll() for voter in voters))
            rate = await vote_at_once(voters, seconds)
            for voter in voters:
                voter.close()
            return rate

        ours = asyncio.run(route())
    port = free_port()
    code = server_code(folder / "queue", port, FAST_PEOPLE)
    with started([sys.executable, "-c", code], port):
        guests = [GradioVoter(f"http://127.0.0.1:{port}", seed) for seed in range(FAST_PEOPLE)]

        async def queue() -> float:
            return await vote_at_once(guests, seconds)

        theirs = asyncio.run(queue())
    return ours, theirs, tally.problems


def main() -> int:
    """Prints the figures and whether they are met; the exit status says so too."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--every", type=float, default=3.0, help="seconds between two votes")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--fast-seconds", type=float, default=10.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        load = load_and_kill(folder / "load", options.people, options.every, options.seconds)
        rates = [votes_a_second(folder / str(turn), options.fast_seconds) for turn in range(2)]
    milliseconds = np.array(load.tally.milliseconds)
    median, p95 = np.percentile(milliseconds, [50, 95])
    ours, theirs = (float(np.median([rate[i] for rate in rates])) for i in (0, 1))
    problems = [*load.tally.problems, *(problem for rate in rates for problem in rate[2])]
    goals = [
        ("acknowledged votes lost", f"{load.lost}", load.lost == 0, "0"),
        ("votes doubled", f"{load.doubled}", load.doubled == 0, "0"),
        ("refused or unanswered", f"{len(problems)}", not problems, "0"),
        ("median to acknowledgement", f"{median:.1f} ms", median < MEDIAN_MS, f"< {MEDIAN_MS:g}"),
        ("95% to acknowledgement", f"{p95:.1f} ms", p95 < P95_MS, f"< {P95_MS:g}"),
        ("votes a second over Gradio's", f"{ours / theirs:.1f}", ours / theirs >= TIMES, "≥ 5"),
    ]
    print(
        f"{load.voters} people, a vote every {options.every:g} s, {load.seconds:.0f} s, then "
        f"SIGKILL: {len(milliseconds):,} votes acknowledged"
    )
    print(f"votes a second: {ours:,.0f} by the route, {theirs:,.0f} by Gradio's default queue")
    for text, figure, met, goal in goals:
        print(f"{text:32}{figure:>12}   goal {goal:8} {'met' if met else 'NOT met'}")
    for problem in problems[:5]:
        print(problem)
    return 0 if all(met for _, _, met, _ in goals) else 1


if __name__ == "__main__":
    sys.exit(main())
