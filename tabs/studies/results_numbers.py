"""Numbers of results for the page: with an interval, or null with the reason."""

from __future__ import annotations

import math
from typing import TypedDict

from truehue.annotation.judgments.resampling import FEW_PEOPLE

ALONE = "Intervals resample participants, but fewer than two have answered."
UNFINISHED = "There are no answers for this yet."


FEW = (
    f"Intervals over resampled participants are likely too narrow where fewer than {FEW_PEOPLE} "
    "answered: in simulated studies 95% intervals held the truth in about 75% of the cases with 3 "
    f"participants, 90% with 5, and 95% from {FEW_PEOPLE} on."
)
"""How far intervals of few people are to be trusted (truehue.annotation.judgments.resampling)."""


def few_people(people: int) -> str:
    """The caution beside numbers that rest on so few participants; empty where these are enough, or
    where nobody answered."""
    if people == 1:
        return (
            "These are one person's answers: there are no intervals over people, and the "
            "results do not generalize."
        )
    return f"Only {people} people answered. {FEW}" if 0 < people < FEW_PEOPLE else ""


def few_people_of_cases(people: int) -> str:
    """The same beside numbers whose intervals resample cases."""
    if not 0 < people < FEW_PEOPLE:
        return ""
    who = "one person" if people == 1 else f"{people} people"
    return (
        f"“People” are {who} here. Intervals resample cases, not people: they generalize to "
        "other concepts or prompts, but not to other people. "
        f"Ask {FEW_PEOPLE} or more people before you choose a metric."
    )


def plain(value: float | None) -> float | None:
    """The number, or None for one that JSON has not."""
    return None if value is None or not math.isfinite(value) else float(value)


class StudyNumberJson(TypedDict):
    """A number with its interval; ``why`` says what is missing of it."""

    value: float | None
    low: float | None
    high: float | None
    why: str


def number(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    why: str = UNFINISHED,
    why_open: str = ALONE,
) -> StudyNumberJson:
    """The number for a page. ``why`` is said where there is no value, ``why_open`` where
    there is one without the interval that it should have."""
    shown = plain(value)
    interval = (plain(low), plain(high))
    text = why if shown is None else why_open if None in interval else ""
    return {"value": shown, "low": interval[0], "high": interval[1], "why": text}


def percent(value: float | None) -> str:
    """``67%``, or ``–``."""
    return "–" if plain(value) is None else f"{value:.0%}"


def two_decimals(value: float) -> str:
    """Two decimals, with a real minus sign."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
