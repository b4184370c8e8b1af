"""Long jobs: started by a user, visible to all, cancelled with permission, and stored as rows.

A job runs in a thread of its own and continues after its page is closed. Generation and runs have
their own queues: a :class:`Source` shows them in the same list, under the same rules.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from threading import Condition, Event, RLock, Thread
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, cast

from truehue.core.errors import BadInput
from truehue.core.generation.request import Cancelled
from truehue.core.records import JobRecord
from truehue.tabs.feature import Kind
from truehue.tabs.page.errors import count_noun, message_of
from truehue.tabs.page.limits import ConcurrencyLimits
from truehue.tabs.page.roles import Actor, Resource, allowed, authorize

if TYPE_CHECKING:
    from truehue.storage.jobs import Jobs as Rows

log = logging.getLogger("truehue")

KEPT = 100
"""Jobs that have ended and are still at hand; of older ones their rows tell."""
LISTED = 50
LOOK_S = 0.1
STORE_S = 5.0
"""Progress is stored this often at most."""
MIN_S_TO_ESTIMATE = 2.0
INTERRUPTED = (
    "TrueHue ended while this job was running. Everything stored so far stays; start it again to "
    "continue."
)
UNKNOWN = "This job is no longer known. Start it again."
PRIVATE = ("message", "problems", "preview")
"""Details that are told to those alone who may cancel the work."""
ENDED = ("done", "failed", "cancelled", "interrupted")


MAX_WAITING = 50


class Job:
    """One piece of work, as its own thread sees it: it looks at ``stop`` now and then, says with
    :meth:`tell` how far it is, and returns its result as plain JSON. What it raises ends it;
    Cancelled is no failure."""

    def __init__(
        self, record: JobRecord, changed: Callable[[Job], None] = lambda job: None
    ) -> None:
        self.record = record
        self.stop = Event()
        self.version = 0
        self.row_lock = RLock()
        """Held while its row is written: no earlier state is stored over its end."""
        self._changed = changed
        self._stored_at = time.monotonic()

    @property
    def id(self) -> str:
        return self.record.job_id

    @property
    def ended(self) -> bool:
        return self.record.status in ENDED

    def tell(
        self,
        text: str | None = None,
        done: int | None = None,
        total: int | None = None,
        result: Mapping[str, Any] | None = None,
    ) -> None:
        """Says what the work is at; what is not given stays as it was."""
        changes = {"words": text, "done": done, "total": total, "result": result}
        self.set(**{name: value for name, value in changes.items() if value is not None})

    def set(self, **changes: Any) -> None:
        """Changes fields of the record."""
        new = replace(self.record, **changes)
        if new != self.record:
            self.record = new
            self._changed(self)

    def due(self) -> bool:
        """Whether it is time to store how far it is."""
        now = time.monotonic()
        if now - self._stored_at < STORE_S:
            return False
        self._stored_at = now
        return True


def job_alone(kind: str, title: str = "") -> Job:
    """A job that is in no list, for a command."""
    return Job(JobRecord(uuid.uuid4().hex, kind, title, "", "running"))


class Source(Protocol):
    """Work with a queue of its own, which shows itself as records of a ``kind``."""

    kind: str

    def records(self) -> Sequence[JobRecord]:
        """What waits, runs, or has ended a short while ago."""

    def cancel(self, job_id: str) -> None:
        """Ends one of them."""

    def version(self) -> int:
        """Grows with every change."""


class Jobs:
    """All long work of an app. For any thread.

    ``limits`` are those of each kind of work, ``most_of_one`` is how much one visitor may have
    under way, and where it ``waits``, all work waits for its turn.
    """

    def __init__(
        self,
        rows: Rows,
        limits: ConcurrencyLimits,
        sources: Sequence[Source] = (),
        most_of_one: int = 10_000,
        waits: bool = False,
    ) -> None:
        self._rows, self._limits, self._sources = rows, limits, sources
        self._most_of_one, self._waits = most_of_one, waits
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._threads: dict[str, Thread] = {}
        self._condition = Condition()
        # Another number than that of the app before this one, which a page may still know.
        self._version = int(time.time())
        self._closed = False

    def start(
        self, kind: str, title: str, actor: Actor, work: Callable[[Job], Mapping[str, Any]]
    ) -> Job:
        """Begins ``work`` in a thread of its own. Raises BadInput while too much of its kind is
        under way, and StorageError where it cannot be stored."""
        record = JobRecord(
            uuid.uuid4().hex,
            kind,
            title,
            actor.id,
            words="Waiting" if self.kind(kind).waits or self._waits else "Starting",
            began_at=datetime.now(UTC),
        )
        job = Job(record, self._changed)
        with self._condition:
            self._require_space(self.kind(kind), actor)
            self._limits.enter()
            self._jobs[job.id] = job
            for old in list(self._jobs)[:-KEPT]:
                if self._jobs[old].ended:
                    del self._jobs[old]
        try:
            self._rows.keep(record)
        except BaseException:
            self._limits.leave()
            with self._condition:
                del self._jobs[job.id]
            raise
        # Whose work it is goes with it (:meth:`Context.visit`).
        run = partial(copy_context().run, self._run, job, work)
        thread = Thread(target=run, name=f"truehue-{kind}", daemon=True)
        with self._condition:
            self._threads[job.id] = thread
        thread.start()
        return job

    def _require_space(self, kind: Kind, actor: Actor) -> None:
        if self._closed:
            raise BadInput("TrueHue is shutting down and starts no new jobs.")
        under_way = [job.record for job in self._jobs.values() if not job.ended]
        same = [record for record in under_way if record.kind == kind.id]
        if len(same) >= kind.most + (MAX_WAITING if kind.waits else 0):
            raise BadInput(
                f"“{same[0].title if kind.shared else kind.title}” is running. Wait until it has "
                "ended, or cancel it first."
            )
        own_count = sum(record.actor == actor.id for record in under_way)
        if own_count >= self._most_of_one:
            raise BadInput(
                f"{count_noun(own_count, 'job')} of yours are already running. Wait until one ends."
            )

    def _run(self, job: Job, work: Callable[[Job], Mapping[str, Any]]) -> None:
        turn = self._limits.semaphores[job.record.kind]
        changes: dict[str, Any] = {}
        while not (mine := turn.acquire(timeout=LOOK_S)) and not job.stop.is_set():
            pass
        try:
            if job.stop.is_set():
                raise Cancelled
            job.set(status="running")
            changes["result"] = work(job)
            changes["status"] = "cancelled" if job.stop.is_set() else "done"
        except Cancelled:
            changes["status"] = "cancelled"
        except BaseException as error:  # the engine hands those of its tools on, too
            changes |= {"status": "failed", "problem": message_of(error)}
        finally:
            if mine:
                turn.release()
            self._limits.leave()
        if changes["status"] == "cancelled" and self._closed:
            changes |= {"status": "interrupted", "problem": INTERRUPTED}
        # Stored before it is told: what is said to be done is so after a restart, too.
        ended = replace(job.record, **changes, ended_at=datetime.now(UTC))
        with job.row_lock:
            self._store(ended)
            with self._condition:
                self._threads.pop(job.id, None)
            job.set(**changes, ended_at=ended.ended_at)

    def _changed(self, job: Job) -> None:
        with self._condition:
            self._version += 1
            job.version = self._version
            self._condition.notify_all()
        with job.row_lock:
            if not job.ended and job.due():
                self._store(job.record)

    def _store(self, record: JobRecord) -> None:
        try:
            self._rows.keep(record)
        except Exception:
            log.exception("the work %s could not be stored", record.job_id)

    def kind(self, kind_id: str) -> Kind:
        """A kind of work by its id."""
        return self._limits.kind(kind_id)

    def version(self) -> int:
        """A number that is another after any change of any job."""
        return self._version + sum(source.version() for source in self._sources)

    def changed(self, job_id: str) -> int:
        """The same for one job. Raises BadInput for one that is not known."""
        job = self._jobs.get(job_id)
        return self.version() if job is None else job.version

    def wait(self, job_id: str, timeout_s: float | None = None) -> JobRecord:
        """Waits until a job begun here has ended, or for so long, and returns its record."""
        job = self._jobs.get(job_id)
        if job is None:
            return self.get(job_id)
        with self._condition:
            self._condition.wait_for(lambda: job.ended, timeout_s)
        return job.record

    def get(self, job_id: str) -> JobRecord:
        """The record of a job as it is now. Raises BadInput for one that is not known."""
        job = self._jobs.get(job_id)
        if job is not None:
            return job.record
        record = next(
            (candidate for candidate in self._elsewhere() if candidate.job_id == job_id), None
        )
        record = record or next(
            (candidate for candidate in self._rows.recent() if candidate.job_id == job_id), None
        )
        if record is None:
            raise BadInput(UNKNOWN)
        return record

    def all(self, kind: str = "") -> list[JobRecord]:
        """What waits and runs, in its order, then what has ended, newest first; of one kind where
        it is given."""
        records = self._elsewhere(kind)
        if kind not in {source.kind for source in self._sources}:  # those have no rows
            job_records = [job.record for job in list(self._jobs.values())]
            ids = {record.job_id for record in job_records}
            job_records += [record for record in self._rows.recent() if record.job_id not in ids]
            records += [record for record in job_records if kind in ("", record.kind)]
        first = datetime.min.replace(tzinfo=UTC)
        records.sort(key=lambda record: record.began_at or first)
        ended = [record for record in records if record.status in ENDED]
        under_way = [record for record in records if record.status not in ENDED]
        under_way.sort(key=lambda record: record.details.get("place") or 0)
        return [*under_way, *reversed(ended)]

    def cancel(self, actor: Actor, job_id: str) -> None:
        """Asks a job to stop; one that has ended stays as it is. Raises BadInput for one that is
        not known, and NotAllowed."""
        record = self.get(job_id)
        authorize(actor, "cancel", started_by(record))
        job = self._jobs.get(job_id)
        if job is not None:
            job.stop.set()
            self._changed(job)
            return
        for source in self._sources:
            if any(record.job_id == job_id for record in source.records()):
                source.cancel(job_id)

    def has_active_jobs(self) -> bool:
        """Whether something that was begun here has not ended."""
        return any(not job.ended for job in list(self._jobs.values()))

    def is_cancelling(self, record: JobRecord) -> bool:
        """Whether a job was asked to stop and has not ended yet."""
        job = self._jobs.get(record.job_id)
        return job is not None and job.stop.is_set() and not job.ended

    def recover(self) -> None:
        """Says of what was under way when an earlier app ended that it was interrupted. For the
        start."""
        self._rows.interrupt(INTERRUPTED)

    def close(self, timeout_s: float = 10.0) -> None:
        """Cancels everything and waits for the threads, up to ``timeout_s`` for each."""
        self._closed = True
        for job in list(self._jobs.values()):
            job.stop.set()
        with self._condition:
            threads = list(self._threads.values())
        for thread in threads:
            with suppress(RuntimeError):  # not begun yet
                thread.join(timeout_s)

    def _elsewhere(self, kind: str = "") -> list[JobRecord]:
        sources = [source for source in self._sources if kind in ("", source.kind)]
        return [record for source in sources for record in source.records()]


def started_by(record: JobRecord) -> Resource:
    """A job, as :func:`truehue.tabs.page.roles.authorize` asks of it."""
    return Resource(frozenset({record.actor}) if record.actor else frozenset())


def is_reported(jobs: Jobs, actor: Actor, record: JobRecord) -> bool:
    """Whether somebody is told what a job is, and not only that there is one."""
    return jobs.kind(record.kind).shared or allowed(actor, "cancel", started_by(record))


class JobDetails(TypedDict, total=False):
    """What image generation adds to a job; ``preview`` is a data URL."""

    in_short: str
    place: int | None
    failed: int
    model_name: str
    step: int
    steps: int
    eta_s: float | None
    message: str
    problems: list[str]
    preview: str


class JobJson(JobDetails):
    """A job as a page shows it; ``result`` is what its page makes use of."""

    id: str
    kind: str
    title: str
    mine: bool
    active: bool
    status: str
    cancelling: bool
    may_cancel: bool
    done: int
    total: int
    words: str
    left_s: float | None
    elapsed_s: float
    problem: str
    result: dict[str, Any]
    began_at: str | None


def job_json(jobs: Jobs, actor: Actor, record: JobRecord) -> JobJson:
    """A job as a page shows it. What somebody else asked for is not told, but that it goes on."""
    visible, kind = is_reported(jobs, actor, record), jobs.kind(record.kind)
    active = record.status not in ENDED
    end = record.ended_at or datetime.now(UTC)
    elapsed_s = (end - record.began_at).total_seconds() if record.began_at else 0.0
    left_s = None
    if active and record.done and record.total and elapsed_s >= MIN_S_TO_ESTIMATE:
        left_s = elapsed_s / record.done * max(record.total - record.done, 0)
    job: JobJson = {
        "id": record.job_id,
        "kind": record.kind,
        "title": record.title if visible else record.details.get("in_short", kind.title),
        "mine": record.actor == actor.id,
        "active": active,
        "status": record.status,
        "cancelling": jobs.is_cancelling(record),
        "may_cancel": active and allowed(actor, "cancel", started_by(record)),
        "done": record.done,
        "total": record.total,
        "words": record.words if visible else "",
        "left_s": left_s,
        "elapsed_s": elapsed_s,
        "problem": record.problem if visible else "",
        "result": dict(record.result) if visible else {},
        "began_at": record.began_at.isoformat() if record.began_at else None,
    }
    private = {} if visible else {n: type(v)() for n, v in record.details.items() if n in PRIVATE}
    return cast(JobJson, {**job, **record.details, **private})
