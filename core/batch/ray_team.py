"""Workers as Ray's actors: on this machine, or on every node of a cluster.

On a cluster two things have to be at the same place on every node: the work's folder, for workers
share nothing else, and this project, whose folder is put on each worker's path. Both are easiest on
a folder that all nodes mount. Ray's own upload of a working folder is not used: it would send the
data folder along, and leave nodes with copies that differ from what began the work.

A worker whose model needs a device takes a whole GPU where the cluster has any; every other one
takes one CPU of a cluster that was joined. Workers that find no place wait for one: nodes that come
later take part. On a cluster of this machine alone there are as many as were asked for.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import truehue
from truehue.core.batch.folder import BatchFolder
from truehue.core.batch.ray_cluster import cluster
from truehue.core.batch.team import BROKEN, DIED, DONE, READY, Batch, TeamEvent
from truehue.core.batch.work import Work
from truehue.core.batch.worker import Worker
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.files import replace_file

TOKEN = "ray.token"
"""In the work's folder: what a worker must find there to know that it sees the same folder."""

_SEEN_S, _GONE_S, _END_S = 10.0, 10.0, 120.0


@dataclass
class _Member:
    """``task`` is what it is at; ``where`` its process, empty until it is ready."""

    actor: Any
    task: Any
    where: str = ""
    pid: int | None = None


class RayTeam:
    """A :class:`truehue.core.batch.team.Team` of actors.

    Joins the cluster at ``address``, or that of RAY_ADDRESS, else starts one on this machine for
    ``workers``; see :func:`truehue.core.batch.ray_cluster.cluster` for what it raises.
    """

    def __init__(self, work: Work, threads: int, workers: int, address: str = "") -> None:
        self._work = work
        self._folder = work.folder.path.resolve()
        self._token = secrets.token_hex(16)
        self._members: dict[str, _Member] = {}
        self._held = ExitStack()
        ray_cluster = self._held.enter_context(cluster(address, workers))
        self._threads = threads if ray_cluster.own else 1
        # A cluster of this machine alone has room for all that are asked for.
        self._takes: dict[str, Any] = {"num_cpus": 0 if ray_cluster.own else 1}
        if work.needs_device() and ray_cluster.gpus:
            self._takes["num_gpus"] = 1
        with self._closing_on_error():
            replace_file(self._folder / TOKEN, self._token.encode())

    def start(self, worker: str) -> None:
        """Asks for an actor; Ray starts it where there is room."""
        import ray

        threads = str(self._threads or "")
        # A worker finds an installed package by itself.
        checkout = str(_PROJECT) if (_PROJECT / "core").is_dir() else ""
        path = os.pathsep.join(filter(None, [checkout, os.environ.get("PYTHONPATH")]))
        variables = {"PYTHONPATH": path, **({"OMP_NUM_THREADS": threads} if threads else {})}
        actor = (
            ray.remote(_Actor)
            .options(**self._takes, max_restarts=0, runtime_env={"env_vars": variables})
            .remote()
        )
        task = actor.open.remote(self._work, worker, self._token, self._threads)
        self._members[worker] = _Member(actor, task)

    def give(self, worker: str, batch: Batch) -> None:
        """Sends a batch; a worker that is gone says so as an event."""
        member = self._members.get(worker)
        if member is not None:
            member.task = member.actor.work.remote(batch)

    def pid(self, worker: str) -> int | None:
        """The process of a worker that was ready, on its node."""
        member = self._members.get(worker)
        return member.pid if member else None

    def events(self, timeout_s: float) -> list[TeamEvent]:
        """What happened; see :class:`truehue.core.batch.team.Team`."""
        import ray

        at_work = {
            member.task: name for name, member in self._members.items() if member.task is not None
        }
        if not at_work:
            time.sleep(timeout_s)
            return []
        ready, _ = ray.wait(list(at_work), timeout=timeout_s)
        if ready:
            ready, _ = ray.wait(list(at_work), num_returns=len(at_work), timeout=0)
        return [self._event(at_work[task]) for task in ready]

    def close(self) -> None:
        """Asks every actor to end after its batch, and waits; leaves the cluster."""
        import ray

        with self._held:
            # One that is not ready yet has written nothing, and may wait for a place for ever.
            ends = [member.actor.close.remote() for member in self._members.values() if member.pid]
            if ends:
                ray.wait(ends, num_returns=len(ends), timeout=_END_S)
            for member in self._members.values():
                _end(member.actor)
            self._members.clear()
            (self._folder / TOKEN).unlink(missing_ok=True)

    def _event(self, name: str) -> TeamEvent:
        import ray
        from ray.exceptions import RayError

        member = self._members[name]
        try:
            event, member.pid, member.where = ray.get(member.task)
        except RayError as error:
            del self._members[name]
            _end(member.actor)
            return _ended(error, name, member.where)
        member.task = None
        return event

    @contextlib.contextmanager
    def _closing_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._held.close()
            raise


class _Actor:
    """The life of a worker in Ray's process. Each answer comes with the process it is from."""

    def __init__(self) -> None:
        # Ctrl+C goes to every process of the terminal; it is the coordinator's to answer.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._name = ""
        self._worker: Worker | None = None
        self._steps = 0

    def open(self, work: Work, name: str, token: str, threads: int) -> Any:
        self._name = name
        try:
            check_shared(work.folder, token)
            self._worker = Worker(work, name, threads, self._report)
        except TrueHueError as error:
            return self._answer(TeamEvent(BROKEN, name, str(error)))
        return self._answer(TeamEvent(READY, name))

    def work(self, batch: Batch) -> Any:
        assert self._worker is not None
        try:
            items = self._worker.work_on(batch)
        except TrueHueError as error:
            return self._answer(TeamEvent(BROKEN, self._name, str(error)))
        return self._answer(TeamEvent(DONE, self._name, items=items))

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()

    def alive(self) -> bool:
        return True

    def _report(self, steps: int) -> None:
        self._steps += steps

    def _answer(self, event: TeamEvent) -> tuple[TeamEvent, int, str]:
        event, self._steps = replace(event, steps=self._steps), 0
        return event, os.getpid(), f"{os.getpid()} on {socket.gethostname()}"


def check_shared(folder: BatchFolder, token: str, wait_s: float = _SEEN_S) -> None:
    """Raises BadInput where ``folder`` is here not the one in which the token was written.

    A shared folder may show a new file a little later to other nodes.
    """
    until = time.monotonic() + wait_s
    while True:
        with contextlib.suppress(OSError):
            if (folder.path / TOKEN).read_text() == token:
                return
        if time.monotonic() >= until:
            break
        time.sleep(0.2)
    node, work_names = socket.gethostname(), folder.words
    try:
        # Read anew: what is known of the folder may have come from elsewhere.
        type(folder)(folder.path).summary()
        seen = (
            f"the {work_names.work} {folder.run_id}, but not the folder that the {work_names.work} was "
            "started in"
        )
    except BadInput:
        seen = f"no {work_names.work}"
    raise BadInput(
        f"On {node} there is {seen} at {folder.path}. Workers write into the {work_names.work}'s "
        "folder: put it on a folder that all nodes share under the same path."
    )


# The checkout, or the folder of an environment's packages.
_PROJECT = Path(truehue.__file__).resolve().parents[1]


def _end(actor: Any) -> None:
    """Ends an actor at once and waits until nothing of it can write any more."""
    import ray
    from ray.exceptions import GetTimeoutError, RayError

    with contextlib.suppress(RayError, GetTimeoutError):
        ray.kill(actor)
        ray.get(actor.alive.remote(), timeout=_GONE_S)


def _ended(error: Exception, name: str, location: str) -> TeamEvent:
    """How an actor ended, in words."""
    from ray.exceptions import ActorDiedError, OutOfMemoryError, RayTaskError

    process = f"its process {location}".rstrip()
    if isinstance(error, ActorDiedError) and error.actor_init_failed:
        return TeamEvent(
            BROKEN,
            name,
            f"A node cannot run this project: {_last_line(error)}. It has to be at {_PROJECT} on "
            "every node, with the same packages.",
        )
    if isinstance(error, RayTaskError):
        cause = getattr(error, "cause", error)
        return TeamEvent(DIED, name, f"it broke ({type(cause).__name__}: {cause})")
    if isinstance(error, OutOfMemoryError):
        return TeamEvent(DIED, name, f"Ray ended {process} for want of memory")
    if "its node has died" in str(error):
        return TeamEvent(DIED, name, f"the node of {process} is gone")
    if not location:
        return TeamEvent(DIED, name, f"Ray could not start it: {_last_line(error)}")
    return TeamEvent(DIED, name, f"{process} was ended, perhaps for want of memory")


def _last_line(error: Exception) -> str:
    lines = [splitline.strip() for splitline in str(error).splitlines() if splitline.strip()]
    return lines[-1][:300].rstrip(".") if lines else type(error).__name__
