"""Workspaces of a demonstration: every visitor has a data folder of their own, with the samples.

So no request can see, change or cancel another visitor's data: it is in another database. The app's
own data folder has only samples; nothing is stored there once it is ready. A workspace is deleted a
day after its last use, and at every start of the app.
"""

from __future__ import annotations

import logging
import re
import shutil
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Event, Lock, RLock, Thread
from typing import TYPE_CHECKING, Any

from truehue.core.errors import BadInput
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.page.context import KEPT_HOURS, Closing, Context
from truehue.tabs.page.limits import MIB, Limits
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.visitors import Visitors
from truehue.tabs.shell.allowance import Amount, WorkspaceAllowance, stored_below
from truehue.tabs.shell.samples import make_samples
from truehue.tabs.vlm.service import EvaluationService

if TYPE_CHECKING:
    from truehue.storage.store import Storage

log = logging.getLogger("truehue")

FOLDER = "desks"
MAX_OPEN = 24
"""Desks that are held open while nobody is at them; an open database takes a few megabytes."""
MAX_WORKSPACES = 500
"""A desk of the samples alone takes 13 MB: 256 kB for each table of a database."""
NEW_A_MINUTE = 60
"""New desks in a minute, so that a flood of strangers leaves the others their processor."""
EMPTY_BYTES = MIB
"""A desk with no more than this has rows alone, such as verdicts on the samples."""
IDLE_S = 900.0
KEPT_S = KEPT_HOURS * 3600.0
EMPTY_S = 3600.0
"""A desk with nothing on it, as a program leaves that keeps no cookie, goes after so long."""
CROWDED_S = 600.0
"""Where there is no room, desks that were not used for so long make some, oldest first."""
LOOK_S = 30.0
JOIN_S = 10.0
CROWDED = "Too many people are trying TrueHue right now. Come back in an hour."
FLOODED = "Many people are starting TrueHue right now. Look around, and try again in a minute."
_VISITOR = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True)
class Guest:
    """A visitor by the signed id; one without is nobody, and sees the samples alone.

    ``stays``: there is a desk from the first time that something of it is asked for; one that only
    looks gets none, and sees the samples until then.
    """

    id: str
    stays: bool = True


_GUEST: ContextVar[Guest | None] = ContextVar("truehue_guest", default=None)


def guest() -> Guest | None:
    """Who the answer is for that is being made; None outside of all answers."""
    return _GUEST.get()


@contextmanager
def answering(item: Guest) -> Iterator[None]:
    """What is done in the block is done for that guest."""
    token = _GUEST.set(item)
    try:
        yield
    finally:
        _GUEST.reset(token)


@dataclass
class _Known:
    """A desk, open or not: what it began with, when it was last used on the process's clock, and
    what its visitor has stored there, when that was last counted."""

    given: Amount
    used_at: float
    stored: Amount = field(default_factory=Amount)


@dataclass(frozen=True)
class VisitorWorkspace:
    """A desk that is open: a visitor's own context."""

    context: Context

    def is_running_now(self) -> bool:
        """Whether something that was begun here has not ended."""
        owner = self.context.storage.data_dir.name
        drawings = self.context.engine.states()
        return (
            self.context.jobs.has_active_jobs()
            or self.context.service(RunSupervisor).queue.waiting() > 0
            or self.context.service(EvaluationService).queue.waiting() > 0
            or any(drawing.owner == owner and not drawing.finished for drawing in drawings)
        )

    def close(self) -> None:
        """Ends its work and closes its database; the folder stays."""
        for service in self.context.services.values():
            if isinstance(service, Closing):
                service.close()
        self.context.jobs.close()
        self.context.storage.close()


class Workspaces:
    """The desks below ``folder``. ``samples`` is what each begins with, ``furnish`` makes the
    context at a desk's storage. For any thread."""

    def __init__(
        self,
        samples: Storage,
        folder: Path,
        furnish: Callable[[Storage, WorkspaceAllowance], Context],
        limits: Limits,
    ) -> None:
        self._samples, self._folder = samples, folder
        self._furnish, self._limits = furnish, limits
        self._open: dict[str, VisitorWorkspace] = {}
        self._known: dict[str, _Known] = {}
        self._leases: Counter[str] = Counter()
        # The first for a moment; the second while a desk is made, closed or taken away.
        self._lock, self._moving = Lock(), RLock()
        self._end, self._begun = Event(), False
        self._ready = False
        self._made_at: deque[float] = deque()
        self._thread: Thread | None = None

    def begin(self) -> None:
        """Takes away what an earlier run of the app has left, and from now on what is not used."""
        self._clear_once()
        self._thread = Thread(target=self._save_tidy, name="truehue-desks", daemon=True)
        self._thread.start()

    def seal(self) -> None:
        """The samples are ready: every new desk begins with them."""
        self._samples.seal()
        self._ready = True

    def of(self, item: Guest | None) -> Context | None:
        """The context at a guest's desk; None for who has none, and sees the samples. Raises
        BadInput where there is no room for another desk."""
        if item is None or not _VISITOR.fullmatch(item.id):
            return None
        with self._lock:
            if (known := self._known.get(item.id)) is not None:
                known.used_at = time.monotonic()
            elif not item.stays:
                return None
            if (workspace := self._open.get(item.id)) is not None:
                return workspace.context
        return self._opened(item.id).context

    @contextmanager
    def lease(self, visitor: str) -> Iterator[None]:
        """While an answer is made for somebody their desk is neither closed nor taken away."""
        with self._lock:
            self._leases[visitor] += 1
        try:
            yield
        finally:
            with self._lock:
                self._leases[visitor] -= 1
                if not self._leases[visitor]:
                    del self._leases[visitor]

    def stored_by_others(self, visitor: str) -> int:
        """Bytes that all others have stored, as of when each was last counted."""
        with self._lock:
            return sum(
                known.stored.size_bytes for name, known in self._known.items() if name != visitor
            )

    def tell(self, visitor: str, stored: Amount) -> None:
        """Keeps in mind what somebody has stored."""
        with self._lock:
            if visitor in self._known:
                self._known[visitor].stored = stored

    def free_space(self, idle_s: float = CROWDED_S, empty: bool = False) -> bool:
        """Takes away the desk that was not used for longest, if that is so long ago; whether there
        was one. With ``empty`` only one with nothing on it but what it began with."""
        with self._moving:
            oldest = time.monotonic() - idle_s
            with self._lock:
                idle = [
                    name
                    for name, known in sorted(
                        self._known.items(), key=lambda saved: saved[1].used_at
                    )
                    if known.used_at < oldest and not self._leases[name]
                ]
            for name in idle:
                workspace, known = self._open.get(name), self._known[name]
                if workspace is not None and workspace.is_running_now():
                    continue
                stored = stored_below(self._folder / name) - known.given
                if empty and (stored.images or stored.size_bytes > EMPTY_BYTES):
                    continue
                with self._lock:
                    if self._leases[name] or known.used_at >= oldest:
                        continue  # its visitor came back while it was looked at
                    self._open.pop(name, None)
                    del self._known[name]
                if workspace is not None:
                    workspace.close()
                shutil.rmtree(self._folder / name, ignore_errors=True)
                return True
        return False

    def tidy(self) -> None:
        """Closes what nobody is at, and takes away what nobody used for long."""
        self._close_some(IDLE_S)
        self._close_some()  # in a rush none could be closed when the next was opened
        while self.free_space(EMPTY_S, empty=True) or self.free_space(KEPT_S):
            pass

    def close(self) -> None:
        """Ends all work, and closes all desks."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()
        with self._moving:
            with self._lock:
                desks = list(self._open.values())
                self._open.clear()
            for workspace in desks:
                workspace.close()

    def _opened(self, visitor: str) -> VisitorWorkspace:
        with self._moving:
            self._clear_once()
            if self._end.is_set():
                raise BadInput("TrueHue is shutting down and starts nothing new.")
            visitor_workspace = self._open.get(visitor)
            if visitor_workspace is not None:
                return visitor_workspace
            if visitor not in self._known:
                made = self._made(self._folder / visitor)
                with self._lock:
                    self._known[visitor] = _Known(made, time.monotonic())
            from truehue.storage.store import Storage

            storage = Storage.open(self._folder / visitor)
            allowance = WorkspaceAllowance(self, storage, self._known[visitor].given, self._limits)
            visitor_workspace = VisitorWorkspace(self._furnish(storage, allowance))
            if not self._ready:  # what is being drawn appears when it is there
                visitor_workspace.context.service(RunSupervisor).begin()
            with self._lock:
                self._open[visitor] = visitor_workspace
            self._close_some()
            return visitor_workspace

    def _made(self, folder: Path) -> Amount:
        """Makes a desk's folder; what lies there then."""
        now = time.monotonic()
        while self._made_at and self._made_at[0] < now - 60:
            self._made_at.popleft()
        if len(self._made_at) >= NEW_A_MINUTE:
            raise BadInput(FLOODED)
        self._made_at.append(now)
        if len(self._known) >= MAX_WORKSPACES and not (
            self.free_space(CROWDED_S / 10, empty=True) or self.free_space()
        ):
            raise BadInput(CROWDED)
        try:
            self._samples.copy_to(folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return stored_below(folder)

    def _clear_once(self) -> None:
        with self._moving:
            if not self._begun:
                self._begun = True
                shutil.rmtree(self._folder, ignore_errors=True)

    def _close_some(self, idle_s: float = 0.0) -> None:
        """Closes the desks that nobody was at for so long; without a time those that are too
        many, but for the last used one."""
        with self._moving:
            oldest = time.monotonic() - idle_s
            with self._lock:
                names = sorted(self._open, key=lambda name: self._known[name].used_at)
                if not idle_s:
                    names = names[: max(len(names) - MAX_OPEN, 0)]
                names = [name for name in names if self._known[name].used_at <= oldest]
            for name in names:
                if self._open[name].is_running_now():
                    continue
                with self._lock:
                    if self._leases[name] or self._known[name].used_at > oldest:
                        continue
                    workspace = self._open.pop(name)
                workspace.close()

    def _save_tidy(self) -> None:
        while not self._end.wait(LOOK_S):
            try:
                self.tidy()
            except Exception:
                log.exception("the desks could not be looked through")


OWN = frozenset(("storage", "staging", "jobs", "services", "allowance", "_arrays", "_masks"))
"""The parts of a context of which every desk has its own."""


@dataclass(frozen=True)
class Demonstration(Context):
    """The context of a demonstration: what it has is that of the desk of whose request is being
    answered, and outside of answers and for who has no desk that of the samples."""

    desks: Workspaces = field(kw_only=True)

    def __getattribute__(self, name: str) -> Any:
        if name in OWN and (item := guest()) is not None:
            workspace = object.__getattribute__(self, "desks").of(item)
            if workspace is not None:
                return getattr(workspace, name)
        return object.__getattribute__(self, name)

    def bound(self) -> Context:
        """That of the visitor whose request is being answered."""
        return self.desks.of(guest()) or self

    @contextmanager
    def visit(self, actor: Actor, stays: bool = True) -> Iterator[None]:
        """In the block that visitor's request is answered."""
        with answering(Guest(actor.id, stays)), self.desks.lease(actor.id):
            yield

    @cached_property
    def visitors(self) -> Visitors:
        """Tells those apart who reach a demonstration."""
        storage = object.__getattribute__(self, "storage")
        return Visitors(storage.data_dir / "visitors.key")

    def begin(self) -> None:
        """Makes the samples in the background, without ``example`` none; nothing is added to them
        once they are ready."""
        self.service(EvaluationService).ingest()
        self.desks.begin()
        if self.example:
            self._preparing.start()
        else:
            self.desks.seal()

    def close(self) -> None:
        """Ends all long work of all desks, and of the samples."""
        self._end.set()
        self.desks.close()
        super().close()
        if self._preparing.is_alive():
            self._preparing.join(JOIN_S)

    def _prepare(self) -> None:
        seconds = make_samples(self, self._end.is_set)
        self.desks.seal()
        log.info("the samples were ready after %.1f s", seconds)

    @cached_property
    def _end(self) -> Event:
        return Event()

    @cached_property
    def _preparing(self) -> Thread:
        return Thread(target=self._prepare, name="truehue-samples", daemon=True)
