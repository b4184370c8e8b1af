"""Designers whose server is killed while they color: tests.bench.colorings in small."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.bench.colorings import compared, make_study, return_all
from tests.bench.painters import Painter, paint_steadily
from tests.bench.voters import Tally
from tests.empty_data import empty_data
from tests.running import running

pytestmark = pytest.mark.process

PEOPLE, ACKNOWLEDGED, SKETCHES = 4, 40, 2
# A sketch is finished after so many actions, so that some are drawn again before the kill.
ACTIONS_A_SKETCH = (4, 8)
EVERY_S = (0.0, 0.02)


class Until(list[float]):
    """The times of what was acknowledged; the one that makes them ``wanted`` calls ``then``."""

    def __init__(self, wanted: int, then: Callable[[], None]) -> None:
        super().__init__()
        self._wanted, self._then = wanted, then

    def append(self, item: float) -> None:
        super().append(item)
        if len(self) == self._wanted:
            self._then()


async def paint(painters: Sequence[Painter]) -> None:
    """Everybody comes in, and colors until the server is gone."""
    await asyncio.gather(*(painter.enroll() for painter in painters))
    await paint_steadily(painters, EVERY_S, 60)


def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path) -> None:
    data = empty_data(tmp_path / "data")
    study, tally = make_study(data, SKETCHES), Tally()
    with running(data) as app:
        # At this moment the actions of the others are under way.
        tally.milliseconds = Until(ACKNOWLEDGED, app.process.kill)
        painters = [
            Painter(app.address, study.token, tally, seed, ACTIONS_A_SKETCH)
            for seed in range(PEOPLE)
        ]
        asyncio.run(paint(painters))
        app.process.wait(300)
    assert len(tally.milliseconds) >= ACKNOWLEDGED
    assert sum(len(painter.finished) for painter in painters)
    with running(data) as app:
        pages = asyncio.run(return_all(painters, app.address))
    lost, doubled, out_of_place, _ = compared(data, study, tally, painters, pages)
    assert (lost, doubled, out_of_place) == (0, 0, 0)
    assert tally.problems == []
