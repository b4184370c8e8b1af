"""A queue of batches: folders that are executed one at a time, in turn with other queues."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Condition, Event, Lock, Thread
from typing import Generic, TypeVar
from weakref import WeakMethod

from truehue.core.batch.array import waits_for_tasks
from truehue.core.batch.folder import BatchFolder
from truehue.core.batch.health import state_of
from truehue.core.batch.records import CHOSEN_DONE, BatchState
from truehue.core.errors import BadInput
from truehue.tabs.page.errors import message_of

ENDED = ("finished", "cancelled")
ACTIVE = ("waiting", "running", "pausing", "cancelling")
RESUMABLE = ("planned", "paused", "chosen", "awaiting", "cancelled", "interrupted", "broken")
WAIT_S = 0.2

F = TypeVar("F", bound=BatchFolder)


class BatchLimit:
    """One batch at a time of all queues that have joined: two at once would share a device that
    fits one. For any thread."""

    def __init__(self) -> None:
        self._turn, self._lock = Lock(), Lock()
        self._counts: list[WeakMethod[Callable[[], int]]] = []

    def join(self, count: Callable[[], int]) -> None:
        """Counts a queue's batches in, for as long as the queue exists."""
        with self._lock:
            self._counts = [method for method in self._counts if method() is not None]
            self._counts.append(WeakMethod(count))

    def waiting(self) -> int:
        """How many batches wait or run in all."""
        with self._lock:
            counts = [count() for count in self._counts]
        return sum(count() for count in counts if count is not None)

    @contextmanager
    def turn(self, end: Event) -> Iterator[bool]:
        """Waits for its turn, and has it in the block; False where ``end`` was set before."""
        while not (mine := self._turn.acquire(timeout=WAIT_S)) and not end.is_set():
            pass
        try:
            yield mine and not end.is_set()
        finally:
            if mine:
                self._turn.release()


class BatchQueue(Generic[F]):
    """Folders in the order in which they are executed, one at a time, in a thread of its own that
    begins with the first. ``execute`` gets a folder, and whether its failures are done again.
    ``executed`` is called after each. For any thread. ``close`` pauses what is executed.
    """

    def __init__(
        self,
        name: str,
        execute: Callable[[F, bool], object],
        limit: BatchLimit,
        executed: Callable[[], None] = lambda: None,
    ) -> None:
        self._name, self._execute, self._executed = name, execute, executed
        self._waiting: deque[tuple[F, bool]] = deque()
        self._now: F | None = None
        self._problems: dict[str, str] = {}
        self._changed, self.end, self._adding = Condition(), Event(), Lock()
        self._thread: Thread | None = None
        self._limit = limit
        limit.join(self.waiting)

    def require_free(self, folder: F, title: str) -> None:
        """Raises BadInput while the folder runs or waits, and once the queue is closing."""
        if self.position(folder.run_id) is not None or state_of(folder).status == "running":
            raise BadInput(f"“{title}” is already running or waiting.")
        if self.end.is_set():
            raise BadInput("The app is shutting down: nothing new starts.")

    def add(
        self, folder: F, retry: bool, title: str, before: Callable[[], None] = lambda: None
    ) -> None:
        """Calls ``before``, then puts the folder at the end. Raises BadInput as
        :meth:`require_free`: if two add it at once, one is refused and changes nothing."""
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
        """Stops a batch after the items in work, wherever it is executed; one that waits leaves
        the queue."""
        with self._changed:
            for entry in [entry for entry in self._waiting if entry[0].run_id == folder.run_id]:
                self._waiting.remove(entry)
        stop(folder, cancel)

    def drop(self, run_ids: Collection[str]) -> None:
        """Takes batches that wait out of the queue."""
        with self._changed:
            self._waiting = deque(
                entry for entry in self._waiting if entry[0].run_id not in run_ids
            )

    def position(self, run_id: str) -> int | None:
        """0 for what is executed here now, then 1, 2, … in the queue; None for others."""
        with self._changed:
            if self._now is not None and self._now.run_id == run_id:
                return 0
            waiting = [folder.run_id for folder, _ in self._waiting]
        return 1 + waiting.index(run_id) if run_id in waiting else None

    def mark(self) -> tuple[object, ...]:
        """Changes whenever a batch here progresses, begins or ends."""
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
        """How many run or wait here."""
        with self._changed:
            return len(self._waiting) + (self._now is not None)

    def problem(self, run_id: str) -> str:
        """Why a batch could not be executed here; empty without a problem."""
        return self._problems.get(run_id, "")

    def begin_closing(self) -> None:
        """Refuses new batches, and pauses the one that runs."""
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
                with self._limit.turn(self.end) as mine:
                    if mine and folder.desired_state() == "run":
                        self._execute(folder, retry)
            except BaseException as error:  # what waits goes on
                self._problems[folder.run_id] = message_of(error)
            finally:
                with self._changed:
                    self._now = None
                self._executed()


def status_of(folder: BatchFolder, state: BatchState, index: int | None) -> str:
    """The status as people see it: that of the folder, or what is about to change it. An imported
    batch stays imported. Of those that nobody paused, ``chosen`` has the images that adaptive
    rounds chose, and ``awaiting`` those of some tasks of a job array."""
    if folder.imported:
        return "imported"
    if index is not None and state.status != "running":
        return "waiting"
    if state.status == "running":
        return {"pause": "pausing", "cancel": "cancelling"}.get(folder.desired_state(), "running")
    if state.status == "paused" and folder.desired_state() == "run":
        if state.message == CHOSEN_DONE:
            return "chosen"
        if waits_for_tasks(state):
            return "awaiting"
    return state.status


def stop(folder: BatchFolder, cancel: bool) -> bool:
    """Pauses a batch, or cancels it for good; whether somebody was executing it."""
    folder.set_desired_state("cancel" if cancel else "pause")
    state = state_of(folder)
    running = state.status == "running"
    if cancel and not running and state.status not in ENDED:
        # Nobody executes it, who would read the wish.
        folder.save_state(replace(state, status="cancelled", message="", workers=0))
    return running
