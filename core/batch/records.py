"""The records of long work: its labels, its progress, and the columns of every result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CHOSEN_DONE = (
    "The chosen images are done, and accuracies here are theirs, not the whole set's. A comparison "
    "with a larger share chooses more; resume does the whole set."
)
"""The message of paused work of which adaptive rounds chose items, and these are done."""

STATUSES = ("planned", "running", "paused", "cancelled", "finished", "interrupted")
"""``interrupted``: it was running when its process ended without a word."""

WISHES = ("run", "pause", "cancel")

DONE, FAILED = "done", "failed"
"""Statuses of a result. Any other word than ``failed`` is a success, such as a run's ``drawn``."""

Row = Mapping[str, Any]
"""One result as plain values, the same in a journal's JSON and in a shard's Parquet.

Every row has ``position`` (from 0), ``attempt`` (from 1; the latest counts), ``status`` and
``reason`` (a sentence where it failed, else empty); what else it has, the work's schema says."""

RESULT_COLUMNS = ("position", "attempt", "status", "reason")


@dataclass(frozen=True)
class WorkNames:
    """Names of the work, of one item and of several, for messages."""

    work: str = "work"
    item: str = "item"
    items: str = "items"


@dataclass(frozen=True)
class BatchState:
    """How far work is, as anyone who can read its folder sees it; ``run_id`` is the folder's name.

    Of ``total`` items ``done`` are finished, of which ``failed`` have no result (``problems`` are
    the first 20 different reasons with how many each stands for). ``rate`` is items a second since
    it was last started, 0 before there is one; ``seconds_left`` None while it is not known.
    ``workers`` are at work now. Times are ISO 8601 in UTC, empty where there is none. ``message``
    is a sentence for people, such as why it stopped. ``steps`` are those that workers told of since
    it was last started, of items in work too; 0 where items have no steps.
    """

    run_id: str
    status: str
    total: int
    done: int = 0
    failed: int = 0
    rate: float = 0.0
    seconds_left: float | None = None
    workers: int = 0
    problems: tuple[tuple[str, int], ...] = ()
    started_at: str = ""
    updated_at: str = ""
    host: str = ""
    pid: int = 0
    message: str = ""
    steps: int = 0
