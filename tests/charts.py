"""Charts as plotly is given them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.node import run_module


def plotly_of(chart: Mapping[str, Any]) -> dict[str, Any]:
    """``data`` and ``layout`` of a chart, by the page's own script. Skips where node is missing."""
    drawn: dict[str, Any] = run_module(
        "return (await load('shared/chart')).plotlyOf(value);", chart
    )
    return drawn
