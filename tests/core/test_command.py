"""How commands end when their reader has gone, or cannot show what they print."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from truehue.core.command import program

pytestmark = pytest.mark.process

ROOT = __file__.rsplit("/tests/", 1)[0]


@pytest.mark.parametrize(
    "command",
    [["truehue.core.prompts", "list", "--set", "mini"], ["truehue.core.masks", "models", "--json"]],
)
def test_a_reader_that_has_gone_ends_the_run_quietly(command: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == ""


def test_a_terminal_without_greek_letters_ends_no_run() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import truehue.core.measure; from truehue.core.command import run_command; "
            "run_command(lambda: print('\\u0394E00') or 0)",
        ],
        cwd=ROOT,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout == b"\\u0394E00\n"


PROGRAM = """
import atexit, sys, time
from truehue.core.command import run_command
class Thread:
    def __del__(self):
        time.sleep(60)
sys.modules["stuck"] = Thread()
def main():
    atexit.register(print, "closed")
    return {main}
run_command(main, teardown=False)
"""


@pytest.mark.parametrize(
    ("main", "status", "said"),
    [
        ("print('done') or 3", 3, ""),
        ("sys.exit('Port 1 is in use')", 1, "Port 1 is in use\n"),
        ("1 / 0", 1, "ZeroDivisionError: division by zero\n"),
    ],
)
def test_a_program_that_cannot_be_taken_apart_ends(main: str, status: int, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(main=main)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == status
    assert done.stderr.endswith(said)
    assert done.stdout == ("done\n" if status == 3 else "") + "closed\n"


@pytest.mark.parametrize(
    ("called", "named"),
    [
        ("/usr/bin/truehue", "truehue measure"),
        ("/srv/truehue/truehue/__main__.py", "python -m truehue measure"),
        ("/srv/truehue/app.py", "python app.py measure"),
    ],
)
def test_help_says_how_it_was_called(
    called: str, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", [called])
    assert program("measure", "app.py measure") == named
