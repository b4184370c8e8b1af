"""Workers of a process that a test kills: each waits for that once it has done enough, so that no
work is over before."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

import pyarrow.parquet as pq

from truehue.core.batch import journal
from truehue.core.batch.folder import BatchFolder
from truehue.core.batch.records import Row

MAX_LINES, HOLD_AT = "TRUEHUE_TEST_MOST_LINES", "TRUEHUE_TEST_HOLD_AT"


def environment(hold_at: int, most_lines: int = journal.MAX_LINES) -> dict[str, str]:
    """What a process is begun with whose workers wait after ``hold_at`` rows, with at most
    ``most_lines`` rows in a shard."""
    return {**os.environ, HOLD_AT: str(hold_at), MAX_LINES: str(most_lines)}


def safe_results(folder: BatchFolder, prefix: str = "") -> int:
    """How many results are on disk while workers, whose names begin with ``prefix``, go on.

    Journals first, since one may be sealed meanwhile: its shard of the same name then counts.
    """
    counts: dict[str, int] = {}
    for path in folder.journal.glob(f"{prefix}*.jsonl"):
        with suppress(FileNotFoundError):  # sealed between the two steps
            counts[path.stem] = len(journal.read_journal(path))
    for path in folder.shard_folder.glob(f"{prefix}*.parquet"):
        counts[path.stem] = pq.read_metadata(path).num_rows
    return sum(counts.values())


def unload_requested() -> None:
    """To be called where a module is imported that such a process and its workers begin with."""
    journal.MAX_LINES = int(os.environ.get(MAX_LINES, journal.MAX_LINES))
    if HOLD_AT in os.environ:
        _hold_at(int(os.environ[HOLD_AT]))


def _hold_at(rows: int) -> None:
    add, written = journal.Journal.add, 0

    def add_and_hold(self: journal.Journal, row: Row) -> None:
        nonlocal written
        add(self, row)
        written += 1
        while written >= rows:
            signal.pause()

    journal.Journal.add = add_and_hold  # type: ignore[method-assign]
