"""This process's connection to a Ray cluster: one at a time, shared by all that need it."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.files import why_of

ADDRESS = "RAY_ADDRESS"

# Ray reads it on every system, whatever its name says: with 0 an address of this machine stays
# 127.0.0.1, to listen at and to join, where it would be replaced by that in the network.
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
_OWN = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", **_LOOPBACK}
_STORE_BYTES = 96 * 2**20
"""What workers are told and say is small; pictures go through the run's folder."""
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
            raise BadInput("Ray is not installed. Run: pip install ray") from error
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
        raise _nobody_at(address, f"{why_of(error)}. Start one with: ray start --head;") from error


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
