"""A line of long work: folders that wait, one after the other, in turns with other lines.

What is said beside a folder of how it is executed lies in one file beside all of them.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from threading import Condition, Event, Lock, RLock, Thread
from typing import Any, Generic, TypeVar

from truehue.core.batch.folder import BatchFolder
from truehue.core.batch.health import state_of
from truehue.core.batch.records import BatchState
from truehue.core.errors import BadInput
from truehue.core.files import replace_file
from truehue.tabs.page.errors import message_of
from truehue.tabs.runs.limit import RunLimit

KEPT = "keeper.json"
ENDED = ("finished", "cancelled")

F = TypeVar("F", bound=BatchFolder)
N = TypeVar("N")


class BatchQueue(Generic[F]):
    """Folders in the order in which they are executed, one at a time, in a thread of its own that
    begins with the first. ``execute`` gets a folder, and whether its failures come again; it is
    called when it is the line's turn. For any thread. ``close`` pauses what is executed.
    """

    def __init__(
        self,
        name: str,
        execute: Callable[[F, bool], object],
        turns: RunLimit,
        looked: Callable[[], None] = lambda: None,
    ) -> None:
        self._name, self._execute, self._looked = name, execute, looked
        self._waiting: deque[tuple[F, bool]] = deque()
        self._now: F | None = None
        self._problems: dict[str, str] = {}
        self._changed, self.end, self._adding = Condition(), Event(), Lock()
        self._thread: Thread | None = None
        self._turns = turns
        turns.join(self.waiting)

    def require_free(self, folder: F, title: str) -> None:
        """Returns where a folder can be added. Raises BadInput while it is at work, or waits."""
        if self.place(folder.run_id) is not None or state_of(folder).status == "running":
            raise BadInput(f"“{title}” is already running or waiting.")
        if self.end.is_set():
            raise BadInput("The app is shutting down: nothing new starts.")

    def add(
        self, folder: F, retry: bool, title: str, before: Callable[[], None] = lambda: None
    ) -> None:
        """Puts a folder at the end, once ``before`` was called. Raises BadInput as
        :meth:`require_free`: of two who add it at once, one is refused, and nothing is changed."""
        with self._adding:
            self.require_free(folder, title)
            before()
            self._problems.pop(folder.run_id, None)
            folder.set_desired_state("run")
            with self._changed:
                self._waiting.append((folder, retry))
                self._changed.notify_all()
                self._begin()

    def pause(self, folder: F, cancel: bool = False) -> None:
        """Stops a folder's work after what is done now, wherever it is executed; one that waits
        leaves the line."""
        with self._changed:
            for entry in [entry for entry in self._waiting if entry[0].run_id == folder.run_id]:
                self._waiting.remove(entry)
        stop(folder, cancel)

    def place(self, run_id: str) -> int | None:
        """0 for what is executed here now, then 1, 2, … in the line; None for others."""
        with self._changed:
            if self._now is not None and self._now.run_id == run_id:
                return 0
            waiting = [folder.run_id for folder, _ in self._waiting]
        return 1 + waiting.index(run_id) if run_id in waiting else None

    def mark(self) -> tuple[object, ...]:
        """Changes whenever what is executed here goes on, or another begins or ends."""
        with self._changed:
            current, waiting = self._now, tuple(folder.run_id for folder, _ in self._waiting)
        if current is None:
            return (waiting,)
        with suppress(Exception):  # the list says what is wrong with its folder
            state = state_of(current)
            facts = (state.done, state.failed, state.status, current.desired_state())
            return (waiting, current.run_id, *facts)
        return (waiting, current.run_id)

    def waiting(self) -> int:
        """How many are executed here or wait for it."""
        with self._changed:
            return len(self._waiting) + (self._now is not None)

    def problem(self, run_id: str) -> str:
        """Why a folder could not be executed here; empty where nothing went wrong."""
        return self._problems.get(run_id, "")

    def begin_closing(self) -> None:
        """Takes nothing on any more, and pauses what is executed."""
        with self._changed:
            self.end.set()
            self._waiting.clear()
            current = self._now
            self._changed.notify_all()
        if current is not None:
            with suppress(BadInput):
                current.set_desired_state("pause")

    def close(self, timeout_s: float = 30.0) -> None:
        """The same, and waits for its thread."""
        self.begin_closing()
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self.end.is_set())
                if self.end.is_set():
                    return
                folder, retry = self._waiting.popleft()
                self._now = folder
            try:
                with self._turns.mine(self.end) as mine:
                    if mine and folder.desired_state() == "run":
                        self._execute(folder, retry)
            except BaseException as error:  # what waits goes on
                self._problems[folder.run_id] = message_of(error)
            finally:
                with self._changed:
                    self._now = None
                self._looked()


class BatchNotes(Generic[N]):
    """What is known of folders beside them: a record each, in one file. For any thread."""

    def __init__(self, path: Path, kind: Callable[..., N]) -> None:
        self._path, self._kind = path, kind
        self._by_id: dict[str, N] | None = None
        self._lock = RLock()

    def of(self, run_id: str) -> N:
        """The record of a folder, or one as by itself."""
        with self._lock:
            record = self._all().get(run_id)
        return self._kind() if record is None else record

    def keep(self, run_id: str, record: N) -> None:
        """Writes it. Raises DataFolderError."""
        with self._lock:
            records = self._all()
            records[run_id] = record
            rows: Mapping[str, Any] = {
                key: asdict(value)  # type: ignore[call-overload]
                for key, value in records.items()
            }
            replace_file(self._path, (json.dumps(rows, indent=1) + "\n").encode())

    def _all(self) -> dict[str, N]:
        if self._by_id is None:
            self._by_id = {}
            try:
                rows = json.loads(self._path.read_bytes())
            except FileNotFoundError:
                return self._by_id
            except (OSError, ValueError):
                # Kept aside: what is written next would be all that there is.
                with suppress(OSError):
                    self._path.rename(self._path.with_suffix(".damaged.json"))
                return self._by_id
            for run_id, row in rows.items() if isinstance(rows, dict) else ():
                with suppress(TypeError, ValueError):  # of one: the others are known all the same
                    self._by_id[run_id] = self._kind(**row)
        return self._by_id


def status_of(folder: BatchFolder, state: BatchState, index: int | None) -> str:
    """The status as people are told: that of the folder, and what is about to change it. What came
    from elsewhere stays as it came."""
    if folder.imported:
        return "imported"
    if index is not None and state.status != "running":
        return "waiting"
    if state.status == "running":
        return {"pause": "pausing", "cancel": "cancelling"}.get(folder.desired_state(), "running")
    return state.status


def stop(folder: BatchFolder, cancel: bool) -> bool:
    """Says that work shall pause, or end for good; whether somebody was at it."""
    folder.set_desired_state("cancel" if cancel else "pause")
    state = state_of(folder)
    running = state.status == "running"
    if cancel and not running and state.status not in ENDED:
        # Nobody is there who would read the wish.
        folder.save_state(replace(state, status="cancelled", message="", workers=0))
    return running
