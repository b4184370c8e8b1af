"""``python -m tests.bench.colorings``: no action on a canvas is lost, none counts twice.

200 designers color for a minute over 127.0.0.1. Each does something every 0.5 to 1 s, mostly a
stroke of 10 to 200 points, sends it at once, and finishes a sketch now and then, which the server
draws again. Then the app is killed (SIGKILL) while they draw, and started again over the same data:
everybody sends once more what was not acknowledged, and some of what was.

Goals: every acknowledged action is there, once and in its place; what a page is told to go on with
is what was done; median under 100 ms and 95% under 400 ms from request to acknowledgement. The exit
status is 0 when all are met. tests/tabs/participants/test_cut_off.py does the same in small.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import math
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.bench.painters import SIDE, Painter, paint_steadily
from tests.bench.startup import free_port, used_s
from tests.bench.voters import Tally
from tests.bench.votes import Study, app, started
from truehue.annotation.studies.cases import Case, Kind
from truehue.annotation.studies.plan import Consent, Material, Screening, StudyPlan, to_json
from truehue.core.sketches.records import Sketch, sketch_id
from truehue.core.studies import EventKind, State
from truehue.storage.store import Storage

SKETCHES, TRIALS = 60, 45
EVERY_S = (0.5, 1.0)
ACTIONS_A_SKETCH = (30, 90)
MEDIAN_MS, P95_MS = 100.0, 400.0


def drawing(number: int) -> np.ndarray:
    """The ink of a sketch: circles and lines as a hand would draw them, uint8 ``(1024, 1024)``."""
    import cv2

    rng = np.random.default_rng(number)
    ink = np.full((SIDE, SIDE), 255, np.uint8)
    for _ in range(12):
        center, radius = rng.integers(100, SIDE - 100, 2), int(rng.integers(60, 300))
        cv2.circle(ink, [int(v) for v in center], radius, 0, 5, cv2.LINE_AA)
        ends = rng.integers(0, SIDE, (2, 2))
        cv2.line(ink, [int(v) for v in ends[0]], [int(v) for v in ends[1]], 0, 4, cv2.LINE_AA)
    return ink


def make_study(data: Path, sketches: int) -> Study:
    """A study of so many sketches that is open."""
    with Storage.open(data) as storage:
        cases = []
        for number in range(sketches):
            ink = drawing(number)
            sketch = Sketch(sketch_id(ink), ink)
            storage.sketches.add(sketch, f"drawing {number}", "starter")
            cases.append(Case(f"case {number}", f"thing {number}", (), sketch=sketch.id))
        plan = StudyPlan(
            title="Colorings as a bench",
            kind=Kind.COLORINGS,
            material=Material.SKETCHES,
            question="Which colors does this have?",
            instructions="",
            consent=Consent("1", "I take part."),
            cases=tuple(cases),
            votes=1_000,
            trials=min(TRIALS, sketches),
            seed=15,
            tie=False,
            screening=Screening(False, False),
        )
        study = storage.studies.add(to_json(plan), "owner")
        token = secrets.token_urlsafe(32)
        digest = hashlib.sha256(token.encode()).hexdigest()
        storage.invitations.add(study.id, digest, "bench", False, "owner")
        storage.studies.set_state(study.id, State.OPEN, "owner")
        return Study(study.id, token)


@dataclass(frozen=True)
class Load:
    """What painters were told, and what was there after the kill."""

    tally: Tally
    actions: int
    seconds: float
    lost: int
    doubled: int
    out_of_place: int
    finished: int
    drawn: int
    size_mb: float
    cpu_s: float
    own_cpu_s: float


async def _paint_and_kill(
    painters: Sequence[Painter], seconds: float, server: subprocess.Popen[bytes]
) -> tuple[float, float, float]:
    """Seconds until the kill, and those that the server and the painters computed meanwhile."""
    begun = time.perf_counter()
    for start in range(0, len(painters), 20):
        await asyncio.gather(*(painter.enroll() for painter in painters[start : start + 20]))
    print(f"{len(painters)} designers enrolled in {time.perf_counter() - begun:.1f} s", flush=True)
    begun, computed, own = (
        time.perf_counter(),
        used_s(server.pid),
        time.process_time(),
    )
    # Longer than the kill, so that it hits actions that are under way.
    painting = asyncio.create_task(paint_steadily(painters, EVERY_S, seconds + 2))
    await asyncio.sleep(seconds)
    computed, own = used_s(server.pid) - computed, time.process_time() - own
    server.kill()
    measured_s = time.perf_counter() - begun
    await painting
    return measured_s, computed, own


async def return_all(painters: Sequence[Painter], address: str) -> tuple[int, int]:
    lost = out_of_place = 0
    for painter in painters:
        missing, wrong = await painter.return_to(address)
        lost, out_of_place = lost + missing, out_of_place + wrong
    return lost, out_of_place


def load_and_kill(data: Path, people: int, seconds: float, sketches: int) -> Load:
    """Colors, kills, starts again, and counts."""
    study = make_study(data, sketches)
    tally = Tally()
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    prepared = math.ceil(seconds / EVERY_S[0])
    painters = [
        Painter(address, study.token, tally, seed, ACTIONS_A_SKETCH, prepared)
        for seed in range(people)
    ]
    with started(app(data, port), port) as server:
        measured_s, cpu_s, own_cpu_s = asyncio.run(_paint_and_kill(painters, seconds, server))
        server.wait(30)
    killed_after = len(tally.milliseconds)
    port = free_port()
    with started(app(data, port), port):
        lost, out_of_place = asyncio.run(return_all(painters, f"http://127.0.0.1:{port}"))
    lost, doubled, out_of_place, sample = compared(
        data, study, tally, painters, (lost, out_of_place)
    )
    size = sum(file.stat().st_size for file in data.glob("truehue.duckdb*"))
    return Load(
        tally,
        killed_after,
        measured_s,
        lost,
        doubled,
        out_of_place,
        sum(len(painter.finished) for painter in painters),
        sample,
        size / 1e6,
        cpu_s,
        own_cpu_s,
    )


def compared(
    data: Path,
    study: Study,
    tally: Tally,
    painters: Sequence[Painter],
    pages: tuple[int, int],
) -> tuple[int, int, int, int]:
    """The acknowledged actions that are lost, stored twice, and in another order, of what is stored
    and of what the ``pages`` were told; and the colorings that were drawn again."""
    lost, out_of_place = pages
    with Storage.open(data) as storage:
        stored = storage.study_events.of_study(study.id)
        sample = len(storage.coloring_layers.of_study(study.id))
        problems = storage.check()
    assert not problems, problems[:3]
    rows = Counter(event.id for events in stored.values() for event in events)
    lost = max(lost, len(set(tally.acknowledged) - rows.keys()))
    # Everybody's actions by trial, in the order of storing, are what they did in their order.
    logs = Counter(
        (event.position, tuple(str(item.body) for item in events if _of(item, event.position)))
        for events in stored.values()
        for event in {item.position: item for item in events if item.position is not None}.values()
    )
    for painter in painters:
        for position, events in painter.acknowledged.items():
            log = (position, tuple(str(event["body"]) for event in events))
            out_of_place += log not in logs
    doubled = sum(count - 1 for count in rows.values())
    return lost, doubled, out_of_place, sample


def _of(event: object, position: int | None) -> bool:
    return (
        getattr(event, "kind", None) is EventKind.ACTION
        and getattr(event, "position", None) == position
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the figures and whether they are met; the exit status says so too."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args(arguments)
    people, seconds = options.people, options.seconds
    with tempfile.TemporaryDirectory() as name:
        load = load_and_kill(Path(name) / "data", people, seconds, SKETCHES)
    median, p95 = np.percentile(load.tally.milliseconds, [50, 95])
    problems = load.tally.problems
    goals = [
        ("acknowledged actions lost", f"{load.lost}", load.lost == 0, "0"),
        ("actions stored twice", f"{load.doubled}", load.doubled == 0, "0"),
        ("logs that differ", f"{load.out_of_place}", load.out_of_place == 0, "0"),
        ("refused or unanswered", f"{len(problems)}", not problems, "0"),
        (
            "median to acknowledgement",
            f"{median:.1f} ms",
            median < MEDIAN_MS,
            f"< {MEDIAN_MS:g}",
        ),
        ("95% to acknowledgement", f"{p95:.1f} ms", p95 < P95_MS, f"< {P95_MS:g}"),
    ]
    print(
        f"{people} designers, an action every {EVERY_S[0]:g} to {EVERY_S[1]:g} s each, "
        f"{load.seconds:.0f} s, then SIGKILL: {load.actions:,} actions acknowledged, "
        f"{load.actions / load.seconds:.0f} a second; {load.finished} sketches finished, "
        f"{load.drawn} drawn again by then; the database has {load.size_mb:.0f} MB"
    )
    share = 1000 * load.cpu_s / max(load.actions, 1)
    own = 1000 * load.own_cpu_s / max(load.actions, 1)
    print(
        f"the server computed for {load.cpu_s:.1f} s: {share:.2f} ms an action, drawing included; "
        f"the designers for {load.own_cpu_s:.1f} s: {own:.2f} ms"
    )
    for text, figure, met, goal in goals:
        print(f"{text:32}{figure:>12}   goal {goal:8} {'met' if met else 'NOT met'}")
    for problem in problems[:5]:
        print(problem)
    return 0 if all(met for _, _, met, _ in goals) else 1


if __name__ == "__main__":
    sys.exit(main())
