"""What a worker has done: a line a picture at once, sealed into a shard now and then.

A worker that is killed loses the picture in work and nothing else: a line that was cut off is
dropped, the lines before it are sealed by whoever takes the run up.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path

from core.errors import DataFolderError
from core.files import why_of
from core.runs.plan import place_of
from core.runs.records import ItemResult, RunPlan
from core.runs.shards import result_of, row_of, write_shard

MOST_LINES = 500
SEAL_AFTER_S = 30.0
_SYNC_S = 1.0
LEFT_OUT = "left-out.jsonl"

Fits = Callable[[ItemResult], str]
"""Why a line cannot be of a run; empty where it can."""

log = logging.getLogger("truehue")


class Journal:
    """The open journal of one worker, ``<worker>-<n>.jsonl``."""

    def __init__(self, folder: Path, shards: Path, worker: str) -> None:
        self._folder, self._shards, self._worker = folder, shards, worker
        self._number = 0
        self._results: list[ItemResult] = []
        self._descriptor = -1
        self._begun = self._synced = 0.0

    def add(self, result: ItemResult) -> None:
        """Writes a result down; it outlives the process when this returns.

        Raises DataFolderError when the disk is full or the folder is gone.
        """
        line = json.dumps(row_of(result), ensure_ascii=False, allow_nan=False) + "\n"
        try:
            if self._descriptor < 0:
                self._open()
            _write_all(self._descriptor, line.encode())
            if time.monotonic() - self._synced > _SYNC_S:
                os.fsync(self._descriptor)
                self._synced = time.monotonic()
        except OSError as error:
            raise DataFolderError(
                f"{self._folder} cannot be written: {why_of(error)}. Make room, then resume."
            ) from error
        self._results.append(result)
        full = len(self._results) >= MOST_LINES
        if full or time.monotonic() - self._begun >= SEAL_AFTER_S:
            self.seal()

    def seal(self) -> None:
        """Makes a shard of what was written since the last one; nothing makes none."""
        if not self._results:
            return
        name = self._name()
        write_shard(self._shards / f"{name}.parquet", self._results)
        os.close(self._descriptor)
        (self._folder / f"{name}.jsonl").unlink(missing_ok=True)
        self._results, self._descriptor = [], -1
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
    folder: Path, shards: Path, workers: str = "*", fits: Fits = lambda result: ""
) -> int:
    """Seals the journals of workers that are gone; returns how many results were saved.

    ``workers`` is a glob of their names. Only for who knows that nobody writes them any more.
    Lines that ``fits`` has something to say of are not of this run: they go to ``left-out.jsonl``
    beside the journals' folder, each with the reason.
    """
    saved = 0
    for path in sorted(folder.glob(f"{workers}.jsonl")):
        shard = shards / f"{path.stem}.parquet"
        if not shard.exists():
            results = []
            for result in read_journal(path):
                if why := fits(result):
                    _leave_out(folder.with_name(LEFT_OUT), path.name, result, why)
                else:
                    results.append(result)
            if results:
                write_shard(shard, results)
                saved += len(results)
        path.unlink(missing_ok=True)
    return saved


def read_journal(path: Path) -> list[ItemResult]:
    """The whole lines of a journal; what stands after a line that was cut off is dropped."""
    results = []
    for line in path.read_bytes().splitlines(keepends=True):
        try:
            if not line.endswith(b"\n"):
                break
            results.append(result_of(json.loads(line)))
        except (ValueError, KeyError, TypeError):
            break
    return results


def fitting(plan: RunPlan) -> Fits:
    """Tells lines that cannot be of the run of ``plan``."""

    def fits(result: ItemResult) -> str:
        if type(result.position) is not int or not 0 <= result.position < plan.total:
            return f"the position {result.position!r:.40} is not among the run's {plan.total:,}"
        if (result.prompt, result.image) != place_of(plan, result.position):
            return f"the position {result.position} is another prompt or picture of the run"
        if (
            type(result.attempt) is not int
            or result.attempt < 1
            or result.status not in ("drawn", "failed")
        ):
            return f"the attempt at the position {result.position} has no number or no status"
        return ""

    return fits


def _leave_out(place: Path, name: str, result: ItemResult, why: str) -> None:
    log.warning("a line of %s was left out: %s", name, why)
    line = json.dumps({"journal": name, "reason": why, "line": row_of(result)}, ensure_ascii=False)
    with place.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
