"""People who leave, come back, miss checks, answer as scripts, are excluded and erased, and a server
that is killed meanwhile: every stimulus has its answers all the same (tests.bench.crowd)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.crowd import PEOPLES_PACE, simulate
from tests.bench.guests import Pace
from tests.empty_data import empty_data
from tests.running import running

pytestmark = [pytest.mark.process, pytest.mark.nightly]

AT_ONCE = Pace(arrival=0.2, pause=0.0, again=0.1)


@pytest.mark.parametrize(
    ("people", "pace", "absent"),
    [(20, AT_ONCE, False), (200, PEOPLES_PACE, True)],
)
def test_coverage_is_as_planned_and_nothing_is_lost(
    tmp_path: Path, people: int, pace: Pace, absent: bool
) -> None:
    """Who is absent holds a place for a minute: the few do without."""
    outcome = simulate(empty_data(tmp_path / "data"), people, pace, running, absent)
    missed = [(text, figure) for text, figure, met in outcome.goals if not met]
    assert missed == [], [*outcome.wrongly, *outcome.differing, *outcome.problems][:10]
