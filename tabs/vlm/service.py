"""The keeper of askings: folders below ``askings/`` of the data folder, executed one at a time.

An asking is its folder (truehue.core.vlm.evaluation); the words of a model are read from
there whenever they are asked for, and held until there are more of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from truehue.core.batch.execute import WorkerPool, execute
from truehue.core.batch.folder import PLAN
from truehue.core.batch.health import state_of
from truehue.core.engine import Engine
from truehue.core.errors import NotAllowed, NotStored, TrueHueError
from truehue.core.generation.weights.sources import Sources
from truehue.core.vlm.evaluation.log import EvaluationLog, read_log
from truehue.core.vlm.evaluation.plan import VERSION as PLAN_VERSION
from truehue.core.vlm.evaluation.plan import (
    EvaluationFolder,
    EvaluationSettings,
    QuestionSource,
    begin,
    places_of,
)
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.models.files import with_dtype
from truehue.core.vlm.models.records import VisionModel
from truehue.core.vlm.models.registry import fingerprint
from truehue.core.vlm.models.served import Budget
from truehue.core.vlm.prompting import SHA256 as INSTRUCTIONS_SHA256
from truehue.core.vlm.prompting import Style, prompt_text
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.records import Question
from truehue.storage.vlm import ID_LENGTH
from truehue.tabs.page.feature import AppParts
from truehue.tabs.page.roles import Actor, Resource, allowed, may
from truehue.tabs.runs.limit import RunLimit
from truehue.tabs.runs.machine import release
from truehue.tabs.runs.queue import KEPT, BatchNotes, BatchQueue
from truehue.tabs.runs.supervisor import RunSupervisor

if TYPE_CHECKING:
    from truehue.storage.store import Storage

MOST_HELD = 24
"""Askings whose answers are held as they were read."""


@dataclass(frozen=True)
class EvaluationOptions:
    """What is known of an asking beside its plan: who began it, how the model is asked (batch,
    timeout, name of the key's variable), and what may be spent at most."""

    owner: str = ""
    hidden: bool = False
    model_settings: Mapping[str, Any] = field(default_factory=dict)
    most_requests: int | None = None
    most_tokens: int | None = None

    @property
    def budget(self) -> Budget:
        """What may be spent in all."""
        return Budget(self.most_requests, self.most_tokens)


@dataclass(frozen=True)
class EvaluationRequest:
    """What is to be asked: ``questions`` of the set, of which model, how."""

    of: QuestionSet
    questions: Sequence[Question]
    model: VisionModel
    settings: EvaluationSettings

    def evaluation_id(self, sources: Sources) -> str:
        """32 hexadecimal characters of what is asked of whom: the same order is the same asking.
        Other files of a model, or other prompts, are another. Raises ModelMissing and
        BadModelFolder where a local model's files are not here."""
        decided = with_dtype(self.model, sources)
        decides = {
            "version": PLAN_VERSION,
            "prompts": INSTRUCTIONS_SHA256,
            "set": self.of.sha256,
            "questions": [question.question_id for question in self.questions],
            "model": fingerprint(decided, sources),
            "settings": asdict(self.settings),
        }
        return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:32]


class EvaluationService:
    """Begins, executes and reads askings. Any thread may call it. ``close`` pauses the work."""

    def __init__(
        self, storage: Storage, engine: Engine, sources: Sources, turns: RunLimit | None = None
    ) -> None:
        self.root = storage.data_dir / "askings"
        self._storage, self._engine, self._sources = storage, engine, sources
        self._notes = BatchNotes(self.root / KEPT, EvaluationOptions)
        self._starting, self._reading = Lock(), Lock()
        self._read: dict[tuple[str, str], tuple[object, EvaluationLog]] = {}
        self.turns = turns or RunLimit()
        self.line: BatchQueue[EvaluationFolder] = BatchQueue(
            "truehue-askings", self._execute, self.turns
        )

    @classmethod
    def of(cls, parts: AppParts) -> EvaluationService:
        """The one of an app."""
        return cls(parts.storage, parts.engine, parts.sources, parts.service(RunSupervisor).turns)

    def start(self, order: EvaluationRequest, note: EvaluationOptions, actor: Actor) -> str:
        """Makes the folder of an order and puts it into the line; returns its id. An equal one that
        is there goes on, and stays that of who began it; while it is at work it does so as it was
        begun, and with another budget this is refused.

        Raises NotAllowed where that is somebody else's, and BadInput while it is at work and as
        :func:`truehue.core.vlm.evaluation.plan.begin`.
        """
        self._storage.require_installed()
        path = self.root / order.evaluation_id(self._sources)
        with self._starting:
            if (path / PLAN).is_file():
                if state_of(EvaluationFolder(path)).status == "finished":
                    self._shown(path.name, actor)
                    return path.name
                self._require_own(actor, path)
                if self.line.place(path.name) is not None and note.budget == Budget():
                    return path.name  # pressed twice
                note = replace(note, owner=self.owner(path.name))
            # Also where it is there: the set may lie elsewhere now.
            folder = self._begin(path, order)
            self._enqueue(folder, False, lambda: self._notes.keep(path.name, note))
        return path.name

    def _shown(self, evaluation_id: str, actor: Actor) -> None:
        """Who asks for what is finished and hidden sees it again, where it is theirs."""
        if self.note(evaluation_id).hidden and allowed(actor, "cancel", self.begun(evaluation_id)):
            self.hide(evaluation_id, False)

    def _require_own(self, actor: Actor, path: Path) -> None:
        try:
            may(actor, "cancel", self.begun(path.name))
        except NotAllowed as error:
            raise NotAllowed(f"The same evaluation is already running. {error}") from None

    def _begin(self, path: Path, order: EvaluationRequest) -> EvaluationFolder:
        question_set, style = order.of, Style(order.settings.style)
        return begin(
            path,
            ((question, question_set.image_path(question)) for question in order.questions),
            QuestionSource(str(question_set.folder), question_set.sha256),
            partial(prompt_text, style=style),
            order.model,
            order.settings,
            self._sources,
        )

    def resume(self, evaluation_id: str, retry: bool = False, budget: Budget | None = None) -> None:
        """Puts one that does not go on into the line; with ``retry`` what has no answer is asked
        again. Of a ``budget`` what is named counts from now on. Raises BadInput while it is at
        work, NotStored."""
        folder = self.folder(evaluation_id)
        prompted = folder.questions
        question_set = self._set_of(folder)
        if question_set is not None:  # the data folder may have been moved
            folder.save_places(
                places_of(
                    QuestionSource(str(question_set.folder), question_set.sha256),
                    [
                        replace(question, image=question_set.image_path(question.question))
                        for question in prompted
                    ],
                )
            )
            folder = EvaluationFolder(folder.path)

        def before() -> None:
            if budget is not None:
                note = self._notes.of(evaluation_id)
                raised = replace(
                    note,
                    most_requests=budget.requests or note.most_requests,
                    most_tokens=budget.tokens or note.most_tokens,
                )
                self._notes.keep(evaluation_id, raised)

        self._enqueue(folder, retry, before)

    def _set_of(self, folder: EvaluationFolder) -> QuestionSet | None:
        """Its set in the data folder; None where it is not there."""
        with suppress(TrueHueError):
            return self._storage.question_sets.open(folder.source().checksum[:ID_LENGTH])
        return None

    def pause(self, evaluation_id: str, cancel: bool = False) -> None:
        """Stops one after the questions that are under way, wherever it is executed."""
        self.line.pause(self.folder(evaluation_id), cancel)

    def folders(self) -> list[EvaluationFolder]:
        """All of them, newest first."""
        rows = []
        for path in self.root.glob("*/") if self.root.is_dir() else ():
            # A folder may be taken away while it is looked at.
            with suppress(OSError):
                rows.append(((path / PLAN).stat().st_mtime_ns, path))
        return [EvaluationFolder(path) for _, path in sorted(rows, key=lambda row: -row[0])]

    def folder(self, evaluation_id: str) -> EvaluationFolder:
        """The folder of one; raises NotStored."""
        for folder in self.folders():
            if folder.run_id == evaluation_id:
                return folder
        raise NotStored("This evaluation is not available. Reload the page.")

    def asked(self, evaluation_id: str, parser: str = "") -> EvaluationLog:
        """Its questions and the answers that there are, read by the parser that it began with, or
        by the one that is named. Raises NotStored, and BadInput where its questions were
        changed."""
        folder = self.folder(evaluation_id)
        mark = _mark(folder)
        key = (evaluation_id, parser)
        held = self._read.get(key)
        if held is not None and held[0] == mark:
            return held[1]
        with self._reading:  # two pages that ask for the same read it once
            held = self._read.get(key)
            if held is None or held[0] != mark:
                self._read.pop(key, None)
                self._read[key] = (mark, read_log(folder.path, parser))
                for oldest in list(self._read)[:-MOST_HELD]:
                    del self._read[oldest]
            return self._read[key][1]

    def problem(self, evaluation_id: str) -> str:
        """Why one could not be executed here; empty where nothing went wrong."""
        return self.line.problem(evaluation_id)

    def note(self, evaluation_id: str) -> EvaluationOptions:
        """What is known of one beside its plan."""
        return self._notes.of(evaluation_id)

    def owner(self, evaluation_id: str) -> str:
        """Who began it on the page."""
        return self._notes.of(evaluation_id).owner

    def begun(self, evaluation_id: str) -> Resource:
        """One, as :func:`truehue.tabs.page.roles.may` asks of it."""
        owner = self.owner(evaluation_id)
        return Resource(frozenset({owner}) if owner else frozenset())

    def hide(self, evaluation_id: str, hidden: bool = True) -> None:
        """Takes one out of the list, or puts it back. Raises DataFolderError."""
        self._notes.keep(evaluation_id, replace(self._notes.of(evaluation_id), hidden=hidden))

    def close(self, timeout_s: float = 30.0) -> None:
        """Pauses what is executed and ends the thread."""
        self.line.close(timeout_s)

    def _enqueue(self, folder: EvaluationFolder, retry: bool, before: Callable[[], None]) -> None:
        self._storage.require_installed()
        self.line.add(folder, retry, folder.model().id, before)

    def _execute(self, folder: EvaluationFolder, retry: bool) -> None:
        note, vision_model = self._notes.of(folder.run_id), folder.model()
        if vision_model.kind == "local":
            release(self._engine, self.line.end)
        settings = {**vision_model.settings, **note.model_settings}
        model = replace(vision_model, settings=settings)
        work = EvaluationWork(folder.path, model, note.budget, self._sources.models_folder)
        execute(work, WorkerPool(), retry_failed=retry)


def _mark(folder: EvaluationFolder) -> object:
    """Changes whenever there are more answers, or the plan is another."""
    marks = []
    for path in (folder.path / PLAN, *folder.shards(), *sorted(folder.journal.glob("*.jsonl"))):
        with suppress(OSError):
            stat = path.stat()
            marks.append((path.name, stat.st_size, stat.st_mtime_ns))
    return tuple(marks)
