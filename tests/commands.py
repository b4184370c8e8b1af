"""Commands called in the test's own process: what they print, and how they end."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

ROOT = Path(__file__).resolve().parents[1]


def called(
    main: Callable[[list[str]], int], *arguments: str, folder: Path = ROOT
) -> CompletedProcess[str]:
    """``main`` with these arguments in ``folder``, ended as a program is.

    What only a process of its own shows (encodings, signals, readers that have gone) is tested
    with one: ``tests/core/test_command.py`` does so for every command.
    """
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            status = main(list(arguments))
        except SystemExit as end:  # argparse's own
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
            if isinstance(end.code, str):  # as Python does at the end of a program
                print(end.code, file=err)
    return CompletedProcess(list(arguments), status, out.getvalue(), err.getvalue())
