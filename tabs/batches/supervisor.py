"""Runs as batches: execute those that the page starts, and ingest the results of any run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from truehue.core.batch.folder import PLAN
from truehue.core.batch.health import state_of
from truehue.core.engine import Engine
from truehue.core.errors import DataFolderError, TrueHueError
from truehue.core.generation.backends.endpoints import Endpoint
from truehue.core.generation.weights.sources import Sources
from truehue.core.runs.adaptive import Comparison, play_rounds
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import run_id as id_of_plan
from truehue.core.runs.records import STORED, RunPlan
from truehue.core.runs.summary import with_weights
from truehue.core.runs.worker import ExecutionSettings, execute
from truehue.tabs.batches.adaptive import note_order
from truehue.tabs.batches.queue import BatchLimit
from truehue.tabs.batches.service import BatchService, release
from truehue.tabs.batches.settings import BatchSettings
from truehue.tabs.feature import AppParts
from truehue.tabs.page.roles import Actor

if TYPE_CHECKING:
    from truehue.storage.store import Storage


@dataclass(frozen=True)
class Execution(BatchSettings):
    """How a run is executed here: ``workers`` processes, on this machine or by Ray's cluster at
    ``address`` (``team`` is ``local`` or ``ray``). ``compared`` are the ids of all runs of an adaptive
    comparison that goes on, ``percent`` the share of the images that it may take. Only runs that
    storage cannot ingest are ``hidden`` here."""

    workers: int = 1
    team: str = "local"
    address: str = ""
    compared: Sequence[str] = ()
    percent: float = 0.0


class RunSupervisor(BatchService[RunFolder, Execution]):
    """Runs below ``runs/`` of the data folder, and in the folders ``others``."""

    unknown = "That run does not exist. Reload the page."

    def __init__(
        self,
        storage: Storage,
        engine: Engine,
        sources: Sources,
        endpoints: Mapping[str, Endpoint],
        others: Sequence[Path] = (),
        limit: BatchLimit | None = None,
    ) -> None:
        super().__init__(storage, "runs", RunFolder, Execution, others, limit)
        self._engine, self._sources, self._endpoints = engine, sources, endpoints
        self._scored: Callable[[RunFolder, Event], None] | None = None
        self._compared: Sequence[str] = ()

    @classmethod
    def of(cls, parts: AppParts) -> RunSupervisor:
        """The one of an app."""
        return cls(
            parts.storage,
            parts.engine,
            parts.sources,
            parts.endpoints,
            parts.runs,
            parts.common(BatchLimit),
        )

    def title(self, folder: RunFolder) -> str:
        """The name of the run."""
        return str(folder.summary()["name"])

    def when_scored(self, call: Callable[[RunFolder, Event], None]) -> None:
        """``call`` gets each run over stored images once it has finished here and is in storage,
        and an event that tells it to end."""
        self._scored = call

    def start(self, plan: RunPlan, execution: Execution, actor: Actor) -> str:
        """Makes the folder of a plan and puts it at the end of the queue; returns the run's id.

        A run of an equal plan resumes, or is finished, and keeps its owner. Raises NotAllowed as
        :meth:`check_start`, BadInput while it runs, and DataFolderError where its folder cannot be
        made.
        """
        self._storage.require_installed()
        with self._starting:
            folder = self.check_start(plan, actor)
            if folder is None:
                folder = RunFolder.create(self.root, plan)
            else:
                execution = replace(execution, owner=self.owner(folder.run_id))
            if state_of(folder).status != "finished":
                self._enqueue(folder, settings=lambda: execution)
        return folder.run_id

    def start_comparison(
        self, plans: Sequence[RunPlan], execution: Execution, actor: Actor
    ) -> list[str]:
        """Makes the folders of an adaptive comparison and puts all of them into the queue: the first
        to have its turn does the rounds of all. Returns the runs' ids. Raises as :meth:`start`."""
        self._storage.require_installed()
        with self._starting:
            known = [self.check_start(plan, actor) for plan in plans]
            folders = [
                folder or RunFolder.create(self.root, plan)
                for folder, plan in zip(known, plans, strict=True)
            ]
            for folder in folders:
                self.queue.require_free(folder, self.title(folder))
            execution = replace(execution, compared=[folder.run_id for folder in folders])
            owners = [self.owner(folder.run_id) if folder else execution.owner for folder in known]
            self._enqueue_comparison(folders, [replace(execution, owner=own) for own in owners])
        return list(execution.compared)

    def _enqueue_comparison(
        self, folders: Sequence[RunFolder], executions: Sequence[Execution]
    ) -> None:
        # All are to run before the first has its turn: one that is paused breaks a round off.
        for folder in folders:
            folder.set_desired_state("run")
        for folder, execution in zip(folders, executions, strict=True):
            self._enqueue(folder, settings=lambda execution=execution: execution)  # type: ignore[misc]

    def pause(self, run_id: str, cancel: bool = False) -> None:
        """See BatchService; the runs of an adaptive comparison are paused together."""
        for other in self.settings(run_id).compared or (run_id,):
            super().pause(other, cancel)

    def check_start(self, plan: RunPlan, actor: Actor) -> RunFolder | None:
        """The folder of a run of an equal plan, if there is one. Raises NotAllowed where it has not
        finished and the actor may not resume it."""
        planned_id = id_of_plan(plan)
        folder = next((item for item in self.folders() if item.run_id == planned_id), None)
        if folder is not None and state_of(folder).status != "finished":
            self._require_own(planned_id, actor, f"“{self.title(folder)}” already exists.")
        return folder

    def resume(self, run_id: str, execution: Execution | None = None, retry: bool = False) -> None:
        """Puts a run that has stopped into the queue; with ``retry`` its failures are done again.

        Raises BadInput while it runs and for a plan that cannot be read, NotStored for an unknown
        run. The runs of an adaptive comparison that is not done go on together.
        """
        folder = self.folder(run_id)
        folder.plan()
        if compared := self.settings(run_id).compared:
            folders = [self.folder(other) for other in compared]
            self._enqueue_comparison(folders, [self.settings(other) for other in compared])
            return
        self._enqueue(folder, retry, (lambda: execution) if execution else None)

    def close(self, timeout_s: float = 30.0) -> None:
        """See BatchService. The queue pauses the run whose turn it is: the others of its comparison
        are paused here."""
        for run_id in self._compared:
            with suppress(TrueHueError):
                self.folder(run_id).set_desired_state("pause")
        super().close(timeout_s)

    def _ingest(self, folder: RunFolder) -> int:
        self._storage.runs.register(folder)
        return self._storage.runs.ingest(folder)

    def _execute(self, folder: RunFolder, retry: bool) -> None:
        execution = self.settings(folder.run_id)
        if execution.team == "local" and with_weights(folder.summary()):
            release(self._engine, self._end)
        settings = ExecutionSettings(
            execution.workers,
            execution.team,
            execution.address,
            sources=self._sources,
            endpoints=self._endpoints,
        )
        if execution.compared:
            self._execute_rounds(execution, settings)
            return
        state = execute(folder, settings, retry_failed=retry)
        if state.status == "finished" and folder.summary()["kind"] == STORED and self._scored:
            self.ingest()
            self._scored(folder, self._end)

    def _execute_rounds(self, execution: Execution, settings: ExecutionSettings) -> None:
        """The rounds of an adaptive comparison. Where it is done, its runs are ordinary ones again:
        resume does the rest of each."""
        folders = [self.folder(run_id) for run_id in execution.compared]
        self._compared = execution.compared

        def generate(folder: RunFolder, positions: np.ndarray) -> None:
            execute(folder, settings, positions=positions)
            self._changed.set()

        try:
            comparison = Comparison(folders)
            is_done = play_rounds(
                comparison,
                comparison.budget(execution.percent),
                generate,
                lambda: note_order(comparison, execution.workers),
            )
        finally:
            self._compared = ()
            self.queue.drop(execution.compared)
        for run_id in execution.compared if is_done else ():
            self._settings.save(run_id, replace(self.settings(run_id), compared=()))


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
