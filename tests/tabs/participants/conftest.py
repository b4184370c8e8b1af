"""Studies in a fresh data folder, with a clock that tests turn on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.empty_data import empty_data
from tests.tabs.participants.people import Clock, Room
from truehue.storage import Storage
from truehue.tabs.shell.compose import make_context


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with _room(tmp_path / "data") as made:
        yield made


@pytest.fixture(scope="module")
def lasting_room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """One for many tests, each of which opens a study of its own and changes nothing else."""
    with _room(tmp_path_factory.mktemp("lasting") / "data") as made:
        yield made


@contextmanager
def _room(data: Path) -> Iterator[Room]:
    clock = Clock()
    with Storage.open(empty_data(data), clock=clock) as storage:
        context = make_context(storage, "data")
        yield Room(context, clock)
        context.close()
