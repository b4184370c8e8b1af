"""What of a run is done, what failed, and in which order the rest is best done."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from core.generation.registry import RENDERER
from core.runs.folder import RunFolder
from core.runs.journal import read_journal
from core.runs.records import DRAWN, RunPlan
from core.runs.shards import BadShard, read_columns

_COLUMNS = ("position", "attempt", "status", "reason")


@dataclass
class Progress:
    """What the shards and journals of a run hold, by position.

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
        """Pictures with a result."""
        return int(np.count_nonzero(self.attempts))

    def add(self, position: int, attempt: int, status: str, reason: str) -> None:
        """Takes one result up."""
        if attempt <= self.attempts[position]:
            return
        if self.failed[position]:
            self.reasons[self.failures.pop(position)] -= 1
        self.attempts[position] = attempt
        self.failed[position] = status == "failed"
        if status == "failed":
            self.failures[position] = reason
            self.reasons[reason] += 1

    def problems(self, most: int = 20) -> tuple[tuple[str, int], ...]:
        """The first reasons of failures, the most frequent first."""
        return tuple((text, count) for text, count in self.reasons.most_common(most) if count > 0)


def done_of(folder: RunFolder, total: int) -> Progress:
    """What a run's folder holds. Raises BadShard for a shard that cannot be read."""
    done = nothing_done(total)
    for path in folder.shards():
        add_shard(done, path)
    for path in sorted(folder.journal.glob("*.jsonl")):
        add_journal(done, path)
    return done


def nothing_done(total: int) -> Progress:
    """What a run of ``total`` pictures begins with."""
    return Progress(np.zeros(total, np.int32), np.zeros(total, bool))


def add_journal(done: Progress, path: Path) -> None:
    """Takes up what a journal holds; lines that are not of this run count for nothing, and neither
    does a journal that is sealed meanwhile."""
    try:
        results = read_journal(path)
    except FileNotFoundError:
        return
    for result in results:
        if type(result.position) is int and 0 <= result.position < len(done.attempts):
            done.add(result.position, result.attempt, result.status, result.reason)


def add_shard(done: Progress, path: Path) -> None:
    """Takes up what a shard holds. Raises BadShard."""
    table = read_columns(path, _COLUMNS)
    positions = table["position"].to_numpy()
    if positions.size and not 0 <= positions.min() <= positions.max() < len(done.attempts):
        raise BadShard(f"{path} holds pictures that the run does not have. Take the file away.")
    attempts = table["attempt"].to_numpy()
    failed = np.array(table["status"].to_pylist(), dtype=object) == "failed"
    good = ~failed & (attempts > done.attempts[positions]) & ~done.failed[positions]
    # Drawn ones in one step; a failure, or what follows one, is counted by itself.
    done.attempts[positions[good]] = attempts[good]
    rest = np.flatnonzero(~good)
    if rest.size:
        reasons = table["reason"].to_pylist()
        for at in rest.tolist():
            status = "failed" if failed[at] else "drawn"
            done.add(int(positions[at]), int(attempts[at]), status, reasons[at])


def order_of(plan: RunPlan) -> np.ndarray:
    """Every position, int64 ``(total,)``, in the order in which the run is quickest.

    The renderer draws a scene once and then in other colors at a hundredth of the cost: the same
    objects with the same seed follow each other. Any other model goes by the plan.
    """
    order = np.arange(plan.total, dtype=np.int64)
    if plan.kind != DRAWN or plan.model != RENDERER:
        return order
    scenes: dict[tuple[tuple[str, str], ...], int] = {}
    kinds = np.array(
        [
            scenes.setdefault(
                tuple((target.name, target.role) for target in prompt.targets), len(scenes)
            )
            for prompt in plan.prompts
        ],
        dtype=np.int64,
    )
    # The same seed for another guidance scale is the same scene too.
    seeds = order % plan.images % plan.seeds
    return np.lexsort((order, seeds, kinds[order // plan.images]))
