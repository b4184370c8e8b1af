"""Data folders, and folders of runs, that are filled once in a run of tests and copied from then
on.

To make a study with its people or to take a run's results in takes up to a second; to copy the
files takes a fiftieth of it. How they come in is tested where they are made.
"""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tests.empty_data import empty_data
from tests.once import once
from truehue.storage import Storage
from truehue.storage.database.connection import DATABASE_NAME

T = TypeVar("T")


@dataclass(frozen=True)
class Filled:
    """A data folder that was filled, what the one who filled it returned, and its tables that have
    rows, without those that have some in an empty one."""

    folder: Path
    result: Any
    tables: tuple[str, ...]

    def copy(self, goal: Path) -> Path:
        """Makes ``goal``, which must not be there, as the same data folder."""
        return shutil.copytree(self.folder, goal)


def filled(key: tuple[Any, ...], fill: Callable[[Storage], Any]) -> Filled:
    """The data folder that ``fill`` filled the first time that it was asked for by this key."""

    def make(folder: Path) -> None:
        with Storage.open(empty_data(folder / "data")) as storage:
            before = _tables(storage)
            result = fill(storage)
            tables = tuple(name for name in _tables(storage) if name not in before)
        (folder / "made").write_bytes(pickle.dumps((result, tables)))

    folder = once(("filled", *key), make)
    return Filled(folder / "data", *pickle.loads((folder / "made").read_bytes()))


def filled_into(storage: Storage, key: tuple[Any, ...], fill: Callable[[Storage], T]) -> T:
    """As ``fill(storage)``, from rows and files that were made before; where the storage has some
    of the same kind already, they are made anew."""
    source = filled(key, fill)
    if any(storage._database.count(name) for name in source.tables):
        return fill(storage)
    for folder in source.folder.iterdir():
        if folder.is_dir():
            shutil.copytree(folder, storage.data_dir / folder.name, dirs_exist_ok=True)
    database = storage._database
    with database.cursor() as cursor:
        cursor.execute(f"ATTACH '{source.folder / DATABASE_NAME}' AS made (READ_ONLY)")
    try:
        with database.transaction() as cursor:
            for name in source.tables:
                cursor.execute(f"INSERT INTO {name} SELECT * FROM made.{name}")
    finally:
        with database.cursor() as cursor:
            cursor.execute("DETACH made")
    result: T = source.result
    return result


def _tables(storage: Storage) -> list[str]:
    """The tables that have rows."""
    names = [name for (name,) in storage._database.rows("SELECT table_name FROM duckdb_tables()")]
    each = " UNION ALL ".join(
        f"SELECT '{name}' AS name, count(*) AS n FROM {name}" for name in names
    )
    rows = storage._database.rows(f"SELECT name FROM ({each}) WHERE n > 0")
    return [name for (name,) in rows]


def copied(key: tuple[Any, ...], goal: Path, make: Callable[[Path], object]) -> Path:
    """Makes the folder ``goal`` as a copy of what ``make`` made the first time, in a folder of
    the same name."""
    made = once(("copied", *key, goal.name), lambda folder: make(folder / goal.name))
    return shutil.copytree(made / goal.name, goal)
