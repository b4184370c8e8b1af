"""A worker's journal: one line per finished item, sealed into a shard from time to time.

A killed worker loses only the item in progress: the next execution drops a truncated line and seals
the lines before it.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from truehue.core.batch.records import Row
from truehue.core.batch.shards import write_shard
from truehue.core.errors import DataFolderError, TrueHueError
from truehue.core.files import file_problem

MAX_LINES = 500
SEAL_AFTER_S = 30.0
_SYNC_S = 1.0
LEFT_OUT = "left-out.jsonl"

Fitted = Callable[[Row], Row]
"""The row of a journal's line; raises Misfit. See :meth:`truehue.core.batch.work.Work.fitted`."""

log = logging.getLogger("truehue")


class Misfit(TrueHueError):
    """A line of a journal that cannot be of the work, and why."""


class Journal:
    """The open journal of one worker, ``<worker>-<n>.jsonl``; ``schema`` is that of its shards."""

    def __init__(self, folder: Path, shards: Path, worker: str, schema: Any) -> None:
        self._folder, self._shards, self._worker = folder, shards, worker
        self._schema = schema
        self._number = 0
        self._rows: list[Row] = []
        self._descriptor = -1
        self._begun = self._synced = 0.0

    def add(self, row: Row) -> None:
        """Writes a result down; it outlives the process when this returns.

        Raises DataFolderError when the disk is full or the folder is gone.
        """
        line = json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"
        try:
            if self._descriptor < 0:
                self._open()
            _write_all(self._descriptor, line.encode())
            if time.monotonic() - self._synced > _SYNC_S:
                os.fsync(self._descriptor)
                self._synced = time.monotonic()
        except OSError as error:
            raise DataFolderError(
                f"{self._folder} cannot be written: {file_problem(error)}. Make room, then resume."
            ) from error
        self._rows.append(row)
        full = len(self._rows) >= MAX_LINES
        if full or time.monotonic() - self._begun >= SEAL_AFTER_S:
            self.seal()

    def seal(self) -> None:
        """Makes a shard of what was written since the last one; nothing makes none."""
        if not self._rows:
            return
        name = self._name()
        write_shard(self._shards / f"{name}.parquet", self._rows, self._schema)
        os.close(self._descriptor)
        (self._folder / f"{name}.jsonl").unlink(missing_ok=True)
        self._rows, self._descriptor = [], -1
        self._number += 1

    def _open(self) -> None:
        # A worker of this name may have been here before: its names are not taken again.
        while (self._shards / f"{self._name()}.parquet").exists():
            self._number += 1
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._descriptor = os.open(self._folder / f"{self._name()}.jsonl", flags, 0o644)
        self._begun = self._synced = time.monotonic()

    def _name(self) -> str:
        return f"{self._worker}-{self._number:05d}"


def seal_left_over(
    folder: Path, shards: Path, schema: Any, workers: str = "*", fitted: Fitted = lambda row: row
) -> int:
    """Seals the journals of workers that are gone; returns how many results were saved.

    ``workers`` is a glob of their names. Only for who knows that nobody writes them any more.
    Lines that ``fitted`` refuses are not of this work: they go to ``left-out.jsonl`` beside the
    journals' folder, each with the reason.
    """
    saved = 0
    for path in sorted(folder.glob(f"{workers}.jsonl")):
        shard = shards / f"{path.stem}.parquet"
        if not shard.exists():
            rows = []
            for row in read_journal(path):
                try:
                    rows.append(fitted(row))
                except Misfit as why:
                    _leave_out(folder.with_name(LEFT_OUT), path.name, row, str(why))
            if rows:
                write_shard(shard, rows, schema)
                saved += len(rows)
        path.unlink(missing_ok=True)
    return saved


def read_journal(path: Path) -> list[Row]:
    """The whole lines of a journal; what stands after a line that was cut off is dropped."""
    rows: list[Row] = []
    for line in path.read_bytes().splitlines(keepends=True):
        try:
            row = json.loads(line) if line.endswith(b"\n") else None
        except ValueError:
            break
        if not isinstance(row, dict):
            break
        rows.append(row)
    return rows


def _leave_out(index: Path, name: str, row: Row, why: str) -> None:
    log.warning("a line of %s was left out: %s", name, why)
    line = json.dumps({"journal": name, "reason": why, "line": row}, ensure_ascii=False)
    with index.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
