"""Studies in a fresh data folder, with a clock that tests turn on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage import Storage
from tabs.shell.compose import make_context
from tests.empty_data import empty_data
from tests.tabs.participants.people import Clock, Room


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    clock = Clock()
    with Storage.open(empty_data(tmp_path / "data"), clock=clock) as storage:
        context = make_context(storage, "data")
        yield Room(context, clock)
        context.close()
