"""Results of studies: computed in the background, cached until something changes."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypedDict, cast

from pydantic import Field

from truehue.annotation.judgments.rates import SideBias, side_biases
from truehue.annotation.report import ALPHA_REPLICATES, Analysis, Person, results
from truehue.annotation.studies.cases import Kind
from truehue.annotation.validation import KENDALL_REPLICATES
from truehue.core.errors import NotStored, TrueHueError
from truehue.core.generation.request import Cancelled
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.sources.studies import StudySource, read_source, source_key
from truehue.tabs.studies.metrics import metrics_of
from truehue.tabs.studies.results_json import StudyNumbers, results_json
from truehue.tabs.studies.survey import (
    SurveyGroup,
    SurveyResult,
    groups_json,
    participants_in,
    survey_json,
)

WAIT_S = 2.0
"""What one question waits for an answer; then the page asks again."""
MIN_REPLICATES, MAX_REPLICATES, REPLICATES = 100, 5_000, 1_000
_MAX_KEPT = 32

Json = Mapping[str, Any]
Make = Callable[[Callable[[str], None]], Json]


@dataclass
class _Task:
    """One computation. ``total`` is how many steps there will be, as far as is known."""

    key: object
    future: Future[Json] | None = None
    words: str = "reading"
    done: int = 0


class ProgressJson(TypedDict):
    """How far a computation is; ``words`` is what is at work."""

    done: int
    total: int
    words: str


@dataclass(frozen=True)
class Computed:
    """``results`` may be of an earlier key (``stale``) while ``progress`` is at work, or None."""

    results: Json | None
    stale: bool
    progress: ProgressJson | None


@dataclass
class ResultsService:
    """The results of studies and of groups of their participants in memory; computed one after another
    in one thread."""

    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _saved: OrderedDict[str, tuple[object, Json]] = field(default_factory=OrderedDict, repr=False)
    _tasks: dict[str, _Task] = field(default_factory=dict, repr=False)
    _steps: dict[str, int] = field(default_factory=dict, repr=False)
    _pool: ThreadPoolExecutor | None = field(default=None, repr=False)
    _closed: bool = False

    def get(self, study_id: str, key: object, make: Make, wait_s: float = WAIT_S) -> Computed:
        """The results under that key, computed by ``make`` where they are not at hand; after
        ``wait_s`` seconds what there is. Raises what ``make`` raised."""
        until = time.monotonic() + wait_s
        while True:
            with self._lock:
                saved = self._saved.get(study_id)
                if saved is not None and saved[0] == key:
                    self._saved.move_to_end(study_id)
                    return Computed(saved[1], False, None)
                # What is at work is not broken off for what came in meanwhile: in a study with
                # many participants nothing would ever be finished.
                task = self._tasks.get(study_id) or self._begin(study_id, key, make)
            assert task.future is not None
            try:
                made = task.future.result(max(0.0, until - time.monotonic()))
            except Cancelled:  # somebody was erased meanwhile: begin again
                if self._closed:
                    raise
                continue
            except NotYet:
                total = max(self._steps.get(study_id, 0), task.done + 1)
                progress: ProgressJson = {"done": task.done, "total": total, "words": task.words}
                return Computed(saved[1] if saved else None, saved is not None, progress)
            if task.key == key:
                return Computed(made, False, None)

    def peek(self, study_id: str) -> tuple[object, Json] | None:
        """What is kept of a study, with its key; nothing is computed for it."""
        with self._lock:
            return self._saved.get(study_id)

    def forget(self, study_id: str) -> None:
        """Drops what is kept of a study and of its groups, and what is at work: somebody in it was
        erased."""
        with self._lock:
            for store in (self._saved, self._tasks):
                for name in [name for name in store if name.partition("/")[0] == study_id]:
                    store.pop(name)

    def close(self) -> None:
        """Ends what is computed; later questions raise."""
        with self._lock:
            self._closed = True
            pool = self._pool
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)

    def _begin(self, study_id: str, key: object, make: Make) -> _Task:
        if self._closed:
            raise TrueHueError("TrueHue is shutting down. Try again when it is running.")
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="study-results")
        task = _Task(key)
        self._tasks[study_id] = task

        def step(text: str) -> None:
            if self._closed or self._tasks.get(study_id) is not task:
                raise Cancelled
            task.words = text
            task.done += 1

        def work() -> Json:
            try:
                made = make(step)
                with self._lock:
                    self._steps[study_id] = task.done
                    if self._tasks.get(study_id) is task:
                        self._saved[study_id] = (key, made)
                        self._saved.move_to_end(study_id)
                        while len(self._saved) > _MAX_KEPT:
                            self._saved.popitem(last=False)
                return made
            finally:
                with self._lock:
                    if self._tasks.get(study_id) is task:
                        del self._tasks[study_id]

        task.future = self._pool.submit(work)
        return task


class NotReady(NotStored):
    """What is asked for is still being computed."""


class StudyReference(PageRequest):
    """Names a study."""

    study: Annotated[str, Field(min_length=1, max_length=64)]


class StudyResultsRequest(StudyReference):
    """``replicates`` are the resamples that intervals are made of; ``group`` narrows the results to
    participants who gave one answer about themselves, ``item:choice`` (:func:`participants_in`)."""

    replicates: Annotated[int, Field(ge=MIN_REPLICATES, le=MAX_REPLICATES)] = REPLICATES
    group: Annotated[str, Field(max_length=80)] = ""


class FewerReplicates(TypedDict):
    """A number whose intervals are of fewer resamples."""

    name: str
    replicates: int


class ComputedResults(StudyNumbers):
    """Results, and how they were computed; ``of`` is the same for equal answers. ``survey`` is of all
    participants, ``groups`` are the answers that they can be narrowed to, ``group`` is the one that
    they are narrowed to."""

    key: str
    of: str
    events: int
    replicates: int
    fewer_replicates: list[FewerReplicates]
    seconds: float
    computed_at: str
    survey: list[SurveyResult]
    groups: list[SurveyGroup]
    group: str


class ComputationState(TypedDict):
    """Whether a computation is at work; ``stale`` says that what is shown is of an earlier one."""

    status: Literal["computing", "ready"]
    progress: ProgressJson | None
    stale: bool


class StudyResultsView(ComputationState):
    """The results of a study so far; None before the first."""

    results: ComputedResults | None


def state_json(computed: Computed) -> ComputationState:
    """How far the computation is."""
    return {
        "status": "computing" if computed.progress else "ready",
        "progress": computed.progress,
        "stale": computed.stale,
    }


@requires("study")
def study_results(context: Context, actor: Actor, request: StudyResultsRequest) -> StudyResultsView:
    """The results of a study so far, before and after exclusion."""
    study_id = context.storage.studies.get(request.study).id
    key = (source_key(context, study_id), request.replicates)
    service = context.service(ResultsService)
    computed = service.get(
        f"{study_id}/{request.group}" if request.group else study_id,
        key,
        lambda step: compute(context, study_id, request.replicates, step, request.group),
    )
    return {**state_json(computed), "results": cast(ComputedResults | None, computed.results)}


def compute(
    context: Context,
    study_id: str,
    replicates: int,
    step: Callable[[str], None],
    group: str = "",
) -> ComputedResults:
    """The results of a study as JSON; ``step`` is told what is at work. Raises BadInput for a
    ``group`` that there is not, or that is too small."""
    step("reading")
    with context.storage.snapshot():
        key, source = source_key(context, study_id), read_source(context, study_id)
    return computed_of(context, source, key, replicates, step, group)


def digest(key: object) -> str:
    """What results are of, short: of equal keys (:func:`source_key`) it is the same."""
    return hashlib.sha256(repr(key).encode()).hexdigest()[:16]


def computed_of(
    context: Context,
    source: StudySource,
    key: object,
    replicates: int,
    step: Callable[[str], None],
    group: str = "",
) -> ComputedResults:
    """The results of a study as it was read, under that ``key``."""
    began = time.monotonic()
    survey, groups = survey_json(source.plan, source.events), groups_json(source)
    if group:
        source = replace(source, participants=participants_in(source, group))
    people = source.people
    step("metrics of the candidates")
    metrics = metrics_of(context, source.plan)
    analysis = Analysis(
        source.rule,
        {metric.id: metric.values for metric in metrics},
        source.plan.seed,
        replicates,
    )
    computed = results(source.plan, people, analysis, step)
    step("sides")
    out = {person.id for person in computed.people if person.excluded}
    sides = (
        _sides(source, people),
        _sides(source, [person for person in people if person.id not in out]),
    )
    events = sum(len(event) for event in source.events.values())
    return {
        "key": secrets.token_hex(8),
        **results_json(source, computed, metrics, sides),
        "of": digest(key),
        "events": events,
        "replicates": replicates,
        "fewer_replicates": _fewer(source.plan.kind, replicates),
        "seconds": round(time.monotonic() - began, 2),
        "computed_at": datetime.now(UTC).isoformat(),
        "survey": survey,
        "groups": groups,
        "group": group,
    }


def _fewer(kind: Kind, replicates: int) -> list[FewerReplicates]:
    """The numbers whose intervals are of fewer resamples, for they take long."""
    fewer = [("Krippendorff’s α", ALPHA_REPLICATES)]
    if kind is Kind.RATINGS:
        fewer.append(("Inter-rater Spearman", ALPHA_REPLICATES))
        fewer.append(("Kendall’s τ", KENDALL_REPLICATES))
    return [{"name": name, "replicates": limit} for name, limit in fewer if limit < replicates]


def _sides(source: StudySource, people: list[Person]) -> dict[str, SideBias]:
    if source.plan.kind is not Kind.PAIRS:
        return {}
    return side_biases(
        source.plan, ((person.id, person.trials, person.events) for person in people)
    )
