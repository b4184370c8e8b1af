"""Signs of scripts and browser agents among participants, and the score that they add up to.

The page records a few numbers on each press that an answer was given by
(``assets/js/participants/input_log.js``): how long it was held, how far it was from the center of
its button, and how the mouse came there. Where a study records them (``StudyPlan.record_input``),
:func:`evidence_of` looks for signs in them, in response times, and in what the browser says of
itself.

A sign's points are the natural logarithm of how much more often it is seen on scripts than on
people, rounded to halves and at most :data:`MAX_POINTS`: counted on 24 development scripts and
1,000 development people (``python -m tests.bench.agents --develop``), with half a case added to
each. Five signs were on none of those scripts, which hid them, ran on a slow machine or colored
nothing: ``browser``, ``pressless``, ``hasty``, ``instant`` and ``strokes`` have the most, because
nothing that people do by hand makes them. Answers in less than 0.35 s are no sign: people in a
hurry have more of them. Signs of one group tell of the same thing, so the strongest of a group
counts. :data:`THRESHOLD` was set on the same development cases, where three weak signs together
stay below it. What it does on others is in docs/science/agents.md.

A score excludes nobody. People with a tool that clicks for them can have signs too, and a script
that copies a hand has none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, median, pstdev
from typing import Any

from truehue.annotation.judgments.answers import AnswerKind
from truehue.core.studies import Event, EventKind

MAX_PRESSES = 12
"""Presses of one answer that are stored."""
DEVICES = ("mouse", "touch", "pen", "key", "none")
"""What a press is made by; ``none`` where a click came without any."""
TRAITS = ("webdriver", "headless", "languages", "window")
"""What a browser says of itself that only programs use: that it is controlled by one, that it has
no window, no languages, or a window without size."""
_NUMBERS: Mapping[str, float] = {
    "held": 60_000,
    "off": 20_000,
    "distance": 100_000,
    "length": 1_000_000,
    "jump": 100_000,
    "bend": 100_000,
    "moves": 1_000,
    "took": 3_600_000,
    "rest": 3_600_000,
    "even": 100,
    "late": 1,
}
"""The numbers of a press and the largest of each; all are 0 or more. Milliseconds and CSS pixels."""

THRESHOLD = 4.0
"""From so many points on a participant is pointed out."""
MAX_POINTS = 5.0
FALSE_ALARMS = "0.05% (95% interval 0.01% to 0.28%)"
"""Of simulated people who reach it: the held-out ones of ``tests/bench/agents.py``."""
CAUTION = (
    f"Script signs: {THRESHOLD:g} points or more flag a participant. Of simulated people that is "
    f"{FALSE_ALARMS}; of real people nobody has measured it. Tools that click for people "
    "can look like scripts, and a script that copies a hand has no signs. Nobody is excluded for "
    "them: look at the answers, then decide."
)
"""What a researcher has to know beside the scores."""


@dataclass(frozen=True)
class SignKind:
    """``group``: signs of one group count once; ``meaning``: what is seen, in words."""

    group: str
    points: float
    meaning: str


SIGNS: Mapping[str, SignKind] = {
    "browser": SignKind("browser", 5.0, "the browser says that a program controls it"),
    "unrecorded": SignKind("source", 5.0, "answers came without the record that the page makes"),
    "pressless": SignKind("source", 5.0, "answers came without a press of a key or a button"),
    "synthetic": SignKind("source", 5.0, "presses were made by a script in the page"),
    "clock": SignKind("source", 5.0, "response times add up to more than the time that passed"),
    "jumps": SignKind("path", 5.0, "the mouse jumps to what it presses"),
    "ruled": SignKind("path", 5.0, "the mouse goes along a ruler"),
    "hasty": SignKind("path", 5.0, "the mouse is faster than a hand"),
    "level": SignKind("path", 5.0, "the mouse keeps one speed"),
    "abrupt": SignKind("path", 5.0, "the mouse does not slow down before it presses"),
    "strokes": SignKind("path", 5.0, "strokes of the brush go along a ruler in even steps"),
    "centered": SignKind("aim", 5.0, "presses are exactly at the center of buttons"),
    "tapped": SignKind("press", 1.5, "presses of the mouse are shorter than a finger’s"),
    "instant": SignKind(
        "press", 5.0, "presses of keys or of the screen are shorter than a finger’s"
    ),
    "constant": SignKind("press", 2.5, "presses are all equally long"),
    "metronome": SignKind("time", 1.5, "answers come like a clock"),
    "steady": SignKind("time", 1.0, "answers take nearly the same time"),
}
"""All signs. What weighs on people as well has few points."""

# Bounds of the signs; docs/science/agents.md says what people do.
REACH_PX, RULED_PX = 60, 80
JUMP_SHARE, RULED_SHARE, RULED_MIN_PX = 0.8, 0.006, 1.0
HAND_PX_PER_MS = 10.0
LEVEL, LATE = 0.35, 0.3
CENTER_PX = 0.75
SHORT_MS, CONSTANT = 25, 0.06
METRONOME, STEADY = 0.06, 0.15
MIN_REACHES, MIN_PRESSES, MIN_TIMES, MIN_STROKES = 3, 3, 6, 4
STROKE_PX, STROKE_SHARE = 100, 0.75
STROKE_POINTS, MAX_STROKES = (8, 512), 60
"""How many points a stroke has that is looked at, and at most how many strokes of a participant."""


@dataclass(frozen=True)
class Sign:
    """A sign that was seen: its ``name`` in :data:`SIGNS`, and in ``words`` how often."""

    name: str
    words: str

    @property
    def points(self) -> float:
        """What it adds where it is the strongest of its group."""
        return SIGNS[self.name].points


@dataclass(frozen=True)
class Evidence:
    """What the input of a participant says: the ``signs``, the heaviest first, and their ``score``
    in points. ``recorded``: whether the study records input; without that there are none, and
    nobody is suspected. ``answers`` and ``presses`` are how many it rests on."""

    recorded: bool
    answers: int = 0
    presses: int = 0
    signs: tuple[Sign, ...] = ()
    score: float = 0.0

    @property
    def flagged(self) -> bool:
        """Whether the score reaches :data:`THRESHOLD`."""
        return self.score >= THRESHOLD


def read_presses(value: Any) -> list[dict[str, Any]] | None:
    """The presses that a page recorded, with what is known and within its bounds alone; None where
    it recorded none. Never raises: no answer is lost for it."""
    if not isinstance(value, list):
        return None
    presses = []
    for press in value[:MAX_PRESSES]:
        if not isinstance(press, Mapping) or press.get("by") not in DEVICES:
            continue
        read: dict[str, Any] = {"by": press["by"]}
        if press.get("trusted") is False:
            read["trusted"] = False
        for name, most in _NUMBERS.items():
            number = press.get(name)
            if isinstance(number, bool) or not isinstance(number, int | float):
                continue
            if 0 <= number <= most:  # NaN is neither
                read[name] = number
        presses.append(read)
    return presses


def read_traits(value: Any) -> list[str]:
    """What a browser said of itself, in the order of :data:`TRAITS`."""
    said = value if isinstance(value, list) else ()
    return [trait for trait in TRAITS if trait in said]


def evidence_of(
    recorded: bool,
    enrolled_at: datetime,
    events: Sequence[Event],
    strokes: Sequence[Sequence[int]] = (),
) -> Evidence:
    """The signs of one participant. ``events`` are all of theirs but actions on a canvas, in the
    order of storing, ``recorded`` is the plan's ``record_input``. ``strokes`` are their strokes of
    the brush with :data:`STROKE_POINTS` points, x and y of each one after the other, in pixels of
    the sketch."""
    if not recorded:
        return Evidence(False)
    answers = [event for event in events if event.kind is EventKind.ANSWER]
    records = [read_presses(event.body.get("input")) for event in events]
    presses = [press for record in records for press in record or ()]
    known = sum(read_presses(event.body.get("input")) is not None for event in answers)
    traits = {trait for event in events for trait in read_traits(event.body.get("traits"))}
    signs = [
        *_of_browser(traits),
        *_of_source(presses, len(answers), known),
        *_of_clock(enrolled_at, answers),
        *_of_paths(presses),
        *_of_strokes(strokes),
        *_of_aim(presses),
        *_of_holds(presses),
        *_of_times(answers),
    ]
    signs.sort(key=lambda sign: -sign.points)
    return Evidence(True, len(answers), len(presses), tuple(signs), score_of(signs))


def score_of(signs: Iterable[Sign]) -> float:
    """The points of the strongest sign of each group, added."""
    groups: dict[str, float] = {}
    for sign in signs:
        group = SIGNS[sign.name].group
        groups[group] = max(groups.get(group, 0.0), sign.points)
    return sum(groups.values())


def _sign(name: str, count: int, source: int) -> Sign:
    return Sign(name, f"{SIGNS[name].meaning} ({count} of {source})")


def _of_browser(traits: Iterable[str]) -> list[Sign]:
    known = sorted(traits)
    return [Sign("browser", f"{SIGNS['browser'].meaning} ({', '.join(known)})")] if known else []


def _of_source(presses: Sequence[Mapping[str, Any]], answers: int, known: int) -> list[Sign]:
    """Where answers came from: of the page, by a press, that the browser made."""
    signs = []
    if answers - known > answers / 2:
        signs.append(_sign("unrecorded", answers - known, answers))
    elif answers >= MIN_PRESSES and len(presses) < answers / 2:
        signs.append(_sign("pressless", answers - len(presses), answers))
    untrusted = sum(press.get("trusted") is False for press in presses)
    if untrusted >= MIN_PRESSES and untrusted >= len(presses) / 4:
        signs.append(_sign("synthetic", untrusted, len(presses)))
    return signs


def _of_clock(enrolled_at: datetime, answers: Sequence[Event]) -> list[Sign]:
    """Whether answers that came one after the other took longer together than there was time, by
    the server's clock, from joining to the last of them."""
    times = [event.at for event in answers if event.at is not None]
    passed_s = (max(times) - enrolled_at).total_seconds() if times else 0.0
    if passed_s <= 0:  # a clock that was set back says nothing
        return []
    claimed_s = sum(_response_ms(event) for event in answers) / 1_000
    if claimed_s <= 1.1 * passed_s + 10:
        return []
    words = f"{SIGNS['clock'].meaning} ({claimed_s:.0f} s of {passed_s:.0f} s)"
    return [Sign("clock", words)]


def _response_ms(event: Event) -> float:
    """What the page says that an answer took, of a coloring at work; 0 where that is no number."""
    coloring = event.body.get("kind") == AnswerKind.COLORING
    value = event.body.get("active_ms" if coloring else "response_ms")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if math.isfinite(value) else 0.0


def _of_paths(presses: Sequence[Mapping[str, Any]]) -> list[Sign]:
    """How the mouse came to what it pressed."""
    reaches = [
        press
        for press in presses
        if press.get("distance", 0) >= REACH_PX and {"jump", "bend", "length"} <= press.keys()
    ]
    jumps = [press for press in reaches if press["jump"] >= JUMP_SHARE * press["distance"]]
    ways = [press for press in reaches if press not in jumps and press.get("moves", 0) >= 4]
    signs = []
    for name, seen, of in (
        ("jumps", jumps, reaches),
        (
            "ruled",
            [p for p in ways if _is_ruled(p)],
            [p for p in ways if p["distance"] >= RULED_PX],
        ),
        ("hasty", [p for p in ways if p["length"] > HAND_PX_PER_MS * p.get("took", 0)], ways),
    ):
        if len(of) >= MIN_REACHES and 2 * len(seen) >= len(of):
            signs.append(_sign(name, len(seen), len(of)))
    for name, field, most in (("level", "even", LEVEL), ("abrupt", "late", LATE)):
        values = [press[field] for press in ways if field in press]
        if len(values) >= MIN_REACHES and median(values) <= most:
            signs.append(_sign(name, sum(value <= most for value in values), len(values)))
    return signs


def _is_ruled(press: Mapping[str, Any]) -> bool:
    distance = press["distance"]
    return distance >= RULED_PX and press["bend"] <= max(RULED_MIN_PX, RULED_SHARE * distance)


def _of_strokes(strokes: Sequence[Sequence[int]]) -> list[Sign]:
    """How the brush went: a hand neither keeps a line nor one speed."""
    long = [stroke for stroke in strokes if _length(stroke) >= STROKE_PX]
    even = sum(_is_even_line(stroke) for stroke in long)
    if len(long) < MIN_STROKES or even < STROKE_SHARE * len(long):
        return []
    return [_sign("strokes", even, len(long))]


def _length(stroke: Sequence[int]) -> float:
    """From the first point of a stroke to the last, in pixels."""
    return math.dist(stroke[:2], stroke[-2:])


def _is_even_line(stroke: Sequence[int]) -> bool:
    """Whether every point is where even steps along a line from end to end would put it."""
    points = list(zip(stroke[::2], stroke[1::2], strict=True))
    (x0, y0), (x1, y1), last = points[0], points[-1], len(points) - 1
    # Whole pixels, and a point that was left out as too near the one before.
    off = max(RULED_MIN_PX, RULED_SHARE * _length(stroke)) + 0.75
    return all(
        math.dist((x, y), (x0 + (x1 - x0) * n / last, y0 + (y1 - y0) * n / last)) <= off
        for n, (x, y) in enumerate(points)
    )


def _of_aim(presses: Sequence[Mapping[str, Any]]) -> list[Sign]:
    offs = [press["off"] for press in presses if "off" in press]
    centered = sum(off <= CENTER_PX for off in offs)
    if centered < 2 or 2 * centered < len(offs):
        return []
    return [_sign("centered", centered, len(offs))]


def _of_holds(presses: Sequence[Mapping[str, Any]]) -> list[Sign]:
    """How long keys, buttons and the screen were pressed."""
    signs = []
    for devices, name in ((("mouse",), "tapped"), (("touch", "pen", "key"), "instant")):
        holds = [press["held"] for press in presses if press["by"] in devices and "held" in press]
        if len(holds) < MIN_PRESSES:
            continue
        short = sum(hold < SHORT_MS for hold in holds)
        if 2 * short > len(holds):
            signs.append(_sign(name, short, len(holds)))
        elif len(holds) >= MIN_TIMES and pstdev(holds) < CONSTANT * fmean(holds):
            signs.append(_sign("constant", len(holds), len(holds)))
    return signs


def _of_times(answers: Sequence[Event]) -> list[Sign]:
    """How long answers took; colorings take as long as they take."""
    times = [
        _response_ms(event) for event in answers if event.body.get("kind") != AnswerKind.COLORING
    ]
    times = [time for time in times if time > 0]
    if len(times) < MIN_TIMES:
        return []
    spread = pstdev([math.log(time) for time in times])
    if spread >= STEADY:
        return []
    name = "metronome" if spread < METRONOME else "steady"
    words = f"{SIGNS[name].meaning} ({fmean(times) / 1_000:.1f} s ± {100 * spread:.0f}%)"
    return [Sign(name, words)]
