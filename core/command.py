"""How every command of ``core`` ends, whatever its terminal or pipe can take."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import NoReturn


def run_command(main: Callable[[], int]) -> NoReturn:
    """Runs ``main`` and ends the program with its exit status.

    A terminal without Greek letters shows \\u0394 instead of ending the run; a reader who has gone
    (``| head``) ends it with status 1 and no traceback.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered goes nowhere, or Python would complain at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)
