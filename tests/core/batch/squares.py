"""The smallest kind of long work: numbers are squared. It knows of no pictures, and neither does
what it is built on; ``python -m tests.core.batch.squares FOLDER WORKERS [SHARE]`` executes it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.core.batch import hold
from truehue.core import machine
from truehue.core.batch.array import array_task, begin_task
from truehue.core.batch.execute import WorkerPool, execute
from truehue.core.batch.folder import BatchFolder
from truehue.core.batch.records import DONE, Row, WorkNames
from truehue.core.batch.shards import schema_with
from truehue.core.batch.work import ItemFailed, Work, WorkerContext
from truehue.core.errors import BadInput

# Here and not below: the workers of work that a test begins import this module too.
hold.unload_requested()


class SquaresFolder(BatchFolder):
    """Numbers from ``first`` on."""

    words = WorkNames("list", "number", "numbers")


class Squares(Work):
    """Squares ``total`` numbers; those in ``bad`` have none, those in ``deadly`` end the process.

    Each takes ``steps`` steps.
    """

    def __init__(
        self,
        folder: Path,
        steps: int = 0,
        bad: tuple[int, ...] = (),
        deadly: tuple[int, ...] = (),
    ) -> None:
        super().__init__(SquaresFolder(folder))
        self.steps, self.bad, self.deadly = steps, bad, deadly

    def schema(self) -> Any:
        return schema_with([("number", pa.int64()), ("square", pa.int64())])

    def check(self) -> None:
        if self.folder.summary()["version"] != 1:
            raise BadInput("The list was begun with other squares.")

    def open(self, context: WorkerContext) -> Squarer:
        return Squarer(self, context)


class Squarer:
    """Squares one number at a time."""

    def __init__(self, work: Squares, context: WorkerContext) -> None:
        self._work, self._context = work, context
        self._first = int(work.folder.summary()["first"])

    def do(self, position: int, attempt: int) -> Row:
        number = self._first + position
        for _ in range(self._work.steps):
            self._context.step()
        if number in self._work.deadly:
            os._exit(3)
        if number in self._work.bad and attempt == 1:
            raise ItemFailed(f"{number} has no square today.", {"number": number})
        return {
            "position": position,
            "attempt": attempt,
            "status": DONE,
            "reason": "",
            "number": number,
            "square": number * number,
        }

    def close(self) -> None:
        pass


class OnGpu(Squares):
    """Says of each number which GPU its worker sees, in the reason of a failure."""

    def needs_device(self) -> bool:
        return True

    def open(self, context: WorkerContext) -> Squarer:
        return _SaysGpu(self, context)


class _SaysGpu(Squarer):
    """Asks torch, as models do; a test has one of its own, with the GPUs of its node."""

    def do(self, position: int, attempt: int) -> Row:
        machine._GPU_FILES = (sys.executable,)  # something that exists: torch is to be asked
        device = machine.machine()
        raise ItemFailed(f"{device.device} {device.name}", {"number": position})


def begun(index: Path, total: int, first: int = 10) -> Path:
    """The folder of a list of numbers."""
    folder = SquaresFolder(index / "squares")
    folder.begin({"total": total, "first": first, "version": 1})
    folder.set_desired_state("run")
    return folder.path


if __name__ == "__main__":
    work: Work = Squares(Path(sys.argv[1]))
    if len(sys.argv) > 3:
        work = begin_task(work, array_task(sys.argv[3]))
    work.folder.set_desired_state("run")
    execute(work, WorkerPool(workers=int(sys.argv[2])))
