"""Workers as Ray's actors: on this machine, or on every node of a cluster.

On a cluster two folders need the same path on every node: the work's folder, the only thing that
workers share, and this project, which is on each worker's import path. The simplest way is a folder
that all nodes mount. TrueHue does not use Ray's upload of a working folder: it would upload the
data folder too, and leave nodes with copies that differ from the code that began the work.

A worker whose model needs a device takes a whole GPU if the cluster has any; every other worker
takes one CPU of a cluster that was joined. Workers wait for free resources, so nodes that join
later take part. On a cluster of this machine alone, the requested number of workers runs.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import signal
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import truehue
from truehue.core.batch.folder import BatchFolder
from truehue.core.batch.team import BROKEN, DIED, DONE, READY, Batch, TeamEvent
from truehue.core.batch.work import Work
from truehue.core.batch.worker import Worker
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.files import file_problem, replace_file
from truehue.core.packages import how_to_install

ADDRESS = "RAY_ADDRESS"

# Ray reads it on every system, whatever its name says: with 0 an address of this machine stays
# 127.0.0.1, to listen at and to join, where it would be replaced by that in the network.
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
_OWN = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", **_LOOPBACK}
_STORE_BYTES = 96 * 2**20
"""Messages to and from workers are small; images go through the run's folder."""
_KNOCK_S = 5.0


@dataclass(frozen=True)
class Cluster:
    """``own`` is True for a cluster that this process started on this machine."""

    address: str
    own: bool
    gpus: int


@dataclass
class _Connection:
    cluster: Cluster | None = None
    users: int = 0


_connection, _lock = _Connection(), threading.Lock()


@contextmanager
def cluster(address: str = "", cpus: int = 1) -> Iterator[Cluster]:
    """A cluster for as long as the block lasts.

    ``address`` names one to join, else RAY_ADDRESS does; without either, one is started on this
    machine for ``cpus`` workers, which ends with its last user. A cluster that was only joined is
    left as it was. Raises BadInput when none answers there, or when this process uses another one.
    """
    wanted_address = address.strip() or os.environ.get(ADDRESS, "").strip()
    wanted_address = "" if wanted_address == "local" else wanted_address
    with _lock:
        if _connection.cluster is None:
            _connection.cluster = _connected(wanted_address, cpus)
        elif _connection.cluster.address != wanted_address:
            location = _connection.cluster.address or "a cluster of its own"
            raise BadInput(
                f"This process uses {location} already. Wait for the run there, or start this one with "
                "another process."
            )
        _connection.users += 1
        shared_cluster = _connection.cluster
    try:
        yield shared_cluster
    finally:
        with _lock:
            _connection.users -= 1
            if not _connection.users:
                _connection.cluster = None
                _disconnect()


def _connected(address: str, cpus: int) -> Cluster:
    host, port = _host_of(address)
    if port:
        _knock(address, host, port)
    available = host in ("127.0.0.1", "localhost", "::1")
    with _environment((_LOOPBACK if available else {}) if address else _OWN):
        try:
            import ray
        except ImportError as error:
            raise BadInput(how_to_install(["ray"], "run on several machines")) from error
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        try:
            _read_environment()
            with _own_signals():
                if address:
                    ray.init(address=address, **quiet)
                else:
                    ray.init(
                        address="local",
                        num_cpus=cpus,
                        include_dashboard=False,
                        object_store_memory=_STORE_BYTES,
                        **quiet,
                    )
        except Exception as error:
            text = " ".join(str(error).split())[:300].rstrip(".") or "no reason"
            if not address:
                raise TrueHueError(f"Ray could not start on this machine: {text}.") from error
            # Ray says no more than that it could not connect where the tokens differ.
            hint = (
                f"{text}. Set RAY_AUTH_MODE here as it is on the cluster; with token, put what "
                "ray get-auth-token says there into ~/.ray/auth_token;"
            )
            raise _nobody_at(address, hint) from error
    return Cluster(address, not address, int(ray.cluster_resources().get("GPU", 0)))


def _read_environment() -> None:
    """Has Ray read its settings now. It reads them when it is imported, which another part of this
    process may have done without them: its own cluster would have listened in the network."""
    from ray import _raylet
    from ray._private import ray_constants

    inner: Any = _raylet  # its stub names little of it
    ray_constants.ENABLE_RAY_CLUSTER = ray_constants.env_bool(
        ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR, not ray_constants.IS_WINDOWS_OR_OSX
    )
    inner.Config.initialize("")
    inner.AuthenticationTokenLoader.instance().reset_cache()


def _host_of(address: str) -> tuple[str, int]:
    """Host and port of an address; no port for "auto" and what else Ray reads by itself."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    return (host.strip("[]"), int(port)) if port.isdigit() and int(port) < 65536 else ("", 0)


def _knock(address: str, host: str, port: int) -> None:
    """Raises BadInput where nobody listens: Ray itself would try for minutes."""
    try:
        socket.create_connection((host, port), _KNOCK_S).close()
    except OSError as error:
        raise _nobody_at(
            address, f"{file_problem(error)}. Start one with: ray start --head;"
        ) from error


def _nobody_at(address: str, why: str) -> BadInput:
    return BadInput(
        f"No Ray cluster can be joined at {address}: {why} or unset {ADDRESS} for workers on this "
        "machine."
    )


def _disconnect() -> None:
    """Ends what this process started; of a cluster that was joined only the connection."""
    import ray

    with _own_signals():
        ray.shutdown()


@contextmanager
def _own_signals() -> Iterator[None]:
    """Ray answers SIGTERM by itself; here the program's own answer stays."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _environment(names: Mapping[str, str]) -> Iterator[None]:
    """What Ray and the processes that it starts now read; what is set already stays as it is."""
    new_names = [name for name in names if name not in os.environ]
    os.environ.update({name: names[name] for name in new_names})
    try:
        yield
    finally:
        for name in new_names:
            os.environ.pop(name, None)


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
    ``workers``; see :func:`truehue.core.batch.ray_team.cluster` for what it raises.
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
        """The next events; see :class:`truehue.core.batch.team.Team`."""
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
        # Read again: what is known of the folder may have come from elsewhere.
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
