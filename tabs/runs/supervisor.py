"""The keeper of runs: executes those that the page starts, and takes in what any run has done.

A run is its folder (truehue.core.runs.folder), below ``runs/`` of the data folder or in another
folder that the app was told of; whoever executes it writes shards there. The keeper looks for new
ones every two seconds, also while another process executes, and puts them into storage. Runs that
the page starts wait in one queue: two at once would share a device that fits one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from truehue.core.batch.folder import PLAN
from truehue.core.batch.health import state_of
from truehue.core.batch.records import BatchState
from truehue.core.engine import Engine
from truehue.core.errors import DataFolderError, NotAllowed, NotStored
from truehue.core.generation.backends.endpoints import Endpoint
from truehue.core.generation.weights.sources import Sources
from truehue.core.runs.execute import ExecutionSettings, execute
from truehue.core.runs.folder import RunFolder, run_folders
from truehue.core.runs.plan import run_id as id_of_plan
from truehue.core.runs.records import STORED, RunPlan
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.feature import AppParts
from truehue.tabs.page.roles import Actor, Resource, may
from truehue.tabs.runs.limit import RunLimit
from truehue.tabs.runs.machine import release, with_weights
from truehue.tabs.runs.queue import KEPT, BatchNotes, BatchQueue

if TYPE_CHECKING:
    from truehue.storage.store import Storage

log = logging.getLogger("truehue")

LOOK_S = 2.0


@dataclass(frozen=True)
class Execution:
    """How a run is executed here: ``workers`` processes, on this machine or by Ray's cluster at
    ``address`` (``team`` is ``local`` or ``ray``). ``owner`` is who started or imported it;
    ``hidden`` is for folders that storage cannot take in."""

    workers: int = 1
    team: str = "local"
    address: str = ""
    owner: str = ""
    hidden: bool = False


class RunSupervisor:
    """Executes and takes in. ``begin`` starts looking; a run that is started begins on its own.

    What the page starts lies in ``root``; runs in the folders ``others`` are looked after too.
    Where it shares ``turns`` with others it begins to look by itself, with its first run.

    Any thread may call it. ``close`` pauses what it executes.
    """

    def __init__(
        self,
        storage: Storage,
        engine: Engine,
        sources: Sources,
        endpoints: Mapping[str, Endpoint],
        others: Sequence[Path] = (),
        turns: RunLimit | None = None,
    ) -> None:
        self.root = storage.data_dir / "runs"
        self.roots = (self.root, *others)
        self._storage, self._engine = storage, engine
        self._sources, self._endpoints = sources, endpoints
        self._taking_problems: dict[str, str] = {}
        self._seen: dict[str, tuple[int, ...]] = {}
        self._taking, self._starting, self._beginning = Lock(), Lock(), Lock()
        self._look, self._end = Event(), Event()
        self._scored: Callable[[RunFolder, Event], None] | None = None
        self._looker: Thread | None = None
        self._executions = BatchNotes(self.root / KEPT, Execution)
        self._alone = turns is None
        self.turns = turns or RunLimit()
        self.line: BatchQueue[RunFolder] = BatchQueue(
            "truehue-runs",
            lambda folder, retry: self._execute(folder, retry),
            self.turns,
            self._look.set,
        )

    @classmethod
    def of(cls, parts: AppParts) -> RunSupervisor:
        """The one of an app."""
        return cls(
            parts.storage,
            parts.engine,
            parts.sources,
            parts.endpoints,
            parts.runs,
            parts.common(RunLimit),
        )

    # ── taking in ────────────────────────────────────────────────────────────────────────────

    def begin(self) -> None:
        """Looks for new results from now on, in a thread of its own."""
        with self._beginning:
            if self._looker is None:
                self._looker = Thread(target=self._keep, name="truehue-keeper", daemon=True)
                self._looker.start()

    def take_in(self) -> int:
        """Puts what is new in all run folders into storage; how many pictures that was.

        A folder that cannot be read is logged and left for later.
        """
        new = 0
        with self._taking:
            # Oldest first: a run may score what an older one drew.
            for folder in reversed(self.folders()):
                mark = _mark(folder)
                if self._seen.get(folder.run_id) == mark or self._end.is_set():
                    continue
                try:
                    self._storage.runs.register(folder)
                    new += self._storage.runs.ingest(folder)
                    self._seen[folder.run_id] = mark
                    self._taking_problems.pop(folder.run_id, None)
                except Exception as error:
                    if self._taking_problems.get(folder.run_id) != (problem := message_of(error)):
                        self._taking_problems[folder.run_id] = problem
                        log.warning("the run %s is not imported: %s", folder.run_id, problem)
        return new

    def _keep(self) -> None:
        while not self._end.is_set():
            try:
                self.take_in()
            except Exception:
                log.exception("the runs could not be read")
            self._look.wait(LOOK_S)
            self._look.clear()

    def when_scored(self, call: Callable[[RunFolder, Event], None]) -> None:
        """``call`` gets each run over stored images once it has finished here and is in storage,
        and an event that tells it to end."""
        self._scored = call

    # ── executing ────────────────────────────────────────────────────────────────────────────

    def start(self, plan: RunPlan, execution: Execution, actor: Actor) -> str:
        """Makes the folder of a plan and puts it at the end of the queue; returns the run's id.

        A run of an equal plan that is there already goes on, or is finished, and stays that of who
        began it. Raises NotAllowed as :meth:`check_start`, BadInput while it is at work, and
        DataFolderError where its folder cannot be made.
        """
        self._storage.require_installed()
        with self._starting:
            folder = self.check_start(plan, actor)
            if folder is None:
                folder = RunFolder.create(self.root, plan)
            else:
                execution = replace(execution, owner=self.owner(folder.run_id))
            if state_of(folder).status != "finished":
                self._enqueue(folder, execution, retry=False)
        return folder.run_id

    def check_start(self, plan: RunPlan, actor: Actor) -> RunFolder | None:
        """The folder of a run of an equal plan, if there is one. Raises NotAllowed where it has not
        finished and the actor may not make it go on."""
        planned_id = id_of_plan(plan)
        folder = next(
            (run_folder for run_folder in self.folders() if run_folder.run_id == planned_id), None
        )
        if folder is not None and state_of(folder).status != "finished":
            try:
                may(actor, "cancel", self.begun(planned_id))
            except NotAllowed as error:
                name = folder.summary()["name"]
                raise NotAllowed(f"“{name}” already exists. {error}") from None
        return folder

    def resume(self, run_id: str, execution: Execution | None = None, retry: bool = False) -> None:
        """Puts a run that does not go on into the queue; with ``retry`` its failures come again.

        Raises BadInput while it is at work and for a plan that cannot be read, NotStored for a run
        that is not here.
        """
        folder = self.folder(run_id)
        folder.plan()
        self._enqueue(folder, execution, retry)

    def pause(self, run_id: str, cancel: bool = False) -> None:
        """Stops a run after the pictures that are being drawn, wherever it is executed."""
        self.line.pause(self.folder(run_id), cancel)

    def folders(self) -> list[RunFolder]:
        """All runs, newest first; one that lies in two folders counts in the first of them."""
        by_id: dict[str, tuple[int, RunFolder]] = {}
        for root in self.roots:
            for folder in run_folders(root):
                # A folder may be taken away while it is looked at.
                with suppress(OSError):
                    created_ns = (folder.path / PLAN).stat().st_mtime_ns
                    by_id.setdefault(folder.run_id, (created_ns, folder))
        return [folder for _, folder in sorted(by_id.values(), key=lambda entry: -entry[0])]

    def folder(self, run_id: str) -> RunFolder:
        """The folder of a run; raises NotStored."""
        for folder in self.folders():
            if folder.run_id == run_id:
                return folder
        raise NotStored("That run does not exist. Reload the page.")

    def problem(self, run_id: str) -> str:
        """Why a run could not be executed or taken in here; empty where nothing went wrong."""
        return self.line.problem(run_id) or self._taking_problems.get(run_id, "")

    def owner(self, run_id: str) -> str:
        """Who started or imported the run on the page; empty for runs of the command line."""
        return self._executions.of(run_id).owner

    def set_owner(self, run_id: str, owner: str) -> None:
        """Makes a run that was imported its importer's. Raises DataFolderError."""
        self._executions.keep(run_id, replace(self._executions.of(run_id), owner=owner))

    def begun(self, run_id: str) -> Resource:
        """A run, as :func:`truehue.tabs.page.roles.may` asks of it."""
        owner = self.owner(run_id)
        return Resource(frozenset({owner}) if owner else frozenset())

    def is_hidden(self, run_id: str) -> bool:
        """Whether a folder that storage cannot take in was taken out of the list."""
        return self._executions.of(run_id).hidden

    def hide(self, run_id: str, hidden: bool = True) -> None:
        """Takes such a folder out of the list, or puts it back. Raises DataFolderError."""
        self._executions.keep(run_id, replace(self._executions.of(run_id), hidden=hidden))

    def close(self, timeout_s: float = 30.0) -> None:
        """Pauses what is executed, ends the threads, and takes in what was done until then."""
        self._end.set()
        self.line.begin_closing()
        self._look.set()
        self.line.close(timeout_s)
        if self._looker is not None:
            self._looker.join(timeout_s)

    def _enqueue(self, folder: RunFolder, execution: Execution | None, retry: bool) -> None:
        run_id = folder.run_id
        self._storage.require_installed()

        def before() -> None:
            if execution is not None:
                self._executions.keep(run_id, execution)
            self._taking_problems.pop(run_id, None)

        self.line.add(folder, retry, folder.summary()["name"], before)
        self._look.set()
        if not self._alone:
            self.begin()

    def _execute(self, folder: RunFolder, retry: bool) -> BatchState:
        execution = self._executions.of(folder.run_id)
        if execution.team == "local" and with_weights(folder.summary()):
            release(self._engine, self._end)
        crew = ExecutionSettings(
            execution.workers,
            execution.team,
            execution.address,
            sources=self._sources,
            endpoints=self._endpoints,
        )
        state = execute(folder, crew, retry_failed=retry)
        if state.status == "finished" and folder.summary()["kind"] == STORED and self._scored:
            self.take_in()
            self._scored(folder, self._end)
        return state


def folders_of_runs(named: Sequence[str]) -> tuple[Path, ...]:
    """The folders of ``--runs``, each once. Raises DataFolderError for one that is not there."""
    folders: dict[Path, None] = {}
    for name in named:
        path = Path(name).expanduser()
        if (path / PLAN).is_file():
            raise DataFolderError(f"{path} is one run: give the folder that it lies in to --runs.")
        if not path.is_dir():
            raise DataFolderError(
                f"There is no folder {path} for --runs. Make it, or mount what it stands for."
            )
        folders[path.resolve()] = None
    return tuple(folders)


def _mark(folder: RunFolder) -> tuple[int, ...]:
    """Changes whenever a shard or the plan was added."""
    times_ns = []
    for path in (folder.path, folder.shard_folder):
        try:
            times_ns.append(path.stat().st_mtime_ns)
        except FileNotFoundError:
            times_ns.append(0)
    return tuple(times_ns)
