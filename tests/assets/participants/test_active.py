"""The time of work on a sketch, without pauses and without times in which nobody looked."""

from __future__ import annotations

import pytest

from tests.node import run_module

pytestmark = pytest.mark.process

TOTALS = """
  const { ActiveTime } = await load('participants/active');
  return Object.fromEntries(Object.entries(value).map(([name, signs]) => {
    const totals = [0, 700].map((before) => {
      const time = new ActiveTime(before);
      for (const [what, at] of signs) time[what](at);
      return time.total - before;
    });
    return [name, totals];
  }));
"""


def test_only_work_counts() -> None:
    signs = {
        "nothing": [],
        "once": [("sign", 5)],
        "short pauses": [("sign", 0), ("sign", 10_000), ("sign", 70_000)],
        "a long pause": [("sign", 0), ("sign", 60_001), ("sign", 61_001)],
        "hidden": [("sign", 0), ("away", 4_000), ("sign", 30_000), ("sign", 31_000)],
        "left long before": [("sign", 0), ("away", 90_000), ("away", 95_000), ("sign", 96_000)],
        "a clock that jumps": [("sign", 9_000), ("sign", 8_000), ("sign", 8_500)],
    }
    assert run_module(TOTALS, signs) == {
        "nothing": [0, 0],
        "once": [0, 0],
        "short pauses": [70_000, 70_000],
        "a long pause": [1_000, 1_000],
        "hidden": [5_000, 5_000],
        "left long before": [0, 0],
        "a clock that jumps": [500, 500],
    }
