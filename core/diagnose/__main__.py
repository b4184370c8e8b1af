"""Entry point of ``python -m core.diagnose``; core.diagnose.command says what it does."""

from __future__ import annotations

import sys

from core.diagnose.command import main

if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        # A terminal without Greek letters shows \\u0394 instead of ending the run.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main()
    except BrokenPipeError:
        sys.stderr.close()
        status = 1
    sys.exit(status)
