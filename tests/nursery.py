"""Apps forked from a process that has imported all they need, built the prompt sets and their
index, and compressed the files of the page.

An app of its own costs some five seconds of processor time before it answers, of which nearly all
goes into imports. Tests whose subject is not how the app starts take one from here; each has its
own data, threads and end, as if it had been started by ``python app.py``.

There is one for all processes of a run of tests. ``python -m tests.nursery SOCKET`` reads a line of
JSON for each question there and answers with one; it ends when nobody is connected any more.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOOK_S = 0.02
# What the app imports when it starts.
READY = (
    "app",
    "truehue.core.generation.backends.endpoints",
    "truehue.core.generation.weights.sources",
    "truehue.storage.store",
    "truehue.tabs.page.context",
    "truehue.tabs.export.service",
    "truehue.tabs.batches.supervisor",
    "truehue.tabs.shell.shell",
    "uvicorn",
)


class Forked:
    """An app of the nursery, with what a ``subprocess.Popen`` of it would offer."""

    def __init__(self, nursery: Nursery, pid: int) -> None:
        self._nursery = nursery
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit status, or minus the signal that ended it; None while it runs."""
        if self.returncode is None:
            self.returncode = self._nursery.ask({"status": self.pid})["status"]
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """As ``poll``, once it has ended; raises subprocess.TimeoutExpired."""
        end = None if timeout is None else time.monotonic() + timeout
        while (status := self.poll()) is None:
            if end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired(f"app {self.pid}", timeout or 0.0)
            time.sleep(LOOK_S)
        return status

    def send_signal(self, kind: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, kind)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Nursery:
    """The process that the apps are forked from, begun by whoever wants one first."""

    def __init__(self) -> None:
        run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
        index = Path(tempfile.gettempdir()) / f"truehue-{run}"
        with index.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            connection = _connected(index)
            if connection is None:
                process = subprocess.Popen(
                    [sys.executable, "-m", "tests.nursery", index],
                    cwd=ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                )
                while connection is None and process.poll() is None:
                    time.sleep(LOOK_S)
                    connection = _connected(index)
        assert connection is not None, "The process that apps are forked from has ended."
        self._text = connection.makefile("rw")

    def start(
        self, arguments: Sequence[str], log: Path, environment: dict[str, str], program: str = "app"
    ) -> Forked:
        """An app with these arguments and variables, its words in ``log``; ``program`` is the
        module with its ``main``."""
        target = {
            "arguments": list(arguments),
            "log": str(log),
            "environment": environment,
            "program": program,
        }
        return Forked(self, int(self.ask(target)["pid"]))

    def has_imported(self, *packages: str) -> set[str]:
        """Which of these packages it has imported, and so every app at its start."""
        return set(self.ask({"packages": packages})["packages"])

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        self._text.write(json.dumps(question) + "\n")
        self._text.flush()
        answer: dict[str, Any] = json.loads(self._text.readline())
        return answer


def _connected(index: Path) -> socket.socket | None:
    """A connection to the nursery at this place, if there is one."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(index))
    except OSError:
        connection.close()
        return None
    return connection


_here: list[Nursery] = []


def nursery() -> Nursery:
    """That of this process, begun when the first app is wanted."""
    if not _here:
        _here.append(Nursery())
    return _here[0]


def main() -> int:
    """Gets everything ready, and forks whenever it is asked to."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    from truehue.tabs.command.serve import import_gradio

    import_gradio()
    for name in READY:
        importlib.import_module(name)
    from truehue.core.prompts.sets import PROMPT_SETS
    from truehue.tabs.features import FEATURES
    from truehue.tabs.library.service import built_in_index
    from truehue.tabs.page.asset_files import CATALOG, STYLE, asset_files

    for item in PROMPT_SETS:
        item.prompts()
    built_in_index(PROMPT_SETS[0].id)
    files = asset_files()
    pages = [f"js/{tab}/page.js" for tab in ("page", *(item.id for item in FEATURES if item.title))]
    for name in [*files.with_imports(pages), CATALOG, STYLE]:
        body = files.body(files.version, name)
        assert body is not None
        assert body.brotli
    gc.freeze()  # so that the apps share its memory
    answer_all(Path(sys.argv[1]))
    return 0


def answer_all(index: Path) -> None:
    """Answers everybody who connects, until the last of them has gone."""
    with suppress(FileNotFoundError):
        index.unlink()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(index))
    listener.listen()
    chosen = selectors.DefaultSelector()
    chosen.register(listener, selectors.EVENT_READ, None)
    while True:
        for key, _ in chosen.select():
            if key.data is None:
                connection, _ = listener.accept()
                chosen.register(connection, selectors.EVENT_READ, connection.makefile("rw"))
                continue
            line = key.data.readline()
            if line:
                sockets = [one.fd for one in chosen.get_map().values()]
                key.data.write(json.dumps(_answer(json.loads(line), sockets)) + "\n")
                key.data.flush()
                continue
            chosen.unregister(key.fileobj)
            key.data.close()
            if len(chosen.get_map()) == 1:
                index.unlink()
                index.with_suffix(".lock").unlink()
                return


def _answer(question: dict[str, Any], sockets: Sequence[int]) -> dict[str, Any]:
    if "status" in question:
        return {"status": _status(question["status"])}
    if "packages" in question:
        return {"packages": [name for name in question["packages"] if name in sys.modules]}
    return {"pid": _fork(**question, sockets=sockets)}


def _status(pid: int) -> int | None:
    done, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if done else None


def _fork(
    arguments: list[str],
    log: str,
    environment: dict[str, str],
    program: str,
    sockets: Sequence[int],
) -> int:
    """The id of a new process that is the app; in that process it does not come back."""
    from truehue.core.command import run_command

    pid = os.fork()
    if pid:
        return pid
    for item in sockets:
        os.close(item)
    nothing = os.open(os.devnull, os.O_RDONLY)
    text = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for source, stream in ((nothing, 0), (text, 1), (text, 2)):
        os.dup2(source, stream)
    os.environ.clear()
    os.environ.update(environment)
    begin = importlib.import_module(program).main
    try:
        run_command(lambda: begin(arguments), teardown=False)
    finally:
        # As Python ends a program; ``run_command`` leaves before it comes to what the nursery has.
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    raise AssertionError("An app that has ended goes on.")


if __name__ == "__main__":
    raise SystemExit(main())
