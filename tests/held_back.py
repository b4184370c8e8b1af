"""A command of long work in a process of its own that does its first batch and no more, until a
signal comes: what the signal meets is the same on a machine of any speed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# The command as ``python -m`` runs it, but nothing is heard of its workers once a batch is in
# their journal; then a byte is written to the pipe.
PROGRAM = """
import os, runpy, signal, sys
from truehue.core.batch import execute
from truehue.core.batch.local_team import LocalTeam
from truehue.core.batch.team import DONE

class HeldBack(LocalTeam):
    said = False

    def events(self, timeout_s):
        events = super().events(timeout_s)
        if self.said:
            return []
        if any(event.kind == DONE for event in events):
            self.said = True
            os.write(pipe, b"1")
        return events

pipe, module = int(sys.argv[1]), sys.argv[2]
sys.argv[1:] = sys.argv[3:]
execute.LocalTeam = HeldBack
# What is started in a script's background is deaf to Ctrl+C; a terminal's command is not.
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


@contextmanager
def held_back(module: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command once its first batch is done, in a group of its own, so that a signal to the
    group goes to its workers too, as from a terminal. It ends with the block."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(writing), module, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        pass_fds=(writing,),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    os.close(writing)
    try:
        with open(reading, "rb") as pipe:
            if not pipe.read(1):
                raise AssertionError(f"It ended by itself:\n{process.communicate()[1]}")
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
