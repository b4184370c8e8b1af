"""Starts, executes, lists and ingests the batches of one kind.

A batch is its folder (truehue.core.batch.folder), below the data folder or in another folder that
was registered with the app; the executing process writes shards there. Batches that the page starts
wait in one queue.
"""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Generic, TypeVar

from truehue.core.batch.folder import PLAN, BatchFolder
from truehue.core.engine import Engine
from truehue.core.errors import NotAllowed, NotStored
from truehue.tabs.batches.queue import BatchLimit, BatchQueue
from truehue.tabs.batches.settings import SETTINGS_FILE, BatchSettings, SettingsFile
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.roles import Actor, Resource, authorize

if TYPE_CHECKING:
    from truehue.storage.store import Storage

log = logging.getLogger("truehue")

POLL_S = 2.0
RELEASE_S = 60.0

F = TypeVar("F", bound=BatchFolder)
S = TypeVar("S", bound=BatchSettings)


class BatchService(ABC, Generic[F, S]):
    """The batches of one kind. What the page starts lies in ``root``, the folder ``name`` of the
    data folder; batches in the folders ``others`` are listed and ingested too.

    After ``begin`` it looks for new results every two seconds, also while another process
    executes. A service that shares its ``limit`` with others begins with its first batch.
    ``close`` pauses what it executes. Any thread may call it.
    """

    unknown = "That batch does not exist. Reload the page."

    def __init__(
        self,
        storage: Storage,
        name: str,
        folder_type: Callable[[Path], F],
        settings_type: Callable[..., S],
        others: Sequence[Path] = (),
        limit: BatchLimit | None = None,
    ) -> None:
        self.root = storage.data_dir / name
        self.roots = (self.root, *others)
        self._storage, self._folder_type = storage, folder_type
        self._settings = SettingsFile(self.root / SETTINGS_FILE, settings_type)
        self._ingest_problems: dict[str, str] = {}
        self._ingested: dict[str, object] = {}
        self._ingesting, self._starting, self._beginning = Lock(), Lock(), Lock()
        self._changed, self._end = Event(), Event()
        self._poller: Thread | None = None
        self._shares_limit = limit is not None
        self.limit = limit or BatchLimit()
        self.queue: BatchQueue[F] = BatchQueue(
            f"truehue-{name}",
            lambda folder, retry: self._execute(folder, retry),
            self.limit,
            self._changed.set,
        )

    @abstractmethod
    def title(self, folder: F) -> str:
        """The name of a batch in messages."""

    @abstractmethod
    def _execute(self, folder: F, retry: bool) -> object:
        """Executes a batch until it ends or is paused; with ``retry`` its failures are done
        again."""

    @abstractmethod
    def _ingest(self, folder: F) -> int:
        """Stores what is new in a folder; how many rows that was."""

    # ── ingesting ────────────────────────────────────────────────────────────────────────────

    def begin(self) -> None:
        """Looks for new results from now on, in a thread of its own."""
        with self._beginning:
            if self._poller is None:
                self._poller = Thread(target=self._poll, name="truehue-ingest", daemon=True)
                self._poller.start()

    def ingest(self) -> int:
        """Stores what is new in all folders; how many rows that was. A folder that cannot be read
        is logged and tried again later."""
        # Oldest first: a batch may use what an older one made.
        return sum(self.ingest_folder(folder) for folder in reversed(self.folders()))

    def ingest_folder(self, folder: F) -> int:
        """The same for one folder, unless nothing changed there."""
        run_id = folder.run_id
        with self._ingesting:
            mark = self._mark(folder)
            if self._ingested.get(run_id) == mark or self._end.is_set():
                return 0
            try:
                count = self._ingest(folder)
            except Exception as error:
                if self._ingest_problems.get(run_id) != (problem := message_of(error)):
                    self._ingest_problems[run_id] = problem
                    log.warning("%s is not imported: %s", folder.path, problem)
                return 0
            self._ingested[run_id] = mark
            self._ingest_problems.pop(run_id, None)
            return count

    def _mark(self, folder: F) -> object:
        """Changes whenever a shard or the plan was added."""
        return tuple(_mtime_ns(path) for path in (folder.path, folder.shard_folder))

    def _poll(self) -> None:
        while not self._end.is_set():
            try:
                self.ingest()
            except Exception:
                log.exception("the folders of %s could not be read", self.root)
            self._changed.wait(POLL_S)
            self._changed.clear()

    # ── batches ──────────────────────────────────────────────────────────────────────────────

    def folders(self) -> list[F]:
        """All batches, newest first; of one that lies in two folders, the first counts."""
        by_id: dict[str, tuple[int, F]] = {}
        for root in self.roots:
            for plan in root.glob(f"*/{PLAN}"):
                # A folder may be removed meanwhile.
                with suppress(OSError):
                    folder = self._folder_type(plan.parent)
                    by_id.setdefault(folder.run_id, (plan.stat().st_mtime_ns, folder))
        return [folder for _, folder in sorted(by_id.values(), key=lambda entry: -entry[0])]

    def folder(self, run_id: str) -> F:
        """The folder of a batch; raises NotStored."""
        for folder in self.folders():
            if folder.run_id == run_id:
                return folder
        raise NotStored(self.unknown)

    def pause(self, run_id: str, cancel: bool = False) -> None:
        """Stops a batch after the items in work, wherever it is executed."""
        self.queue.pause(self.folder(run_id), cancel)

    def problem(self, run_id: str) -> str:
        """Why a batch could not be executed or ingested here; empty without a problem."""
        return self.queue.problem(run_id) or self._ingest_problems.get(run_id, "")

    def settings(self, run_id: str) -> S:
        """What is known of a batch beside its plan."""
        return self._settings.of(run_id)

    def owner(self, run_id: str) -> str:
        """Who started or imported a batch on the page; empty for those of the command line."""
        return self.settings(run_id).owner

    def set_owner(self, run_id: str, owner: str) -> None:
        """Gives an imported batch to its importer. Raises DataFolderError."""
        self._settings.save(run_id, replace(self.settings(run_id), owner=owner))

    def resource(self, run_id: str) -> Resource:
        """A batch, as :func:`truehue.tabs.page.roles.authorize` checks it."""
        owner = self.owner(run_id)
        return Resource(frozenset({owner}) if owner else frozenset())

    def is_hidden(self, run_id: str) -> bool:
        """Whether a batch was taken out of the list."""
        return self.settings(run_id).hidden

    def hide(self, run_id: str, hidden: bool = True) -> None:
        """Takes a batch out of the list, or puts it back. Raises DataFolderError."""
        self._settings.save(run_id, replace(self.settings(run_id), hidden=hidden))

    def close(self, timeout_s: float = 30.0) -> None:
        """Pauses what is executed, and ends the threads."""
        self._end.set()
        self.queue.begin_closing()
        self._changed.set()
        self.queue.close(timeout_s)
        if self._poller is not None:
            self._poller.join(timeout_s)

    def _require_own(self, run_id: str, actor: Actor, sentence: str) -> None:
        """Raises NotAllowed, after the ``sentence``, where the actor may not resume a batch."""
        try:
            authorize(actor, "cancel", self.resource(run_id))
        except NotAllowed as error:
            raise NotAllowed(f"{sentence} {error}") from None

    def _enqueue(
        self, folder: F, retry: bool = False, settings: Callable[[], S] | None = None
    ) -> None:
        """Puts a batch into the queue, and saves its new ``settings`` if it was accepted."""
        self._storage.require_installed()

        def before() -> None:
            if settings is not None:
                self._settings.save(folder.run_id, settings())
            self._ingest_problems.pop(folder.run_id, None)

        self.queue.add(folder, retry, self.title(folder), before)
        self._changed.set()
        if self._shares_limit:
            self.begin()


def release(engine: Engine, stop: Event, timeout_s: float = RELEASE_S) -> None:
    """Unloads the app's own models, and waits until they have given their memory back.

    An image that Generate is making is not interrupted: after ``timeout_s`` the batch begins beside
    it, and places its models by what is free.
    """
    end = time.monotonic() + timeout_s
    for model_id, _ in engine.loaded():
        engine.unload(model_id)
    seen = engine.changes(timeout=0.0)
    while engine.loaded() and not stop.is_set() and time.monotonic() < end:
        seen = engine.changes(seen, timeout=0.5)


def _mtime_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0
