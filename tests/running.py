"""The real app as its own process, started and ended as a person would; and an app of this process
at an address."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote

from tests.nursery import Forked, nursery
from truehue.tabs.command.serve import listen

ROOT = Path(__file__).resolve().parents[1]
Process = subprocess.Popen[bytes] | Forked
# Well above what either takes where a machine does ten other things.
START_S = 180
STOP_S = 120


# Of each process its own, below those that the system gives to connections.
PORTS = range(first := 20_000 + os.getpid() % 600 * 20, first + 20)


def free_port() -> int:
    """A port of this machine that nothing listens on: the same one for apps after each other, as a
    browser keeps what it has fetched and compiled by the address."""
    for port in PORTS:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError(f"All ports from {PORTS[0]} to {PORTS[-1]} are taken.")


@dataclass(frozen=True)
class Answer:
    """What came back over HTTP."""

    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class App:
    """A running app: its address, its data folder, and its process."""

    address: str
    data: Path
    process: Process
    log: Path

    def ask(
        self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """GET, or POST when there is a body; a status of 400 and more is an answer too."""
        wanted = urllib.request.Request(self.address + path, data=body, headers=headers or {})
        try:
            with urllib.request.urlopen(wanted, timeout=300) as got:
                return Answer(got.status, got.read(), dict(got.headers))
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.read(), dict(error.headers))

    def upload(self, content: bytes, name: str) -> Answer:
        """Sends a file as the stage does."""
        headers = {"X-TrueHue": "1", "X-File-Name": quote(name)}
        return self.ask("/api/images", content, headers)

    def stop(self, kind: int = signal.SIGTERM) -> int:
        """Asks the app to end, as a system or Ctrl+C (SIGINT) does; returns its exit status."""
        self.process.send_signal(kind)
        return self.process.wait(STOP_S)


def quick() -> dict[str, str]:
    """The environment of an app that few pages are asked of: what it would get ready for its first
    visitors costs more than what they then wait for."""
    return {"TRUEHUE_WARM": "0", "TRUEHUE_EXAMPLE": "0", **os.environ, "PYTHONUNBUFFERED": "1"}


def command(*arguments: str) -> list[str]:
    """The command line of the app with this Python."""
    return [sys.executable, str(ROOT / "app.py"), *arguments]


def run(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Runs the app where it is expected to end by itself."""
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )


def run_forked(*arguments: str, log: Path) -> subprocess.CompletedProcess[str]:
    """As ``run``, but forked from one that has imported everything (tests.nursery); all its words
    are in ``stderr``, and in ``log``."""
    status = nursery_app(arguments, log).wait(START_S)
    return subprocess.CompletedProcess(list(arguments), status, "", log.read_text())


@contextmanager
def running(data: Path, *more: str) -> Iterator[App]:
    """The app with its data folder, from its first answer until the end of the block.

    It is forked from one that has imported everything (tests.nursery).
    """
    with served(data, *more, begin=nursery_app) as app:
        yield app


@contextmanager
def running_alone(data: Path, *more: str) -> Iterator[App]:
    """The same as ``python app.py`` starts it, for tests of its start and its end."""
    with served(data, *more, begin=own_app) as app:
        yield app


def nursery_app(arguments: Sequence[str], log: Path) -> Forked:
    return nursery().start(arguments, log, quick())


def own_app(arguments: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as out:
        return subprocess.Popen(
            command(*arguments), cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, env=quick()
        )


@contextmanager
def served(
    data: Path, *more: str, begin: Callable[[Sequence[str], Path], Process]
) -> Iterator[App]:
    """The app that ``begin`` starts with arguments and a file for its words."""
    port = free_port()
    # Beside the data, in a folder that is there: the app itself makes those that are not.
    parent = next(folder for folder in data.parents if folder.is_dir())
    log = parent / f"app-{port}.log"
    process = begin(("--data", str(data), "--port", str(port), *more), log)
    app = App(f"http://127.0.0.1:{port}", data, process, log)
    try:
        _wait(app)
        yield app
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(app: App) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        assert app.process.poll() is None, f"The app ended:\n{app.log.read_text()}"
        try:
            # 401 where one has to sign in.
            if app.ask("/api/ready").status in (200, 401):
                return
        except OSError:
            # The socket listens before the app answers, so a first question may wait or fail.
            time.sleep(0.1)
    raise AssertionError(f"The app did not answer:\n{app.log.read_text()}")


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """The address of an app that a thread of this process serves until the end of the block: for
    clients that speak to addresses, where how the app starts and ends is not the subject."""
    import uvicorn

    from truehue.tabs.page.answers import cut_endless

    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    with listen("127.0.0.1", 0) as server_socket:
        thread = Thread(target=server.run, kwargs={"sockets": [server_socket]}, daemon=True)
        thread.start()
        try:
            # Whoever connects before it serves waits in the socket's queue.
            yield f"http://127.0.0.1:{server_socket.getsockname()[1]}"
        finally:
            server.should_exit = True
            cut_endless()
            thread.join(STOP_S)
