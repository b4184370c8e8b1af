"""How every command of ``core`` ends, whatever its terminal or pipe can take."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

from truehue.core.errors import TrueHueError


def run_command(main: Callable[[], int], teardown: bool = True) -> NoReturn:
    """Runs ``main`` and ends the program with its exit status.

    A terminal without Greek letters shows \\u0394 instead of ending the run; a reader who has gone
    (``| head``) ends it with status 1 and no traceback.

    Without ``teardown`` the process is left when Python has joined its threads and called what is
    registered for its end, before it takes itself apart: a thread that then comes back from native
    code (a model's, the database's) can keep it from ever ending. Such a program calls this before
    it imports anything that registers something for its end.
    """
    status = 1

    def leave() -> None:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(status)

    if not teardown:
        atexit.register(leave)  # the first to be registered is the last to be called
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered goes nowhere, or Python would complain at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
        raise
    sys.exit(status)


def status_of(run: Callable[[], int], stopped: str = "Stopped.") -> int:
    """The exit status of what a command does: 2 for an error of ours and 130 for Ctrl+C, each with
    its sentence on standard error."""
    try:
        return run()
    except TrueHueError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(stopped, file=sys.stderr)
        return 130


def program(command: str, router: str) -> str:
    """How a command was called, for its help: ``truehue measure``, ``python -m truehue measure`` or
    ``python -m core.measure``."""
    called = Path(sys.argv[0])
    if called.stem == "truehue":
        return f"truehue {command}"
    if (called.parent.name, called.name) == ("truehue", "__main__.py"):
        return f"python -m truehue {command}"
    return f"python {router}"


@contextlib.contextmanager
def ended_by_signal() -> Iterator[threading.Event]:
    """An event that SIGTERM and SIGINT set while it lasts, for work that ends between two steps;
    outside the main thread, which alone may answer signals, nothing sets it."""
    end = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield end
        return
    names = (signal.SIGTERM, signal.SIGINT)
    before = {name: signal.signal(name, lambda *_: end.set()) for name in names}
    try:
        yield end
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
