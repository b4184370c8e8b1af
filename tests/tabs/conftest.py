"""A context with a storage in a fresh folder, and photographs in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core.photographs import bounds, object_photograph
from tests.empty_data import empty_data
from tests.workers_here import workers_here
from truehue.core.records import ImageRecord
from truehue.storage import Storage
from truehue.storage.database.connection import Database
from truehue.tabs.page.context import Context
from truehue.tabs.shell.compose import make_context

__all__ = ["workers_here"]


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        made = make_context(storage, "data")
        yield made
        made.close()


@pytest.fixture(scope="module")
def shared_context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    """One for the tests of a module that are refused, or store what no other of them meets."""
    with Storage.open(empty_data(tmp_path_factory.mktemp("shared") / "data")) as storage:
        made = make_context(storage, "data")
        yield made
        made.close()


@pytest.fixture(scope="session")
def photograph() -> tuple[np.ndarray, list[int]]:
    """sRGB pixels, uint8 ``(128, 128, 3)``, and the box around the orange object in them."""
    srgb8, truth = object_photograph(128)
    return srgb8, bounds(truth, 6)


@pytest.fixture
def stored(context: Context, photograph: tuple[np.ndarray, list[int]]) -> ImageRecord:
    return context.storage.images.add(photograph[0], "photograph.png", "upload")


@pytest.fixture
def statements(context: Context, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is asked of the database, statement by statement."""
    requested: list[str] = []
    lend = Database.cursor

    class Counted:
        def __init__(self, cursor: Any) -> None:
            self._cursor = cursor

        def execute(self, sql: str, *values: Any) -> Any:
            requested.append(sql)
            return self._cursor.execute(sql, *values)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._cursor, name)

    @contextmanager
    def counted(self: Database) -> Iterator[Any]:
        with lend(self) as cursor:
            yield Counted(cursor)

    monkeypatch.setattr(Database, "cursor", counted)
    return requested
