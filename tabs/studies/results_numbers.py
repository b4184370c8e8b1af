"""Numbers of results as the page gets them: with an interval, or null with the reason in words."""

from __future__ import annotations

import math
from typing import Any

ALONE = "Intervals resample participants, and fewer than two have answered."
UNFINISHED = "There are no answers that this could be computed from yet."


def plain(value: float | None) -> float | None:
    """The number, or None for one that JSON has not."""
    return None if value is None or not math.isfinite(value) else float(value)


def number(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    why: str = UNFINISHED,
    why_open: str = ALONE,
) -> dict[str, Any]:
    """``{value, low, high, why}``. ``why`` is said where there is no value, ``why_open`` where
    there is one without the interval that it should have."""
    shown = plain(value)
    interval = (plain(low), plain(high))
    words = why if shown is None else why_open if None in interval else ""
    return {"value": shown, "low": interval[0], "high": interval[1], "why": words}


def percent(value: float | None) -> str:
    """``67%``, or ``–``."""
    return "–" if plain(value) is None else f"{value:.0%}"


def two(value: float) -> str:
    """Two decimals, with a real minus sign."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
