"""Simulated people who answer on the participants' page: the events of their mouse, keys and fingers.

No data of people is in this. Movements are models of the literature, and the ranges of their
numbers are ours, meant to be wider than people's. There are two worlds with other models, ranges
and seeds: ``develop`` to choose signs and points by, ``hold_out`` to count false alarms on.

- A movement is a large submovement that ends off its target and small ones that correct it (Meyer,
  Abrams, Kornblum, Wright, Smith 1988), in a time by Fitts' law (1954), along an arc, with tremor of
  8 to 12 Hz. The speed of a submovement is that of least jerk (Flash, Hogan 1985) in the one world,
  a lognormal one (Plamondon 1995) in the other.
- Response times are shifted lognormal; presses are lognormal in the one world, gamma in the other.
- Some people answer in a hurry, always at one side, on a phone, with a touchpad that is tapped, on
  a remote desktop, or with a tool that clicks for them once the pointer rests.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from scipy.stats import lognorm

from tests.node import run_module
from truehue.core.studies import Event, EventKind

GROUPS: Mapping[str, float] = {
    "mouse": 0.44,
    "touchpad": 0.13,
    "tapped touchpad": 0.09,
    "keys": 0.14,
    "phone": 0.12,
    "remote desktop": 0.03,
    "dwell clicks": 0.015,
    "screen reader": 0.005,
    "keys and mouse": 0.03,
}
"""Groups of people and their shares, which are a guess."""
HURRIED = 0.12
"""The share of each group who hardly look."""
RECORD = """
const { InputLog } = await load('participants/input_log');
return value.map((events) => {
  const log = new InputLog();
  const records = [];
  for (const [kind, ...more] of events) {
    const [x, y, time, by, box] = more;
    const at = { clientX: x, clientY: y, timeStamp: time, isTrusted: true };
    if (kind === 'move') {
      const steps = more[0].map(([a, b, c]) => ({ clientX: a, clientY: b, timeStamp: c }));
      log.moved(steps, false);
    } else if (kind === 'down')
      log.down({ ...at, pointerType: by }, { left: box[0], top: box[1], width: box[2], height: box[3] });
    else if (kind === 'up') log.up({ timeStamp: more[0] });
    else if (kind === 'key') log.keyDown({ code: more[1], timeStamp: more[0], isTrusted: true });
    else if (kind === 'keyup') log.keyUp({ code: more[1], timeStamp: more[0] });
    else if (kind === 'click') log.click({ timeStamp: more[0], isTrusted: true });
    else if (kind === 'left') log.left();
    else records.push(log.take());
  }
  return records;
});
"""
"""What the page's own script records of events, one list of events a person."""


@dataclass
class Hand:
    """One person: ``held_out`` says of which world, the rest is drawn in its ranges."""

    group: str
    rng: np.random.Generator
    held_out: bool
    hurried: bool = False
    events: list[list[Any]] = field(default_factory=list)
    times_ms: list[float] = field(default_factory=list)
    now_ms: float = 0.0
    at: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        rng, out = self.rng, self.held_out
        self.rate_hz = float(rng.choice([60, 90, 125, 250, 1000] if out else [60, 125, 500, 1000]))
        self.coalesced = rng.random() < 0.75
        self.grid = 1 / float(rng.choice([1, 1, 1.25, 1.5, 2]))
        self.fitts_s = rng.uniform(0.05, 0.25), rng.uniform(0.08, 0.22)
        self.first = rng.uniform(0.82, 0.99), rng.uniform(0.02, 0.1)
        self.bow = rng.uniform(0.008, 0.06) if out else rng.uniform(0.015, 0.08)
        self.tremor = rng.uniform(0.1, 0.7)
        self.spread = rng.uniform(0.08, 0.2) if out else rng.uniform(0.1, 0.22)
        self.bias = rng.normal(0, 0.08, 2)
        self.dwell_ms = rng.uniform(25, 220)
        self.held_ms = rng.uniform(60, 150) if out else rng.uniform(55, 140)
        self.held_spread = rng.uniform(0.12, 0.35)
        self.hover = rng.uniform(0, 0.8)
        self.keeps_side = rng.uniform(0.3, 0.95) if self.hurried else rng.uniform(0.4, 0.6)
        middle = rng.uniform(300, 900) if self.hurried else rng.uniform(900, 7_000)
        spread = rng.uniform(0.1, 0.35) if self.hurried else rng.uniform(0.22, 0.7)
        self.rt = float(middle), float(spread)
        if self.group == "remote desktop":
            self.rate_hz, self.coalesced = rng.uniform(15, 32), False
        self.layout = buttons(rng)
        self.side = int(rng.integers(len(self.layout)))

    # ── one participation ────────────────────────────────────────────────────────────────────────

    def takes_part(self, answers: int) -> Hand:
        """Agrees, starts, answers so often, and finishes."""
        self._record_press((620.0, 640.0, 130.0, 48.0), self.rng.uniform(3_000, 20_000))
        self.press((600.0, 590.0, 90.0, 48.0), self.rng.uniform(2_000, 15_000))
        for _ in range(answers):
            self._answer()
        self._record_press((640.0, 560.0, 100.0, 48.0), self.rng.uniform(1_500, 9_000))
        return self

    def _answer(self) -> None:
        if self.rng.random() > self.keeps_side:
            self.side = int(self.rng.integers(len(self.layout)))
        median, spread = self.rt
        time = 180 + (median - 180) * math.exp(spread * self.rng.normal())
        time = max(time, 205.0)
        started = self.now_ms
        by_key = self.group == "keys" or (
            self.group == "keys and mouse" and self.rng.random() < 0.5
        )
        if by_key:
            self.now_ms += time
            answered = self.now_ms
            self._key(str(self.side))
        else:
            self.press(self.layout[self.side], time)
            self.events.append(["take"])
            answered = self.now_ms
        self.times_ms.append(answered - started)
        self.now_ms = max(self.now_ms, answered) + self.rng.uniform(30, 120)

    def _record_press(self, box: tuple[float, float, float, float], wait_ms: float) -> None:
        self.press(box, wait_ms)
        self.events.append(["take"])

    def _key(self, code: str) -> None:
        """A key answers when it goes down, and comes up later."""
        self.events.append(["key", self.now_ms, code])
        self.events.append(["take"])
        self.events.append(["keyup", self.now_ms + self._held(), code])

    def press(self, box: tuple[float, float, float, float], wait_ms: float) -> None:
        """Goes to a box and presses it, so long after the page was there."""
        if self.group == "phone":
            self._tap(box, wait_ms)
        elif self.group == "screen reader":
            self.now_ms += wait_ms
            self.events.append(["click", self.now_ms])
        else:
            self._click(box, wait_ms)

    def _tap(self, box: tuple[float, float, float, float], wait_ms: float) -> None:
        x, y = self._aim(box)
        self.now_ms += wait_ms
        self.events.append(["down", round(x, 2), round(y, 2), self.now_ms, "touch", box])
        self.now_ms += self._held()
        self.events.append(["up", self.now_ms])

    def _click(self, box: tuple[float, float, float, float], wait_ms: float) -> None:
        start = self.now_ms
        if self.at is None:  # it comes in from somewhere
            self.at = self.rng.uniform(0, 1300), self.rng.uniform(0, 30)
        x0, y0, width, height = box
        inside = x0 < self.at[0] < x0 + width and y0 < self.at[1] < y0 + height
        while self.rng.random() < self.hover and self.now_ms - start < wait_ms - 1_500:
            self._reach((self.rng.uniform(100, 1200), self.rng.uniform(80, 560)), 200.0)
            self.now_ms += self.rng.uniform(50, 900)
            inside = False
        if not inside:
            target = self._aim(box)
            time = self._duration(target, min(width, height)) * 1_000
            latest = start + wait_ms - time - self.dwell_ms
            self.now_ms = max(self.now_ms + 60, latest)
            self._reach(target, min(width, height))
        dwell = self.dwell_ms * math.exp(0.5 * self.rng.normal())
        if self.group == "dwell clicks":
            dwell = self.rng.normal(800, 8)
        self.now_ms = max(self.now_ms + dwell, start + min(wait_ms, 205))
        if self.rng.random() < 0.02:
            self.events.append(["left"])
        at = self._seen(self.at)
        self.events.append(["down", *at, self.now_ms, "mouse", box])
        self.now_ms += self._held()
        self.events.append(["up", self.now_ms])

    # ── parts of it ──────────────────────────────────────────────────────────────────────────────

    def _held(self) -> float:
        if self.group == "dwell clicks":
            return float(self.rng.uniform(0, 12))
        if self.group == "tapped touchpad":
            return float(self.rng.uniform(0, 25))
        if self.held_out:
            shape = 1 / self.held_spread**2
            return float(self.rng.gamma(shape, self.held_ms / shape))
        return float(self.held_ms * math.exp(self.held_spread * self.rng.normal()))

    def _aim(self, box: tuple[float, float, float, float]) -> tuple[float, float]:
        x, y, width, height = box
        off = np.clip(self.bias + self.rng.normal(0, self.spread, 2), -0.46, 0.46)
        return x + width * (0.5 + off[0]), y + height * (0.5 + off[1])

    def _duration(self, target: tuple[float, float], width: float) -> float:
        assert self.at is not None
        distance = math.hypot(target[0] - self.at[0], target[1] - self.at[1])
        a, b = self.fitts_s
        time = a + b * math.log2(distance / width + 1)
        return max(0.12, time * (1.5 if "touchpad" in self.group else 1.0))

    def _reach(self, target: tuple[float, float], width: float) -> None:
        """Moves there, from where the pointer is, and lets the page see it."""
        assert self.at is not None
        start, end = np.array(self.at), np.array(target)
        whole = self._duration(target, width) * math.exp(0.12 * self.rng.normal())
        distance = float(np.hypot(*(end - start)))
        if distance < 2:
            return
        share = min(self.first[0] + self.first[1] * self.rng.normal(), 1.12)
        reached = start + share * (end - start) + self.rng.normal(0, 0.02 * distance, 2)
        parts = [(start, reached, 0.0, 0.72 * whole)]
        begin = 0.72 * whole * self.rng.uniform(0.85, 1.15)
        if np.hypot(*(end - reached)) > 2:
            rest = 0.28 * whole * self.rng.uniform(0.8, 1.6) + 0.08
            parts.append((reached, end, begin, rest))
        else:
            end = reached
        last = max(begin + time for *_, begin, time in parts)
        phase, pitch = self.rng.uniform(0, 6.28), self.rng.uniform(8, 12)
        bow = self.bow * self.rng.normal() * distance
        normal = np.array([-(end - start)[1], (end - start)[0]]) / distance
        steps = int(last * self.rate_hz) + 2
        jitter = self.rng.uniform(0.7, 1.5, steps) if self.group == "remote desktop" else 1.0
        times = np.cumsum(np.ones(steps) * jitter) / self.rate_hz
        points = np.tile(start.astype(float), (steps, 1))
        for number, (a, b, begun, took) in enumerate(parts):
            done = self._progress((times - begun) / took)[:, None]
            points += done * (b - a)
            if number == 0:
                points += bow * np.sin(math.pi * done) * normal
        waves = 2 * math.pi * pitch * times
        points += self.tremor * np.stack([np.sin(waves + phase), np.cos(waves + 2 * phase)], 1)
        self._show(times, points)
        self.now_ms += last * 1_000
        self.at = float(points[-1][0]), float(points[-1][1])

    def _progress(self, parts: np.ndarray) -> np.ndarray:
        """How much of a submovement is done after parts of its time."""
        part = np.clip(parts, 0, 1)
        if self.held_out:  # lognormal speed, cut off where nothing is missing that can be seen
            done = lognorm.cdf(part, s=0.42, scale=0.37)
            return np.asarray(done / lognorm.cdf(1.0, s=0.42, scale=0.37))
        return np.asarray(part**3 * (10 - 15 * part + 6 * part * part))

    def _seen(self, at: tuple[float, float] | None) -> tuple[float, float]:
        assert at is not None
        return (
            round(round(at[0] / self.grid) * self.grid, 3),
            round(round(at[1] / self.grid) * self.grid, 3),
        )

    def _show(self, times: np.ndarray, points: np.ndarray) -> None:
        """The events of a movement: a frame has one, of all positions or of the last."""
        seen = np.round(np.round(points / self.grid) * self.grid, 3)
        moved = np.r_[True, np.any(np.diff(seen, axis=0) != 0, axis=1)]
        stamps = np.round(self.now_ms + times * 1_000, 1 if self.coalesced else 0)
        frames: dict[int, list[tuple[float, float, float]]] = {}
        for (x, y), stamp in zip(seen[moved].tolist(), stamps[moved].tolist(), strict=True):
            frames.setdefault(int(stamp / 16.7), []).append((x, y, stamp))
        for steps in frames.values():
            self.events.append(["move", steps if self.coalesced else steps[-1:]])


def buttons(rng: np.random.Generator) -> list[tuple[float, float, float, float]]:
    """The answers of a study, ``(left, top, width, height)``: two, four, or a scale."""
    kind = rng.integers(3)
    if kind == 0:
        return [(240.0, 700.0, 340.0, 52.0), (780.0, 700.0, 340.0, 52.0)]
    if kind == 1:
        return [(60.0 + 320 * place, 720.0, 240.0, 52.0) for place in range(4)]
    return [(330.0 + 64 * step, 800.0, 56.0, 52.0) for step in range(11)]


@dataclass(frozen=True)
class Participation:
    """What is stored of somebody: of which ``group``, when they joined, and their events."""

    group: str
    hurried: bool
    enrolled_at: datetime
    events: tuple[Event, ...]


def people(count: int, held_out: bool, seed: int) -> list[Participation]:
    """So many simulated people as the page and the study would store them."""
    rng = np.random.default_rng([seed, int(held_out)])
    names, shares = list(GROUPS), np.array(list(GROUPS.values()))
    hands = []
    for _ in range(count):
        group = str(rng.choice(names, p=shares / shares.sum()))
        hurried = bool(rng.random() < HURRIED)
        own = np.random.default_rng(rng.integers(2**63))
        hand = Hand(group, own, held_out, hurried)
        hands.append(hand.takes_part(int(rng.choice([10, 20, 40]))))
    records = run_module(RECORD, [hand.events for hand in hands])
    return [_stored(hand, inputs) for hand, inputs in zip(hands, records, strict=True)]


def _stored(hand: Hand, inputs: Sequence[Any]) -> Participation:
    joined = datetime(2026, 1, 1, tzinfo=UTC)
    consent, *answers, finish = inputs
    events = [Event("", EventKind.CONSENT, None, {"input": consent}, at=joined)]
    passed = 0.0
    for position, (record, time) in enumerate(zip(answers, hand.times_ms, strict=True)):
        passed += time
        body = {"kind": "place", "value": 0, "response_ms": round(time, 1), "input": record}
        at = joined + timedelta(milliseconds=passed)
        events.append(Event("", EventKind.ANSWER, position, body, at=at))
    events.append(Event("", EventKind.FINISH, None, {"input": finish}))
    return Participation(hand.group, hand.hurried, joined, tuple(events))
