"""Apps forked from a process that has imported all they need, built the prompt sets and their
index, and compressed the files of the page.

An app of its own costs some five seconds of processor time before it answers, of which nearly all
goes into imports. Tests whose subject is not how the app starts take one from here; each has its
own data, threads and end, as if it had been started by ``python app.py``.

``python -m tests.nursery`` reads a line of JSON for each question and answers with one.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOOK_S = 0.02
# What the app imports when it starts.
READY = (
    "app",
    "core.generation.backends.endpoints",
    "core.generation.weights.sources",
    "storage.store",
    "tabs.page.context",
    "tabs.export.service",
    "tabs.runs.supervisor",
    "tabs.shell.shell",
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
    """The process that the apps are forked from."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.nursery"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(
        self, arguments: Sequence[str], log: Path, environment: dict[str, str], program: str = "app"
    ) -> Forked:
        """An app with these arguments and variables, its words in ``log``; ``program`` is the
        module with its ``main``."""
        asked = {
            "arguments": list(arguments),
            "log": str(log),
            "environment": environment,
            "program": program,
        }
        return Forked(self, int(self.ask(asked)["pid"]))

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        """Ends it; it has no apps any more."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


_here: list[Nursery] = []


def nursery() -> Nursery:
    """That of this process, begun when the first app is wanted."""
    if not _here:
        _here.append(Nursery())
        atexit.register(_here[0].close)
    return _here[0]


def main() -> int:
    """Gets everything ready, and forks whenever it is asked to."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    for name in READY:
        importlib.import_module(name)
    from core.prompts.sets import PROMPT_SETS
    from tabs.library.service import built_in_index
    from tabs.page.asset_files import CATALOG, STYLE, asset_files
    from tabs.page.figures import warm

    for one in PROMPT_SETS:
        one.prompts()
    built_in_index(PROMPT_SETS[0].id)
    files = asset_files()
    for name in [*files.under("js/"), CATALOG, STYLE]:
        body = files.body(files.version, name)
        assert body is not None
        assert body.brotli
    warm()
    gc.freeze()  # so that the apps share its memory
    for line in sys.stdin:
        question = json.loads(line)
        if "status" in question:
            answer = {"status": _status(question["status"])}
        else:
            answer = {"pid": _fork(**question)}
        print(json.dumps(answer), flush=True)
    return 0


def _status(pid: int) -> int | None:
    done, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if done else None


def _fork(arguments: list[str], log: str, environment: dict[str, str], program: str) -> int:
    """The id of a new process that is the app; in that process it does not come back."""
    from core.command import run_command

    pid = os.fork()
    if pid:
        return pid
    nothing = os.open(os.devnull, os.O_RDONLY)
    words = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for source, stream in ((nothing, 0), (words, 1), (words, 2)):
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
