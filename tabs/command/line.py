"""How far a run is, while it is executed: a line on a terminal, lines in a pipe, or JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict
from typing import TextIO

from truehue.core.batch.records import BatchState
from truehue.core.files import Progress
from truehue.tabs.runs.messages import progress_text

PIPE_S, JSON_S = 30.0, 1.0
SAID_EVERY = 5
"""Percent."""


def say(text: str = "", *, file: TextIO | None = None, end: str = "\n") -> None:
    """Prints at once. A reader who has gone (``| head``) hears no more, and the run goes on."""
    stream = file or sys.stdout
    try:
        print(text, end=end, file=stream, flush=True)
    except BrokenPipeError:
        # What is still buffered goes nowhere, or Python would complain at its end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def percent_line(wanted: bool = True) -> Progress:
    """How much of something is done: a line now and then on a terminal, nothing elsewhere."""
    shown = wanted and sys.stderr.isatty()
    last = -1

    def progress(done: int, total: int) -> None:
        nonlocal last
        percent = 100 * done // total if total else 100
        if shown and percent // SAID_EVERY != last:
            last = percent // SAID_EVERY
            print(f"\r{percent}%", end="\n" if percent >= 100 else "", file=sys.stderr, flush=True)

    return progress


class Line:
    """A ``watch`` of truehue.core.runs.execute: on a terminal one line that is written over, in a
    pipe a line every 30 seconds, with ``as_json`` an object a second on ``out``."""

    def __init__(self, out: TextIO, err: TextIO, as_json: bool = False) -> None:
        self._out, self._err, self._json = out, err, as_json
        self._terminal = err.isatty() and not as_json
        self._every = JSON_S if as_json else 0.0 if self._terminal else PIPE_S
        self._last = 0.0 if self._terminal or as_json else time.monotonic()
        self._width = 0

    def __call__(self, state: BatchState) -> None:
        if time.monotonic() - self._last < self._every:
            return
        self._last = time.monotonic()
        if self._json:
            say(json.dumps(asdict(state)), file=self._out)
        elif self._terminal:
            text = progress_text(state)
            say(f"\r{text:<{self._width}}", end="", file=self._err)
            self._width = len(text)
        else:
            say(progress_text(state), file=self._err)

    def close(self) -> None:
        """Leaves the line."""
        if self._width:
            say(file=self._err)
