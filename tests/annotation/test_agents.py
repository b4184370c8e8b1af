"""Signs of scripts in how answers were entered: each one, and none on people."""

from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from tests.hands import Hand, people
from truehue.annotation.quality.agents import (
    MAX_PRESSES,
    SIGNS,
    THRESHOLD,
    Evidence,
    evidence_of,
    read_presses,
    read_traits,
    score_of,
)
from truehue.core.studies import Event, EventKind

JOINED = datetime(2026, 1, 1, tzinfo=UTC)
REACH = {"distance": 400, "length": 420, "jump": 22, "bend": 14, "moves": 40, "took": 700}
HAND = {"by": "mouse", "off": 9, **REACH, "rest": 110, "even": 0.8, "late": 0.52}
HOLDS = (71, 96, 84, 120, 77, 93, 104, 68)
TIMES_MS = (1_900, 2_600, 1_400, 3_900, 2_100, 1_700, 5_200, 2_400)
"""Of a person."""


def evidence(
    *presses: Any, times_ms: Any = TIMES_MS, recorded: bool = True, **body: Any
) -> Evidence:
    """What is seen on somebody whose answers took so long, each entered by one press."""
    events, passed = [], 5_000.0
    for position, time in enumerate(times_ms):
        passed += time
        press = presses[position % len(presses)] if presses else None
        record = {} if press is None else {"input": [{"held": HOLDS[position % 8], **press}]}
        answer = {"kind": "place", "value": 0, "response_ms": time, **record, **body}
        at = JOINED + timedelta(milliseconds=passed)
        events.append(Event("", EventKind.ANSWER, position, answer, at=at))
    return evidence_of(recorded, JOINED, events)


def stored(position: int, after_s: float, **body: Any) -> Event:
    """An answer that came so long after joining."""
    at = JOINED + timedelta(seconds=after_s)
    return Event("", EventKind.ANSWER, position, {"input": [HAND], **body}, at=at)


def names(found: Evidence) -> set[str]:
    return {sign.name for sign in found.signs}


def test_a_hand_has_no_signs_and_neither_have_keys_and_fingers() -> None:
    for press in (HAND, {"by": "key"}, {"by": "touch", "off": 12}, {"by": "none"}):
        found = evidence(press)
        assert (found.recorded, found.signs, found.score, found.flagged) == (True, (), 0.0, False)
        assert (found.answers, found.presses) == (8, 8)


@pytest.mark.parametrize(
    ("sign", "press"),
    [
        ("jumps", {**HAND, "jump": 400, "moves": 1, "bend": 0}),
        ("ruled", {**HAND, "bend": 0.6}),
        ("hasty", {**HAND, "took": 30}),
        ("level", {**HAND, "even": 0.2}),
        ("abrupt", {**HAND, "late": 0.24}),
        ("centered", {**HAND, "off": 0.5}),
        ("tapped", {**HAND, "held": 2}),
        ("instant", {"by": "key", "held": 1}),
        ("instant", {"by": "touch", "off": 12, "held": 0}),
        ("constant", {"by": "key", "held": 50}),
        ("synthetic", {"by": "none", "trusted": False}),
    ],
)
def test_each_sign_of_a_press_is_seen_alone(sign: str, press: dict[str, Any]) -> None:
    found = evidence(press)
    assert names(found) == {sign}
    assert found.score == SIGNS[sign].points
    assert "8" in found.signs[0].words


def test_signs_of_times() -> None:
    assert names(evidence(HAND, times_ms=[1_500, 1_504, 1_498, 1_501, 1_502, 1_500])) == {
        "metronome"
    }
    assert names(evidence(HAND, times_ms=[1_500, 1_700, 1_400, 1_600, 1_550, 1_350])) == {"steady"}
    assert names(evidence(HAND, times_ms=[240, 420, 210, 400, 270, 300])) == set()
    at_once = [stored(n, 1 + n / 9, response_ms=9_000) for n in range(5)]
    assert names(evidence_of(True, JOINED, at_once)) == {"clock"}
    # A clock that was set back says nothing.
    assert names(evidence_of(True, JOINED, [stored(0, 0, response_ms=9_000)])) == set()


def test_answers_without_a_record_or_a_press_are_of_no_page() -> None:
    assert names(evidence()) == {"unrecorded"}
    pressless = [stored(n, 99, response_ms=900 + 400 * n, input=[]) for n in range(6)]
    assert names(evidence_of(True, JOINED, pressless)) == {"pressless"}
    assert names(evidence(HAND, traits=["webdriver", "made up"])) == {"browser"}


def test_a_study_that_does_not_record_suspects_nobody() -> None:
    for presses in ((), ({**HAND, "off": 0, "jump": 400},)):
        assert evidence(*presses, recorded=False, traits=["webdriver"]) == Evidence(False)


def test_the_strongest_sign_of_a_group_counts() -> None:
    found = evidence({**HAND, "bend": 0.2, "even": 0.1, "late": 0.25, "held": 1})
    assert names(found) == {"ruled", "level", "abrupt", "tapped"}
    assert found.score == SIGNS["ruled"].points + SIGNS["tapped"].points
    assert found.score >= THRESHOLD
    assert found.flagged
    assert score_of(found.signs[:1]) == found.signs[0].points == SIGNS["ruled"].points


def test_colorings_are_not_judged_by_how_long_they_take() -> None:
    body = {"kind": "coloring", "response_ms": 60_000, "active_ms": 50_000, "input": [HAND] * 4}
    events = [stored(n, 60 * (1 + n), **body) for n in range(6)]
    assert names(evidence_of(True, JOINED, events)) == set()


def test_malformed_records_are_left_out_and_refuse_nothing() -> None:
    assert read_presses(None) is read_presses({"by": "mouse"}) is read_presses("key") is None
    bad: list[Any] = [
        {"by": "foot"}, 7, None, {"by": ["mouse"]},
        {"by": "mouse", "held": "80", "off": -1, "jump": float("nan"), "late": 3, "moves": True,
         "user": "Anna", "trusted": "no", "rest": 12.5},
    ]  # fmt: skip
    assert read_presses(bad) == [{"by": "mouse", "rest": 12.5}]
    assert (
        read_presses([{"by": "key", "trusted": False}] * 40)
        == [{"by": "key", "trusted": False}] * MAX_PRESSES
    )
    assert read_traits(["window", {"a": 1}, "webdriver", "Anna"]) == ["webdriver", "window"]
    assert read_traits("webdriver") == []
    # What an import brings is read as well as it can be: a way without its numbers is none.
    found = evidence({"by": "mouse", "distance": 400}, {"by": "mouse", "distance": 400, "jump": 9})
    assert names(found) == set()


def line(steps: int, wobble: float, seed: int = 0) -> list[int]:
    """A stroke of 180 px in even steps, off by so much, in pixels."""
    rng = np.random.default_rng(seed)
    points = [(40 + 180 * n / steps, 60 + 50 * n / steps) for n in range(steps + 1)]
    return [round(value) for point in points for value in point + rng.normal(0, wobble, 2)]


def by_hand(hand: Hand) -> list[int]:
    """The way of a mouse, as a brush that leaves out points nearer than 1.5 px."""
    hand.events.clear()
    hand.at, hand.hover = (100.0, 100.0), 0.0
    hand.press((hand.rng.uniform(300, 900), hand.rng.uniform(250, 600), 40.0, 40.0), 900.0)
    points: list[tuple[float, float]] = []
    for x, y, _ in (step for kind, *more in hand.events if kind == "move" for step in more[0]):
        if not points or math.dist(points[-1], (x, y)) >= 1.5:
            points.append((x, y))
    return [round(value) for point in points for value in point]


def test_a_brush_that_goes_along_a_ruler_in_even_steps() -> None:
    ruled = [line(20, 0.0), line(37, 0.2), line(9, 0.0), line(60, 0.2, 1)]
    hands = [line(20, 4.0, seed) for seed in range(4)]
    found = evidence_of(True, JOINED, (), [*ruled, hands[0]])
    assert [(sign.name, found.flagged) for sign in found.signs] == [("strokes", True)]
    assert found.signs[0].words.endswith("(4 of 5)")
    # Too few, mostly by hand, or too short to say: a dot is even as well.
    dots = [[5, 5, 6, 5, 7, 6, 8, 6]] * 9
    for strokes in (ruled[:3], [*ruled, *hands], dots, []):
        assert evidence_of(True, JOINED, (), strokes).signs == ()
    assert evidence_of(False, JOINED, (), ruled).signs == ()


def test_no_simulated_hand_goes_along_a_ruler() -> None:
    for seed in range(40):
        hand = Hand(("mouse", "touchpad")[seed % 2], np.random.default_rng(seed), True)
        strokes = [by_hand(hand) for _ in range(12)]
        assert evidence_of(True, JOINED, (), strokes).signs == ()


@pytest.mark.process
def test_simulated_people_are_not_taken_for_scripts() -> None:
    """The page's own script records their events; python -m tests.bench.agents has more of them."""
    everybody = people(60, held_out=False, seed=3)
    found = [evidence_of(True, one.enrolled_at, one.events) for one in everybody]
    assert min(one.presses for one in found) >= 9
    assert sum(one.flagged for one in found) <= 1
    path = {name for name, kind in SIGNS.items() if kind.group in ("path", "aim", "source")}
    seen = Counter(sign.name for one in found for sign in one.signs)
    assert not path & seen.keys(), seen
