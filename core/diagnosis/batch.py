"""The tasks of a diagnosis as long work: one task an item, its judgments one row.

The folder of the work knows every task that was ever asked for in it, by its fingerprint: a
diagnosis with more seeds or objects does what is new. Tasks that are changed, or judged by other
code, have another fingerprint, and are done again.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.batch.folder import LOCK, PLAN, BatchFolder
from truehue.core.batch.health import done_of, set_aside
from truehue.core.batch.journal import Misfit
from truehue.core.batch.locks import held
from truehue.core.batch.records import DONE, Row, WorkNames
from truehue.core.batch.results import tables
from truehue.core.batch.shards import schema_with
from truehue.core.batch.work import Work, WorkerContext
from truehue.core.diagnosis.plan import Task
from truehue.core.diagnosis.scoring import JudgmentRow
from truehue.core.diagnosis.verdicts import csv_of, rows_of_csv
from truehue.core.diagnosis.work import rows_of
from truehue.core.errors import BadInput
from truehue.core.files import why_of

FOLDER = "work"
"""Below the folder of the report."""

_BUSY = "Another process is running this diagnosis. Wait for it, or choose another folder."
_COLUMNS = ("position", "status", "fingerprint", "problems", "rows", "processor_seconds")


class DiagnosisFolder(BatchFolder):
    """Its plan names the tasks: key and fingerprint, by position."""

    words = WorkNames("diagnosis", "task", "tasks")

    def tasks(self) -> list[tuple[str, str]]:
        """Key and fingerprint of each task, by position."""
        return [(str(key), str(fingerprint)) for key, fingerprint in self.summary()["tasks"]]

    def checked(self, summary: dict[str, Any]) -> dict[str, Any]:
        """The plan, with as many tasks as it says."""
        tasks = summary.get("tasks")
        if (
            not isinstance(tasks, list)
            or not all(isinstance(task, list) and len(task) == 2 for task in tasks)
            or len(tasks) != summary.get("total")
        ):
            raise BadInput("it does not name its tasks")
        return super().checked(summary)


@dataclass(frozen=True)
class TaskResult:
    """What came of a task: its judgments, what was wrong with its files in sentences, and the
    worker's processor time."""

    task: Task
    rows: list[JudgmentRow]
    problems: list[str]
    processor_seconds: float


class DiagnosisWork(Work):
    """Judges ``tasks``, by their positions in the folder."""

    def __init__(self, folder: Path, tasks: dict[int, Task]) -> None:
        super().__init__(DiagnosisFolder(folder))
        self.tasks = tasks

    def schema(self) -> Any:
        """The judgments of a task are CSV, as :func:`truehue.core.diagnosis.verdicts.csv_of` has
        them."""
        import pyarrow as pa

        return schema_with(
            [
                ("key", pa.string()),
                ("fingerprint", pa.string()),
                ("problems", pa.list_(pa.string())),
                ("rows", pa.string()),
                ("processor_seconds", pa.float64()),
            ]
        )

    def order(self) -> np.ndarray:
        """The tasks that are asked for now, as they were asked."""
        return np.array(list(self.tasks), dtype=np.int64)

    def open(self, context: WorkerContext) -> TaskProcessor:
        """Who judges."""
        return TaskProcessor(self.tasks, context)

    def failure_row(self, position: int, attempt: int, reason: str) -> Row:
        """Which task it is, too."""
        task = self.tasks[position]
        row = super().failure_row(position, attempt, reason)
        return {**row, "key": task.key, "fingerprint": task.fingerprint}

    def fitted(self, row: Row) -> Row:
        """The fingerprint has to be that of the plan."""
        row = super().fitted(row)
        assert isinstance(self.folder, DiagnosisFolder)
        if row.get("fingerprint") != self.folder.tasks()[row["position"]][1]:
            raise Misfit(f"the task at the position {row['position']} is another one")
        return row

    def missing(self) -> list[Task]:
        """The tasks that have no judgments yet."""
        done = done_of(self.folder, self.total)
        judged = (done.attempts > 0) & ~done.failed
        return [task for position, task in self.tasks.items() if not judged[position]]

    def results(self) -> Iterator[TaskResult]:
        """What came of the tasks that have judgments, in the order of their positions. Raises
        BadInput for a row that is none of ours."""
        for table in tables(self, _COLUMNS, size=16):
            for row in table.to_pylist():
                task = self.tasks.get(row["position"])
                if task is None or row["status"] != DONE:
                    continue
                try:
                    rows = rows_of_csv(row["rows"])
                except ValueError as error:
                    raise BadInput(
                        f"The judgments of {task.key} in {self.folder.path} are damaged: {error}. "
                        "Take that folder away, and run the command again."
                    ) from error
                yield TaskResult(task, rows, row["problems"], row["processor_seconds"])


class TaskProcessor:
    """Judges one task at a time; a step is a picture."""

    def __init__(self, tasks: dict[int, Task], context: WorkerContext) -> None:
        self._tasks, self._context = tasks, context

    def do(self, position: int, attempt: int) -> Row:
        """All judgments of a task."""
        task = self._tasks[position]
        begin = time.process_time()
        rows, problems = rows_of(task, self._context.step)
        return {
            "position": position,
            "attempt": attempt,
            "status": DONE,
            "reason": "",
            "key": task.key,
            "fingerprint": task.fingerprint,
            "problems": problems,
            "rows": csv_of(rows),
            "processor_seconds": time.process_time() - begin,
        }

    def close(self) -> None:
        """It holds nothing."""


def work_of(report_folder: Path, tasks: Sequence[Task]) -> DiagnosisWork:
    """The work of those tasks below the folder of a report, made if need be.

    Raises BadInput for a folder that cannot be used, InUse while another process is at it.
    """
    folder = DiagnosisFolder(report_folder / FOLDER)
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"Cannot use the folder {report_folder}: {why_of(error)}.") from error
    with held(folder.path / LOCK, _BUSY, wait_s=0.5):
        known = folder.tasks() if (folder.path / PLAN).is_file() else []
        positions = {fingerprint: index for index, (_, fingerprint) in enumerate(known)}
        unknown = (task for task in tasks if task.fingerprint not in positions)
        new = list({task.fingerprint: task for task in unknown}.values())
        if not positions.keys() & {task.fingerprint for task in tasks} and {
            key for key, _ in known
        } & {task.key for task in tasks}:
            # All that is asked for was changed: what is there is of no use any more.
            for part in (folder.journal, folder.shard_folder):
                shutil.rmtree(part, ignore_errors=True)
            (folder.path / PLAN).unlink()
            known, positions = [], {}
        for task in new:
            positions.setdefault(task.fingerprint, len(positions))
        names = known + [(task.key, task.fingerprint) for task in new]
        plan = {"total": len(names), "tasks": [list(name) for name in names]}
        folder = DiagnosisFolder(folder.path)
        if not known:
            folder.begin(plan)
        elif new:
            folder.grow(plan)
        set_aside(DiagnosisFolder(folder.path), len(names))
    return DiagnosisWork(folder.path, {positions[task.fingerprint]: task for task in tasks})
