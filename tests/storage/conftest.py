"""A storage in a fresh folder, with a clock that moves one second at every look."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.empty_data import empty_data
from truehue.storage import Storage

START = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


class SteppingClock:
    """Return START and one second more at every call; ``step`` may be changed."""

    def __init__(self) -> None:
        self.time = START
        self.step = timedelta(seconds=1)

    def __call__(self) -> datetime:
        now = self.time
        self.time += self.step
        return now


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def storage(data_dir: Path, clock: SteppingClock) -> Iterator[Storage]:
    # Opening looks at the clock too: what the test adds first is added at START.
    step, clock.step = clock.step, timedelta(0)
    with Storage.open(empty_data(data_dir), clock) as opened:
        clock.step = step
        yield opened


@pytest.fixture(scope="module")
def shared_storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """One for the tests of a module that are refused, or store what no other of them meets."""
    with Storage.open(
        empty_data(tmp_path_factory.mktemp("shared") / "data"), SteppingClock()
    ) as opened:
        yield opened
