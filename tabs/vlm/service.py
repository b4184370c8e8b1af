"""Evaluations as batches: start, execute and read them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from truehue.core.batch.execute import WorkerPool, execute
from truehue.core.batch.folder import PLAN
from truehue.core.batch.health import state_of
from truehue.core.engine import Engine
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.weights.sources import Sources
from truehue.core.vlm.evaluation.log import EvaluationLog, log_of
from truehue.core.vlm.evaluation.plan import VERSION as PLAN_VERSION
from truehue.core.vlm.evaluation.plan import (
    EvaluationFolder,
    EvaluationSettings,
    QuestionSource,
    begin,
    source_positions,
)
from truehue.core.vlm.evaluation.protocols import prompt_of
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.models.files import with_dtype
from truehue.core.vlm.models.records import VisionModel
from truehue.core.vlm.models.registry import fingerprint
from truehue.core.vlm.models.served import Budget
from truehue.core.vlm.prompting import SHA256 as INSTRUCTIONS_SHA256
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.records import Question
from truehue.storage.vlm.sets import ID_LENGTH
from truehue.tabs.batches.queue import BatchLimit
from truehue.tabs.batches.service import BatchService, release
from truehue.tabs.batches.settings import BatchSettings
from truehue.tabs.feature import AppParts
from truehue.tabs.page.roles import Actor, allowed

if TYPE_CHECKING:
    from truehue.storage.store import Storage

MAX_HELD = 24
"""Evaluations whose answers are held as they were read from storage."""


@dataclass(frozen=True)
class EvaluationOptions(BatchSettings):
    """What is known of an evaluation beside its plan: how the model is called (batch, timeout, name
    of the key's variable), and what may be spent at most."""

    model_settings: Mapping[str, Any] = field(default_factory=dict)
    most_requests: int | None = None
    most_tokens: int | None = None

    @property
    def budget(self) -> Budget:
        """What may be spent in all."""
        return Budget(self.most_requests, self.most_tokens)

    def raised(self, budget: Budget) -> EvaluationOptions:
        """The same with another budget; what the ``budget`` does not name stays."""
        return replace(
            self,
            most_requests=budget.requests or self.most_requests,
            most_tokens=budget.tokens or self.most_tokens,
        )


@dataclass(frozen=True)
class EvaluationRequest:
    """What is to be asked: ``questions`` of the set, of which model, how."""

    of: QuestionSet
    questions: Sequence[Question]
    model: VisionModel
    settings: EvaluationSettings
    protocol: str = ""

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
            "settings": self.settings.as_json(),
            **({"protocol": self.protocol} if self.protocol else {}),
        }
        return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:32]


class EvaluationService(BatchService[EvaluationFolder, EvaluationOptions]):
    """Evaluations below ``askings/`` of the data folder."""

    unknown = "This evaluation is not available. Reload the page."

    def __init__(
        self, storage: Storage, engine: Engine, sources: Sources, limit: BatchLimit | None = None
    ) -> None:
        super().__init__(storage, "askings", EvaluationFolder, EvaluationOptions, limit=limit)
        self._engine, self._sources = engine, sources
        self._reading = Lock()
        self._read: dict[tuple[str, str], tuple[object, EvaluationLog]] = {}

    @classmethod
    def of(cls, parts: AppParts) -> EvaluationService:
        """The one of an app. Batches of all kinds share one limit: they share the machine."""
        services = parts.services.values()
        limits = [service.limit for service in services if isinstance(service, BatchService)]
        return cls(parts.storage, parts.engine, parts.sources, limits[0] if limits else None)

    def title(self, folder: EvaluationFolder) -> str:
        """The name of its model."""
        return folder.model().id

    def start(self, request: EvaluationRequest, options: EvaluationOptions, actor: Actor) -> str:
        """Makes the folder of a request and puts it into the queue; returns its id. The same
        evaluation resumes and keeps its owner. While it runs, it continues with its own settings,
        and another budget is refused.

        Raises NotAllowed where that is somebody else's, and BadInput while it runs and as
        :func:`truehue.core.vlm.evaluation.plan.begin`.
        """
        self._storage.require_installed()
        path = self.root / request.evaluation_id(self._sources)
        with self._starting:
            if (path / PLAN).is_file():
                if state_of(EvaluationFolder(path)).status == "finished":
                    self._show_again(path.name, actor)
                    return path.name
                self._require_own(path.name, actor, "The same evaluation is already running.")
                if self.queue.position(path.name) is not None and options.budget == Budget():
                    return path.name  # a second click on Start
                options = replace(options, owner=self.owner(path.name))
            # Also for a folder that exists: the set may lie elsewhere now.
            self._enqueue(self._begin(path, request), settings=lambda: options)
        return path.name

    def _show_again(self, evaluation_id: str, actor: Actor) -> None:
        """A finished and hidden evaluation is shown again to who starts it, where it is theirs."""
        own = allowed(actor, "cancel", self.resource(evaluation_id))
        if own and self.is_hidden(evaluation_id):
            self.hide(evaluation_id, False)

    def _begin(self, path: Path, request: EvaluationRequest) -> EvaluationFolder:
        question_set = request.of
        released = request.settings.presentation.pixels == "rgb"
        return begin(
            path,
            (
                (question, question_set.image_path(question, released))
                for question in request.questions
            ),
            QuestionSource(str(question_set.folder), question_set.sha256),
            prompt_of(request.settings),
            request.model,
            request.settings,
            self._sources,
            request.protocol,
        )

    def resume(self, evaluation_id: str, retry: bool = False, budget: Budget | None = None) -> None:
        """Puts one that has stopped into the queue; with ``retry`` questions without an answer are
        asked again. What a ``budget`` names counts from now on. Raises BadInput while it runs,
        NotStored."""
        folder = self.folder(evaluation_id)
        prompted = folder.questions
        question_set = self._set_of(folder)
        released = folder.settings().presentation.pixels == "rgb"
        if question_set is not None:  # the data folder may have been moved
            folder.save_positions(
                source_positions(
                    QuestionSource(str(question_set.folder), question_set.sha256),
                    [
                        replace(
                            question, image=question_set.image_path(question.question, released)
                        )
                        for question in prompted
                    ],
                )
            )
            folder = EvaluationFolder(folder.path)
        raised = budget or Budget()
        self._enqueue(folder, retry, lambda: self.settings(evaluation_id).raised(raised))

    def _set_of(self, folder: EvaluationFolder) -> QuestionSet | None:
        """Its set in the data folder; None where it is not there."""
        with suppress(TrueHueError):
            return self._storage.question_sets.open(folder.source().checksum[:ID_LENGTH])
        return None

    def logs(self, evaluation_ids: Iterable[str], parser: str = "") -> dict[str, EvaluationLog]:
        """The questions of evaluations and the stored answers, read by the parser that each began
        with, or all by the one that is named. Each evaluation counts once.

        Raises NotStored, and BadInput for one that cannot be ingested, such as where its questions
        were changed.
        """
        folders = {key: self.folder(key) for key in dict.fromkeys(evaluation_ids)}
        for key, folder in folders.items():
            self.ingest_folder(folder)
            if problem := self._ingest_problems.get(key):
                raise BadInput(problem)
        with self._reading:  # two pages that ask for the same read it once
            marks = {key: self._ingested.get(key) for key in folders}
            held = {key: self._read.get((key, parser)) for key in folders}
            new = [key for key, entry in held.items() if entry is None or entry[0] != marks[key]]
            for key, stored in self._storage.evaluations.answers(new, parser).items():
                log = log_of(folders[key], stored.answers, stored.cut_off, parser)
                self._read.pop((key, parser), None)
                self._read[key, parser] = marks[key], log
            logs = {key: self._read[key, parser][1] for key in folders}
            for oldest in list(self._read)[:-MAX_HELD]:
                del self._read[oldest]
        return logs

    def _ingest(self, folder: EvaluationFolder) -> int:
        return self._storage.evaluations.ingest(folder)

    def _mark(self, folder: EvaluationFolder) -> object:
        """Changes whenever there are more answers, in journals too, or the plan is another."""
        marks = []
        for path in (folder.path / PLAN, *folder.shards(), *sorted(folder.journal.glob("*.jsonl"))):
            with suppress(OSError):
                stat = path.stat()
                marks.append((path.name, stat.st_size, stat.st_mtime_ns))
        return tuple(marks)

    def _execute(self, folder: EvaluationFolder, retry: bool) -> None:
        options, vision_model = self.settings(folder.run_id), folder.model()
        if vision_model.kind == "local":
            release(self._engine, self._end)
        settings = {**vision_model.settings, **options.model_settings}
        model = replace(vision_model, settings=settings)
        work = EvaluationWork(folder.path, model, options.budget, self._sources.models_folder)
        execute(work, WorkerPool(), retry_failed=retry)
