"""The finished and the failed items of a piece of work."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from truehue.core.batch.journal import read_journal
from truehue.core.batch.records import DONE, FAILED, RESULT_COLUMNS
from truehue.core.batch.shards import BadShard, read_columns


@dataclass
class Progress:
    """The state of a folder's items, by position.

    ``attempts`` int32 ``(total,)`` is the latest attempt, 0 where there is none; ``failed`` bool
    ``(total,)`` whether that one failed; ``reasons`` counts why, ``failures`` says it by position.
    Of the same attempt twice, as a crash may leave it, the first one counts.
    """

    attempts: np.ndarray
    failed: np.ndarray
    reasons: Counter[str] = field(default_factory=Counter)
    failures: dict[int, str] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """Items with a result."""
        return int(np.count_nonzero(self.attempts))

    def add(self, position: int, attempt: int, status: str, reason: str) -> None:
        """Takes one result up."""
        if attempt <= self.attempts[position]:
            return
        if self.failed[position]:
            self.reasons[self.failures.pop(position)] -= 1
        self.attempts[position] = attempt
        self.failed[position] = status == FAILED
        if status == FAILED:
            self.failures[position] = reason
            self.reasons[reason] += 1

    def problems(self, limit: int = 20) -> tuple[tuple[str, int], ...]:
        """The first reasons of failures, the most frequent first."""
        return tuple((text, count) for text, count in self.reasons.most_common(limit) if count > 0)


def nothing_done(total: int) -> Progress:
    """The initial progress of work with ``total`` items."""
    return Progress(np.zeros(total, np.int32), np.zeros(total, bool))


def add_journal(done: Progress, path: Path) -> None:
    """Takes up what a journal holds; lines that are not of this work count for nothing, and
    neither does a journal that is sealed meanwhile."""
    try:
        rows = read_journal(path)
    except FileNotFoundError:
        return
    for row in rows:
        position, attempt = row.get("position"), row.get("attempt")
        if type(position) is not int or not 0 <= position < len(done.attempts):
            continue
        if type(attempt) is int and isinstance(row.get("status"), str):
            done.add(position, attempt, row["status"], str(row.get("reason") or ""))


def add_shard(done: Progress, path: Path) -> None:
    """Takes up what a shard holds. Raises BadShard."""
    table = read_columns(path, RESULT_COLUMNS)
    positions = table["position"].to_numpy()
    if positions.size and not 0 <= positions.min() <= positions.max() < len(done.attempts):
        raise BadShard(f"{path} holds results that the plan does not have. Take the file away.")
    attempts = table["attempt"].to_numpy()
    failed = np.array(table["status"].to_pylist(), dtype=object) == FAILED
    good = ~failed & (attempts > done.attempts[positions]) & ~done.failed[positions]
    # Good ones in one step; a failure, or what follows one, is counted by itself.
    done.attempts[positions[good]] = attempts[good]
    rest = np.flatnonzero(~good)
    if rest.size:
        reasons = table["reason"].to_pylist()
        for index in rest.tolist():
            status = FAILED if failed[index] else DONE
            done.add(int(positions[index]), int(attempts[index]), status, reasons[index])
